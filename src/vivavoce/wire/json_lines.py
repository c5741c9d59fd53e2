"""JSON lines to plain data: the quick way while all is well with a line, the thorough one when something is not."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from vivavoce.core.place import Problems
from vivavoce.core.reply import JSON
from vivavoce.core.source import Source
from vivavoce.wire import json_text
from vivavoce.wire.json_entries import Entries

_NAME = re.compile(rb'"\s*:')


def quick(line: bytes) -> Any:  # a JSON value of any shape
    """The object a line is, or `None` when only a closer look can tell whether all is well with it.

    A name given twice in one object would hide: the names that stand in the line are counted against those that were read.
    """
    if len(line) > json_text.OPEN_LIMIT:
        return None
    try:
        value = _DECODER.decode(line)
        if type(value) is not dict:
            return None
        found = len(value)
        for each in value.values():
            kind = type(each)
            if kind is dict or kind is list:
                found += _count(each, 2)
    except (ValueError, RecursionError):
        return None
    return value if holds(line, found) else None


def holds(line: bytes, names: int) -> bool:
    """Whether so many names stand in a line, or seem to: a text may hold what looks like one."""
    return line.count(b":") == names or len(_NAME.findall(line)) == names  # as many colons, which is looked up soonest


def parsed(
    source: Source, line: bytes, number: int, problems: Problems, *, column: int = 1, path: str = ""
) -> tuple[JSON, bool]:
    """The value of a line about which something is unusual, and whether it is wrong, after reporting why.

    It may also be any other part of a file that begins at this line and column, and has this path.
    """
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        number += line.count(b"\n", 0, error.start)
        problems.add(source, f"is not UTF-8 ({error.reason})", path=path, line=number, fix="save it as UTF-8")
        return None, True
    found = Problems()
    value = json_text.parse(source, text, found, line=number, column=column, path=path)
    problems.include(found)
    return value, found.total > 0


def parsed_entry(source: Source, entries: Entries, line: int, text: bytes, problems: Problems) -> tuple[JSON, bool]:
    """The same of the entry of a list that was given last.

    Damage to the list right behind an entry that is no JSON may come of that alone, and is not told.
    """
    follows = entries.is_damaged and entries.wrong == entries.given - 1 > 0
    told = Problems() if follows else problems
    value, wrong = parsed(source, text, line, told, column=entries.column, path=entries.path)
    if wrong and value is None:
        entries.wrong = entries.given
    return value, wrong


def _count(value: dict[str, JSON] | list[JSON], depth: int) -> int:
    """How many names a value has, with all it holds."""
    if depth > json_text.DEPTH_LIMIT:
        raise RecursionError
    names = 0
    inner: Any = value  # a JSON value of any shape
    if type(value) is dict:
        names, inner = len(value), value.values()
    for each in inner:
        kind = type(each)
        if kind is dict or kind is list:
            names += _count(each, depth + 1)
    return names


_DECODER = msgspec.json.Decoder()
