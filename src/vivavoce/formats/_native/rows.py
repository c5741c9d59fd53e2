"""Rows of the native format, one by one: the quick way while all is well, the thorough one when something is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vivavoce.core.model import Case
from vivavoce.core.place import Problems, join
from vivavoce.core.reply import JSON
from vivavoce.core.source import Source
from vivavoce.formats._native import build
from vivavoce.formats._native.shapes import Row
from vivavoce.wire.ids import Ids
from vivavoce.wire.json_lines import parsed, quick
from vivavoce.wire.shape import Shape


class Lines:
    """The cases of a JSON-lines file, read from the file again each time they are iterated."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self._source = source
        self._problems = problems

    def __iter__(self) -> Iterator[Case]:
        rows = Rows(self._source, self._problems, None)
        for number, line in self._source.lines():
            if rows.count == 0 and line == b"{":
                fix = "write each case on a line of its own, or give the file `cases`"
                self._problems.add(self._source, "a case goes over several lines", line=number, fix=fix)
                return
            row, wrong = quick(line), False
            if row is None:
                row, wrong = parsed(self._source, line, number, self._problems)
            case = rows.case(row, "", number, wrong=wrong)
            if case is not None:
                yield case
        if not rows.count:
            self._problems.add(self._source, "holds no rows", line=1, fix="a dataset holds at least one case")


class Entries:
    """The cases of a document, which is held in memory."""

    def __init__(self, source: Source, problems: Problems, entries: list[JSON], base: build.Named) -> None:
        self._source = source
        self._problems = problems
        self._entries = entries
        self._base = base

    def __iter__(self) -> Iterator[Case]:
        rows = Rows(self._source, self._problems, self._base)
        for index, entry in enumerate(self._entries):
            case = rows.case(entry, join("cases", index), None)
            if case is not None:
                yield case


class Rows:
    """One reading of a suite's rows, in order."""

    def __init__(self, source: Source, problems: Problems, base: build.Named) -> None:
        self.count = 0
        self._source = source
        self._problems = problems
        self._base = base
        self._shape = Shape(source, problems)
        self._ids = Ids()

    def case(self, row: JSON, path: str, line: int | None, *, wrong: bool = False) -> Case | None:
        """The case of a row, or `None` after reporting what is wrong with it.

        A row that is known to be `wrong` is looked at for more, and keeps its place.
        """
        position, shape = self.count, self._shape
        self.count += 1
        if row is None and wrong:
            return None
        row = shape.fit(row, Row, path, line)
        if not isinstance(row, Mapping):
            return None
        if not (wrong or shape.wrong):
            build.objections(row, lambda message, at, fix: shape.add(message, join(path, at), fix))
        name = row.get("id")
        name = name if isinstance(name, str) else f"#{position}"
        first = self._ids.add(name, position if line is None else line)
        if first is not None:
            where = f"cases[{first}]" if line is None else f"line {first}"
            shape.add(f'the id "{name}" is given twice', join(path, "id"), f"first in {where}")
        return None if wrong or shape.wrong else build.case(row, self._base, name=name, path=path, line=line)
