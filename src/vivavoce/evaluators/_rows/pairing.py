"""Which rows of an answer are equal to expected ones, as many as there can be, without trying every two."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from vivavoce.core.errors import CallError
from vivavoce.core.result import Failure
from vivavoce.evaluators._rows.cells import Cell, Tolerance, Wanted
from vivavoce.evaluators._rows.matching import pair, place

MOST = 4_000_000
"""Pairs of rows that are held against each other, where several numbers may each be off a little."""

Shape: TypeAlias = tuple[tuple[str, bool], ...]
"""Columns whose cells must be equal, each with whether it is a number."""
Span: TypeAlias = tuple[int, int]


@dataclass(slots=True)
class _Bucket:
    """Rows of the answer that agree in some cells, and the same sorted by a number in them."""

    rows: list[int] = field(default_factory=list)
    sorted: dict[str, tuple[list[Decimal], list[int]]] = field(default_factory=dict)


@dataclass(slots=True)
class _Group:
    """Expected rows that agree in those cells which must be equal, with the rows of the answer that agree with them."""

    bucket: _Bucket
    indexes: list[int] = field(default_factory=list)


def paired(wanted: Sequence[Sequence[Wanted]], actual: Sequence[Mapping[str, Cell]], tolerance: Tolerance) -> dict[int, int]:
    """Indexes of expected rows, each with that of a row that is equal to it and to no other.

    Raises:
        CallError: more of them are nearly alike than can be told apart.
    """
    if not wanted or not actual:
        return {}
    answer = _Answer(actual, tolerance)
    # Only if all expect the same columns, each as often, can no two groups want the same row.
    apart = len({tuple(sorted(each.key for each in cells)) for cells in wanted}) == 1
    found: dict[int, int] = {}
    rest: list[tuple[int, _Bucket]] = []
    for loose, group in answer.groups(wanted):
        if not apart or len(loose) > 1:
            rest += [(index, group.bucket) for index in group.indexes]
        elif not loose:
            found |= zip(group.indexes, group.bucket.rows, strict=False)
        else:
            rows = answer.ordered(group.bucket, loose[0])[1]
            spans = [answer.span(group.bucket, answer.loose(wanted[index])[0]) for index in group.indexes]
            found |= {group.indexes[one]: rows[at] for one, at in place(spans, len(rows)).items()}
    if rest:
        pairs = pair(_neighbours(answer, wanted, rest))
        found |= {rest[one][0]: other for one, other in pairs.items()}
    return found


def _neighbours(
    answer: _Answer, wanted: Sequence[Sequence[Wanted]], rest: Sequence[tuple[int, _Bucket]]
) -> list[Sequence[int]]:
    """The rows that are equal to each of these expected ones."""
    found: list[Sequence[int]] = []
    left = MOST
    for index, bucket in rest:
        loose = answer.loose(wanted[index])
        if not loose:
            near: Sequence[int] = bucket.rows
            left -= len(near)
        else:
            spans = [(answer.span(bucket, each), each) for each in loose]
            (first, end), narrow = min(spans, key=lambda each: each[0][1] - each[0][0])
            left -= end - first
            others = [each for each in loose if each is not narrow]
            near = answer.equal(answer.ordered(bucket, narrow.key)[1][first:end], others) if left >= 0 else ()
        if left < 0:
            raise CallError(Failure(code="too_many", phase="evaluator", message=_TOO_MANY))
        found.append(near)
    return found


_TOO_MANY = (
    "too many rows are so nearly alike that it would take long to find which belongs to which; expect them in their order, "
    "narrow the tolerance, or have a column of texts tell them apart"
)


class _Answer:
    """The rows of an answer, looked up by cells that must be equal, and by numbers that may be off a little."""

    def __init__(self, actual: Sequence[Mapping[str, Cell]], tolerance: Tolerance) -> None:
        self._actual = actual
        self._tolerance = tolerance
        self._tables: dict[Shape, dict[tuple[object, ...], _Bucket]] = {}

    def groups(self, wanted: Sequence[Sequence[Wanted]]) -> Iterator[tuple[tuple[str, ...], _Group]]:
        """Expected rows to which there are any that may be equal, with the columns of numbers that may be off."""
        found: dict[tuple[Shape, tuple[object, ...], tuple[str, ...]], _Group] = {}
        for index, cells in enumerate(wanted):
            loose = {id(each) for each in self.loose(cells)}
            exact = [each for each in cells if id(each) not in loose]
            shape = tuple((each.key, each.cell.number is not None) for each in exact)
            if shape not in self._tables:
                self._tables[shape] = self._table(shape)
            key = tuple(each.cell.text if each.cell.number is None else each.cell.number for each in exact)
            bucket = self._tables[shape].get(key)
            if bucket is not None:
                columns = tuple(each.key for each in cells if id(each) in loose)
                found.setdefault((shape, key, columns), _Group(bucket)).indexes.append(index)
        for (_, _, columns), group in found.items():
            yield columns, group

    def loose(self, cells: Sequence[Wanted]) -> list[Wanted]:
        """Numbers that may be off."""
        return [] if self._tolerance.is_exact else [each for each in cells if each.cell.number is not None]

    def ordered(self, bucket: _Bucket, column: str) -> tuple[list[Decimal], list[int]]:
        """The numbers in a column, sorted, and the rows they stand in."""
        if column not in bucket.sorted:
            there = [(cells[column].number, index) for index in bucket.rows if column in (cells := self._actual[index])]
            known = sorted((number, index) for number, index in there if number is not None)
            bucket.sorted[column] = ([number for number, _ in known], [index for _, index in known])
        return bucket.sorted[column]

    def span(self, bucket: _Bucket, wanted: Wanted) -> Span:
        """Which of the sorted numbers pass."""
        numbers = self.ordered(bucket, wanted.key)[0]
        low, high = self._bounds(wanted)
        return bisect_left(numbers, low), bisect_right(numbers, high)

    def equal(self, rows: Sequence[int], wanted: Sequence[Wanted]) -> list[int]:
        """Those of some rows whose numbers pass."""
        for each in wanted:
            (low, high), column = self._bounds(each), each.key
            there = [(self._actual[index].get(column), index) for index in rows]
            rows = [index for got, index in there if got is not None and got.number is not None and low <= got.number <= high]
        return list(rows)

    def _bounds(self, wanted: Wanted) -> tuple[Decimal, Decimal]:
        assert wanted.cell.number is not None, "a text is not off a little"
        return self._tolerance.bounds(wanted.cell.number)

    def _table(self, shape: Shape) -> dict[tuple[object, ...], _Bucket]:
        table: dict[tuple[object, ...], _Bucket] = {}
        for index, cells in enumerate(self._actual):
            found = [(cells[key], is_number) for key, is_number in shape if key in cells]
            if len(found) == len(shape):
                key = tuple(each.number if is_number else each.text for each, is_number in found)
                table.setdefault(key, _Bucket()).rows.append(index)
        return table
