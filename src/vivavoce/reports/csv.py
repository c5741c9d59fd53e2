"""Scores as a table for spreadsheets."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import IO, ClassVar

from vivavoce.core.result import Exchange, Result, Run, Score
from vivavoce.core.visible import visible
from vivavoce.reports import _text

__all__ = ["Csv"]

COLUMNS = (
    "position",
    "suite",
    "case",
    "name",
    "category",
    "repeat",
    "turn",
    "status",
    "check",
    "evaluator",
    "score",
    "value",
    "unit_value",
    "label",
    "threshold",
    "reason",
    "input",
    "expected",
    "response",
    "error",
    "judge",
    "seconds",
    "stop",
)
CELL_LIMIT = 32_767
"""Characters of a cell, as Excel counts them: a longer text spills into the cells below."""

Cell = str | int | float | None

_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|\t")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?%?")


@dataclass(frozen=True, kw_only=True)
class Csv:
    """One row a score, for spreadsheets: filter by `score`, pivot by `check`.

    Speaks: CSV after RFC 4180 in UTF-8. A turn without scores, and a case without turns, has one row with an empty `check`, so
        nothing is missing; scores of a whole conversation have an empty `turn`.
    Options: bom.
    Example: `viva run evals.json --output scores.csv`, then open it with a double click.
    Limits: no cell is a formula: text that begins like one (`=`, `+`, `-`, `@`, tab; plain numbers excepted) gets a `'` in
        front. Control characters are made visible, and texts longer than a cell of Excel are cut, which their end says. For
        the exact texts take `json`.
    Source: `docs/reference/reports.md`.
    """

    suffix: ClassVar[str | None] = ".csv"

    bom: bool | None = None
    """Whether to begin with a byte order mark, without which Excel takes UTF-8 for another encoding; not given: in files, and
    not on a terminal or in a pipe."""

    def render(self, run: Run, out: IO[str]) -> None:
        """Write a heading and every row; results are read one at a time."""
        if self.bom or (self.bom is None and out.seekable() and not out.isatty()):
            out.write("\ufeff")
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow(COLUMNS)
        for result in run.results:
            writer.writerows(_rows(result))


def _rows(result: Result) -> Iterator[list[Cell]]:
    case = (
        result.position,
        _cell(result.suite),
        _cell(result.case),
        _cell(result.name),
        _cell(result.category),
        result.repeat,
    )
    for index, turn in enumerate(result.turns):
        told = _told(turn)
        for score in turn.scores or (None,):
            yield [*case, index, result.status, *_scored(score), *told, *_meta(score, turn), result.stop]
    if result.scores or not result.turns:
        # Of a single turn, the texts are those of the conversation; of several, they stand in the rows of the turns.
        told = _told(result.turns[0]) if len(result.turns) == 1 else (None, None, None, None)
        if not result.turns and result.error is not None:
            told = (None, None, None, _cell(_text.failure(result.error)))
        for score in result.scores or (None,):
            yield [*case, None, result.status, *_scored(score), *told, *_meta(score, None), result.stop]


def _scored(score: Score | None) -> tuple[Cell, ...]:
    if score is None:
        return (None,) * 8
    return (
        _cell(score.name),
        _cell(score.evaluator),
        score.status,
        _number(score.value),
        _number(score.unit_value),
        _cell(score.label),
        score.threshold,
        _cell(score.reason),
    )


def _told(turn: Exchange) -> tuple[Cell, Cell, Cell, Cell]:
    return (
        _cell(_text.said(turn.input)),
        _cell(turn.expected),
        None if turn.reply is None else _cell(_text.answered(turn.reply)),
        None if turn.error is None else _cell(_text.failure(turn.error)),
    )


def _meta(score: Score | None, turn: Exchange | None) -> tuple[Cell, Cell]:
    judge = None if score is None else _cell(score.judge)
    return judge, turn.reply.seconds if turn is not None and turn.reply is not None else None


def _number(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _cell(text: str | None) -> str | None:
    """Text as a cell that is nothing but text."""
    if not text:
        return text
    shown = visible(text[:CELL_LIMIT])
    if _FORMULA.match(shown) and not _NUMBER.fullmatch(shown):
        shown = "'" + shown
    return shown if len(text) <= CELL_LIMIT // 2 and len(shown) <= CELL_LIMIT // 2 else _fit(shown, len(text))


def _fit(shown: str, length: int) -> str:
    """A long text within the limit, which counts a character beyond the basic plane as two."""
    units = shown.encode("utf-16-le")
    if len(units) <= 2 * CELL_LIMIT and length <= CELL_LIMIT:
        return shown
    note = _text.length_note(length)
    return units[: 2 * (CELL_LIMIT - len(note))].decode("utf-16-le", "ignore") + note
