"""Prompts that a dataset brings: their placeholders, and what these stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from vivavoce.core.evidence import Evidence
from vivavoce.core.reply import JSON, Object
from vivavoce.evaluators import _placeholders
from vivavoce.evaluators._placeholders import ANY, column_of, evidence_of, plain

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Prompt:
    """A text, or messages with `role` and `content`, as part of a rubric's prompt."""

    def __init__(self, given: str | Sequence[Object]) -> None:
        self._given = given

    def check(self) -> None:
        """Refuse what cannot be asked.

        Raises:
            ValueError: a message has no content, a placeholder names nothing, or there is none.
        """
        texts = [text for _, text in self._messages]
        if not any(ANY.search(text) for text in texts):
            raise ValueError("input has no placeholder, so every answer would be graded alike; put {{item.response}} into it")
        for text in texts:
            _placeholders.check("input", text)

    @cached_property
    def text(self) -> str:
        """What stands in the rubric: every placeholder is one of evidence, or of a column by a name of its own."""
        return "\n\n".join(f"{role}:\n{ANY.sub(self._placed, text)}" for role, text in self._messages)

    @property
    def needs(self) -> tuple[str, ...]:
        """Evidence that it names, each once; alternatives are joined by `|`."""
        return _placeholders.needed(*(text for _, text in self._messages))

    def columns(self, evidence: Evidence) -> dict[str, str]:
        """The texts of the columns that it names.

        Raises:
            Missing: the row has no such column.
        """
        return {field: plain(evidence.column(path)) for path, field in self._columns.items()}

    @cached_property
    def _columns(self) -> Mapping[str, str]:
        """Columns, each with what it is called in the rubric."""
        names = (name for _, text in self._messages for name in ANY.findall(text))
        paths = dict.fromkeys(column_of(name) for name in names if evidence_of(name) is None)
        return {path: f"column_{_LETTERS[at // 26 % 26]}{_LETTERS[at % 26]}" for at, path in enumerate(paths)}

    @cached_property
    def _messages(self) -> tuple[tuple[str, str], ...]:
        return (("user", self._given),) if isinstance(self._given, str) else tuple(_told(self._given))

    def _placed(self, match: re.Match[str]) -> str:
        name = evidence_of(match[1]) or self._columns[column_of(match[1])]
        return f"<data>{{{{{name}}}}}</data>"


def _told(messages: Sequence[Object]) -> Iterator[tuple[str, str]]:
    """Role and text of each message; content may be a text, or parts that have one."""
    for index, message in enumerate(messages):
        content = message.get("content")
        parts = [content] if isinstance(content, str | Mapping) else content
        texts = [_text(part) for part in parts] if isinstance(parts, list | tuple) else []
        if not texts or not all(isinstance(text, str) for text in texts):
            raise ValueError(f'input[{index}] has no text; write {{"role": "user", "content": "..."}}')
        yield str(message.get("role", "user")), "\n".join(map(str, texts))


def _text(part: JSON) -> JSON:
    return part.get("text") if isinstance(part, Mapping) else part
