"""The rows of a file of lines, which can also be read in part, and counted by their kinds."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce.core.model import Case
from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.formats._foundry.asked import Asked
from vivavoce.formats._foundry.plain import read
from vivavoce.formats._foundry.rows import Reading
from vivavoce.wire.json_lines import parsed, quick


class Lines:
    """The cases of a file of lines, of which some can be read alone, and many counted without making each."""

    def __init__(self, source: Source, problems: Problems, asked: Asked) -> None:
        self._source = source
        self._problems = problems
        self._asked = asked

    def __iter__(self) -> Iterator[Case]:
        reading = self._begin()
        for number, line in self._source.lines():
            case = self._case(reading, number, line)
            if case is not None:
                yield case
        reading.end()

    def part(self, wanted: Iterator[bool]) -> Iterator[Case | None]:
        """Each case that is wanted, as the next of `wanted` says of each row, and `None` for each other."""
        reading = self._begin()
        for (number, line), is_wanted in zip(self._source.lines(), wanted, strict=False):  # there are more answers than rows
            if is_wanted:
                yield self._case(reading, number, line)
            else:
                reading.skip()
                yield None

    def kinds(self) -> Iterator[tuple[Case, int]]:
        """Every case, those of a kind at once; see `core.parts.Alike`."""
        reading = self._begin()
        found: dict[int, Case] = {}
        more = [0, 0, 0, 0]
        for number, line in self._source.lines():
            row = read(line) if reading.is_quick else None
            kind = None if row is None or row.response is None else row.kind
            if kind in found and row is not None and reading.is_plain(row, number):
                more[kind] += 1
                continue
            case = self._case(reading, number, line)
            if case is not None:
                yield case, 1
                if kind is not None:
                    found.setdefault(kind, case)
        reading.end()
        for kind, case in found.items():
            if more[kind]:
                yield case, more[kind]

    def _begin(self) -> Reading:
        return Reading(self._source, self._problems, self._asked)

    def _case(self, reading: Reading, number: int, line: bytes) -> Case | None:
        if reading.is_quick and (plain := read(line)) is not None and (case := reading.plain(plain, number)) is not None:
            return case
        row, wrong = quick(line), False
        if row is None:
            row, wrong = parsed(self._source, line, number, self._problems)
        return reading.case(row, "", number, wrong)
