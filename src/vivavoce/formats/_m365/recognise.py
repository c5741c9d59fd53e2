"""Tell an eval document from other files by its first part, which may be cut off or damaged."""

from __future__ import annotations

import re

from vivavoce.core.place import members
from vivavoce.core.source import Source

_INDEX = re.compile(r"\[\d+\]")
_OTHERS = frozenset(
    (
        *("suite", "cases", "scenarios", "scenario_id", "actor_profile", "query", "messages", "input", "persona"),
        *("data", "testing_criteria", "data_source"),
    )
)
"""Names at the root, or in the entries of a root list, that only other formats have there."""
_ITEM = frozenset({"prompt", "expected_response", "evaluators"})
_RESULTS = frozenset({"metadata.evaluatedAt", "items[].scores", "items[].status", "items[].summary", "items[].turns[].scores"})


def is_document(source: Source) -> bool:
    """Whether the content is an eval document in any of its shapes."""
    text = source.head().decode(errors="replace").lstrip()
    if text[:1] not in ("{", "["):
        return False
    seen, roots = _outline(text)
    if seen.get("format", "").startswith('"viva.run/'):
        return False
    if "schemaVersion" in seen:
        return True
    if roots > 1 or source.suffix in (".jsonl", ".ndjson"):
        return False
    if text[0] == "[":
        return _holds_items(seen, "[]")
    if seen.keys() & _OTHERS:
        return False
    if seen.get("items") == "[" or seen.get("prompts") == "[" or "default_evaluators" in seen:
        return True
    return _holds_items(seen, "") or ('"schemaVersion' in text[:200] and not seen)


def holds_results(source: Source) -> bool:
    """Whether an eval document is what a run wrote, and so is no dataset unless somebody says so."""
    seen, _ = _outline(source.head().decode(errors="replace"))
    return not _RESULTS.isdisjoint(seen)


def _holds_items(seen: dict[str, str], entry: str) -> bool:
    """Whether the root, or an entry of the root list, is an item."""
    dot = f"{entry}." if entry else ""
    if any(f"{dot}{name}" in seen for name in _OTHERS):
        return False
    if any(f"{dot}{name}" in seen for name in _ITEM):
        return True
    turns = f"{dot}turns[]"
    return f"{turns}.input" not in seen and any(f"{turns}.{name}" in seen for name in _ITEM)


def _outline(text: str) -> tuple[dict[str, str], int]:
    """Every path of a JSON text with its first token, indexes left out; and how many values stand at the root."""
    seen: dict[str, str] = {}
    roots = 0
    for _, path, token in members(text):
        if not path:
            roots += token in "{["
        seen.setdefault(_INDEX.sub("[]", path), token)
    seen.pop("", None)
    return seen, roots
