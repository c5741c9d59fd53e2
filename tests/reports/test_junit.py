import io
import xml.etree.ElementTree as ElementTree

import pytest
from conftest_reports import empty_run, fixed_run, interrupted_run, repeated_run

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


@pytest.mark.parametrize(("make", "word"), [(interrupted_run, "7 of 9 cases not run"), (empty_run, "NOTHING EVALUATED")])
def test_a_run_that_says_little_is_not_green(make, word):
    suites = document(make())
    assert int(suites.get("errors")) >= 1
    last = suites.findall("testsuite")[-1].find("testcase/error")
    assert word in last.get("message")
