"""Tell scenarios from the files of other formats, and their layouts from one another, by the first part of a file."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from vivavoce.core.place import members
from vivavoce.core.source import Source
from vivavoce.formats._agentcore.words import SCENARIO
from vivavoce.wire.peek import is_slip, names, names_in_list, opening

Layout = Literal["lines", "list", "document", "scenario"]

_TELLING = frozenset({"scenario_id", "actor_profile"})
"""Names that the scenarios of no other format have."""
_OTHERS = frozenset({"schemaVersion", "suite", "cases", "cube", "items", "plan", "results", "data", "openapi"})
"""Names at the root of other formats' documents."""
_LOOKED_AT = 50
"""Lines by which a file of scenarios is told from others."""


def matches(source: Source) -> bool:
    """Whether the content is scenarios, be it damaged."""
    text = opening(source)
    if text[:1] == "[":
        return not names_in_list(text)[0].isdisjoint(_TELLING)
    if text[:1] != "{":
        return False
    found = names(text)
    if "scenarios" in found:
        return not found & _OTHERS and _first(text, "scenarios") != "{"
    return not found & _OTHERS and any(row & _TELLING for row in (found, *map(names, _lines(text))))


def layout(source: Source) -> Layout:
    """How a file that is to be read as scenarios holds them."""
    text = opening(source)
    if text.startswith("["):
        return "list"
    if slip(names(text)) is not None:
        return "document"
    lines = _lines(text)
    whole = bool(lines) and len(lines[0]) > 1 and lines[0].endswith("}")
    several = len(lines) > 1 and lines[0] != "{" and lines[1].startswith("{")
    return "lines" if whole or several else "scenario"


def slip(found: Collection[str]) -> str | None:
    """The name under which a document holds its scenarios, were it misspelt; `None` if it holds none."""
    if "scenarios" in found:
        return "scenarios"
    return next((name for name in found if name not in SCENARIO and is_slip(name, "scenarios")), None)


def _lines(text: str) -> list[str]:
    """The first lines that are not blank."""
    return [line for line in map(str.strip, text.split("\n")[:_LOOKED_AT]) if line]


def _first(text: str, name: str) -> str:
    """The first token of a member of the root."""
    return next((token for _, path, token in members(text) if path == name), "")
