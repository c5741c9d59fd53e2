"""Turns of a case and turns of a recorded conversation, paired by what was said and never by guessing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from vivavoce.core.model import Case, Turn
from vivavoce.core.reply import JSON

_SHOWN = 60


class Unpaired(ValueError):
    """Turns do not pair; the message says which."""


def pairs(case: Sequence[Turn], recorded: Sequence[Turn]) -> tuple[int, ...]:
    """For each turn of a case, in order, the place of the recorded turn that is the same.

    As many on both sides: one by one, unless what was said is known to differ. Otherwise by what was said, when that leaves
    one way only.

    Raises:
        Unpaired: they do not, or in several ways.
    """
    if len(case) == len(recorded) and all(_may_be(turn, other) for turn, other in zip(case, recorded, strict=True)):
        return tuple(range(len(case)))
    ways = _ways(case, recorded)
    if len(ways) == 1:
        return ways[0]
    counts = f"the case has {_turns(len(case))}, the recorded conversation {len(recorded)}"
    if ways:
        raise Unpaired(f"{counts}, and what was said there pairs with them in more than one way")
    raise Unpaired(f"{counts}, and {_missing(case, recorded)}")


def shown(said: JSON) -> str:
    """What was said, as a message shows it."""
    text = " ".join(_plain(said).split()) if said is not None else "nothing that is known"
    return f'"{text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."}"' if said is not None else text


def played(case: Case) -> tuple[Turn, ...]:
    """The turns of a case; of a simulated one, the first thing its user would say."""
    if case.persona is None:
        return case.turns
    return (Turn(input=case.persona.input if case.persona.input is not None else case.persona.goal),)


def _turns(count: int) -> str:
    return f"{count} turn{'s' * (count != 1)}"


def _ways(case: Sequence[Turn], recorded: Sequence[Turn]) -> list[tuple[int, ...]]:
    """Ways in which every turn of a case is a recorded one, in order: none, one, or two of more."""
    # From the last turn to the first, for each place the ways to pair what follows with what is recorded from there on.
    ways: list[list[tuple[int, ...]]] = [[()] for _ in range(len(recorded) + 1)]
    for turn in reversed(case):
        after: list[list[tuple[int, ...]]] = [[] for _ in range(len(recorded) + 1)]
        for at in range(len(recorded) - 1, -1, -1):
            here = [(at, *rest) for rest in ways[at + 1]] if _is(turn, recorded[at]) else []
            after[at] = [*here, *after[at + 1]][:2]
        ways = after
    return ways[0]


def _missing(case: Sequence[Turn], recorded: Sequence[Turn]) -> str:
    for index, turn in enumerate(case):
        if not any(_is(turn, other) for other in recorded):
            there = ", ".join(shown(other.input) for other in recorded[:5])
            return f"what its turn {index + 1} says, {shown(turn.input)}, was not said there; said was {there}"
    return "what they say stands in another order there"


def _is(turn: Turn, other: Turn) -> bool:
    return other.input is not None and not _forms(turn.input).isdisjoint(_forms(other.input))


def _may_be(turn: Turn, other: Turn) -> bool:
    """Whether nothing speaks against two turns of one place being the same: agents write more around what they were told."""
    if other.input is None or turn.input is None or _is(turn, other):
        return True
    told = _folded(_plain(other.input))
    return any(form in told for form in _forms(turn.input) if form)


def _forms(said: JSON) -> frozenset[str]:
    """The ways in which the same may have been said: an object, as its JSON text, or by a text in it."""
    given = said
    if isinstance(said, str) and said.lstrip().startswith("{"):
        try:
            given = json.loads(said)
        except (ValueError, RecursionError):
            given = said
    if not isinstance(given, Mapping):
        return frozenset([_folded(_plain(said))])
    texts = [each for each in given.values() if isinstance(each, str)]
    return frozenset(_folded(each) for each in (json.dumps(given, sort_keys=True), *texts))


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _plain(said: JSON) -> str:
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
