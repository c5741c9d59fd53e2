"""A file of rows as a suite: lines, a list, a table, or a document that also says how its rows are examined."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping

from vivavoce.core.model import Case, Suite
from vivavoce.core.place import Problems
from vivavoce.core.reply import JSON
from vivavoce.core.source import Source
from vivavoce.formats._foundry import tables
from vivavoce.formats._foundry.asked import Asked, Level, refers
from vivavoce.formats._foundry.documents import PLACES, Document, places
from vivavoce.formats._foundry.heads import is_row, unread
from vivavoce.formats._foundry.recognise import layout
from vivavoce.formats._foundry.rows import Cases
from vivavoce.formats._foundry.stream import Stream
from vivavoce.wire import json_text
from vivavoce.wire.json_entries import Entries, Place
from vivavoce.wire.json_lines import parsed, parsed_entry, quick

NAME = "foundry"


def read(source: Source, problems: Problems, *, mapping: Mapping[str, str], level: Level | None, live: bool | None) -> Suite:
    """The file as a suite; its rows are checked when its cases are iterated."""

    def say(message: str, path: str, fix: str = "", *, warning: bool = False) -> None:
        (problems.warn if warning else problems.add)(source, message, path=path, fix=fix)

    typed = places(mapping, "", say)
    asked = Asked(mapping=typed, level=level, refers=refers([typed]), live=live)
    kind = layout(source)
    if kind == "table":
        return _suite(source, Cases(source, problems, lambda: tables.entries(source, problems), asked, tables.heading(source)))
    if kind != "document":
        return _suite(source, Stream(source, problems, asked, () if kind == "list" else None))
    value, held = _head(source, problems)
    if held and is_row(value):
        value, held = json_text.parse(source, source.text(), problems), ()
    if not isinstance(value, dict):
        return _suite(source, ())
    document = Document(value, held, source, problems)
    if document.place is not None:
        cases = Stream(source, problems, document.asked(asked), document.place)
        name = document.name or source.stem
        return Suite(name=name, cases=cases, metadata=document.head, format=NAME, source=source.name)
    objection = unread(value)
    if objection is not None:
        message, path, fix = objection
        problems.add(source, message, path=path, line=None if path else 1, fix=fix)
        return _suite(source, ())
    return _suite(source, Cases(source, problems, lambda: [(value, "", None, False)], asked))


def _head(source: Source, problems: Problems) -> tuple[JSON, Collection[Place]]:
    """A document with its lists of rows empty, and where any have entries; `None` after reporting what is no valid JSON."""
    entries = Entries(source, PLACES)
    deque(entries, maxlen=0)
    value, wrong = parsed(source, entries.rest, 1, Problems())
    held = [place for place, count in entries.found.items() if count]
    if not wrong and not entries.is_damaged:
        return value, held
    for line, text in (entries := Entries(source, PLACES)):
        if quick(text) is None:
            parsed_entry(source, entries, line, text, problems)
    if wrong:
        parsed(source, entries.spread(), 1, problems)
    return None, ()


def _suite(source: Source, cases: Iterable[Case]) -> Suite:
    return Suite(name=source.stem, cases=cases, format=NAME, source=source.name)
