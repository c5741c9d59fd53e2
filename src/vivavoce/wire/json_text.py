"""JSON text to plain data, with everything wrong in it reported at its line."""

from __future__ import annotations

import json
import re
from functools import partial
from itertools import islice

from vivavoce.core.place import Problems, above, join, members
from vivavoce.core.reply import JSON
from vivavoce.core.source import Source
from vivavoce.wire.json_faults import fault

DEPTH_LIMIT = 200
"""Levels of nesting; no dataset needs as many, and deeper ones exhaust a reader's stack."""
DIGITS_LIMIT = 4_300
"""Digits of one whole number; reading more takes time that grows with their square."""
OPEN_LIMIT = 4_000_000
"""Lists and objects in one document or line: a small packed file can hold so many that they fill the memory."""
COMMA_LIMIT = 16_000_000
"""Commas between values of one document or line, for the same reason."""
FEWER = "write it as JSON lines, which stream, or split it"
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)
_STRING_OR_COMMA = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|,', re.DOTALL)
_HALF_PAIR = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


def parse(source: Source, text: str, problems: Problems, *, line: int = 1, column: int = 1, path: str = "") -> JSON:
    """The value of a JSON text; `None` after reporting what is wrong.

    Refused besides bad syntax: a name given twice in one object (one of its values would be lost), `NaN`, infinities and
    numbers as large, half a surrogate pair (no UTF-8 can hold it), more than `DEPTH_LIMIT` levels, and too many
    values. `line`, `column` and `path` say where the text begins that is a part of a file.
    """
    refused: dict[str, str] = {}
    doubled: list[str] = []
    if crowded(text):
        problems.add(source, "holds millions of values, too many to read at once", path=path, line=line, fix=FEWER)
        return None
    try:
        depth_ends = _too_deep_at(text, DEPTH_LIMIT)
        if depth_ends is not None:
            raise RecursionError
        value = json.loads(
            text,
            object_pairs_hook=partial(_pairs, doubled),
            parse_constant=lambda constant: refused.update({constant: f"{constant} is not JSON"}),
            parse_float=partial(_float, refused),
            parse_int=partial(_int, refused),
        )
    except json.JSONDecodeError as error:
        told, at = fault(text, error)
        begun = text.rfind("\n", 0, at)
        column = at - begun if begun >= 0 else at + column
        problems.add(source, f"is not valid JSON: {told} (column {column})", path=path, line=line + text.count("\n", 0, at))
        return None
    except RecursionError:
        at = line + text.count("\n", 0, depth_ends)
        problems.add(source, f"nested deeper than {DEPTH_LIMIT} levels", path=path, line=at, fix="flatten it")
        return None
    if refused or doubled:
        before = problems.total
        _report(source, text, refused, set(doubled), problems, line, path)
        if problems.total == before:
            problems.add(source, f'"{doubled[0]}" is given twice in one object', path=path, line=line, fix="keep one")
    half = _HALF_PAIR.search(text)
    if half and not _is_unicode(value):
        at = line + text.count("\n", 0, half.start())
        problems.add(source, f"holds half a surrogate pair, {half[0]}, which is no character", path=path, line=at)
    return value


def too_deep(text: str, limit: int = DEPTH_LIMIT) -> bool:
    """Whether a JSON text nests deeper than `limit`, told without building it."""
    return _too_deep_at(text, limit) is not None


def crowded(text: str) -> bool:
    """Whether a JSON text holds more values than are read at once, told without building them."""
    for marks, pattern, limit in (("[{", _STRING_OR_BRACKET, OPEN_LIMIT), (",", _STRING_OR_COMMA, COMMA_LIMIT)):
        if sum(map(text.count, marks)) > limit:  # if need be, those within strings are left out
            found = (None for match in pattern.finditer(text) if match[0] in marks)
            if next(islice(found, limit, None), "few") is None:
                return True
    return False


def _too_deep_at(text: str, limit: int) -> int | None:
    if text.count("[") + text.count("{") <= limit:
        return None
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        if match[0] in "[{":
            depth += 1
            if depth > limit:
                return match.start()
        elif match[0] in "]}":
            depth -= 1
    return None


def _pairs(doubled: list[str], pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                doubled.append(name)
            seen.add(name)
    return made


def _float(refused: dict[str, str], digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        refused[digits] = f"{digits[:20]} is too large a number"
    return value


def _int(refused: dict[str, str], digits: str) -> int:
    if len(digits) > DIGITS_LIMIT:
        refused[digits] = f"a number of {len(digits)} digits is too long"
        return 0
    return int(digits)


def _is_unicode(value: JSON) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _report(
    source: Source, text: str, refused: dict[str, str], doubled: set[str], problems: Problems, line: int, at: str
) -> None:
    """Report each refused number, and each name that stands twice in one object, at its second place."""
    seen: set[str] = set()
    reported: set[str] = set()
    for number, path, token in members(text):
        name = path if path in doubled else path.rpartition(".")[2]
        found = [(refused[token], "use null or a number")] if token in refused else []
        if name in doubled and path in seen and reported.isdisjoint(above(path)):
            reported.add(path)
            found.append((f'"{name}" is given twice in one object', "keep one"))
        for message, fix in found:
            where = at + path if path.startswith("[") else join(at, path)
            problems.add(source, message, path=where, line=line + number - 1, fix=fix)
        seen.add(path)
