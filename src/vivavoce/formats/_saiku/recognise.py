"""Tell a suite from other files by its first part, which may be cut off or damaged."""

from __future__ import annotations

import re

from vivavoce.core.source import Source
from vivavoce.wire.peek import block_names, names, opening

_QUESTION = re.compile(r"""^[\s{\[,-]*["']?question["']?\s*:|[{,]\s*["']?question["']?\s*:""", re.MULTILINE)
_FOREIGN = frozenset(
    ("schemaVersion", "items", "prompts", "default_evaluators", "scenarios", "format", "plan", "results", "scores")
)


def is_suite(source: Source) -> bool:
    """Whether the content is a suite: it has a cube beside its cases, or cases that hold questions."""
    text = opening(source)
    if text.startswith("[") or "\0" in text:
        return False
    found = names(text) if text.startswith("{") else block_names(text)
    if not found.isdisjoint(_FOREIGN):
        return False
    if "cube" in found:
        return "cases" in found or "name" in found
    return "cases" in found and "suite" not in found and _QUESTION.search(text) is not None
