"""TaskNavigationEfficiency."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import CallError, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.reply import Reply, ToolCall
from vivavoce.core.result import Exchange, Verdict
from vivavoce.evaluators.navigation import TaskNavigationEfficiency

MODES = ("exact_match", "in_order_match", "any_order_match")


def told(called: Any, expected: Any, arguments: Any = None, *, level: str = "turn") -> Evidence:
    """Evidence of calls, each a name or a name with arguments."""
    calls = None
    if called is not None:
        pairs = [(each, None) if isinstance(each, str) else each for each in called]
        calls = tuple(ToolCall(name=name, arguments=given) for name, given in pairs)
    expect = Expectation(trajectory=None if expected is None else tuple(expected), arguments=arguments)
    reply = Reply(text="done", tool_calls=calls)
    turn = Turn(input="go", expect=expect)
    if level == "turn":
        return Evidence(case=Case(id="c", turns=(turn,)), turn=turn, reply=reply)
    return Evidence(case=Case(id="c", turns=(turn,), expect=expect), exchanges=(Exchange(input="go", reply=reply),))


def score(called: Any, expected: Any, arguments: Any = None, mode: str = "exact_match", **more: Any) -> Verdict:
    return TaskNavigationEfficiency(matching_mode=mode).score(told(called, expected, arguments, **more))  # type: ignore[arg-type] # one of the three


@pytest.mark.parametrize(
    ("called", "expected", "passes"),
    [
        ("ab", "ab", "eio"),
        ("axb", "ab", "io"),
        ("ba", "ab", "o"),
        ("a", "aa", ""),
        ("aa", "a", "io"),
        ("", "a", ""),
        ("A", "a", ""),
        ("ab", "abc", ""),
        ("abab", "ba", "io"),
    ],
)
@pytest.mark.parametrize("level", ["turn", "case"])
def test_the_three_modes(called: str, expected: str, passes: str, level: str) -> None:
    for mode, letter in zip(MODES, "eio", strict=True):
        verdict = score(called, expected, mode=mode, level=level)
        assert verdict.passed is (letter in passes), mode
        assert verdict.value == float(verdict.passed)
        assert verdict.details["matching_mode"] == mode


def test_what_a_detour_costs() -> None:
    verdict = score("axb", "ab")
    assert verdict.details["precision"] == pytest.approx(2 / 3)
    assert verdict.details["recall"] == 1
    assert verdict.details["f1"] == pytest.approx(0.8)
    assert verdict.reason == 'call 2 is "x", expected "b"'


@pytest.mark.parametrize(
    ("called", "expected", "mode", "words"),
    [
        ("ab", "ab", "exact_match", '2 expected calls made in order, and no other: "a", "b"'),
        ("abc", "ab", "exact_match", '1 call more than expected, from call 3 on: "c"'),
        ("a", "abc", "exact_match", 'the calls end too early: after "a", expected "b", "c"'),
        ("", "a", "any_order_match", 'no tool was called, expected "a"'),
        ("ba", "ab", "in_order_match", 'expected call 2, "b", was not made after "a" (it was called before); called "b", "a"'),
        ("a", "aa", "in_order_match", 'expected call 2, "a", was not made again after "a"; called "a"'),
        ("a", "abb", "any_order_match", 'not called: "b", "b"; called "a"'),
    ],
)
def test_the_reason_names_what_is_first_wrong(called: str, expected: str, mode: str, words: str) -> None:
    assert score(called, expected, mode=mode).reason == words


@pytest.mark.parametrize(
    ("called", "expected", "same"),
    [
        ({"q": 1}, {"q": "1"}, True),
        ({"q": 1.0}, {"q": 1}, False),
        ({"q": True}, {"q": "True"}, True),
        ({"q": "true"}, {"q": True}, True),
        ({"q": False}, {"q": 0}, False),
        ({"q": None}, {"q": "null"}, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"o": {"x": 1, "y": [2]}}, {"o": {"y": [2], "x": 1}}, True),
        ({"l": [1, 2]}, {"l": [2, 1]}, False),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({}, {"a": 1}, False),
        (None, {}, True),
        (None, {"a": 1}, False),
        ('{"a": ', {"a": 1}, False),
    ],
)
def test_arguments_are_compared_as_text(called: Any, expected: Any, same: bool) -> None:
    verdict = score([("s", called)], ["s"], {"s": expected})
    assert verdict.passed is same
    assert "s" in verdict.reason


def test_a_tool_whose_arguments_are_not_told_may_have_any() -> None:
    assert score([("s", {"q": 1}), ("t", {"x": 2})], ["s", "t"], {"t": {"x": "2"}}).passed
    wrong = score([("s", {"q": 1}), ("t", {"x": 3})], ["s", "t"], {"t": {"x": "2"}})
    assert wrong.reason == 'call 2 is "t(x=3)", expected "t(x=2)"'
    assert wrong.details["recall"] == 0.5


def test_what_is_needed_is_no_option() -> None:
    assert [TaskNavigationEfficiency(matching_mode=mode).threshold for mode in MODES] == [1, 1, 1]
    with pytest.raises(TypeError):
        TaskNavigationEfficiency(threshold=0.5)  # type: ignore[call-arg] # which is what is tested


def test_space_around_expected_names_does_not_count() -> None:
    assert score(["s"], [" s\n"]).passed
    assert score([("s", {"q": 2})], [" s"], {" s": {"q": 1}}).passed is False
    assert score([" s"], ["s"]).passed is False


def test_what_is_missing_is_named_and_an_empty_list_is_an_error() -> None:
    with pytest.raises(Missing) as caught:
        score(None, "a")
    assert caught.value.names == ("tool_calls",)
    with pytest.raises(Missing) as caught:
        score("a", None)
    assert caught.value.names == ("trajectory",)
    with pytest.raises(CallError, match="expected tool calls is empty"):
        score("a", "")


names = st.lists(st.sampled_from("abc"), max_size=6)


@given(names, names.filter(bool))
def test_the_modes_agree_with_trying_everything(called: list[str], expected: list[str]) -> None:
    exact, in_order, any_order = (score(called, expected, mode=mode) for mode in MODES)
    assert exact.passed is (called == expected)
    assert in_order.passed is (tuple(expected) in set(combinations(called, len(expected))))
    assert any_order.passed is (sorted(expected) in [sorted(each) for each in combinations(called, len(expected))])
    both = sum(min(Counter(called)[each], Counter(expected)[each]) for each in "abc")
    assert exact.details["precision"] == pytest.approx(both / len(called) if called else 0)
    assert exact.details["recall"] == pytest.approx(both / len(expected))
    assert exact.details["f1"] == in_order.details["f1"] == pytest.approx(2 * both / (len(called) + len(expected)))
