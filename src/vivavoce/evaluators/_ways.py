"""Two ways through tools, side by side: the calls that were made, and those that were expected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vivavoce.core.reply import JSON
from vivavoce.evaluators._quote import LIMIT, count, listing, quote


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One call, made or expected."""

    name: str
    told: JSON = None
    """What it is called with, as far as that matters; compared by `Ways.agree`."""
    shown: str
    """As reasons show it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ways:
    """The calls that were made and those that were expected, each in order."""

    taken: Sequence[Step]
    expected: Sequence[Step]
    agree: Callable[[Step, Step], bool]
    """Whether a call that was made may stand for an expected one of the same name."""

    def fits(self, made: int, wanted: int) -> bool:
        """Whether a call may stand for an expected one, by their places."""
        ours, theirs = self.taken[made], self.expected[wanted]
        return ours.name == theirs.name and self.agree(ours, theirs)

    def pairs(self) -> dict[int, int]:
        """For as many expected calls as can be, the call that stands for it, whatever the order; each call stands for one.

        No other choice of pairs has more of them: where an earlier choice is in the way, it is changed.
        """
        calls: dict[str, list[int]] = {}
        for made, step in enumerate(self.taken):
            calls.setdefault(step.name, []).append(made)
        free = {name: dict.fromkeys(those) for name, those in calls.items()}
        found: dict[int, int] = {}
        for wanted, step in enumerate(self.expected):
            self._find(wanted, free.get(step.name, {}), found)
        return found

    def _find(self, wanted: int, free: dict[int, None], found: dict[int, int]) -> None:
        """Find a call for one more expected one, giving others another call where that frees one."""
        name = self.expected[wanted].name
        before: dict[int, int] = {}
        """For each expected call that was looked at, the one that would take its call."""
        for each in (waiting := [wanted]):
            made = next((made for made in free if self.fits(made, each)), None)
            if made is not None:
                del free[made]
                _hand_on(made, each, before, found)
                return
            others = [
                other
                for other in found
                if self.expected[other].name == name and other not in before and self.fits(found[other], each)
            ]
            before.update(dict.fromkeys(others, each))
            waiting += others

    def first_difference(self) -> str:
        """Where the two are not the same, call for call; empty when they are."""
        for place, (ours, theirs) in enumerate(zip(self.taken, self.expected, strict=False)):
            if not self.fits(place, place):
                return f"call {place + 1} is {shown(ours)}, expected {shown(theirs)}"
        if len(self.taken) > len(self.expected):
            left = self.taken[len(self.expected) :]
            return f"{count(len(left), 'call')} more than expected, from call {len(self.expected) + 1} on: {named(left)}"
        if len(self.taken) < len(self.expected):
            after = f": after {shown(self.taken[-1])}" if self.taken else ""
            return f"the calls end too early{after}, expected {named(self.expected[len(self.taken) :])}"
        return ""

    def first_not_in_order(self) -> str:
        """Which expected call is not found after the one before it; empty when all are. Others may stand between."""
        at = 0
        for wanted, step in enumerate(self.expected):
            found = next((made for made in range(at, len(self.taken)) if self.fits(made, wanted)), None)
            if found is None:
                after = f" after {shown(self.expected[wanted - 1])}" if wanted else ""
                early = any(self.fits(made, wanted) for made in range(at)) and after
                again = " again" if early and step == self.expected[wanted - 1] else ""
                told = " (it was called before)" if early and not again else ""
                return (
                    f"expected call {wanted + 1}, {shown(step)}, was not made{again}{after}{told}; called {named(self.taken)}"
                )
            at = found + 1
        return ""


def _hand_on(made: int, wanted: int, before: dict[int, int], found: dict[int, int]) -> None:
    """Give a call to the expected one that has found it, what that had to the one before, and so on to the first."""
    while True:
        had = found.get(wanted)
        found[wanted] = made
        if had is None:
            return
        made, wanted = had, before[wanted]


def named(steps: Sequence[Step]) -> str:
    """The first few of some calls, for a reason."""
    return listing([step.shown for step in steps]) if steps else "no tool"


def shown(step: Step) -> str:
    """One call, for a reason."""
    return quote(step.shown, 2 * LIMIT)
