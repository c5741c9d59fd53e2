"""Markup that is safe because it can only be made here: every text is escaped, every attribute is checked."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from typing import TypeAlias

from vivavoce.core.visible import visible

_VOID = frozenset({"input", "meta", "wbr"})
# What a browser would follow, as a whole: nothing but the web, and nothing hidden in it.
_WEB = re.compile(r"https?://[^\s\"'<>\\^`{|}\x00-\x20\x7f-\xa0\u2000-\u206f\ufeff\ud800-\udfff]+", re.IGNORECASE)
LINK_LIMIT = 2000
"""Characters of an address; a longer one is shown as text alone."""


class Markup(str):
    """Text that is markup already, and made by nothing but `tag` and `join`."""

    __slots__ = ()


Child: TypeAlias = str | Markup | None
Value: TypeAlias = str | int | float | bool | None


def tag(name: str, /, *children: Child, **attributes: Value) -> Markup:
    """An element. Children that are not markup are text; `class_` is `class`, and `aria_label` is `aria-label`.

    Raises:
        ValueError: an attribute would run or load something.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None and value is not False)
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{join(*children)}</{name}>")


def join(*children: Child) -> Markup:
    """One after the other; what is not markup is text."""
    return Markup("".join(each if isinstance(each, Markup) else text(each) for each in children if each))


def text(words: str) -> Markup:
    """Text that nothing in it can leave, with what would hide or reorder made visible."""
    return Markup(escape(visible(words)))


def anchor(address: str, *children: Child) -> Markup:
    """A link to a place another party names: only one to the web leads there, any other is shown as text."""
    if not _is_web(address):
        return join(*children)
    return tag("a", *children, href=address, rel="noopener noreferrer nofollow", target="_blank")


def _attribute(key: str, value: str | float) -> str:
    name = _spelled(key)
    if value is True:
        return f" {name}"
    shown = str(value)
    if name == "href" and not (shown.startswith("#") or _is_web(shown)):
        raise ValueError(f"not a place that a report may lead to: {shown[:80]}")
    return f' {name}="{text(shown)}"'


def _is_web(address: str) -> bool:
    return len(address) <= LINK_LIMIT and _WEB.fullmatch(address) is not None


@cache
def _spelled(key: str) -> str:
    name = key.rstrip("_").replace("_", "-")
    if name.lower().startswith("on") or name in ("style", "src", "srcset", "srcdoc", "action", "formaction"):
        raise ValueError(f"a report sets no {name}")
    return name
