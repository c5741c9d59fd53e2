"""The three trajectory matchers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations, permutations
from random import Random
from typing import Any

import pytest

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn, Use
from vivavoce.core.reply import Reply, ToolCall
from vivavoce.core.result import Exchange, Verdict
from vivavoce.evaluators._ways import Step, Ways
from vivavoce.evaluators.trajectory import TrajectoryAnyOrderMatch, TrajectoryExactOrderMatch, TrajectoryInOrderMatch

EXACT, IN_ORDER, ANY_ORDER = "TrajectoryExactOrderMatch", "TrajectoryInOrderMatch", "TrajectoryAnyOrderMatch"
THREE = (TrajectoryExactOrderMatch, TrajectoryInOrderMatch, TrajectoryAnyOrderMatch)


def told(*turns: Any, expected: Any = (), arguments: Any = None) -> Evidence:
    """A conversation: for each turn the calls, each a name or a `ToolCall`, or `None` where they are unknown."""
    made = [
        None if calls is None else tuple(ToolCall(name=each) if isinstance(each, str) else each for each in calls)
        for calls in turns
    ]
    expect = Expectation(trajectory=None if expected is None else tuple(expected), arguments=arguments)
    case = Case(id="c", turns=tuple(Turn(input="go") for _ in turns), expect=expect)
    return Evidence(case=case, exchanges=[Exchange(input="go", reply=Reply(text="done", tool_calls=calls)) for calls in made])


def score(name: str, evidence: Evidence, **options: Any) -> Verdict:
    verdict: Verdict = plugins.build("evaluators", Use(name=name, options=options)).score(evidence)
    return verdict


@pytest.mark.parametrize(
    ("called", "expected", "values"),
    [
        ("ab", "ab", (1, 1, 1)),
        ("abc", "ab", (0, 1, 1)),
        ("cab", "ab", (0, 1, 1)),
        ("acb", "ab", (0, 1, 1)),
        ("ba", "ab", (0, 0, 1)),
        ("a", "ab", (0, 0, 0)),
        ("aa", "aa", (1, 1, 1)),
        ("a", "aa", (0, 0, 0)),
        ("aa", "a", (0, 1, 1)),
        ("aba", "aab", (0, 0, 1)),
        ("aaa", "aaa", (1, 1, 1)),
        ("", "a", (0, 0, 0)),
        ("a", "", (0, 1, 1)),
        ("", "", (1, 1, 1)),
        ("A", "a", (0, 0, 0)),
    ],
)
def test_the_three_against_each_other(called: str, expected: str, values: tuple[int, ...]) -> None:
    verdicts = [kind().score(told(called, expected=expected)) for kind in THREE]
    assert tuple(verdict.value for verdict in verdicts) == values
    assert tuple(verdict.passed for verdict in verdicts) == tuple(map(bool, values))
    assert [verdict.label for verdict in verdicts] == ["Yes" if value else "No" for value in values]
    both = sum((Counter(called) & Counter(expected)).values())
    for verdict in verdicts:
        assert verdict.details["precision"] == (both / len(called) if called else float(not expected))
        assert verdict.details["recall"] == (both / len(expected) if expected else 1)


@pytest.mark.parametrize(
    ("name", "called", "expected", "words"),
    [
        (EXACT, "ab", "ab", '2 expected calls made in order, and no other: "a", "b"'),
        (EXACT, "axb", "ab", 'call 2 is "x", expected "b"'),
        (EXACT, "abc", "ab", '1 call more than expected, from call 3 on: "c"'),
        (EXACT, "a", "ab", 'the calls end too early: after "a", expected "b"'),
        (EXACT, "", "ab", 'no tool was called, expected "a", "b"'),
        (EXACT, "a", "", 'no tool was expected, called "a"'),
        (EXACT, "", "", "no tool was called, and none was expected"),
        (IN_ORDER, "ba", "ab", 'expected call 2, "b", was not made after "a" (it was called before); called "b", "a"'),
        (IN_ORDER, "a", "", "no tool is expected, and others may always be called, so this passes whatever the agent does"),
        (ANY_ORDER, "a", "aa", 'a: expected 2, got 1; called "a"'),
        (ANY_ORDER, "ac", "abc", 'b: expected 1, got 0; called "a", "c"'),
        (ANY_ORDER, "", "", "no tool is expected, and others may always be called, so this passes whatever the agent does"),
    ],
)
def test_the_reason_names_what_is_first_wrong(name: str, called: str, expected: str, words: str) -> None:
    assert score(name, told(called, expected=expected)).reason == words


def test_calls_of_all_turns_count_in_order() -> None:
    evidence = told(["a"], [], ["b", "c"], expected=["a", "b", "c"])
    assert all(kind().score(evidence).passed for kind in THREE)


def test_what_is_expected_of_the_only_turn_is_expected_of_the_whole() -> None:
    turn = Turn(input="go", expect=Expectation(trajectory=("a",), arguments={"a": {"q": 1}}))
    exchange = Exchange(input="go", reply=Reply(text="done", tool_calls=(call("a", q=1),)))
    assert score(EXACT, Evidence(case=Case(id="c", turns=(turn,)), exchanges=[exchange]), arguments="exact").passed
    with pytest.raises(Missing):
        score(EXACT, Evidence(case=Case(id="c", turns=(turn, turn)), exchanges=[exchange, exchange]))


def test_unknown_calls_are_missing_and_no_expectation_does_not_apply() -> None:
    for evidence, lacking in ((told(["a"], None, expected=["a"]), "tool_calls"), (told(["a"], expected=None), "trajectory")):
        for kind in THREE:
            with pytest.raises(Missing) as caught:
                kind().score(evidence)
            assert caught.value.names == (lacking,)


@pytest.mark.parametrize(
    ("called", "expected", "hint"),
    [
        ("A", "a", '"A" differs from "a" only in case or space'),
        ("a ", "a", '"a " differs from "a" only in case or space'),
        ("srv___a", "a", '"srv___a" differs from "a" only in the target before ___'),
        ("srv___a", "other___A", '"srv___a" differs from "other___A" only in the target before ___'),
        ("b", "a", ""),
    ],
)
def test_what_is_nearly_the_name_is_pointed_out(called: str, expected: str, hint: str) -> None:
    for kind in THREE:
        verdict = kind().score(told([called], expected=[expected]))
        assert verdict.value == 0
        assert verdict.reason.endswith(f"; {hint}") if hint else "differs" not in verdict.reason


def test_a_failed_call_counts_and_is_marked() -> None:
    verdict = score(EXACT, told([ToolCall(name="a", error="timeout"), "b"], expected="ab"))
    assert verdict.passed
    assert verdict.reason.endswith('; 1 call failed: "a"')
    assert verdict.details["failed_calls"] == [0]


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ({"q": 1, "n": True}, {"exact", "subset", "superset"}),
        ({"q": 1.0, "n": True}, {"exact", "subset", "superset"}),
        ({"q": 1}, {"subset"}),
        ({}, {"subset"}),
        ({"q": 1, "n": True, "x": None}, {"superset"}),
        ({"q": "1", "n": True}, set()),
        ({"q": True, "n": True}, set()),
        ({"q": 1, "x": 1}, set()),
        ('{"n": true, "q": 1}', {"exact", "subset", "superset"}),
        ('{"n": tr', set()),
        ([1], set()),
    ],
)
def test_how_arguments_are_compared(given: Any, fits: set[str]) -> None:
    evidence = told([ToolCall(name="s", arguments=given)], expected="s", arguments={"s": {"q": 1, "n": True}})
    for mode in ("ignore", "exact", "subset", "superset"):
        for name in (EXACT, IN_ORDER, ANY_ORDER):
            verdict = score(name, evidence, arguments=mode)
            assert verdict.passed is (mode in fits | {"ignore"}), mode


def test_arguments_within_arguments_are_compared_whole() -> None:
    expected = {"s": {"where": {"city": "Oslo", "days": [1, 2]}}}
    same = told([call("s", where={"days": [1, 2], "city": "Oslo"})], expected="s", arguments=expected)
    other = told([call("s", where={"days": [2, 1], "city": "Oslo"})], expected="s", arguments=expected)
    assert score(EXACT, same, arguments="exact").passed
    verdict = score(EXACT, other, arguments="exact")
    assert verdict.reason == (
        'call 1 is "s(where={\\"days\\": [2, 1], \\"city\\": \\"Oslo\\"})", '
        'expected "s(where={\\"city\\": \\"Oslo\\", \\"days\\": [1, 2]})"'
    )


def test_a_tool_may_be_compared_otherwise_than_the_others() -> None:
    evidence = told([call("s", q=2), call("t", x=1)], expected="st", arguments={"s": {"q": 1}, "t": {"x": 1}})
    assert score(EXACT, evidence).passed
    assert not score(EXACT, evidence, arguments="exact").passed
    assert score(EXACT, evidence, arguments="exact", tools={"s": "ignore"}).passed
    assert not score(EXACT, evidence, tools={"s": "subset"}).passed
    with pytest.raises(BadOptions, match="tools"):
        score(EXACT, evidence, tools={"s": "loose"})


def test_a_tool_of_which_nothing_is_said_may_be_called_with_anything() -> None:
    evidence = told([call("s", q=2), "t"], expected="st", arguments={"s": {"q": 2}})
    assert score(EXACT, evidence, arguments="exact").passed
    alone = score(EXACT, told([call("s", q=2)], expected="s"), arguments="exact")
    assert alone.passed
    assert "does not say what any tool is to be called with" in alone.reason


def test_arguments_that_were_not_reported_are_missing() -> None:
    evidence = told(["s"], expected="s", arguments={"s": {"q": 1}})
    assert score(EXACT, evidence).passed
    with pytest.raises(Missing, match='did not report what it called "s" with'):
        score(EXACT, evidence, arguments="exact")


def test_the_reason_tells_wrong_arguments_from_too_few_calls() -> None:
    evidence = told([call("s", q=1), call("s", q=2)], expected="ss", arguments={"s": {"q": 2}})
    assert score(ANY_ORDER, evidence, arguments="exact").reason == 'no call is "s(q=2)"; called "s(q=1)", "s(q=2)"'


MODES = ("ignore", "exact", "subset", "superset")


def brute_fits(ours: tuple[str, Mapping[str, int]], theirs: tuple[str, Mapping[str, int]], mode: str) -> bool:
    left, right = set(ours[1].items()), set(theirs[1].items())
    return (
        ours[0] == theirs[0]
        and {
            "ignore": True,
            "exact": left == right,
            "subset": left <= right,
            "superset": left >= right,
        }[mode]
    )


def generated(random: Random) -> tuple[list[tuple[str, Mapping[str, int]]], list[tuple[str, Mapping[str, int]]]]:
    def way() -> list[tuple[str, Mapping[str, int]]]:
        return [
            (random.choice("ab"), {key: random.randrange(2) for key in "xy" if random.random() < 0.6})
            for _ in range(random.randrange(5))
        ]

    return way(), way()


def test_they_agree_with_trying_everything_on_10000_pairs() -> None:
    """Names alone, as they are by default: equality, any choice of calls in order, any choice at all."""
    random, seen = Random(5), Counter[tuple[float | None, ...]]()
    for _ in range(10_000):
        called = [random.choice("abc") for _ in range(random.randrange(6))]
        expected = [random.choice("abc") for _ in range(random.randrange(5))]
        evidence = told(called, expected=expected)
        verdicts = [kind().score(evidence) for kind in THREE]
        chosen = list(combinations(called, len(expected)))
        wanted = (called == expected, tuple(expected) in chosen, sorted(expected) in [sorted(each) for each in chosen])
        assert tuple(verdict.passed for verdict in verdicts) == wanted, (called, expected)
        assert all(verdict.reason for verdict in verdicts)
        seen[tuple(verdict.value for verdict in verdicts)] += 1
    assert len(seen) == 4, "of all outcomes there can be, each was there"


@pytest.mark.parametrize("mode", MODES)
def test_with_arguments_they_agree_with_trying_everything(mode: str) -> None:
    """Each call with its own arguments, so that a call that is taken greedily may be in another's way."""
    random, greedy = Random(mode), 0
    for _ in range(2_500):
        called, expected = generated(random)
        ways = Ways(
            taken=[Step(name=name, told=told, shown=name) for name, told in called],
            expected=[Step(name=name, told=told, shown=name) for name, told in expected],
            agree=lambda ours, theirs: brute_fits((ours.name, ours.told), (theirs.name, theirs.told), mode),
        )
        fits = [[brute_fits(ours, theirs, mode) for theirs in expected] for ours in called]
        places = range(len(called))
        most = max(
            (
                sum(fits[made][wanted] for made, wanted in zip(chosen, some, strict=True))
                for size in range(min(len(called), len(expected)) + 1)
                for chosen in permutations(places, size)
                for some in combinations(range(len(expected)), size)
            ),
            default=0,
        )
        pairs = ways.pairs()
        assert len(pairs) == most
        assert len(set(pairs.values())) == len(pairs)
        assert all(fits[made][wanted] for wanted, made in pairs.items())
        in_order = any(
            all(fits[made][wanted] for wanted, made in enumerate(chosen)) for chosen in combinations(places, len(expected))
        )
        assert (ways.first_not_in_order() == "") is in_order
        exact = len(called) == len(expected) and all(fits[place][place] for place in places)
        assert (ways.first_difference() == "") is exact
        greedy += len(_greedy(fits, len(expected))) < most
    assert greedy or mode in ("ignore", "exact"), "some could not be found greedily"


def _greedy(fits: list[list[bool]], wanted: int) -> set[int]:
    taken: set[int] = set()
    for each in range(wanted):
        taken |= {next((made for made, row in enumerate(fits) if row[each] and made not in taken), -1)}
    return taken - {-1}


def test_a_thousand_calls_of_one_tool_are_no_trouble() -> None:
    evidence = told(["a"] * 1000, expected=["a"] * 1000)
    assert all(kind().score(evidence).passed for kind in THREE)
