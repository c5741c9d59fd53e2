import io
import xml.etree.ElementTree as ElementTree

import pytest
from conftest_reports import empty_run, fixed_run, interrupted_run, repeated_run, run_of

from vivavoce.core.reply import Reply
from vivavoce.core.result import Exchange, Result, Score
from vivavoce.reports.junit import Junit


def document(run):
    out = io.StringIO(newline="")
    Junit().render(run, out)
    return ElementTree.fromstring(out.getvalue().encode())


@pytest.mark.parametrize("make", [fixed_run, repeated_run, interrupted_run, empty_run])
def test_the_counts_are_those_of_the_tests(make):
    suites = document(make())
    for group in (suites, *suites.findall("testsuite")):
        tests = list(group.iter("testcase"))
        assert int(group.get("tests")) == len(tests)
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(group.get(count)) == sum(test.find(tag) is not None for test in tests)


def test_every_result_is_a_test_of_its_suite():
    run = fixed_run()
    suites = document(run)
    told = [(each.get("name"), test.get("name")) for each in suites.findall("testsuite") for test in each]
    assert told == [(result.suite, result.case) for result in run.results]
    failed = next(test for test in suites.iter("testcase") if test.get("name") == "late-parcel")
    assert "TrajectoryInOrderMatch: expected find_order, open_claim" in failed.find("failure").text
    assert "turn 2, Relevance: the answer offers nothing" in failed.find("failure").get("message")


def test_repeats_are_tests_of_their_own():
    names = [test.get("name") for test in document(repeated_run()).iter("testcase")]
    assert len(set(names)) == len(names) == 9
    assert names[0] == "boil-egg [repeat 0]"


def score(name, status, reason, **more):
    return Score(name=name, evaluator="Relevance", status=status, reason=reason, **more)


def told_of(status, *turns, scores=(), **more):
    """The test of a result with these scores of each turn."""
    held = tuple(Exchange(input="Open?", reply=Reply(text="Yes."), scores=each) for each in turns)
    result = Result(suite="s", case="c", status=status, turns=held, scores=scores, **more)
    return next(document(run_of([result])).iter("testcase"))


NO_JUDGE = score("Relevance", "skip", "no judge is set")
NO_TEXT = score("ExactMatch", "skip", "needs an expected response")
NO_CALL = score("ToolSelection", "skip", "no such tool", call=1)


def test_a_skipped_test_tells_every_reason():
    (skipped,) = told_of("skip", (NO_JUDGE, NO_TEXT), (NO_CALL,), scores=(NO_TEXT,))
    assert (skipped.tag, skipped.get("message")) == ("skipped", "turn 1, Relevance: no judge is set")
    assert skipped.text.split("\n") == [
        "turn 1, Relevance: no judge is set",
        "turn 1, ExactMatch: needs an expected response",
        "turn 2, ToolSelection, call 2: no such tool",
        "ExactMatch: needs an expected response",
    ]


@pytest.mark.parametrize("status", ["pass", "fail", "error"])
def test_a_test_that_is_not_skipped_tells_what_in_it_was(status):
    test = told_of(status, (score("Mine", status, "said"), NO_JUDGE), scores=(NO_TEXT,))
    assert test.find("skipped") is None
    assert test.find("system-out").text.split("\n") == [
        "skipped: Relevance: no judge is set",
        "skipped: ExactMatch: needs an expected response",
        "asked: Open?",
        "got: Yes.",
    ]
    assert [each.text for each in test if each.tag != "system-out"] == ([] if status == "pass" else ["Mine: said"])


def test_what_was_skipped_is_told_of_a_long_conversation_too():
    test = told_of("pass", *[(score("Mine", "pass", "said" * 100),)] * 400, (NO_JUDGE,))
    assert test.find("system-out").text.startswith("skipped: turn 401, Relevance: no judge is set\nasked: Open?")


@pytest.mark.parametrize(("make", "word"), [(interrupted_run, "7 of 9 cases not run"), (empty_run, "NOTHING EVALUATED")])
def test_a_run_that_says_little_is_not_green(make, word):
    suites = document(make())
    assert int(suites.get("errors")) >= 1
    last = suites.findall("testsuite")[-1].find("testcase/error")
    assert word in last.get("message")
