"""Rows of a few texts, which most rows are: read the quick way, and told from all others."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from vivavoce.core.model import NOTHING, Case, Expectation, Turn
from vivavoce.core.reply import JSON, Object, Reply
from vivavoce.formats._foundry.asked import Asked, defaults
from vivavoce.wire import json_lines, json_text
from vivavoce.wire.ids import Ids


class Row(msgspec.Struct):
    """A row that has nothing else."""

    query: str | None = None
    response: str | None = None
    ground_truth: str | None = None
    context: str | None = None
    id: str | None = None

    @property
    def kind(self) -> int:
        """Which of the columns beside the question and the answer it has, as a number."""
        return (self.ground_truth is not None) + 2 * (self.context is not None)


_APART = ("", "#")
"""How an id begins that is none, or that may be taken for a position: its row keeps it."""
COLUMNS = frozenset(Row.__struct_fields__)
"""What such rows have, as text."""


def read(line: bytes) -> Row | None:
    """The row a line is, or `None` when there is more to it than a few texts, or something may be wrong with it."""
    if len(line) > json_text.OPEN_LIMIT:
        return None
    try:
        row = _DECODER.decode(line)
    except (ValueError, RecursionError):
        return None
    texts = (row.query, row.response, row.ground_truth, row.context, row.id)
    # If not, there are others, one is given twice, or one is null.
    return row if json_lines.holds(line, len(texts) - texts.count(None)) else None


def texts(row: dict[str, JSON]) -> Row | None:
    """The same of a row that was read, whatever else it has; `None` when one of the texts is none."""
    found = Row(*map(row.get, Row.__struct_fields__))
    for each in (found.query, found.response, found.ground_truth, found.context, found.id):
        if each is not None and type(each) is not str:
            return None
    return found


class Plain:
    """Such rows as cases; their ids are kept with those of the others."""

    def __init__(self, ids: Ids, asked: Asked) -> None:
        self._ids = ids
        self._checks = [defaults(truth=bool(kind & 1), context=bool(kind & 2), actions=False, whole=False) for kind in range(4)]
        if asked.checks is not None:
            named = (each.check if asked.level is None else replace(each.check, level="turn") for each in asked.checks)
            self._checks = [tuple(named)] * 4

    def name(self, row: Row, position: int, place: int) -> str | None:
        """The id of a row that has a question, and an id that no other row has; without one, it is called by its position."""
        query, name = row.query, row.id
        if not query or query.isspace() or (name is not None and name[:1] in _APART):
            return None
        if name is None:
            return f"#{position}" if self._ids.add_unnamed(position, place) is None else None
        return name if self._ids.add(name, place) is None else None

    def case(self, name: str, row: Row, line: int | None, path: str = "", metadata: Object | None = None) -> Case:
        """A row as a case of this id."""
        response, truth = row.response, row.ground_truth
        turn = Turn(
            input=row.query,
            context=row.context,
            expect=NOTHING if truth is None else Expectation(response=truth),
            checks=self._checks[row.kind],
            reply=None if response is None else Reply(text=response),
            path=path,
        )
        return Case(id=name, turns=(turn,), metadata=metadata or {}, line=line, path=path)


_DECODER = msgspec.json.Decoder(Row)
