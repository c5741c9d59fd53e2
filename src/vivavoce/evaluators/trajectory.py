"""Whether a conversation used the tools it should have: by their names, and where that is asked for, by their arguments."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from vivavoce.core.errors import Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.reply import JSON, Object, ToolCall
from vivavoce.core.result import Verdict
from vivavoce.evaluators._quote import count, quote
from vivavoce.evaluators._ways import Step, Ways, named, shown

__all__ = ["TrajectoryAnyOrderMatch", "TrajectoryExactOrderMatch", "TrajectoryInOrderMatch"]

Arguments: TypeAlias = Literal["ignore", "exact", "subset", "superset"]
"""How far what a tool was called with must be what was expected."""


@dataclass(frozen=True, kw_only=True)
class _Matcher(ABC):
    """What the three have in common; they differ in what they find wrong."""

    needs: ClassVar[tuple[str, ...]] = ("trajectory", "tool_calls")
    uses: ClassVar[tuple[str, ...]] = ("arguments",)
    levels: ClassVar[tuple[str, ...]] = ("case",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)
    how: ClassVar[str]
    """How the calls were made when nothing is wrong."""
    trivial: ClassVar[str] = "no tool is expected, and others may always be called, so this passes whatever the agent does"
    """What is said where nothing is expected and so nothing can be wrong."""

    arguments: Arguments = "ignore"
    """How far the arguments of a call must be the expected ones, where the dataset gives those: `ignore`; `exact`, the same;
    `subset`, some of the expected ones and no other; `superset`, all of the expected ones, others allowed."""
    tools: Mapping[str, Arguments] = field(default_factory=dict)
    """The same for single tools, by name, such as `{"search": "ignore"}`."""

    def score(self, evidence: Evidence) -> Verdict:
        """1 on a match, else 0; the details have precision and recall."""
        told = evidence.arguments
        expected = [_step(name, self._compared(name, told)) for name in evidence.trajectory]
        compared = {step.name for step in expected if step.told is not None}
        calls = evidence.tool_calls
        taken = [_step(call.name, _given(call) if call.name in compared else None) for call in calls]
        ways = Ways(taken=taken, expected=expected, agree=self._agree)
        met = ways.pairs()
        wrong = self._wrong(ways, met)
        failed = [place for place, call in enumerate(calls) if call.error is not None]
        notes = [_likeness(ways, met) if wrong else "", _failures(calls, failed), self._unheard(expected, told)]
        reason = wrong or self._right(ways)
        return Verdict(
            value=float(not wrong),
            passed=not wrong,
            label="No" if wrong else "Yes",
            reason="; ".join([reason, *(note for note in notes if note)]),
            details={
                "precision": len(met) / len(taken) if taken else float(not expected),
                "recall": len(met) / len(expected) if expected else 1.0,
                "failed_calls": failed,
            },
        )

    @abstractmethod
    def _wrong(self, ways: Ways, met: Mapping[int, int]) -> str:
        """What is first wrong; empty when nothing is."""

    def _right(self, ways: Ways) -> str:
        if not ways.expected:
            return self.trivial
        return f"{count(len(ways.expected), 'expected call')} made {self.how}: {named(ways.expected)}"

    def _mode(self, name: str) -> Arguments:
        return self.tools.get(name, self.arguments)

    def _compared(self, name: str, told: Mapping[str, Object]) -> Object | None:
        return None if self._mode(name) == "ignore" else told.get(name)

    def _agree(self, ours: Step, theirs: Step) -> bool:
        if theirs.told is None:
            return True
        if not isinstance(ours.told, Mapping):
            return False
        mode = self._mode(theirs.name)
        return (mode == "superset" or _within(ours.told, theirs.told)) and (mode == "subset" or _within(theirs.told, ours.told))

    def _unheard(self, expected: list[Step], told: Mapping[str, Object]) -> str:
        """What a person should know who asked for arguments of which the dataset tells nothing."""
        asked = any(self._mode(step.name) != "ignore" for step in expected)
        return (
            "the dataset does not say what any tool is to be called with, so only names were compared"
            if asked and not told
            else ""
        )


@dataclass(frozen=True, kw_only=True)
class TrajectoryExactOrderMatch(_Matcher):
    """Whether the agent called exactly the expected tools, in the expected order.

    Measures: 1 when the names of all tools called in the conversation are the expected ones, in order and without any other,
    else 0; beside it precision (how many calls were expected) and recall (how many expected ones were made), each call counted
    as often as it was made, whatever the order.
    Needs: the expected tool calls, and those the agent reports, in every turn that was answered.
    Example: expected search, book; called search, look, book -> 0, with precision 0.67 and recall 1.
    Limits: names are compared to the letter; what differs only in case, or in a gateway's `target___` before it, is no match,
    but is pointed out. A call that failed counts as a call, and is marked. An empty list of expected calls means that no tool
    may be called. Calls count in the order of the reply, which is that of their start.
    Source: AWS Bedrock AgentCore, `Builtin.TrajectoryExactOrderMatch`; comparing arguments is Viva's own.
    """

    how: ClassVar[str] = "in order, and no other"
    trivial: ClassVar[str] = "no tool was called, and none was expected"

    def _wrong(self, ways: Ways, met: Mapping[int, int]) -> str:
        if ways.taken and not ways.expected:
            return f"no tool was expected, called {named(ways.taken)}"
        return ways.first_difference() if ways.taken else _nothing_called(ways)


@dataclass(frozen=True, kw_only=True)
class TrajectoryInOrderMatch(_Matcher):
    """Whether the agent called the expected tools in the expected order, whatever it called besides.

    Measures: 1 when the names of the expected tools are found, in order, among those of all tools called in the conversation,
    else 0; others may stand before, between and after them. Beside it precision and recall, as in TrajectoryExactOrderMatch.
    Needs: the expected tool calls, and those the agent reports, in every turn that was answered.
    Example: expected search, book; called look, search, look, book -> 1; called book, search -> 0.
    Limits: as for TrajectoryExactOrderMatch, but an empty list of expected calls is always met; the reason says so.
    Source: AWS Bedrock AgentCore, `Builtin.TrajectoryInOrderMatch`; comparing arguments is Viva's own.
    """

    how: ClassVar[str] = "in order"

    def _wrong(self, ways: Ways, met: Mapping[int, int]) -> str:
        return ways.first_not_in_order() if ways.taken else _nothing_called(ways)


@dataclass(frozen=True, kw_only=True)
class TrajectoryAnyOrderMatch(_Matcher):
    """Whether the agent called every expected tool, in whatever order.

    Measures: 1 when each expected tool was called at least as often as it is expected, else 0; others may be called besides.
    Beside it precision and recall, as in TrajectoryExactOrderMatch.
    Needs: the expected tool calls, and those the agent reports, in every turn that was answered.
    Example: expected search, search; called search -> 0, "search: expected 2, got 1".
    Limits: as for TrajectoryExactOrderMatch, but an empty list of expected calls is always met; the reason says so. With
    arguments, calls are paired with expected ones so that as many as possible match.
    Source: AWS Bedrock AgentCore, `Builtin.TrajectoryAnyOrderMatch`; that repeated tools count, and arguments, are Viva's own.
    """

    how: ClassVar[str] = "in any order"

    def _wrong(self, ways: Ways, met: Mapping[int, int]) -> str:
        if not ways.taken:
            return _nothing_called(ways)
        first = next((step for place, step in enumerate(ways.expected) if place not in met), None)
        if first is None:
            return ""
        wanted = Counter(step.name for step in ways.expected)[first.name]
        got = Counter(step.name for step in ways.taken)[first.name]
        if got < wanted:
            return (
                f"{first.shown if first.told is None else first.name}: expected {wanted}, got {got}; called {named(ways.taken)}"
            )
        return f"no call is {shown(first)}; called {named(ways.taken)}"


def _nothing_called(ways: Ways) -> str:
    return f"no tool was called, expected {named(ways.expected)}" if ways.expected else ""


def _step(name: str, told: JSON) -> Step:
    shows = name if told is None else f"{name}({_plain(told)})"
    return Step(name=name, told=told, shown=shows)


def _given(call: ToolCall) -> JSON:
    """What a tool was called with; some agents report it as JSON text.

    Raises:
        Missing: the agent did not report it.
    """
    if call.arguments is None:
        raise Missing("tool_calls", why=f"the agent did not report what it called {quote(call.name)} with")
    if isinstance(call.arguments, str):
        try:
            return json.loads(call.arguments)
        except (ValueError, RecursionError):
            return call.arguments
    return call.arguments


def _within(part: Object, whole: Object) -> bool:
    """Whether each argument of the one is in the other, with the same value."""
    return all(name in whole and _same(value, whole[name]) for name, value in part.items())


def _same(ours: JSON, theirs: JSON) -> bool:
    """Whether two values are the same in JSON: 1 is 1.0, but neither is true."""
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return ours.keys() == theirs.keys() and all(_same(value, theirs[name]) for name, value in ours.items())
    if isinstance(ours, list | tuple) and isinstance(theirs, list | tuple):
        return len(ours) == len(theirs) and all(map(_same, ours, theirs))
    return isinstance(ours, bool) is isinstance(theirs, bool) and bool(ours == theirs)


def _plain(told: JSON) -> str:
    if not isinstance(told, Mapping):
        return json.dumps(told, ensure_ascii=False)
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in told.items())


def _failures(calls: tuple[ToolCall, ...], failed: list[int]) -> str:
    """Which calls failed; they count all the same."""
    if not failed:
        return ""
    return f"{count(len(failed), 'call')} failed: {named([_step(calls[place].name, None) for place in failed])}"


def _likeness(ways: Ways, met: Mapping[int, int]) -> str:
    """A call that would have been the one that is lacking, but for the spelling of its name."""
    called = dict.fromkeys(step.name for step in ways.taken)
    for place, step in enumerate(ways.expected):
        if place in met or step.name in called:
            continue
        for name in called:
            if name.strip().casefold() == step.name.strip().casefold():
                return f"{quote(name)} differs from {quote(step.name)} only in case or space"
            if _bare(name) == _bare(step.name):
                return f"{quote(name)} differs from {quote(step.name)} only in the target before ___"
    return ""


def _bare(name: str) -> str:
    """A tool's name without the gateway's target before it."""
    return name.rpartition("___")[2].casefold()
