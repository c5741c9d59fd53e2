import pytest

from vivavoce.analysis.gate import outcome, percent
from vivavoce.core.model import Header, Selection
from vivavoce.core.result import EvaluatorSummary, Run, Stability, Summary


def run(passed=0, failed=0, skipped=0, errored=0, not_run=0, state="complete", evaluated=None, scores=None, repeat=1):
    done = passed + failed + skipped + errored
    summary = Summary(
        cases=done,
        trials=done + not_run,
        not_run=not_run,
        passed=passed,
        failed=failed,
        skipped=skipped,
        errored=errored,
        evaluated=bool(passed or failed) if evaluated is None else evaluated,
        evaluators=scores if scores is not None else {"ExactMatch": EvaluatorSummary(passed=passed)},
        stability=None if repeat == 1 else Stability(repeat=repeat, mean=1, ci95=None, pass_at_k=1, pass_pow_k=1, unstable=()),
    )
    header = Header(digest="d", selection=Selection(repeat=repeat), files=(), version="0")
    return Run(id="r", started="s", finished=None, state=state, header=header, summary=summary, results=())


@pytest.mark.parametrize(
    ("given", "code", "sentence"),
    [
        (run(10), 0, "PASSED: all 10 cases passed"),
        (run(1), 0, "PASSED: 1 of 1 case passed"),
        (run(1200), 0, "PASSED: all 1,200 cases passed"),
        (run(9, repeat=3), 0, "PASSED: all 9 trials passed"),
        (run(26, skipped=2), 0, "PASSED: 26 of 28 cases passed; 2 skipped"),
        (run(24, 3, 0, 1), 1, "FAILED: 3 of 28 cases failed, 1 errored; 24 passed (88.9 % of 27 scored)"),
        (run(24, 3, 2, 1), 1, "FAILED: 3 of 30 cases failed, 1 errored; 24 passed (88.9 % of 27 scored); 2 skipped"),
        (run(24, 0, 0, 1), 1, "FAILED: 1 of 25 cases errored; 24 passed (100 % of 24 scored)"),
        (run(0, 2), 1, "FAILED: 2 of 2 cases failed; 0 passed (0 % of 2)"),
        (run(9999, 1), 1, "FAILED: 1 of 10,000 cases failed; 9,999 passed (99.9 % of 10,000)"),
        (run(4, not_run=6, state="interrupted"), 1, "INTERRUPTED: 6 of 10 cases not run; 4 of 4 cases passed"),
        (
            run(4, not_run=6, state="stopped"),
            1,
            "STOPPED: a limit or fault ended the run, 6 of 10 cases not run; 4 of 4 cases passed",
        ),
        (run(4, state="stopped"), 1, "STOPPED: a limit or fault ended the run; all 4 cases passed"),
        (run(4, not_run=1, state="running"), 1, "RUNNING: 1 of 5 cases not run; 4 of 4 cases passed"),
        (run(4, not_run=1), 1, "FAILED: 1 of 5 cases not run; 4 of 4 cases passed"),
    ],
)
def test_without_a_gate_everything_must_pass(given, code, sentence):
    got = outcome(given)
    assert (got.code, got.sentence, got.ok) == (code, sentence, code == 0)
    assert outcome(given, no_fail=True).code == 0
    assert outcome(given, no_fail=True).ok is got.ok


@pytest.mark.parametrize(
    ("given", "asked", "code", "sentence"),
    [
        (run(19, 1), 0.95, 0, "PASSED: 19 of 20 cases passed, 95.0 %, at least the 95 % asked for; 1 failed"),
        (run(18, 1, 0, 1), 0.95, 1, "FAILED: 18 of 20 cases passed, 90.0 %, less than the 95 % asked for; 1 failed, 1 errored"),
        (run(7, 3), 0.7, 0, "PASSED: 7 of 10 cases passed, 70.0 %, at least the 70 % asked for; 3 failed"),
        (run(10, 0, 4), 1.0, 0, "PASSED: 10 of 10 cases passed, 100 %, at least the 100 % asked for; 4 skipped"),
        (run(0, 10), 0.0, 0, "PASSED: 0 of 10 cases passed, 0 %, at least the 0 % asked for; 10 failed"),
        (run(9499, 501), 0.95, 1, "FAILED: 9,499 of 10,000 cases passed, 94.99 %, less than the 95 % asked for; 501 failed"),
        (run(5, 3), 0.6249, 0, "PASSED: 5 of 8 cases passed, 62.5 %, at least the 62.49 % asked for; 3 failed"),
    ],
)
def test_a_gate_asks_for_a_rate_in_which_errors_are_not_passed(given, asked, code, sentence):
    got = outcome(given, min_pass_rate=asked)
    assert (got.code, got.sentence, got.ok) == (code, sentence, code == 0)
    assert outcome(given, min_pass_rate=asked, no_fail=True).code == 0


@pytest.mark.parametrize("state", ["stopped", "interrupted", "running", "complete"])
def test_a_gate_over_an_incomplete_run_is_missed(state):
    got = outcome(run(9, not_run=1, state=state), min_pass_rate=0.1)
    assert (got.code, got.ok) == (1, False)
    assert got.sentence.endswith("1 of 10 cases not run; 9 of 9 cases passed; a gate over an incomplete run is missed")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (run(), "no case was selected"),
        (run(not_run=3, state="interrupted"), "none of 3 cases was run"),
        (run(not_run=3, state="stopped"), "a limit or fault ended the run before any of 3 cases was finished"),
        (run(skipped=2, scores={}), "none of 2 cases has a check; name an evaluator with --evaluator"),
        (run(skipped=2, scores={"Relevance": EvaluatorSummary(skipped=2)}), "every check of 2 cases was skipped"),
        (
            run(errored=2, scores={"Relevance": EvaluatorSummary(errored=2)}),
            "no check of 2 cases could be made; each error says why",
        ),
        (
            run(errored=1, skipped=1, scores={"Relevance": EvaluatorSummary(errored=1, skipped=1)}),
            "every check of 2 cases was skipped or could not be made (1 errored)",
        ),
    ],
)
@pytest.mark.parametrize("more", [{}, {"no_fail": True}, {"min_pass_rate": 0.0}])
def test_nothing_evaluated_is_2_whatever_is_asked(given, why, more):
    got = outcome(given, **more)
    assert (got.code, got.sentence, got.ok) == (2, f"NOTHING EVALUATED: {why}", False)


def test_a_rate_equal_to_the_gate_meets_it_also_where_it_has_no_end():
    assert outcome(run(2, 1), min_pass_rate=2 / 3).ok


def test_a_percentage_is_whole_only_when_it_is():
    assert percent(99_999, 100_000) == "99.9 %"
    assert percent(1, 100_000) == "0.1 %"
    assert (percent(0, 3), percent(3, 3), percent(1, 3)) == ("0 %", "100 %", "33.3 %")
