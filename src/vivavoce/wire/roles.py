"""What was said, for services that are told the system's part apart, and want who speaks to change from message to message."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vivavoce.core import codec
from vivavoce.core.reply import JSON, Message

_APART = frozenset({"system", "developer"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Apart:
    """A conversation, taken apart."""

    system: tuple[str, ...]
    turns: tuple[tuple[str, tuple[str, ...]], ...]
    """Who speaks, `user` or `assistant`, and what; nobody speaks twice in a row."""


def apart(said: Iterable[Message]) -> Apart:
    """What was said, the system's part apart and the rest by turns."""
    system: list[str] = []
    turns: list[tuple[str, list[str]]] = []
    for each in said:
        text = _text(each.content)
        if each.role in _APART:
            system.append(text)
            continue
        role = "assistant" if each.role == "assistant" else "user"
        if turns and turns[-1][0] == role:
            turns[-1][1].append(text)
        else:
            turns.append((role, [text]))
    return Apart(system=tuple(system), turns=tuple((role, tuple(texts)) for role, texts in turns))


def _text(content: JSON) -> str:
    return content if isinstance(content, str) else codec.encode(content).decode()
