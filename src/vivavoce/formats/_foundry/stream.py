"""Rows that stand one after the other, as lines or in a list: they can also be read in part, and counted by their kinds."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce.core.model import Case
from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.formats._foundry.asked import Asked
from vivavoce.formats._foundry.plain import read
from vivavoce.formats._foundry.rows import Reading
from vivavoce.wire.json_entries import Entries, Place
from vivavoce.wire.json_lines import parsed, parsed_entry, quick


class Stream:
    """The cases of such rows, of which some can be read alone, and many counted without making each."""

    def __init__(self, source: Source, problems: Problems, asked: Asked, place: Place | None = None) -> None:
        """`place` is that of the list; without one, each line of the file is a row."""
        self._source = source
        self._problems = problems
        self._asked = asked
        self._place = place

    def __iter__(self) -> Iterator[Case]:
        one = _Pass(self._source, self._problems, self._asked, self._place)
        for number, text in one.texts():
            case = one.case(number, text)
            if case is not None:
                yield case
        one.reading.end()

    def part(self, wanted: Iterator[bool]) -> Iterator[Case | None]:
        """Each case that is wanted, as the next of `wanted` says of each row, and `None` for each other."""
        one = _Pass(self._source, self._problems, self._asked, self._place)
        for (number, text), is_wanted in zip(one.texts(), wanted, strict=False):  # there are more answers than rows
            if is_wanted:
                yield one.case(number, text)
            else:
                one.reading.skip()
                yield None

    def kinds(self) -> Iterator[tuple[Case, int]]:
        """Every case, those of a kind at once; see `core.parts.Alike`."""
        one = _Pass(self._source, self._problems, self._asked, self._place)
        reading = one.reading
        found: dict[int, Case] = {}
        more = [0, 0, 0, 0]
        for number, text in one.texts():
            row = read(text) if reading.is_quick else None
            kind = None if row is None or row.response is None else row.kind
            if kind in found and row is not None and reading.is_plain(row, one.line(number)):
                more[kind] += 1
                continue
            case = one.case(number, text)
            if case is not None:
                yield case, 1
                if kind is not None:
                    found.setdefault(kind, case)
        reading.end()
        for kind, case in found.items():
            if more[kind]:
                yield case, more[kind]


class _Pass:
    """One pass over the rows."""

    def __init__(self, source: Source, problems: Problems, asked: Asked, place: Place | None) -> None:
        self.reading = Reading(source, problems, asked)
        self._source = source
        self._problems = problems
        self._entries = None if place is None else Entries(source, (place,))

    def texts(self) -> Iterator[tuple[int, bytes]]:
        """Each row as it stands, with the line where it begins."""
        return self._source.lines() if self._entries is None else iter(self._entries)

    def line(self, number: int) -> int | None:
        """What a row is told by: its line, or in a list its position, which has none."""
        return number if self._entries is None else None

    def case(self, number: int, text: bytes) -> Case | None:
        """The case of a row, or `None` after reporting what is wrong with it."""
        reading = self.reading
        path, line = ("", number) if self._entries is None else (self._entries.path, None)
        if reading.is_quick and (plain := read(text)) is not None and (case := reading.plain(plain, line, path)) is not None:
            return case
        row, wrong = quick(text), False
        if row is None:
            if self._entries is None:
                row, wrong = parsed(self._source, text, number, self._problems)
            else:
                row, wrong = parsed_entry(self._source, self._entries, number, text, self._problems)
        return reading.case(row, path, line, wrong)
