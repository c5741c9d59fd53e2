import gc
import itertools
import random
from collections import Counter, defaultdict

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.analysis.counts import Counts
from vivavoce.analysis.stats import wilson
from vivavoce.analysis.summary import Tally
from vivavoce.core import codec
from vivavoce.core.reply import Reply
from vivavoce.core.result import USAGE, Exchange, Fault, Result, Score

STATUSES = ("pass", "fail", "skip", "error")


def tallied(results, repeat=1, planned=None):
    tally = Tally(repeat)
    for each in results:
        tally.add(each)
    return tally.summary(trials_planned=len(results) if planned is None else planned, seconds=1.5)


def test_nothing_is_an_empty_summary():
    summary = tallied([])
    assert (summary.cases, summary.trials, summary.pass_rate, summary.evaluated) == (0, 0, None, False)
    assert summary.stability is None


def test_counts_by_status_suite_and_category(make):
    summary = tallied(
        [
            make.result("a", "pass", category="kb", position=0),
            make.result("b", "fail", category="kb", position=1),
            make.result("c", "error", turns=[make.turn(make.score("error"), answered=False)], position=2),
            make.result("d", "skip", suite="t", position=3),
        ],
        planned=6,
    )
    assert (summary.passed, summary.failed, summary.skipped, summary.errored) == (1, 1, 1, 1)
    assert (summary.cases, summary.trials, summary.not_run, summary.scored) == (4, 6, 2, 2)
    assert summary.pass_rate == 0.5
    assert list(summary.suites) == ["s", "t"]
    assert list(summary.categories) == ["kb"]
    assert summary.categories["kb"].cases == 2
    assert summary.suites["t"].pass_rate is None
    assert summary.seconds == 1.5


def test_groups_stand_in_the_datasets_order_however_results_come(make):
    results = [make.result(name, suite=name, position=at) for at, name in enumerate(["zeta", "alpha", "mid"])]
    for order in itertools.permutations(results):
        assert list(tallied(order).suites) == ["zeta", "alpha", "mid"]


def test_evaluators_are_counted_by_score_and_keyed_by_name(make):
    summary = tallied(
        [
            make.result("a", turns=[make.turn(make.score("pass"), make.score("skip", "Relevance"))]),
            make.result("b", "fail", turns=[make.turn(make.score("pass")), make.turn(make.score("fail"))]),
            make.result("c", "error", turns=[make.turn(make.score("error"))], scores=(make.score("pass", "Trajectory"),)),
        ]
    )
    exact = summary.evaluators["ExactMatch"]
    assert (exact.passed, exact.failed, exact.skipped, exact.errored) == (2, 1, 0, 1)
    assert exact.mean == pytest.approx(2 / 3)
    assert exact.ci95[0] < 2 / 3 < exact.ci95[1]
    assert summary.evaluators["Relevance"].mean is None
    assert summary.evaluators["Relevance"].ci95 is None
    assert summary.evaluators["Trajectory"].pass_rate == 1.0
    assert list(summary.evaluators) == sorted(summary.evaluators)


def test_the_documents_own_example_of_an_interval(make):
    results = [make.result(str(at), "fail" if at == 0 else "pass") for at in range(9)]
    assert [round(bound, 2) for bound in tallied(results).evaluators["ExactMatch"].ci95] == [0.57, 0.98]


def test_a_graded_score_gets_a_t_interval(make):
    grades = [3.0, 4.0, 5.0, 4.0]
    results = [make.result(str(at), turns=[make.turn(make.score("pass", value=v))]) for at, v in enumerate(grades)]
    summary = tallied(results).evaluators["ExactMatch"]
    assert summary.mean == 4.0
    assert summary.ci95 == pytest.approx((4 - 3.182446 * 0.816497 / 2, 4 + 3.182446 * 0.816497 / 2), abs=1e-5)


def test_what_is_no_number_stays_out_of_the_mean(make):
    values = [float("nan"), float("inf"), 2.0]
    turns = [make.turn(*(make.score("pass", value=v) for v in values))]
    assert tallied([make.result(turns=turns)]).evaluators["ExactMatch"].mean == 2.0


def test_usage_counts_calls_that_were_made_and_what_was_reported(make):
    spent = {USAGE: {"calls": 2, "input_tokens": 100, "output_tokens": 7, "cost_usd": 0.001}}
    summary = tallied(
        [
            make.result(
                turns=[
                    make.turn(make.score(judge="local"), usage={"input_tokens": 5, "output_tokens": 2, "cost_usd": 0.1}),
                    make.turn(make.score("error", judge="m", details=spent), usage={"input_tokens": "many", "cost_usd": 0.2}),
                    make.turn(make.score("error"), answered=False),
                    make.turn(answered=False, sent=False),
                ],
                scores=(make.score("skip", judge="local"), make.score("pass", judge="m", details={USAGE: {"calls": 1}})),
            )
        ]
    )
    usage = summary.usage
    assert (usage.agent_calls, usage.judge_calls, usage.input_tokens, usage.output_tokens) == (3, 3, 105, 9)
    assert usage.cost_usd == 0.301
    assert isinstance(usage.input_tokens, int)


@pytest.mark.parametrize(
    ("scores", "answered", "expected"),
    [
        ([], True, False),
        ([("skip", None)], True, False),
        ([("error", "local")], True, False),
        ([("error", None)], False, False),
        ([("error", None)], True, True),
        ([("pass", None)], True, True),
        ([("fail", "local")], True, True),
        ([("skip", None), ("error", "local")], True, False),
    ],
)
def test_whether_anything_was_evaluated(make, scores, answered, expected):
    turns = [make.turn(*(make.score(status, judge=judge) for status, judge in scores), answered=answered)]
    assert tallied([make.result(status="error", turns=turns)]).evaluated is expected


def test_repeats_are_one_case(make):
    results = [
        make.result(case, status, repeat=repeat, position=3 * at + repeat)
        for at, (case, statuses) in enumerate({"a": "ppp", "b": "pfp", "c": "fff", "d": "pep"}.items())
        for repeat, status in enumerate({"p": "pass", "f": "fail", "e": "error"}[letter] for letter in statuses)
    ]
    summary = tallied(results, repeat=3)
    stability = summary.stability
    assert (summary.cases, summary.suites["s"].cases, summary.trials) == (4, 4, 12)
    assert stability.repeat == 3
    assert stability.mean == pytest.approx(7 / 11)
    assert stability.pass_at_k == pytest.approx(2 / 3)  # of a, b, c: d has an error among its three
    assert stability.pass_pow_k == pytest.approx(1 / 3)
    assert stability.unstable == (("s", "b"),)
    assert stability.ci95[1] - stability.ci95[0] > wilson(7, 11)[1] - wilson(7, 11)[0]


def test_a_summary_half_way_counts_open_cases_and_changes_nothing(make):
    results = [make.result(case, status, repeat=r) for case in "ab" for r, status in enumerate(["pass", "fail"])]
    tally = Tally(2)
    for each in results[:3]:
        tally.add(each)
    half = tally.summary(trials_planned=4, seconds=0)
    assert tally.summary(trials_planned=4, seconds=0) == half
    assert half.evaluators["ExactMatch"].mean == pytest.approx(2 / 3)
    assert (half.cases, half.not_run) == (2, 1)
    assert half.stability.pass_at_k == 1.0
    tally.add(results[3])
    assert tally.summary(trials_planned=4, seconds=1.5) == tallied(results, repeat=2)


def test_the_first_hundred_unstable_cases_are_named_by_place_in_the_dataset(make):
    results = [
        make.result(f"c{at}", status, repeat=r, position=2 * at + r)
        for at in range(150)
        for r, status in enumerate(["pass", "fail"])
    ]
    random.Random(3).shuffle(results)
    assert [case for _, case in tallied(results, repeat=2).stability.unstable] == [f"c{at}" for at in range(100)]


def test_memory_is_bounded_by_the_cases_in_flight(make):
    tally = Tally(3)
    for at in range(3000):
        for repeat in range(3):
            tally.add(make.result(f"c{at}", repeat=repeat, position=3 * at + repeat))
    gc.collect()
    kept = sum(isinstance(each, Result | Score | Exchange) for each in gc.get_objects())
    assert kept < 100
    assert not tally._open


@st.composite
def runs(draw):
    repeat = draw(st.integers(1, 3))
    results = []
    for at in range(draw(st.integers(0, 8))):
        suite, category = draw(st.sampled_from("st")), draw(st.sampled_from(["kb", "web", None]))
        for each in range(repeat):
            turns = tuple(_turn(draw) for _ in range(draw(st.integers(1, 3))))
            status = draw(st.sampled_from(STATUSES))
            results.append(
                Result(
                    suite=suite,
                    case=f"c{at}",
                    category=category,
                    repeat=each,
                    position=at * repeat + each,
                    status=status,
                    turns=turns,
                )
            )
    return repeat, draw(st.permutations(results))


def _turn(draw):
    scores = []
    for name in draw(st.lists(st.sampled_from(["ExactMatch", "Relevance"]), max_size=3)):
        status = draw(st.sampled_from(STATUSES))
        value = draw(st.sampled_from([0.0, 1.0, 2.0, 4.5])) if status in ("pass", "fail") else None
        scores.append(Score(name=name, evaluator=name, status=status, value=value, reason="r"))
    answered = draw(st.booleans())
    return Exchange(
        input="q",
        reply=Reply(text="a") if answered else None,
        error=None if answered else Fault(code="timeout", message="m"),
        scores=tuple(scores),
    )


@given(runs())
def test_a_tally_is_what_counting_by_hand_gives(run):
    repeat, results = run
    summary = tallied(results, repeat=repeat)
    statuses = Counter(result.status for result in results)
    assert (summary.passed, summary.failed, summary.skipped, summary.errored) == tuple(statuses[s] for s in STATUSES)
    assert summary.cases == len({(result.suite, result.case) for result in results})
    for name, group in summary.suites.items():
        mine = [result for result in results if result.suite == name]
        assert group.cases == len({result.case for result in mine})
        assert group.passed == sum(result.status == "pass" for result in mine)
    for name, group in summary.categories.items():
        assert group.cases == len({(r.suite, r.case) for r in results if r.category == name})
    by_case = defaultdict(lambda: defaultdict(list))
    for result in results:
        for turn in result.turns:
            for score in turn.scores:
                if score.value is not None:
                    by_case[score.name][result.suite, result.case].append(score.value)
    for name, row in summary.evaluators.items():
        values = [value for each in by_case[name].values() for value in each]
        assert row.mean == (pytest.approx(sum(values) / len(values)) if values else None)
        assert (row.passed + row.failed) == len(values)
        if values and set(values) > {0.0, 1.0} and len(by_case[name]) > 1:
            assert row.ci95 is not None


@given(runs())
def test_the_order_of_results_changes_no_number(run):
    repeat, results = run
    ordered = sorted(results, key=lambda result: result.position)
    assert tallied(results, repeat=repeat) == tallied(ordered, repeat=repeat)


@given(runs(), st.data())
def test_what_another_process_counted_is_counted_in(run, data):
    _, results = run
    results = [result for result in results if result.repeat == 0]
    here, there = Tally(scale=lambda evaluator: (0, 5)), Tally(scale=lambda evaluator: (0, 5))
    whole = Tally(scale=lambda evaluator: (0, 5))
    for result in results:
        whole.add(result)
        data.draw(st.sampled_from([here, there])).add(result)
    sent = msgspec.msgpack.decode(msgspec.msgpack.encode(there.counts), type=Counts)
    here.include(sent)
    assert here.summary(trials_planned=9, seconds=0) == whole.summary(trials_planned=9, seconds=0)
    assert here.count == len(results)


@given(runs())
def test_a_summary_survives_its_document(run):
    repeat, results = run
    summary = tallied(results, repeat=repeat)
    assert codec.read_summary(codec.decode(codec.encode(codec.summary(summary)), dict)) == summary


def test_no_interval_leaves_the_scale(make):
    results = [make.result("a", "pass", turns=[make.turn(make.score("pass", value=5.0))], position=0)]
    results += [make.result("b", "fail", turns=[make.turn(make.score("fail", value=1.0))], position=1)]
    name = next(iter(tallied(results).evaluators))
    assert tallied(results).evaluators[name].ci95[0] < 1
    tally = Tally(scale=lambda evaluator: (1, 5))
    for result in results:
        tally.add(result)
    assert tally.summary(trials_planned=2, seconds=0).evaluators[name].ci95 == (1, 5)


def test_replayed_answers_cost_no_call(make):
    tally = Tally(asks=False)
    tally.add(make.result("a", "pass", position=0))
    assert tally.summary(trials_planned=1, seconds=0).usage.agent_calls == 0
