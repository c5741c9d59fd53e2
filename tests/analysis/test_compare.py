import json
from dataclasses import replace

from conftest_reports import exact, fixed_run, run_of, said

from vivavoce.analysis.compare import compare, document
from vivavoce.core.result import Exchange, Fault, Result


def result(case, status, *, digest="d", repeat=0, value=None, checks=True):
    score = replace(exact(status, f"why {case} is {status}"), unit_value=value)
    error = Fault(code="timeout", message="no answer") if status == "error" else None
    turn = Exchange(input="?", reply=None if error else said("!"), error=error, scores=(score,) if checks else ())
    return Result(suite="s", case=case, repeat=repeat, status=status, digest=digest, turns=(turn,), error=error)


BEFORE = run_of(
    [
        *(result(case, "pass") for case in ("same", "breaks", "errs", "skips", "edited", "gone", "twice")),
        result("mends", "fail"),
        result("twice", "fail", repeat=1),
    ]
)
AFTER = run_of(
    [
        result("new", "fail"),
        result("twice", "pass", repeat=1),
        result("twice", "pass"),
        result("edited", "fail", digest="e"),
        result("skips", "skip"),
        result("mends", "pass"),
        result("errs", "error"),
        result("breaks", "fail"),
        result("same", "pass"),
    ]
)


def named(changes):
    return [(each.case, each.repeat, each.before, each.after) for each in changes]


def test_equal_cases_are_paired_whatever_their_order():
    found = compare(BEFORE, AFTER)
    assert found.pairs == 7
    assert named(found.of("broke")) == [("errs", 0, "pass", "error"), ("breaks", 0, "pass", "fail")]
    assert named(found.of("fixed")) == [("twice", 1, "fail", "pass"), ("mends", 0, "fail", "pass")]
    assert named(found.of("other")) == [("skips", 0, "pass", "skip")]
    assert (found.changed, found.new, found.gone) == ([("s", "edited", 0)], [("s", "new", 0)], [("s", "gone", 0)])
    assert (found.before_passed, found.before_decided, found.after_passed, found.after_decided) == (5, 7, 4, 6)


def test_a_change_says_which_check_and_why():
    found = compare(BEFORE, AFTER)
    breaks = found.of("broke")[1]
    assert [(each.check, each.before, each.after) for each in breaks.checks] == [("ExactMatch", "pass", "fail")]
    assert breaks.reason == "ExactMatch: why breaks is fail"
    assert found.of("broke")[0].reason == "timeout: no answer"


def test_an_error_enters_no_mean():
    count = compare(BEFORE, AFTER).checks["ExactMatch"]
    assert (count.pairs, count.broke, count.fixed) == (5, 1, 2)  # errs and skips have no second value
    assert count.means == (3 / 5, 4 / 5)


def test_values_are_averaged_where_there_are_any():
    found = compare(run_of([result("a", "pass", value=0.5)]), run_of([result("a", "pass", value=0.75)]))
    assert found.checks["ExactMatch"].means == (0.5, 0.75)
    assert found.sentence() == "nothing broke and nothing was fixed, of 1 equal case"


def test_runs_with_nothing_in_common_are_not_compared():
    found = compare(run_of([result("a", "pass")]), run_of([result("a", "pass", digest="other")]))
    assert found.pairs == 0
    assert "nothing to compare" in found.sentence()


def test_a_run_compared_with_itself_has_not_changed():
    found = compare(fixed_run(), fixed_run())
    assert (found.pairs, found.changes, found.new, found.gone, found.changed) == (11, [], [], [], [])


def test_the_document_is_plain_data():
    told = json.loads(json.dumps(document(compare(BEFORE, AFTER)), allow_nan=False))
    assert told["summary"] | {"sentence": ""} == {
        "broke": 2,
        "fixed": 2,
        "other": 1,
        "both_pass": 2,
        "changed": 1,
        "new": 1,
        "gone": 1,
        "sentence": "",
    }
    assert told["broke"][1]["checks"][0]["check"] == "ExactMatch"
    assert "more than chance is not tested" in told["summary"]["sentence"]
