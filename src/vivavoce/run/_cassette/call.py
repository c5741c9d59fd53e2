"""One call of a run, and what identifies it: whom it asked, in which trial, and all that can change the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from vivavoce.core import codec, plugins, secrets
from vivavoce.core.model import Use
from vivavoce.core.reply import Object

Kind = Literal["simulator", "agent", "rows", "judge"]
KINDS: tuple[Kind, ...] = ("simulator", "agent", "rows", "judge")
"""In the order in which they follow one another in a turn."""
TrialKey = tuple[str, str, int]
"""Suite, case, repeat."""

_DIGITS = re.compile(r"(\d+)")
_AFTER_ALL_TURNS = 1 << 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A call, without the ids that are made anew in each run, and without secrets."""

    kind: Kind
    asked: Object
    """Name and options of the plugin, as a person gave them."""
    suite: str
    case: str
    repeat: int
    turn: int | None = None
    """From 0; none of what concerns no single turn."""
    request: Object
    """What was asked, or digests of it."""
    nth: int = 0
    """Which one it is of those that a trial makes in the very same words, from 0: no two share an answer."""

    @property
    def key(self) -> str:
        """A digest of all of it."""
        return codec.digest(self)

    @property
    def trial(self) -> TrialKey:
        """The trial that makes it."""
        return (self.suite, self.case, self.repeat)

    @property
    def order(self) -> tuple[object, ...]:
        """Where it stands in a file: as the trials count, turn by turn."""
        turn = _AFTER_ALL_TURNS if self.turn is None else self.turn
        rubric = str(self.request.get("rubric", ""))
        return (self.suite, _natural(self.case), self.repeat, turn, KINDS.index(self.kind), rubric, self.nth, self.key)

    def told(self) -> str:
        """The call in words."""
        what = {
            "simulator": f"the user's message {_place(self.turn)}",
            "agent": f"turn {_place(self.turn)}",
            "rows": f"the reference query of turn {_place(self.turn)}",
            "judge": f"{self.request.get('rubric')}",
        }[self.kind]
        again = f", repeat {self.repeat}" if self.repeat else ""
        return f'{what} of case "{self.case}"{again}'


def asked(use: Use) -> Object:
    """A plugin as calls name it: however its name is spelt, and without secrets."""
    return {"name": plugins.fold(use.name), "options": secrets.redact(dict(use.options))}


def _place(turn: int | None) -> str:
    return "?" if turn is None else str(turn + 1)


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """So that `case-10` stands after `case-9`."""
    parts = (part for part in _DIGITS.split(text) if part)
    return tuple((0, int(part), part) if part.isascii() and part.isdigit() else (1, 0, part) for part in parts)
