"""The scenarios of a file as cases, in one pass and bounded memory; what is wrong is told where it stands."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.core.model import Case
from vivavoce.core.place import Problems, join
from vivavoce.core.reply import JSON, Object
from vivavoce.core.source import Source
from vivavoce.formats._agentcore.building import Building
from vivavoce.wire.ids import Ids
from vivavoce.wire.shape import said

Entry = tuple[JSON, str, int | None, bool]
"""A scenario, its path in a document, its line in any other file, and whether it is known to be wrong."""
_OLDER = "prompt"
"""What older samples have in place of turns, with `expected` beside it."""


class Reading:
    """One pass over the scenarios."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self._source = source
        self._problems = problems
        self._count = 0
        self._ids = Ids()
        self._wrong = False
        self._path = ""
        self._line: int | None = None

    def case(self, row: JSON, path: str, line: int | None, wrong: bool) -> Case | None:
        """The case of a scenario, or `None` after reporting what is wrong with it; one known to be wrong keeps its place."""
        position = self._count
        self._count += 1
        if wrong:
            return None
        self._wrong, self._path, self._line = False, path, line
        if not isinstance(row, Mapping):
            self.say(f"must be a scenario, which is an object, not {said(row)}", "")
            return None
        if _OLDER in row and "scenario_id" not in row and isinstance(row[_OLDER], str):
            self._problems.warn(self._source, "are rows of an older form, read as scenarios of one turn each")
            row = _newer(row, position)
        name = self._name(row, position)
        case = Building(row, self).case(name, path, line)
        return None if self._wrong else case

    def say(self, message: str, path: str, fix: str = "") -> None:
        """Report what is wrong, at a path within the scenario."""
        self._wrong = True
        self._problems.add(self._source, message, path=join(self._path, path), line=self._line, fix=fix)

    def soft(self, message: str, path: str, fix: str = "") -> bool:
        """Report what is wrong unless the reading is lenient; returns whether it is."""
        self._wrong = self._wrong or not self._problems.lenient
        self._problems.soft(self._source, message, path=join(self._path, path), line=self._line, fix=fix)
        return not self._problems.lenient

    def warn(self, message: str, path: str, fix: str = "") -> None:
        """Report what is odd and stops nothing."""
        self._problems.warn(self._source, message, path=join(self._path, path), line=self._line, fix=fix)

    def _name(self, row: Object, position: int) -> str:
        """The id of a scenario, which no other may have; whether it has one is looked at elsewhere."""
        name = row.get("scenario_id")
        if not isinstance(name, str) or not name.strip():
            return f"#{position}"
        first = self._ids.add(name, position if self._line is None else self._line)
        if first is not None:
            where = f"scenario {first}" if self._line is None else f"line {first}"
            self.say(f'the scenario_id "{name}" is given twice', "scenario_id", f"first in {where}")
        return name


def _newer(row: Object, position: int) -> Object:
    turn = {"input": row[_OLDER]} | ({"expected_response": row["expected"]} if "expected" in row else {})
    rest = {name: each for name, each in row.items() if name not in (_OLDER, "expected")}
    return {"scenario_id": f"#{position}", "turns": [turn], **rest}
