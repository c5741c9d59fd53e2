"""The rows of a file as cases, in one pass and bounded memory; what is wrong is told when the pass ends, or where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set

from vivavoce.core.model import Case
from vivavoce.core.place import Problems, did_you_mean, join
from vivavoce.core.reply import JSON, Object
from vivavoce.core.source import Source
from vivavoce.formats._foundry import columns
from vivavoce.formats._foundry.again import Again, is_evaluated
from vivavoce.formats._foundry.asked import Asked
from vivavoce.formats._foundry.building import Building, unreadable
from vivavoce.formats._foundry.expressions import ABSENT, find
from vivavoce.formats._foundry.plain import COLUMNS, Plain, Row, texts
from vivavoce.formats._foundry.saying import shown
from vivavoce.formats._foundry.seeds import with_defaults
from vivavoce.wire.ids import Ids

Entry = tuple[JSON, str, int | None, bool]
"""A row, its path in a document, its line in any other file, and whether it is known to be wrong."""
Heading = tuple[int, frozenset[str]]
"""The line that names the columns of a table, and these."""
Entries = Callable[[], Iterable[Entry]]
_SEED = "test_case_description"
_KINDS_MOST = 100
"""Kinds of rows without anything to examine of which each is told."""
_KNOWN_MOST = 1000
"""Names of columns that are remembered; a file with more is told less about them."""


class Cases:
    """The cases of a file, read from it again each time they are iterated."""

    def __init__(self, source: Source, problems: Problems, entries: Entries, asked: Asked, head: Heading | None = None) -> None:
        self._source = source
        self._problems = problems
        self._entries = entries
        self._asked = asked
        self._heading = head

    def __iter__(self) -> Iterator[Case]:
        reading = Reading(self._source, self._problems, self._asked, self._heading)
        for row, path, line, wrong in self._entries():
            case = reading.case(row, path, line, wrong)
            if case is not None:
                yield case
        reading.end()


class Reading:
    """One pass over the rows."""

    def __init__(self, source: Source, problems: Problems, asked: Asked, heading: Heading | None = None) -> None:
        self._source = source
        self._problems = problems
        self._asked = asked
        self._heading = heading
        self._count = 0
        self._ids = Ids()
        self._columns: set[str] = set()
        self._others: set[str] = set()
        """Columns that are no standard ones, and were looked at."""
        self._watched: dict[str, str] = {}
        """Those of them that so far stood beside the column they may be meant for, each with that: a row may lack it."""
        self._missing = {
            (where, param, expression.text): expression.path
            for where, param, expression in asked.expressions()
            if expression.sees is None
        }
        self._wrongs = 0
        """Rows of which it is not known what they hold."""
        self._unreadable: dict[tuple[str, ...], tuple[str, int | None, int]] = {}
        self._plain = Plain(self._ids, asked)
        self.is_quick = not self._missing and not asked.is_whole and all(each.mapping is None for each in asked.checks or ())
        """Whether rows of a few texts are read the quick way."""
        self._wrong = False
        self._path = ""
        self._line: int | None = None

    def case(self, row: JSON, path: str, line: int | None, wrong: bool) -> Case | None:
        """The case of a row, or `None` after reporting what is wrong with it; a row known to be wrong keeps its place."""
        position = self._count
        self._count += 1
        if wrong:
            self._wrongs += 1
            return None
        self._wrong, self._path, self._line = False, path, line
        if isinstance(row, Mapping) and row.keys() == {"item"} and isinstance(row["item"], Mapping):
            row, self._path = row["item"], join(path, "item")
        if self.is_quick and type(row) is dict:
            made = self._few_texts(row, path, line, position)
            if made is not None:
                return made
        if self._asked.seeds and isinstance(row, Mapping):
            row = with_defaults(row, self._asked.seeds)
        again: Again | None = None
        if isinstance(row, Mapping) and is_evaluated(row):
            self._problems.warn(self._source, "are evaluated rows, of which what evaluators said is left out")
            again = Again(row, self._asked, self._say, position)
            row = again.row()
        if not isinstance(row, Mapping):
            self._say(f"must be a row, which is an object, not {shown(row)}", "")
            return None
        self._look(row)
        name = self._name(row, position)
        if all(row.get(column) is None for column in columns.ANY) and not self._mapped(row):
            kind = tuple(column for column, each in row.items() if each is not None)
            if kind in self._unreadable or len(self._unreadable) < _KINDS_MOST:
                where, at, often = self._unreadable.get(kind, (self._path, line, 0))
                self._unreadable[kind] = (where, at, often + 1)
            return None
        building = Building(row, self._asked, self._say)
        case = building.case(name, path, line)
        for where, field, meant in building.slips():
            fix = f'did you mean "{meant}"? If it is another,'
            self._tell_slip(f'unknown field "{field}"', fix, join(self._path, where), self._line)
        if case is None or self._wrong:
            return None
        if again is None and case.persona is None and row.get(_SEED) and _SEED not in self._asked.refers:
            self._tell_ignored(row)
        return case if again is None else again.case(case)

    def plain(self, row: Row, line: int | None, path: str) -> Case | None:
        """The case of a row of a few texts, or `None` when it takes a closer look."""
        name = self._plain.name(row, self._count, self._count if line is None else line)
        if name is None:
            return None
        self._count += 1
        return self._plain.case(name, row, line, path)

    def is_plain(self, row: Row, line: int | None) -> bool:
        """Whether such a row needs no closer look; then it is counted."""
        if self._plain.name(row, self._count, self._count if line is None else line) is None:
            return False
        self._count += 1
        return True

    def skip(self) -> None:
        """Count a row that is not looked at."""
        self._count += 1

    def end(self) -> None:
        """Report what only the whole file shows."""
        for kind, (path, line, often) in self._unreadable.items():
            message, fix = unreadable(kind)
            if self._heading is not None and self._heading[1].isdisjoint(columns.ANY):
                line, often = self._heading[0], 1
            message += f", and {often - 1} more like it" if often > 1 else ""
            self._problems.add(self._source, message, path=path, line=line, fix=fix)
        if not self._count:
            self._problems.add(self._source, "holds no rows", line=1, fix="a dataset holds at least one case")
            return
        for where, param, expression in self._asked.expressions():
            if expression.sees is not None and self._asked.live is False:
                prefix = "" if where else f"--map {param}="
                message = f"{prefix}{expression.text} stands for what a target answers, and no target was named"
                self._problems.add(self._source, message, path=where, fix="name one with --target, or map a column")
        for (where, param, text), path in self._missing.items() if self._wrongs < self._count else ():
            prefix = "" if where else f"--map {param}={text}: "
            fix = did_you_mean(path, sorted(self._columns))
            row = "row that can be read" if self._wrongs else "row"
            self._problems.add(self._source, f'{prefix}no {row} has the field "{path}"', path=where, fix=fix)

    def _few_texts(self, row: dict[str, JSON], path: str, line: int | None, position: int) -> Case | None:
        """The case of a row of plain texts; `None` when there is more to it."""
        others = row.keys() - COLUMNS
        if others and not (others <= self._others and self._stand_beside(row, others)):
            return None
        plain = texts(row)
        name = None if plain is None else self._plain.name(plain, position, position if line is None else line)
        if plain is None or name is None:
            return None
        metadata = {each: row[each] for each in row if each in others} if others else None
        return self._plain.case(name, plain, line, path, metadata)

    def _name(self, row: Object, position: int) -> str:
        """The id of a row, which no other row may have."""
        column = columns.of_id(row)
        given = None if row.get(column) == "" else row.get(column)
        if isinstance(given, bool) or not isinstance(given, str | int | None):
            self._say(f"must be text or a whole number, not {shown(given)}", column)
            given = None
        name = f"#{position}" if given is None else str(given)
        place = position if self._line is None else self._line
        first = self._ids.add_unnamed(position, place) if given is None else self._ids.add(name, place)
        if first is not None:
            where = f"row {first}" if self._line is None else f"line {first}"
            self._say(f'the id "{name}" is given twice', column, f"first in {where}")
        return name

    def _look(self, row: Object) -> None:
        """Look at columns that were not seen before or are watched, and whether what a mapping refers to is there."""
        for key in [key for key, path in self._missing.items() if find(row, path) is not ABSENT]:
            del self._missing[key]
        new = row.keys() - self._columns
        if not new and not self._watched:
            return
        if len(self._columns) < _KNOWN_MOST:
            self._columns |= new
        for column in sorted((new - columns.STANDARD) | (row.keys() & self._watched.keys())):
            known = self._look_at(column, row)
            self._watched.pop(column, None)
            if column in self._columns:
                self._others.add(column)
                if known is not None:
                    self._watched[column] = known

    def _look_at(self, column: str, row: Object) -> str | None:
        """Tell of a column that is a slip of a standard one, or means one; that one, while there is nothing to tell."""
        near = columns.meant(column)
        known = near or columns.WILD.get(column)
        if known is None or column in self._asked.refers or (near is None and known in self._asked.mapping.of):
            return None
        if not self._stands_for(column, known, row):
            return known
        at = join(self._path, column)
        line = self._line if self._heading is None or known in self._heading[1] else self._heading[0]
        if near is not None:
            self._tell_slip(f'unknown column "{column}"', f'did you mean "{near}"? If it is another, map it or', at, line)
        elif any(row.get(each) is not None for each in columns.ANY):
            message, fix = f'column "{column}" is kept and not examined', f"if it is {known}: {columns.proposal([column])}"
            self._problems.warn(self._source, message, path=at, line=line, fix=fix)
        else:
            return known
        return None

    def _tell_slip(self, message: str, fix: str, path: str, line: int | None) -> None:
        self._wrong = self._wrong or not self._problems.lenient
        self._problems.soft(self._source, message, path=path, line=line, fix=f"{fix} read with --lenient")

    def _tell_ignored(self, row: Object) -> None:
        """Tell what says of a simulated user in a row that is no seed."""
        mapped = self._asked.mapping.of
        said = next((each for each in columns.INTERACTION if row.get(each) is not None or each in mapped), "query")
        ignored = ", ".join(f'"{each}"' for each in columns.SEED if row.get(each) is not None)
        message = f'has "{said}", so {ignored} of a simulated user is ignored'
        self._say(message, "", "keep one of the two", warning=True)

    def _stands_for(self, column: str, known: str, row: Object) -> bool:
        """Whether a column stands where a known one should; one that is empty does so only in a file without that."""
        return row.get(known) is None and (row[column] not in (None, "") or known not in self._columns)

    def _stand_beside(self, row: Object, others: Set[str]) -> bool:
        """Whether of these columns each that is watched has the one it may be meant for beside it."""
        return all(row.get(self._watched[each]) is not None for each in others & self._watched.keys())

    def _mapped(self, row: Object) -> bool:
        """Whether a mapping finds something in a row that has no standard column to examine."""
        return any(
            find(row, expression.path) is not ABSENT
            for mapping in (self._asked.mapping.of, self._asked.beside)
            for param, expression in mapping.items()
            if param in columns.INTERACTION and expression.sees is None
        )

    def _say(self, message: str, path: str, fix: str = "", *, warning: bool = False) -> None:
        at = join(self._path, path) if not path.startswith("[") else self._path + path
        if warning:
            self._problems.warn(self._source, message, path=at, line=self._line, fix=fix)
        else:
            self._wrong = True
            self._problems.add(self._source, message, path=at, line=self._line, fix=fix)
