"""Texts of other parties as blocks of a page: whole where they fit, and where not, saying what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from vivavoce.core.reply import JSON
from vivavoce.core.result import Status
from vivavoce.reports import _text
from vivavoce.reports._html.markup import Child, Markup, join, tag

T = TypeVar("T")

ITEMS = 100
"""Of one list, such as the tool calls of a turn, at most."""
TALL = 1_800
"""Characters from which a text scrolls in a frame of its own."""
_LINES = 24
_WORDS: tuple[tuple[Status, str, str], ...] = (
    ("pass", "✓", "passed"),
    ("fail", "✗", "failed"),
    ("error", "!", "error"),
    ("skip", "–", "skipped"),
)
ORDER: tuple[tuple[Status, str], ...] = (("pass", "passed"), ("fail", "failed"), ("error", "errors"), ("skip", "skipped"))
"""How trials of each status are called where they are counted, as a bar shows them."""
URGENT: tuple[tuple[Status, str], ...] = (ORDER[1], ORDER[2], ORDER[0], ORDER[3])
"""The same, as a reader wants to know of them."""


@dataclass(kw_only=True, slots=True)
class View:
    """How much is shown, and how much was not."""

    limit: int
    """Characters of a text."""
    repeat: int = 1
    cut: int = 0
    """Texts that were cut so far."""
    items: int = 0
    """Members of long lists that were left out so far."""

    def begun(self, words: str) -> tuple[str, str]:
        """A text as far as it is shown, and what is to be said of the rest; empty when there is none."""
        if len(words) <= self.limit:
            return words, ""
        self.cut += 1
        return words[: self.limit], f"the first {self.limit:,} of {len(words):,} characters"

    def some(self, items: Sequence[T]) -> tuple[Sequence[T], Markup]:
        """The first of many, and a note on the rest."""
        rest = len(items) - ITEMS
        if rest <= 0:
            return items, Markup()
        self.items += rest
        return items[:ITEMS], tag("p", f"and {rest:,} more", class_="cut")


def mark(status: Status, word: str | None = None) -> Markup:
    """A status as a sign and a word."""
    sign, usual = next((sign, word) for known, sign, word in _WORDS if known == status)
    return tag("span", tag("span", sign, aria_hidden="true"), word or usual, class_=f"mark {status}")


def block(view: View, words: str, label: str, *, body: Markup | None = None) -> Markup:
    """A text under its label. `body` is the same text with parts of it marked."""
    begun, note = view.begun(words)
    if not begun.strip():
        shown = tag("p", "(nothing)" if not begun else "(only white space)", class_="nothing")
    else:
        shown = _framed(body if body is not None and not note else begun, begun, label)
    return join(tag("p", label, class_="label"), shown, tag("p", note, class_="cut") if note else None)


def data(view: View, value: JSON, label: str) -> Markup:
    """Anything structured, as indented JSON."""
    begun, note = view.begun(pretty(value, view.limit))
    return join(_framed(begun, begun, label, "code"), tag("p", note, class_="cut") if note else None)


def pretty(value: JSON, limit: int) -> str:
    """A value as JSON, indented unless it is too long for anyone to read."""
    compact = _text.encoded(value)
    if len(compact) > 2 * limit or (len(compact) < 60 and not isinstance(value, str)):
        return compact
    try:
        return msgspec.json.format(compact, indent=2)
    except RecursionError:
        return compact


def folded(title: Child, *content: Child, class_: str = "more") -> Markup:
    """What is there for those who open it."""
    return tag("details", tag("summary", title), *content, class_=class_)


def figure(value: float) -> str:
    """A number as short as it may be."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if 0.01 <= abs(value) < 100 or value == 0 else f"{value:.4g}"


def _framed(content: Child, words: str, label: str, kind: str = "text") -> Markup:
    """A text in its frame; a tall one can be scrolled, with the keyboard too."""
    if len(words) > TALL or words.count("\n") > _LINES:
        return tag("div", content, class_=f"{kind} tall", dir="auto", tabindex="0", role="region", aria_label=label)
    return tag("div", content, class_=kind, dir="auto")
