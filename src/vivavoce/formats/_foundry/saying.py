"""How what is wrong in a row is told, and values as text."""

from __future__ import annotations

from typing import Protocol

from vivavoce.core import codec
from vivavoce.core.reply import JSON

_SHOWN = 40


class Say(Protocol):
    """How something about a row is reported."""

    def __call__(self, message: str, path: str, fix: str = "", *, warning: bool = False) -> None:
        """Report it: the message, the path within the row, and what to do about it."""


def shown(value: JSON) -> str:
    """A value as a message shows it."""
    text = codec.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def text_of(value: JSON) -> str | None:
    """A value as text: several texts as paragraphs, anything else as JSON; `None` when there is none."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return "\n\n".join(value)
    return codec.encode(value).decode()
