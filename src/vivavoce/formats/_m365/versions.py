"""Versions of the schema: which can be read, and which is the lowest that has what a document uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vivavoce.core.reply import JSON
from vivavoce.formats._m365.checker import Say, quoted, shown
from vivavoce.formats._m365.rules import BUILT_IN, VERSION

NEWEST_MINOR = 8
CURRENT = "1.8.0"
"""The newest version whose rules are known."""

_SINCE = (
    ("default_evaluators", 1),
    ("evaluators", 1),
    ("evaluators_mode", 1),
    ("turns", 2),
    ("status", 4),
    ("error", 4),
    ("diagnostics", 6),
)


def check(version: JSON, say: Say) -> tuple[bool, bool]:
    """Report what is wrong with a `schemaVersion`; whether the rest can be read, and whether it is newer than known."""
    if not isinstance(version, str):
        say(f"must be text such as {CURRENT}, not {shown(version)}", "schemaVersion", f'write "{CURRENT}"')
        return True, False
    if re.match(VERSION, version) and version.isascii() and "\n" not in version:
        minor = version.split(".")[1]
        return True, len(minor) > 4 or int(minor) > NEWEST_MINOR
    numbers = re.match(r"v?0*(\d+)(?:\.(\d+))?(?:\.(\d+))?", version, re.ASCII)
    if numbers and len(numbers[1]) < 5 and int(numbers[1]) > 1:
        fix = f"give it the shape of {CURRENT} and that version"
        say(f"is {quoted(version)}: versions from 2 on cannot be read, only 1.x", "schemaVersion", fix)
        return False, False
    near = CURRENT
    if numbers and numbers[1] == "1":
        near = f"1.{numbers[2] or 0}.{numbers[3] or 0}"
    say(f"must be three numbers such as {CURRENT}, not {shown(version)}", "schemaVersion", f'write "{near}"')
    return True, False


def lowest(document: JSON) -> str:
    """The lowest version that has every field a document uses."""
    return f"1.{max(_needs(document), default=0)}.0"


def _needs(document: JSON) -> Iterator[int]:
    metadata = document.get("metadata") or {}
    if "agentName" in metadata or "cliVersion" in metadata:
        yield 1
    if "default_evaluators" in document:
        yield from _part({"default_evaluators": document["default_evaluators"]})
    for item in document.get("items", ()):
        yield from _part(item)
        for turn in item.get("turns", ()):
            yield from _part(turn)


def _part(part: dict[str, JSON]) -> Iterator[int]:
    """What an item, a turn or the evaluators of the root need."""
    for name, minor in _SINCE:
        if name in part:
            yield minor
    if any(score.get("result") == "error" for score in (part.get("scores") or {}).values()):
        yield 4
    if "turns_partial" in (part.get("summary") or {}):
        yield 4
    for field in ("default_evaluators", "evaluators"):
        for name, options in (part.get(field) or {}).items():
            yield _evaluator(name, options)


def _evaluator(name: str, options: dict[str, JSON]) -> int:
    if name.startswith("Retrieval") and name in BUILT_IN:
        return 5
    if name == "Similarity":
        return 3
    if name not in BUILT_IN:
        return 6 if 1 <= options.get("threshold", 1) <= 5 else 7
    return 8 if options.get("citation_format") == "markdown" else 1
