"""Compare the way an agent took through its tools with the way it should have taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal, TypeAlias

from vivavoce.core import codec
from vivavoce.core.evidence import Evidence
from vivavoce.core.reply import JSON, Object, ToolCall
from vivavoce.core.result import Verdict
from vivavoce.evaluators._faults import unusable
from vivavoce.evaluators._quote import count
from vivavoce.evaluators._ways import Step, Ways, named

__all__ = ["TaskNavigationEfficiency"]

_Told: TypeAlias = tuple[tuple[str, str], ...]
"""What a tool is called with, as it is compared."""
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
    threshold: ClassVar[float] = 1
    """What the vendor's results say is needed; it is no option."""

    matching_mode: Literal["exact_match", "in_order_match", "any_order_match"] = "exact_match"
    """`exact_match`: these calls and no others, in this order. `in_order_match`: these in this order, others between them
    allowed. `any_order_match`: these as often, in any order, others allowed."""

    def score(self, evidence: Evidence) -> Verdict:
        """1 when the way taken is the expected one."""
        expected = [_step(name.strip(), _told(evidence.arguments, name)) for name in evidence.trajectory]
        if not expected:
            raise unusable(_NONE_EXPECTED)
        given = {step.name for step in expected if step.told is not None}
        taken = [_step(call.name, _given(call) if call.name in given else None) for call in evidence.tool_calls]
        ways = Ways(taken=taken, expected=expected, agree=lambda ours, theirs: ours.told == theirs.told)
        met = ways.pairs()
        wrong = self._wrong(ways, met)
        return Verdict(
            value=float(not wrong),
            passed=not wrong,
            reason=wrong or f"{count(len(expected), 'expected call')} made {_HOW[self.matching_mode]}: {named(taken)}",
            details={
                "matching_mode": self.matching_mode,
                "precision": len(met) / len(taken) if taken else 0.0,
                "recall": len(met) / len(expected),
                "f1": 2 * len(met) / (len(taken) + len(expected)),
            },
        )

    def _wrong(self, ways: Ways, met: Mapping[int, int]) -> str:
        """What is first wrong; empty when nothing is."""
        if not ways.taken:
            return f"no tool was called, expected {named(ways.expected)}"
        if self.matching_mode == "exact_match":
            return ways.first_difference()
        if self.matching_mode == "in_order_match":
            return ways.first_not_in_order()
        lacking = [step for place, step in enumerate(ways.expected) if place not in met]
        return f"not called: {named(lacking)}; called {named(ways.taken)}" if lacking else ""


_HOW: Mapping[str, str] = MappingProxyType(
    {"exact_match": "in order, and no other", "in_order_match": "in order", "any_order_match": "in any order"}
)


def _step(name: str, told: _Told | None) -> Step:
    shown = name if told is None else f"{name}({', '.join(f'{key}={value}' for key, value in told)})"
    return Step(name=name, told=told, shown=shown)


def _told(arguments: Mapping[str, Object], name: str) -> _Told | None:
    """What a tool is to be called with; `None` when the dataset does not say."""
    found = arguments.get(name, arguments.get(name.strip()))
    return None if found is None else _texts(found)


def _given(call: ToolCall) -> _Told:
    """What a tool was called with."""
    if isinstance(call.arguments, Mapping):
        return _texts(call.arguments)
    # Not an object: nothing that was expected can be equal to it. A call without arguments is one that has none.
    return () if call.arguments is None else (("", _text(call.arguments)),)


def _texts(arguments: Object) -> _Told:
    return tuple(sorted((name, _text(value)) for name, value in arguments.items()))


def _text(value: JSON) -> str:
    """A value as it is compared."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return value.capitalize() if value in ("true", "false") else value
    return str(value) if isinstance(value, int | float) else codec.canonical(value).decode()
