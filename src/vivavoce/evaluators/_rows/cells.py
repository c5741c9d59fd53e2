"""One cell of a table against what is expected of it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from decimal import Context, Decimal

from vivavoce.core import codec
from vivavoce.core.reply import JSON, Object
from vivavoce.evaluators._rows import numbers

_DIGITS = 400
"""Of a difference of two numbers: more than any two that are written out need."""
_SHOWN = 200
"""Characters of a text that a message shows."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value as it is compared: as a number when it is one, else as a text without space around it."""

    text: str
    number: Decimal | None
    value: JSON


@dataclass(frozen=True, slots=True)
class Wanted:
    """An expected cell, under the name of the file and the folded one."""

    name: str
    key: str
    cell: Cell


@dataclass(frozen=True, kw_only=True, slots=True)
class Tolerance:
    """How far a number may be off; either bound is enough, and both include their end."""

    absolute: Decimal
    relative: Decimal
    """Of the expected number; none at all when that is 0."""
    context: Context

    @classmethod
    def of(cls, absolute: float, relative: float) -> Tolerance:
        """Bounds as a person wrote them: 0.1 is a tenth."""
        return cls(absolute=Decimal(repr(absolute)), relative=Decimal(repr(relative)), context=Context(prec=_DIGITS))

    @property
    def is_exact(self) -> bool:
        """Whether only equal numbers pass."""
        return not (self.absolute or self.relative)

    def reach(self, expected: Decimal) -> Decimal:
        """The largest difference that passes."""
        return max(self.absolute, self.context.multiply(self.relative, self.context.abs(expected)))

    def bounds(self, expected: Decimal) -> tuple[Decimal, Decimal]:
        """The smallest and the largest number that pass."""
        reach = self.reach(expected)
        if not reach:
            return expected, expected
        return self.context.subtract(expected, reach), self.context.add(expected, reach)

    def holds(self, expected: Decimal, got: Decimal) -> bool:
        """Whether a number passes."""
        if expected == got:
            return True
        return self.context.abs(self.context.subtract(got, expected)) <= self.reach(expected)


def cell(value: JSON) -> Cell:
    """A value of a row. Booleans are words; what is missing is the empty text; what is nested is JSON."""
    if value is None:
        return Cell("", None, value)
    if isinstance(value, str):
        return Cell(value.strip(), numbers.read(value), value)
    if isinstance(value, bool):
        return Cell("true" if value else "false", None, value)
    if isinstance(value, int):
        return Cell(str(value), Decimal(value), value)
    if isinstance(value, float):
        return Cell(_float(value), Decimal(repr(value)), value) if math.isfinite(value) else Cell(str(value), None, value)
    return Cell(codec.canonical(value).decode(), None, value)


def fold(name: str) -> str:
    """A column's name as it is compared: without case, white space, `_` and `-`."""
    return "".join(char for char in name.lower() if char not in "_-" and not char.isspace())


class Names:
    """The columns of two tables, each name folded once."""

    def __init__(self) -> None:
        self._folded: dict[str, str] = {}

    def wanted(self, given: Object) -> list[Wanted]:
        """The cells of an expected row."""
        return [Wanted(name, self._fold(name), cell(value)) for name, value in given.items()]

    def row(self, given: Object) -> dict[str, Cell]:
        """The cells of a row by folded name; of two names that fold alike, the last holds."""
        return {self._fold(name): cell(value) for name, value in given.items()}

    def _fold(self, name: str) -> str:
        folded = self._folded.get(name)
        if folded is None:
            folded = self._folded[name] = fold(name)
        return folded


def difference(expected: Cell, got: Cell, tolerance: Tolerance) -> str:
    """What is wrong with a cell; empty when nothing is."""
    if expected.number is None:
        return "" if expected.text == got.text else f"expected {_quoted(expected.text)}, got {_quoted(got.text)}"
    if got.number is None:
        return f"expected numeric {_number(expected.number)} but actual is not a number: {_plain(got)}"
    if tolerance.holds(expected.number, got.number):
        return ""
    wanted, found = _number(expected.number), _number(got.number)
    if wanted == found:  # they differ in digits that a double has not
        wanted, found = str(expected.number), str(got.number)
    bounds = f"{_number(tolerance.absolute)},{_number(tolerance.relative)}"
    return f"expected {wanted} ± tol({bounds}), got {found}"


def _quoted(text: str) -> str:
    return json.dumps(_cut(text), ensure_ascii=False)


def _plain(got: Cell) -> str:
    return "null" if got.value is None else _quoted(got.text)[1:-1]


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def _number(number: Decimal) -> str:
    value = float(number)
    return _float(value) if math.isfinite(value) else str(number)


def _float(value: float) -> str:
    """A number as Saiku, in Java, shows a double: `100.0`, `1.0E7`."""
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    shown = "".join(map(str, digits)).rstrip("0") or "0"
    power = len(digits) - 1 + int(exponent)
    return f"{'-' if sign else ''}{shown[0]}.{shown[1:] or '0'}E{power}"
