"""A file of rows as a suite: lines, a list, a table, or a document that also says how its rows are examined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vivavoce.core.model import Suite
from vivavoce.core.place import Problems, join
from vivavoce.core.reply import JSON
from vivavoce.core.source import Source
from vivavoce.formats._foundry import tables
from vivavoce.formats._foundry.asked import Asked, Level, refers
from vivavoce.formats._foundry.documents import Document, places
from vivavoce.formats._foundry.heads import unread
from vivavoce.formats._foundry.lines import Lines
from vivavoce.formats._foundry.recognise import layout
from vivavoce.formats._foundry.rows import Cases, Entry
from vivavoce.wire import json_text

NAME = "foundry"


def read(source: Source, problems: Problems, *, mapping: Mapping[str, str], level: Level | None, live: bool | None) -> Suite:
    """The file as a suite; its rows are checked when its cases are iterated."""

    def say(message: str, path: str, fix: str = "", *, warning: bool = False) -> None:
        (problems.warn if warning else problems.add)(source, message, path=path, fix=fix)

    typed = places(mapping, "", say)
    asked = Asked(mapping=typed, level=level, refers=refers([typed]), live=live)
    kind = layout(source)
    if kind == "lines":
        return _suite(source, Lines(source, problems, asked))
    if kind == "table":
        return _suite(source, Cases(source, problems, lambda: tables.entries(source, problems), asked, tables.heading(source)))
    found = Problems()
    value = json_text.parse(source, source.text(), found)
    problems.include(found)
    if found.total:
        return _suite(source, ())
    if kind == "document" and isinstance(value, dict):
        document = Document(value, source, problems)
        if document.rows is not None:
            entries = document.rows
            return Suite(
                name=document.name or source.stem,
                cases=Cases(source, problems, lambda: _listed(entries, document.path), document.asked(asked)),
                metadata=document.head,
                format=NAME,
                source=source.name,
            )
        objection = unread(value)
        if objection is not None:
            message, path, fix = objection
            problems.add(source, message, path=path, line=None if path else 1, fix=fix)
            return _suite(source, ())
        value = [value]
        return _suite(source, Cases(source, problems, lambda: ((each, "", None, False) for each in value), asked))
    if not isinstance(value, list):
        problems.add(source, "is no row and no list of rows", line=1, fix='write {"query": ..., "response": ...}')
        return _suite(source, ())
    return _suite(source, Cases(source, problems, lambda: _listed(value, ""), asked))


def _suite(source: Source, cases: Iterable[JSON]) -> Suite:
    return Suite(name=source.stem, cases=cases, format=NAME, source=source.name)


def _listed(rows: list[JSON], path: str) -> Iterator[Entry]:
    for index, row in enumerate(rows):
        yield row, join(path, index) if path else f"[{index}]", None, False
