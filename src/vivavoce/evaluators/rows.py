"""Compare the rows of the answer with expected rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vivavoce.core import codec
from vivavoce.core.errors import Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.reply import JSON, Object
from vivavoce.core.result import Verdict
from vivavoce.evaluators._quote import count
from vivavoce.evaluators._rows.cells import Tolerance
from vivavoce.evaluators._rows.comparing import Comparison, Mismatch, compare

__all__ = ["RowComparison"]

_TOLD = 5
"""Mismatches that the reason tells."""
_KEPT_MISMATCHES = 1000
_KEPT_ROWS = 500
"""How many the details keep of each; they say how many there were."""
_LARGE = 500
"""Rows, of both tables, that are compared in about the time of a call to an agent on the same machine."""
_NO_ROWS = frozenset(("INSIGHT", "VIEW_CHANGE", "REFUSED"))


@dataclass(frozen=True, kw_only=True)
class RowComparison:
    """Whether the answer's rows are the expected ones, cell by cell, numbers within a tolerance.

    Measures: 1 when every expected cell is there and there are as many rows, else 0.
    Needs: expected rows, or a reference query that the target can run, which then wins; and the rows of the answer. An answer
    reported to be an insight, a change of view or a refusal has none.
    Example: rows `[{"Store Sales": "$1,200.50"}]`, expected `[{"storeSales": 1200.5}]` -> 1; expected `[{"storeSales": 1201}]`
    -> 0, and 1 again with `absolute` 0.5. `[]` expects an answer without rows.
    Keys: compared without case, white space, `_` and `-`. A column that was not expected does not matter, an expected one that
    is missing does.
    Numbers: on both sides `$565,238.13`, `EUR 5`, `(500)` for minus, `12%` (which is 12), `1.5e-3`; thousands are separated by
    commas, `.` begins the fraction, arithmetic is decimal. A whole number with a leading zero, such as `01234`, is a text.
    Limits: without order, thousands of rows of numbers that may each be off a little, and that no column of texts tells apart,
    are an error. `565.238,13` and `1,5` are texts. Texts are compared without space around them and with case; nothing
    is the empty text, true and false are words.
    Source: Saiku agent evals, `expectedRows`, `referenceQuery`, `tolerance`, `orderMatters`.
    """

    needs: ClassVar[tuple[str, ...]] = ("expected_rows", "rows")
    uses: ClassVar[tuple[str, ...]] = ("intent", "expected_intent")
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    absolute: float = 0.0
    """A number passes when it is off by no more than this."""
    relative: float = 0.0
    """A number also passes when it is off by no more than this share of the expected one; not when 0 is expected."""
    order_matters: bool = True
    """Whether rows must come in the expected order; when not, each is held against the row that fits it."""

    def __post_init__(self) -> None:
        """Refuse a tolerance below 0.

        Raises:
            ValueError: it is, or it is no finite number.
        """
        for name in ("absolute", "relative"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} is {getattr(self, name):g}; it is 0 or more")

    def takes_long(self, evidence: Evidence) -> bool:
        """Whether the tables are large."""
        try:
            return len(evidence.expected_rows) + len(evidence.rows) > _LARGE
        except Missing:
            return False

    def score(self, evidence: Evidence) -> Verdict:
        """1 when nothing differs.

        Raises:
            CallError: the order does not matter, and more rows are nearly alike than can be told apart.
        """
        expected, got = evidence.expected_rows, evidence.rows
        kind = _unasked_kind(evidence)
        tolerance = Tolerance.of(self.absolute, self.relative)
        made = compare(expected, got, tolerance, ordered=self.order_matters)
        if kind and not expected and not got:
            wrong = Mismatch(path="rows", message=f"expected a query that gives no rows, got {kind}")
            made = Comparison(mismatches=(wrong,), pairs=(), equal=0)
        passed = not made.mismatches
        return Verdict(
            value=float(passed),
            passed=passed,
            reason=_agreed(len(expected)) if passed else _told(made.mismatches),
            details=self._details(expected, got, made),
        )

    def _details(self, expected: Sequence[Object], got: Sequence[Object], made: Comparison) -> dict[str, JSON]:
        return {
            "mismatches": [_plain(each) for each in made.mismatches[:_KEPT_MISMATCHES]],
            "mismatch_count": len(made.mismatches),
            "order_matters": self.order_matters,
            "tolerance": {"absolute": self.absolute, "relative": self.relative},
            "expected_rows": list(expected[:_KEPT_ROWS]),
            "actual_rows": list(got[:_KEPT_ROWS]),
            "expected_count": len(expected),
            "actual_count": len(got),
            "pairs": [list(each) for each in made.pairs[:_KEPT_ROWS]],
            "equal": made.equal,
        }


def _unasked_kind(evidence: Evidence) -> str:
    """The kind of an answer that is no query, where the case does not expect one of that kind; else nothing."""
    try:
        kind = evidence.intent.strip().upper()
    except Missing:
        kind = ""
    try:
        asked = bool(evidence.expected_intent)
    except Missing:
        asked = False
    return "" if asked or kind not in _NO_ROWS else kind


def _agreed(rows: int) -> str:
    return f"{count(rows, 'row')} as expected" if rows else "no rows, as expected"


def _told(mismatches: Sequence[Mismatch]) -> str:
    shown = "; ".join(str(each) for each in mismatches[:_TOLD])
    return shown if len(mismatches) <= _TOLD else f"{shown}; and {len(mismatches) - _TOLD} more"


def _plain(mismatch: Mismatch) -> Object:
    return {name: each for name, each in codec.plain(mismatch).items() if each is not None}
