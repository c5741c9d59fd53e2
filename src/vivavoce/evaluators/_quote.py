"""Pieces of texts as reasons show them: quoted, short however long the text, and with nothing beyond ASCII of our own."""

from __future__ import annotations

from collections.abc import Sequence
from json.encoder import encode_basestring

LIMIT = 60
"""Characters of a quoted text."""
MOST = 6
"""Items of a list."""


def quote(text: str, limit: int = LIMIT) -> str:
    """A text in quotation marks, line breaks escaped, its end cut."""
    return encode_basestring(text) if len(text) <= limit else quote_at(text, 0, limit)


def quote_at(text: str, start: int, limit: int = LIMIT) -> str:
    """A text in quotation marks from a place on; what is left out on either side shows as `...`."""
    piece = text[start : start + limit]
    before = "..." if start > 0 else ""
    after = "..." if start + limit < len(text) else ""
    return encode_basestring(f"{before}{piece}{after}")


def listing(texts: Sequence[str], most: int = MOST) -> str:
    """Texts quoted and separated by commas; the first few, and how many more."""
    shown = ", ".join([quote(text, LIMIT // 2) for text in texts[:most]])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most} more"


def count(number: int, noun: str, many: str = "") -> str:
    """A number with its noun: `1 hit`, `2 hits`, `3 queries` where the plural is given."""
    return f"{number} {noun}" if number == 1 else f"{number} {many or noun + 's'}"
