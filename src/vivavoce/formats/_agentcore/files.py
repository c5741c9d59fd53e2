"""A file of scenarios as a suite: a document, a list, one scenario, or JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from vivavoce.core.model import Case, Suite
from vivavoce.core.place import Problems, join
from vivavoce.core.reply import JSON, Object
from vivavoce.core.source import Source
from vivavoce.formats._agentcore.recognise import layout, slip
from vivavoce.formats._agentcore.scenarios import Entry, Reading
from vivavoce.formats._agentcore.words import OF_SCENARIOS, TOP
from vivavoce.wire import json_text
from vivavoce.wire.json_lines import parsed, quick
from vivavoce.wire.peek import is_slip
from vivavoce.wire.shape import said

NAME = "agentcore"


class Cases:
    """The cases of a file, read from it again each time they are iterated."""

    def __init__(self, source: Source, problems: Problems, entries: Callable[[], Iterable[Entry]]) -> None:
        self._source = source
        self._problems = problems
        self._entries = entries

    def __iter__(self) -> Iterator[Case]:
        reading = Reading(self._source, self._problems)
        for row, path, line, wrong in self._entries():
            case = reading.case(row, path, line, wrong)
            if case is not None:
                yield case


def read(source: Source, problems: Problems) -> Suite:
    """The file as a suite; its scenarios are checked when its cases are iterated."""
    kind = layout(source)
    if kind == "lines":
        return _suite(source, Cases(source, problems, lambda: _lines(source, problems)), {})
    found = Problems()
    value = json_text.parse(source, source.text(), found)
    problems.include(found)
    if found.total:
        return _suite(source, (), {})
    if kind == "scenario" and isinstance(value, Mapping):
        return _suite(source, Cases(source, problems, lambda: [(value, "", None, False)]), {})
    head: Object = {}
    path, rows = "", value
    if isinstance(value, Mapping):
        path = slip(value) or "scenarios"
        if path != "scenarios":
            problems.add(source, f'unknown field "{path}"', path=path, fix='did you mean "scenarios"?')
            return _suite(source, (), {})
        rows = value.get(path)
        head = {name: each for name, each in value.items() if name != path}
        _look_at_head(head, source, problems)
    if not isinstance(rows, list) or not rows:
        message = "must not be empty" if isinstance(rows, list) else f"must be a list of scenarios, not {said(rows)}"
        problems.add(source, message, path=path, line=None if path else 1, fix="a dataset holds at least one scenario")
        return _suite(source, (), head)
    listed: list[JSON] = rows
    return _suite(source, Cases(source, problems, lambda: _listed(listed, path)), head)


def _suite(source: Source, cases: Iterable[Case], head: Object) -> Suite:
    return Suite(name=source.stem, cases=cases, metadata=head, format=NAME, source=source.name)


def _look_at_head(head: Object, source: Source, problems: Problems) -> None:
    """What stands beside the scenarios is kept; what examines them must stand in them."""
    for name in head:
        if name in OF_SCENARIOS:
            problems.soft(source, "stands beside the scenarios and not in one", path=name, fix="move it into each scenario")
        elif is_slip(name, "scenarios"):
            problems.soft(source, f'unknown field "{name}"', path=name, fix='did you mean "scenarios"?')
        elif name not in TOP:
            problems.warn(source, f'unknown field "{name}", kept as metadata', path=name)


def _lines(source: Source, problems: Problems) -> Iterator[Entry]:
    for number, line in source.lines():
        row, wrong = quick(line), False
        if row is None:
            row, wrong = parsed(source, line, number, problems)
        yield row, "", number, wrong


def _listed(rows: list[JSON], path: str) -> Iterator[Entry]:
    for index, row in enumerate(rows):
        yield row, join(path, index) if path else f"[{index}]", None, False
