"""Rows of an answer against expected rows, in order or as a set in which a row may stand several times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vivavoce.core.reply import Object
from vivavoce.evaluators._rows.cells import Cell, Names, Tolerance, Wanted, difference
from vivavoce.evaluators._rows.matching import assign
from vivavoce.evaluators._rows.pairing import paired

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


def compare(expected: Sequence[Object], got: Sequence[Object], tolerance: Tolerance, *, ordered: bool) -> Comparison:
    """Hold expected rows against those of an answer.

    Raises:
        CallError: their order does not matter, and they are too many that are nearly alike.
    """
    names = Names()
    wanted = [names.wanted(each) for each in expected]
    actual = [names.row(each) for each in got]
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


def _wrong(cells: Sequence[Wanted], actual: dict[str, Cell], tolerance: Tolerance) -> Iterator[tuple[str, str]]:
    for each in cells:
        got = actual.get(each.key)
        message = ABSENT if got is None else difference(each.cell, got, tolerance)
        if message:
            yield each.name, message


def _paired(wanted: Sequence[Sequence[Wanted]], actual: Sequence[dict[str, Cell]], tolerance: Tolerance) -> dict[int, int]:
    """As many equal rows as there can be; of those left over, each with the one that differs in fewest cells."""
    pairs = paired(wanted, actual, tolerance)
    ours = [index for index in range(len(wanted)) if index not in pairs]
    taken = set(pairs.values())
    theirs = [index for index in range(len(actual)) if index not in taken]
    if not ours or not theirs:
        return pairs
    if max(len(ours), len(theirs)) > _SETTLED:
        return pairs | dict(zip(ours, theirs, strict=False))
    costs = [[sum(1 for _ in _wrong(wanted[one], actual[other], tolerance)) for other in theirs] for one in ours]
    return pairs | {ours[one]: theirs[other] for one, other in assign(costs).items()}
