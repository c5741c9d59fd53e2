"""Rows of an answer against expected rows, in order or as a set in which a row may stand several times."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from vivavoce.core.reply import Object
from vivavoce.evaluators._rows.cells import Cell, Tolerance, cell, difference, fold, row
from vivavoce.evaluators._rows.matching import assign, pair

ABSENT = "expected key not present in actual row"
_SETTLED = 50
"""Rows that found no partner, up to which the least bad partner is looked for; more are taken in their order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mismatch:
    """One thing that is wrong."""

    path: str
    """`rows`, or with the index and the name of the file, `rows[0].productFamily`."""
    message: str
    row: int | None = None
    """Index of the expected row."""
    key: str | None = None
    actual_row: int | None = None
    """Index of the row of the answer that was compared."""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """What came of comparing: all mismatches, and which rows were held against each other."""

    mismatches: tuple[Mismatch, ...]
    pairs: tuple[tuple[int, int], ...]
    """Index of an expected row, and of the row of the answer."""
    equal: int
    """Pairs without a mismatch."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """An expected cell, under the name of the file and the folded one."""

    name: str
    key: str
    cell: Cell


def compare(expected: Sequence[Object], got: Sequence[Object], tolerance: Tolerance, *, ordered: bool) -> Comparison:
    """Hold expected rows against those of an answer."""
    wanted = [[_Wanted(name, fold(name), cell(value)) for name, value in each.items()] for each in expected]
    actual = [row(each) for each in got]
    pairs = dict(enumerate(range(min(len(wanted), len(actual))))) if ordered else _paired(wanted, actual, tolerance)
    found: list[Mismatch] = []
    if len(wanted) != len(actual):
        found.append(Mismatch(path="rows", message=f"expected {len(wanted)} row(s), got {len(actual)}"))
    equal = 0
    for index, cells in enumerate(wanted):
        if index in pairs:
            wrong = list(_wrong(cells, actual[pairs[index]], tolerance))
            equal += not wrong
            found += [_at(index, name, message, pairs[index]) for name, message in wrong]
        elif not ordered:
            found.append(Mismatch(path=f"rows[{index}]", message="no such row in the answer", row=index))
    return Comparison(mismatches=tuple(found), pairs=tuple(sorted(pairs.items())), equal=equal)


def _at(index: int, name: str, message: str, actual: int) -> Mismatch:
    return Mismatch(path=f"rows[{index}].{name}", message=message, row=index, key=name, actual_row=actual)


def _wrong(cells: Sequence[_Wanted], actual: dict[str, Cell], tolerance: Tolerance) -> Iterator[tuple[str, str]]:
    for each in cells:
        got = actual.get(each.key)
        message = ABSENT if got is None else difference(each.cell, got, tolerance)
        if message:
            yield each.name, message


def _paired(wanted: Sequence[Sequence[_Wanted]], actual: Sequence[dict[str, Cell]], tolerance: Tolerance) -> dict[int, int]:
    """As many equal rows as there can be; of those left over, each with the one that differs in fewest cells."""
    candidates = _Candidates(wanted, actual, tolerance)
    pairs = pair(len(wanted), candidates.of)
    ours = [index for index in range(len(wanted)) if index not in pairs]
    taken = set(pairs.values())
    theirs = [index for index in range(len(actual)) if index not in taken]
    if not ours or not theirs:
        return pairs
    if max(len(ours), len(theirs)) > _SETTLED:
        return pairs | dict(zip(ours, theirs, strict=False))
    costs = [[sum(1 for _ in _wrong(wanted[one], actual[other], tolerance)) for other in theirs] for one in ours]
    return pairs | {ours[one]: theirs[other] for one, other in assign(costs).items()}


@dataclass(slots=True)
class _Bucket:
    """Rows of the answer that agree in some cells, and the same sorted by a number in them."""

    rows: list[int] = field(default_factory=list)
    sorted: dict[str, tuple[list[Decimal], list[int]]] = field(default_factory=dict)


class _Candidates:
    """Which rows of an answer are equal to an expected one, without trying them all.

    Cells that must be equal are looked up together; a number that may be off a little, among the sorted ones.
    """

    def __init__(self, wanted: Sequence[Sequence[_Wanted]], actual: Sequence[dict[str, Cell]], tolerance: Tolerance) -> None:
        self._wanted = wanted
        self._actual = actual
        self._tolerance = tolerance
        self._tables: dict[tuple[tuple[str, bool], ...], dict[tuple[object, ...], _Bucket]] = {}

    def of(self, index: int) -> Iterator[int]:
        """Indexes of the rows that are equal to an expected one."""
        exact: list[_Wanted] = []
        loose: list[_Wanted] = []
        for each in self._wanted[index]:
            (exact if each.cell.number is None or self._tolerance.is_exact else loose).append(each)
        shape = tuple((each.key, each.cell.number is not None) for each in exact)
        if shape not in self._tables:
            self._tables[shape] = self._table(shape)
        bucket = self._tables[shape].get(
            tuple(each.cell.text if each.cell.number is None else each.cell.number for each in exact)
        )
        if bucket is None:
            return
        if not loose:
            yield from bucket.rows
            return
        for other in self._near(bucket, loose[0]):
            if not any(_wrong(loose[1:], self._actual[other], self._tolerance)):
                yield other

    def _table(self, shape: tuple[tuple[str, bool], ...]) -> dict[tuple[object, ...], _Bucket]:
        table: dict[tuple[object, ...], _Bucket] = {}
        for index, cells in enumerate(self._actual):
            found = [(cells[key], is_number) for key, is_number in shape if key in cells]
            if len(found) == len(shape):
                key = tuple(each.number if is_number else each.text for each, is_number in found)
                table.setdefault(key, _Bucket()).rows.append(index)
        return table

    def _near(self, bucket: _Bucket, wanted: _Wanted) -> Sequence[int]:
        if wanted.key not in bucket.sorted:
            there = [(cells[wanted.key].number, index) for index in bucket.rows if wanted.key in (cells := self._actual[index])]
            known = sorted((number, index) for number, index in there if number is not None)
            bucket.sorted[wanted.key] = ([number for number, _ in known], [index for _, index in known])
        places, rows = bucket.sorted[wanted.key]
        expected, context = wanted.cell.number or Decimal(), self._tolerance.context
        reach = self._tolerance.reach(expected)
        low = bisect_left(places, context.subtract(expected, reach))
        return rows[low : bisect_right(places, context.add(expected, reach))]
