"""Spans gathered by conversation, however they are scattered in a file: in a database on disk that goes when it is closed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import replace

from vivavoce.core import codec
from vivavoce.wire.otel import Logged, Span
from vivavoce.wire.otel_kinds import conversation

_TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA temp_store = FILE;
CREATE TABLE spans (trace TEXT, id TEXT, start INTEGER, tag TEXT, body BLOB, PRIMARY KEY (trace, id)) WITHOUT ROWID;
CREATE TABLE logs (trace TEXT, id TEXT, start INTEGER, tag TEXT, body BLOB);
"""
_HELD = """
CREATE INDEX logs_by_trace ON logs (trace);
CREATE TABLE known AS SELECT trace, start, tag FROM spans UNION ALL SELECT trace, start, tag FROM logs;
CREATE INDEX known_by_trace ON known (trace);
CREATE TABLE held AS
    SELECT tag AS conversation, trace, min(start) AS start FROM known WHERE tag IS NOT NULL GROUP BY tag, trace
    UNION ALL
    SELECT trace, trace, min(start) FROM known GROUP BY trace HAVING count(tag) = 0;
CREATE INDEX held_by_conversation ON held (conversation);
CREATE TABLE shared (trace TEXT, conversation TEXT, body BLOB);
"""


class Gathered:
    """The spans of one reading of a file."""

    def __init__(self) -> None:
        # Without a name it is a file of its own in the folder for such, of which only a little is kept in memory.
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.executescript(_TABLES)
        self._database.execute("BEGIN")

    def add(self, found: Span | Logged) -> bool:
        """Keep a record; `False` when its span is there already and tells something else, in which case the first counts.

        A span that was first written before it ended counts as it ended.
        """
        row = (found.trace, found.id, found.start, conversation(found.attributes), codec.canonical(found))
        if isinstance(found, Logged):
            self._database.execute("INSERT INTO logs VALUES (?, ?, ?, ?, ?)", row)
            return True
        if self._database.execute("INSERT OR IGNORE INTO spans VALUES (?, ?, ?, ?, ?)", row).rowcount:
            return True
        (body,) = self._database.execute("SELECT body FROM spans WHERE trace = ? AND id = ?", row[:2]).fetchone()
        if body == row[-1]:
            return True
        ends = (codec.decode(body, Span).end is None, found.end is None)
        if ends == (True, False):
            self._database.execute("INSERT OR REPLACE INTO spans VALUES (?, ?, ?, ?, ?)", row)
        return ends[0] != ends[1]

    def conversations(self) -> Iterator[tuple[str, list[Span]]]:
        """Each conversation by its id, with its spans by start and id; the one that began first comes first."""
        self._database.execute("COMMIT")
        self._database.executescript(_HELD)
        self._share()
        query = "SELECT conversation FROM held GROUP BY conversation ORDER BY min(start), conversation"
        for (name,) in self._database.execute(query):
            traces = self._database.execute("SELECT trace FROM held WHERE conversation = ? ORDER BY start, trace", (name,))
            spans = [span for (trace,) in traces.fetchall() for span in self._of(trace, name)]
            if spans:
                yield name, sorted(spans, key=lambda span: (span.start, span.trace, span.id))

    def close(self) -> None:
        """Let go of it all."""
        self._database.close()

    def _share(self) -> None:
        """Say of each span of a trace in which several conversations are named of which it is."""
        query = "SELECT trace FROM known WHERE tag IS NOT NULL GROUP BY trace HAVING count(DISTINCT tag) > 1"
        for (trace,) in self._database.execute(query).fetchall():
            spans = {span.id: span for span in self._spans(trace)}
            rows = ((trace, name, codec.canonical(spans[number])) for number, name in _taken(spans).items())
            self._database.executemany("INSERT INTO shared VALUES (?, ?, ?)", rows)
        self._database.execute("CREATE INDEX shared_by_conversation ON shared (trace, conversation)")

    def _of(self, trace: str, name: str) -> list[Span]:
        """The spans of a trace that are of a conversation."""
        if not self._database.execute("SELECT 1 FROM shared WHERE trace = ? LIMIT 1", (trace,)).fetchall():
            return self._spans(trace)
        query = "SELECT body FROM shared WHERE trace = ? AND conversation = ?"
        return [codec.decode(body, Span) for (body,) in self._database.execute(query, (trace, name))]

    def _spans(self, trace: str) -> list[Span]:
        """All spans of a trace in order, with what logs tell of them; one that logs alone tell of is a call of a model."""
        query = "SELECT body FROM spans WHERE trace = ? ORDER BY start, id"
        spans = {span.id: span for (body,) in self._database.execute(query, (trace,)) if (span := codec.decode(body, Span))}
        query = "SELECT body FROM logs WHERE trace = ? ORDER BY start, rowid"
        for (body,) in self._database.execute(query, (trace,)):
            logged = codec.decode(body, Logged)
            span = spans.get(logged.id) or Span(
                trace=trace,
                id=logged.id,
                start=logged.start,
                attributes={**logged.attributes, "gen_ai.operation.name": "chat"},
            )
            tag = conversation(logged.attributes)
            if tag is not None and conversation(span.attributes) is None:
                span = replace(span, attributes={**span.attributes, "gen_ai.conversation.id": tag})
            if logged.event not in span.events:
                span = replace(span, events=(*span.events, logged.event))
            spans[logged.id] = span
        return sorted(spans.values(), key=lambda span: (span.start, span.id))


def _taken(spans: Mapping[str, Span]) -> dict[str, str]:
    """The conversation of each span: its own, its nearest parent's that has one, or that which the trace names first."""
    taken = {number: tag for number, span in spans.items() if (tag := conversation(span.attributes)) is not None}
    first = next(iter(taken.values()))
    for number in spans:
        passed: dict[str, None] = {}
        at: str | None = number
        while at is not None and at in spans and at not in taken and at not in passed:
            passed[at] = None
            at = spans[at].parent
        name = taken.get(at, first) if at is not None else first
        taken |= dict.fromkeys(passed, name)
    return taken
