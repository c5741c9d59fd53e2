"""What the first part of a file holds, which may be cut off or damaged: for telling formats apart."""

from __future__ import annotations

import re
from contextlib import suppress
from difflib import SequenceMatcher
from functools import lru_cache

import msgspec

from vivavoce.core.place import members, nearest
from vivavoce.core.source import HEAD, Source

NATIVE_ROW = frozenset(
    (
        *("id", "name", "category", "input", "expected", "context", "history", "evaluators", "evaluators_mode", "metadata"),
        *("reply", "assertions", "trajectory", "rows", "intent", "refusal", "insights", "turns", "persona"),
    )
)
"""Keys of a case of the native format; rows that have others, or say nothing to the agent, are of other formats."""
_EXPORTS = frozenset(("resourceSpans", "resource_spans", "resourceLogs", "resource_logs"))
_SPAN = frozenset(("traceId", "spanId", "parentSpanId", "startTimeUnixNano", "endTimeUnixNano", "timeUnixNano"))
_SNAKE = frozenset(
    (
        *("trace_id", "span_id", "parent_span_id", "parent_id", "context", "kind", "attributes"),
        *("start_time", "end_time", "start_time_unix_nano", "end_time_unix_nano"),
    )
)
_STARTS = frozenset(("start_time", "start_time_unix_nano", "startTime"))
_ENTRY = re.compile(r"([^.\[]*)\[(\d+)\](?:\.([^.\[]+))?")
_SAYS = frozenset(("input", "turns", "persona"))
_OF_SCENARIOS = frozenset(("scenarios", "scenario_id", "actor_profile"))
"""Keys that only documents and rows of another format have; a row may lack its own."""
_BLOCK_NAME = re.compile(r"""^(?:"([^"\n]*)"|'([^'\n]*)'|([\w$][^:#\n]*?))[ \t]*:(?=\s|$)""", re.MULTILINE)
_ROWS_LOOKED_AT = 50
_LINES_OF_SPANS = 5
_SLIP = 0.8
_LONG_LINE = 4 * 1024 * 1024
"""Bytes of a first line that are looked at; rows of two million are in use."""


def opening(source: Source) -> str:
    """The first part of a file, and more of it when not even its first line is whole, or of a list the first entry."""
    head = source.head()
    if len(head) == HEAD and not _is_enough(head):
        head = source.head(_LONG_LINE)
    return head.decode(errors="replace").lstrip()


def _is_enough(head: bytes) -> bool:
    if not head.lstrip().startswith(b"["):
        return b"\n" in head
    return any(path == "[1]" for _, path, _ in members(head.decode(errors="replace")))  # there is a second entry


@lru_cache(maxsize=8)
def names(text: str) -> frozenset[str]:
    """Names at the root of the JSON object a text begins with; empty if it begins with none.

    Each format asks it of the same text.
    """
    if text.endswith("}"):
        with suppress(ValueError, RecursionError):  # it is damaged, or more than one object
            value = msgspec.json.decode(text)
            if type(value) is dict and all(name.isascii() and name.isidentifier() for name in value):
                return frozenset(value)
    found: set[str] = set()
    begun = False
    for _, path, _ in members(text):
        if not path:
            if begun:
                break
            begun = True
        elif "." not in path and "[" not in path:
            found.add(path)
    return frozenset(found) if text[:1] == "{" else frozenset()


@lru_cache(maxsize=8)
def names_in_list(text: str, under: str = "") -> tuple[frozenset[str], bool]:
    """Names in the first entries of a list; and whether all these entries are objects.

    A text begins with the list, or with an object that has it under a name. Each format asks it of the same text.
    """
    found: set[str] = set()
    are_objects = True
    for _, path, token in members(text):
        match = _ENTRY.fullmatch(path)
        if match is None or match[1] != under:
            continue
        if int(match[2]) == _ROWS_LOOKED_AT:
            break
        if match[3]:
            found.add(match[3])
        elif token != "{":
            are_objects = False
    return frozenset(found), are_objects


def block_names(text: str) -> frozenset[str]:
    """Names at the root of the YAML mapping a text begins with, written one a line."""
    return frozenset(match[match.lastindex or 0] for match in _BLOCK_NAME.finditer(text))


def holds_native_rows(text: str) -> bool:
    """Whether most of the first lines are JSON objects of native keys that say something to an agent.

    A misspelt key does not make a row another format's.
    """
    rows = [names(line.strip()) for line in text.split("\n")[:_ROWS_LOOKED_AT] if line.strip()]
    known = [_is_native(row) for row in rows if row]
    if any(row & _OF_SCENARIOS for row in (names(text), *rows)):
        return False
    return bool(known) and known.count(True) >= known.count(False) + (not known[0])


def holds_spans(text: str) -> bool:
    """Whether a text begins with spans of OpenTelemetry: an export of them, or records, be one of them damaged."""
    if text.startswith("["):
        return _is_span(names_in_list(text)[0])
    if not text.startswith("{"):
        return False
    found = names(text)
    if _is_span(found) or ("spans" in found and _is_span(names_in_list(text, "spans")[0])):
        return True
    return any(_is_span(names(line.strip())) for line in text.split("\n")[1:_LINES_OF_SPANS] if line.startswith("{"))


def _is_span(found: frozenset[str]) -> bool:
    if found & _EXPORTS or len(found & _SPAN) > 1:
        return True
    return bool(found & _STARTS) and len(found & _SNAKE) > 3


def is_slip(name: str, near: str) -> bool:
    """Whether one name is hardly anything but the other misspelt: `date` is a word of its own beside `data`."""
    alike = SequenceMatcher(None, name.lower(), near.lower())
    return alike.real_quick_ratio() >= _SLIP and alike.ratio() >= _SLIP


@lru_cache(maxsize=64)
def _is_native(row: frozenset[str]) -> bool:
    """Whether a row has the names of a native one; most rows of a file have the same."""
    missing = NATIVE_ROW - row
    meant = {name: nearest(name, missing) for name in row - NATIVE_ROW}
    says = not row.isdisjoint(_SAYS) or any(near in _SAYS and is_slip(name, near) for name, near in meant.items())
    return says and None not in meant.values()
