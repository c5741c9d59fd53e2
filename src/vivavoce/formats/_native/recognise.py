"""Tell native files from others by their first part, and rows from documents."""

from __future__ import annotations

from vivavoce.core.place import nearest
from vivavoce.core.source import Source
from vivavoce.formats._native.shapes import Document
from vivavoce.wire.peek import block_names, holds_native_rows, names, opening

_FOREIGN = frozenset(
    (
        *("schemaVersion", "items", "prompts", "default_evaluators", "scenarios", "scenario_id", "cube"),
        *("format", "plan", "results", "scores", "status", "repeat", "position"),
    )
)
"""Names at the root of other formats' documents, and of what a run writes."""


def matches(source: Source) -> bool:
    """Whether the content is native, be it damaged."""
    text = opening(source)
    if text.startswith("{"):
        return _is_document(names(text), text) or holds_native_rows(text)
    return not text.startswith("[") and "\0" not in text and _is_document(block_names(text), text)


def holds_document(source: Source) -> bool:
    """Whether a file that is to be read as native is one document, not rows."""
    text = opening(source)
    found = names(text)
    if found:
        return bool(found & {"suite", "cases"})
    return not text.startswith("{") and ("cases" in block_names(text) or source.suffix in (".yaml", ".yml", ".json"))


def _is_document(found: frozenset[str], text: str) -> bool:
    if not found.isdisjoint(_FOREIGN):
        return False
    known = Document.__struct_fields__
    if "suite" in found:
        return "cases" in found or all(name in known or nearest(name, known) for name in found)
    # A suite whose cases hold a question is of the format that has them so.
    return "cases" in found and found <= set(known) and "question:" not in text and '"question"' not in text
