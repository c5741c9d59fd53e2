"""Kinds of answers, refusals and insights, against what a suite expects of them."""

from __future__ import annotations

from typing import Any

import pytest

from vivavoce.core.errors import Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.reply import Reply
from vivavoce.core.result import Verdict
from vivavoce.evaluators.answer import InsightContains, Intent, RefusalContains


def examine(evaluator: Any, expect: dict[str, Any], reply: dict[str, Any]) -> Verdict:
    turn = Turn(input="q", expect=Expectation(**expect))
    verdict: Verdict = evaluator.score(Evidence(case=Case(id="c", turns=(turn,)), turn=turn, reply=Reply(**reply)))
    return verdict


@pytest.mark.parametrize(
    ("expected", "got", "passed"),
    [("QUERY", "QUERY", True), ("query", "QUERY", True), ("REFUSED", " Refused ", True), ("REFUSED", "QUERY", False)],
)
def test_an_intent_is_compared_without_regard_to_case(expected, got, passed):
    assert examine(Intent(), {"intent": expected}, {"intent": got}).passed is passed


def test_another_intent_is_told_in_one_line():
    verdict = examine(Intent(), {"intent": "REFUSED"}, {"intent": "QUERY"})
    assert verdict.reason == "intent: expected REFUSED, got QUERY"
    assert verdict.details == {"mismatches": [{"path": "intent", "message": "expected REFUSED, got QUERY"}]}


@pytest.mark.parametrize(
    ("reason", "expected", "passed"),
    [
        ("Unrelated to this Cube", "Cube", True),
        ("Unrelated to this Cube", "cube", False),
        ("OFF_TOPIC: Unrelated to this cube", "cube", True),
        ("OFF_TOPIC: weather", "OFF_TOPIC", False),
        ("  OFF_TOPIC:weather", "weather", True),
        ("", "x", False),
    ],
)
def test_a_refusal_contains_a_text_to_the_letter_and_without_its_prefix(reason, expected, passed):
    assert examine(RefusalContains(), {"refusal": expected}, {"refusal": reason}).passed is passed


def test_why_a_refusal_fails_is_told():
    told = examine(RefusalContains(), {"refusal": "cube"}, {"refusal": "Ask about the Cube"}).reason
    assert told == 'refusal: expected to contain "cube", got "Ask about the Cube" (only upper and lower case differ)'
    assert examine(RefusalContains(), {"refusal": "cube"}, {"intent": "QUERY"}).reason.endswith("got none")


def test_each_text_that_an_insight_lacks_is_one_mismatch():
    expect = {"insights": ("Store Sales", "up 20%")}
    verdict = examine(InsightContains(), expect, {"insight": "Store Sales are up 12%"})
    assert verdict.passed is False
    assert [each["message"] for each in verdict.details["mismatches"]] == [
        'expected to contain "up 20%", got "Store Sales are up 12%"'
    ]
    assert len(examine(InsightContains(), expect, {"insight": "Nothing"}).details["mismatches"]) == 2
    assert examine(InsightContains(), expect, {"insight": "Store Sales are up 20%"}).passed
    assert examine(InsightContains(), {"insights": ()}, {"insight": "x"}).passed


@pytest.mark.parametrize(
    ("evaluator", "expect", "reply", "name"),
    [
        (Intent(), {"intent": "QUERY"}, {"text": "x"}, "intent"),
        (RefusalContains(), {"refusal": "x"}, {"text": "x"}, "refusal"),
        (RefusalContains(), {"refusal": "x"}, {"intent": "REFUSED"}, "refusal"),
        (RefusalContains(), {"refusal": "x"}, {"intent": "made up"}, "refusal"),
        (InsightContains(), {"insights": ("x",)}, {"text": "x"}, "insight"),
        (InsightContains(), {"insights": ("x",)}, {"intent": "INSIGHT"}, "insight"),
    ],
)
def test_what_an_agent_does_not_report_is_unknown(evaluator, expect, reply, name):
    with pytest.raises(Missing) as raised:
        examine(evaluator, expect, reply)
    assert raised.value.names == (name,)


def test_an_answer_of_another_kind_has_no_insight():
    assert examine(InsightContains(), {"insights": ("x",)}, {"intent": "query"}).passed is False
