"""The spans of a file, one by one, with every problem at its line or its path."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce.core.place import Problems
from vivavoce.core.reply import JSON
from vivavoce.core.source import Source
from vivavoce.wire import json_text
from vivavoce.wire.json_lines import parsed, quick
from vivavoce.wire.otel import Logged, Span, heard
from vivavoce.wire.otel_messages import unreadable
from vivavoce.wire.otel_values import Say
from vivavoce.wire.peek import opening

Place = tuple[str, int | None]
"""JSON path, and line where lines are records."""


def records(source: Source, problems: Problems) -> Iterator[tuple[Span | Logged, Place]]:
    """Every span and log record of a file; one that is damaged is reported and left out."""
    for value, line in _values(source, problems):
        say = _teller(source, problems, line)
        for found, path in heard(value, "", say):
            if isinstance(found, Span):
                unreadable(found, path, say)
            yield found, (path, line)


def _values(source: Source, problems: Problems) -> Iterator[tuple[JSON, int | None]]:
    """The values at the root of a file: its lines, or the one document it is."""
    if not _holds_lines(source):
        found = Problems()
        value = json_text.parse(source, source.text(), found)
        problems.include(found)
        if not found.total:
            yield value, None
        return
    for number, line in source.lines():
        value = quick(line)
        wrong = False
        if value is None:
            value, wrong = parsed(source, line, number, problems)
        if not wrong:
            yield value, number


def _holds_lines(source: Source) -> bool:
    """Whether a file holds a value a line, as far as its first part tells."""
    lines = [line.strip() for line in opening(source).split("\n", 2)]
    first, second = lines[0], next((line for line in lines[1:] if line), "")
    if first.endswith(("{", "[", ",", ":")) or (first.startswith("[") and not first.endswith("]")):
        return False
    return first.endswith(("}", "]")) or _is_value(second) or source.suffix != ".json"


def _is_value(line: str) -> bool:
    """Whether a line is an object by itself: a line of a document laid out over several never is."""
    return line.startswith("{") and quick(line.encode(errors="replace")) is not None


def _teller(source: Source, problems: Problems, line: int | None) -> Say:
    def say(message: str, path: str, fix: str = "", *, soft: bool = False) -> None:
        (problems.soft if soft else problems.add)(source, message, path=path, line=line, fix=fix)

    return say
