"""Prompts that a dataset brings: their placeholders, and what these stand for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from vivavoce.core.evidence import Evidence
from vivavoce.core.reply import JSON, Object
from vivavoce.evaluators import _placeholders

_ANY = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ROW: Mapping[str, str] = MappingProxyType(
    {
        "query": "input",
        "response": "response",
        "ground_truth": "expected",
        "context": "context",
        "messages": "conversation",
        "conversation": "conversation",
        "tool_calls": "tool_calls",
        "tool_definitions": "tool_definitions",
        "expected_actions": "trajectory",
    }
)
"""Columns that are evidence; every other is read as it stands."""
_ANSWER: Mapping[str, str] = MappingProxyType(
    {
        "output_text": "response",
        "output_items": "conversation",
        "tool_calls": "tool_calls",
        "tool_definitions": "tool_definitions",
    }
)


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
        names = [name for text in texts for name in _ANY.findall(text)]
        if not names:
            raise ValueError("input has no placeholder, so every answer would be graded alike; put {{item.response}} into it")
        for name in names:
            prefix, _, rest = name.partition(".")
            if prefix == "sample" and rest not in _ANSWER:
                raise ValueError(f"input: {{{{{name}}}}} is no part of an answer; there are {', '.join(_ANSWER)}")
            if prefix == "item" and not rest:
                raise ValueError("input: {{item}} names no column; write {{item.COLUMN}}")
            if prefix not in ("sample", "item"):
                _placeholders.check("input", f"{{{{{name}}}}}")

    @cached_property
    def text(self) -> str:
        """What stands in the rubric: every placeholder is one of evidence, or of a column by a name of its own."""
        return "\n\n".join(f"{role}:\n{_ANY.sub(self._placed, text)}" for role, text in self._messages)

    @property
    def needs(self) -> tuple[str, ...]:
        """Evidence that it names, each once; alternatives are joined by `|`."""
        found = (_evidence(name) for _, text in self._messages for name in _ANY.findall(text))
        return tuple(dict.fromkeys(name for name in found if name is not None))

    def columns(self, evidence: Evidence) -> dict[str, str]:
        """The texts of the columns that it names.

        Raises:
            Missing: the row has no such column.
        """
        return {field: _plain(evidence.column(path)) for path, field in self._columns.items()}

    @cached_property
    def _columns(self) -> Mapping[str, str]:
        """Columns, each with what it is called in the rubric."""
        names = (name for _, text in self._messages for name in _ANY.findall(text))
        paths = dict.fromkeys(name.partition(".")[2] for name in names if _evidence(name) is None)
        return {path: f"column_{_LETTERS[at // 26 % 26]}{_LETTERS[at % 26]}" for at, path in enumerate(paths)}

    @cached_property
    def _messages(self) -> tuple[tuple[str, str], ...]:
        return (("user", self._given),) if isinstance(self._given, str) else tuple(_told(self._given))

    def _placed(self, match: re.Match[str]) -> str:
        name = _evidence(match[1]) or self._columns[match[1].partition(".")[2]]
        return f"<data>{{{{{name}}}}}</data>"


def _evidence(name: str) -> str | None:
    """The evidence that a placeholder names; `None` when it is a column."""
    prefix, _, rest = name.partition(".")
    if prefix == "item":
        return _ROW.get(rest)
    if prefix == "sample":
        return _ANSWER.get(rest)
    return "|".join(each.strip() for each in name.split("|"))


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


def _plain(value: JSON) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
