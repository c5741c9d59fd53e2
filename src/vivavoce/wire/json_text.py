"""JSON text to plain data, with everything wrong in it reported at its line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from vivavoce.core.place import Problems
from vivavoce.core.reply import JSON
from vivavoce.core.source import Source

DEPTH_LIMIT = 200
"""Levels of nesting; no dataset needs as many, and deeper ones exhaust a reader's stack."""


def parse(source: Source, text: str, problems: Problems, *, line: int | None = None) -> JSON:
    """The value of a JSON text; `None` after reporting what is wrong.

    Refused besides bad syntax: a name given twice in one object (one of its values would be lost), `NaN` and infinities, and
    more than `DEPTH_LIMIT` levels. `line` is the line of a JSON-lines file that the text is.
    """
    doubled: list[str] = []

    def pairs(members: list[tuple[str, JSON]]) -> dict[str, JSON]:
        made = dict(members)
        if len(made) < len(members):
            seen: set[str] = set()
            doubled.extend(name for name, _ in members if name in seen or seen.add(name))  # type: ignore[func-returns-value] # set.add as a statement
        return made

    try:
        if too_deep(text):
            raise RecursionError
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=_refuse(source, problems, line))
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if line is None else f"column {error.pos + 1}"
        problems.add(source, f"is not valid JSON: {error.msg} ({place})", line=error.lineno if line is None else line)
        return None
    except RecursionError:
        problems.add(source, f"nested deeper than {DEPTH_LIMIT} levels", line=line, fix="flatten it")
        return None
    for name in dict.fromkeys(doubled):
        at = line if line is not None else _second(text, name)
        problems.add(source, f'"{name}" is given twice in one object', line=at, fix="keep one")
    return value


def too_deep(text: str, limit: int = DEPTH_LIMIT) -> bool:
    """Whether a JSON text nests deeper than `limit`, told without building it."""
    if text.count("[") + text.count("{") <= limit:
        return False
    depth = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', text, re.DOTALL):
        if match[0] in "[{":
            depth += 1
            if depth > limit:
                return True
        elif match[0] in "]}":
            depth -= 1
    return False


def _refuse(source: Source, problems: Problems, line: int | None) -> Callable[[str], None]:
    def refuse(constant: str) -> None:
        problems.add(source, f"{constant} is not JSON", line=line, fix="use null or a number")

    return refuse


def _second(text: str, name: str) -> int | None:
    """The line where a name stands for the second time in one object; of its second occurrence, which is nearly always it."""
    found = list(re.finditer(re.escape(json.dumps(name, ensure_ascii=False)) + r"\s*:", text))
    return text.count("\n", 0, found[1].start()) + 1 if len(found) > 1 else None
