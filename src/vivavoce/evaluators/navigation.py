"""Compare the way an agent took through its tools with the way it should have taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal, TypeAlias

from vivavoce.core import codec
from vivavoce.core.evidence import Evidence
from vivavoce.core.reply import JSON, Object, ToolCall
from vivavoce.core.result import Verdict
from vivavoce.evaluators._faults import unusable
from vivavoce.evaluators._quote import LIMIT, count, listing, quote

__all__ = ["TaskNavigationEfficiency"]

_Step: TypeAlias = tuple[str, tuple[tuple[str, str], ...] | None]
"""A tool's name and, where it matters, what it was called with."""
_NONE_EXPECTED = (
    "the list of expected tool calls is empty, so no way is described: name the calls, or use TrajectoryExactOrderMatch, "
    "for which an empty list means that no tool is to be called"
)


@dataclass(frozen=True, kw_only=True)
class TaskNavigationEfficiency:
    """Whether the agent called the tools it should have, and took no detour.

    Measures: 1 when the agent's tool calls match the expected ones in the way `matching_mode` says, else 0; beside it
    precision (how many of its calls were expected), recall (how many of the expected ones it made) and their F1, each call
    counted as often as it was made.
    Needs: the expected tool calls, and those the agent reports; an agent that reports `[]` made none, and fails. Where the
    dataset also says what a tool is to be called with, the arguments must agree.
    Example: expected search, book; called search, look, book -> 0 for `exact_match`, but 1 for the other two modes, with
    precision 0.67 and recall 1.
    Limits: names are compared to the letter, without white space around the expected ones. Arguments are compared as text:
    1 is "1", but 1.0 is not 1; true is "true" and "True"; objects and lists are equal when their JSON is. All arguments of
    a call must agree, none may be missing or left over; a tool whose arguments the dataset does not give may be called with
    any, and one that is called twice has the same arguments expected both times. An empty list of expected calls is an error.
    Source: Microsoft Foundry, `builtin.task_navigation_efficiency`; there the form with arguments cannot be given as JSON.
    """

    needs: ClassVar[tuple[str, ...]] = ("trajectory", "tool_calls")
    uses: ClassVar[tuple[str, ...]] = ("arguments",)
    levels: ClassVar[tuple[str, ...]] = ("case", "turn")
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    matching_mode: Literal["exact_match", "in_order_match", "any_order_match"] = "exact_match"
    """`exact_match`: these calls and no others, in this order. `in_order_match`: these in this order, others between them
    allowed. `any_order_match`: these as often, in any order, others allowed."""

    def score(self, evidence: Evidence) -> Verdict:
        """1 when the way taken is the expected one."""
        expected = [(name.strip(), _told(evidence.arguments, name)) for name in evidence.trajectory]
        if not expected:
            raise unusable(_NONE_EXPECTED)
        given = {name for name, told in expected if told is not None}
        taken = [_step(call, given) for call in evidence.tool_calls]
        both = sum((Counter(taken) & Counter(expected)).values())
        precision, recall = both / len(taken) if taken else 0.0, both / len(expected)
        wrong = self._wrong(taken, expected)
        return Verdict(
            value=float(not wrong),
            passed=not wrong,
            reason=wrong or f"{count(len(expected), 'expected call')} made {_HOW[self.matching_mode]}: {_named(taken)}",
            details={
                "matching_mode": self.matching_mode,
                "precision": precision,
                "recall": recall,
                "f1": 2 * both / (len(taken) + len(expected)),
            },
        )

    def _wrong(self, taken: Sequence[_Step], expected: Sequence[_Step]) -> str:
        """What is first wrong; empty when nothing is."""
        if not taken:
            return f"no tool was called, expected {_named(expected)}"
        if self.matching_mode == "exact_match":
            return _first_difference(taken, expected)
        if self.matching_mode == "in_order_match":
            return _first_not_in_order(taken, expected)
        lacking = list((Counter(expected) - Counter(taken)).elements())
        return f"not called: {_named(lacking)}; called {_named(taken)}" if lacking else ""


_HOW: Mapping[str, str] = MappingProxyType(
    {"exact_match": "in order, and no other", "in_order_match": "in order", "any_order_match": "in any order"}
)


def _first_difference(taken: Sequence[_Step], expected: Sequence[_Step]) -> str:
    for place, (ours, theirs) in enumerate(zip(taken, expected, strict=False), 1):
        if ours != theirs:
            return f"call {place} is {_shown(ours)}, expected {_shown(theirs)}"
    if len(taken) > len(expected):
        left = taken[len(expected) :]
        return f"{count(len(left), 'call')} more than expected, from call {len(expected) + 1} on: {_named(left)}"
    if len(taken) < len(expected):
        return f"the calls end too early: after {_shown(taken[-1])}, expected {_named(expected[len(taken) :])}"
    return ""


def _first_not_in_order(taken: Sequence[_Step], expected: Sequence[_Step]) -> str:
    left = iter(taken)
    for place, step in enumerate(expected, 1):
        if step not in left:  # which goes on from where the one before was found
            after = f" after {_shown(expected[place - 2])}" if place > 1 else ""
            early = " (it was called before)" if after and step in taken else ""
            return f"expected call {place}, {_shown(step)}, was not made{after}{early}; called {_named(taken)}"
    return ""


def _told(arguments: Mapping[str, Object], name: str) -> tuple[tuple[str, str], ...] | None:
    """What a tool is to be called with; `None` when the dataset does not say."""
    found = arguments.get(name, arguments.get(name.strip()))
    return None if found is None else _texts(found)


def _step(call: ToolCall, given: set[str]) -> _Step:
    if call.name not in given:
        return (call.name, None)
    if isinstance(call.arguments, Mapping):
        return (call.name, _texts(call.arguments))
    # Not an object: nothing that was expected can be equal to it. A call without arguments is one that has none.
    return (call.name, () if call.arguments is None else (("", _text(call.arguments)),))


def _texts(arguments: Object) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, _text(value)) for name, value in arguments.items()))


def _text(value: JSON) -> str:
    """A value as it is compared."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return value.capitalize() if value in ("true", "false") else value
    return str(value) if isinstance(value, int | float) else codec.canonical(value).decode()


def _named(steps: Sequence[_Step]) -> str:
    return listing([_plain(step) for step in steps]) if steps else "no tool"


def _shown(step: _Step) -> str:
    return quote(_plain(step), 2 * LIMIT)


def _plain(step: _Step) -> str:
    name, told = step
    return name if told is None else f"{name}({', '.join(f'{key}={value}' for key, value in told)})"
