"""Options that are texts with placeholders: for evidence, such as `{{response}}` or `{{context|expected}}`, and for columns.

`{{item.COLUMN}}` is a column of the row, and `{{sample.output_text}}` what was answered, as Microsoft Foundry writes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from vivavoce.core.evidence import Evidence
from vivavoce.core.place import did_you_mean
from vivavoce.core.reply import JSON
from vivavoce.core.wording import WORDS

ANY = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
"""A placeholder; its group is what it names."""
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


class Needs:
    """What an evaluator needs: the class by its options' defaults, an evaluator by its own options."""

    def __init__(self, default: tuple[str, ...], of: Callable[[Any], tuple[str, ...]]) -> None:  # of the class it stands in
        self._default = default
        self._of = of

    def __get__(self, made: object | None, owner: type) -> tuple[str, ...]:
        """For the class, or for one evaluator."""
        return self._default if made is None else self._of(made)


def needed(*texts: str) -> tuple[str, ...]:
    """Evidence that the placeholders name, each once; alternatives are joined by `|`."""
    found = (evidence_of(name) for text in texts for name in ANY.findall(text))
    return tuple(dict.fromkeys(name for name in found if name is not None))


def filled(text: str, evidence: Evidence) -> str:
    """The text with evidence and columns in place of its placeholders.

    Raises:
        Missing: what is named is not there.
    """
    return ANY.sub(lambda match: _value(match[1], evidence), text)


def check(option: str, text: str) -> None:
    """Refuse a placeholder that names nothing.

    Raises:
        ValueError: there is one.
    """
    for name in ANY.findall(text):
        prefix, _, rest = name.partition(".")
        if prefix == "sample" and rest not in _ANSWER:
            raise ValueError(f"{option}: {{{{{name}}}}} is no part of an answer; there are {', '.join(_ANSWER)}")
        if prefix == "item" and not rest:
            raise ValueError(f"{option}: {{{{item}}}} names no column; write {{{{item.COLUMN}}}}")
        for each in (evidence_of(name) or "").split("|") if prefix not in ("sample", "item") else ():
            if each not in WORDS:
                raise ValueError(f"{option}: {{{{{each}}}}} names no evidence ({did_you_mean(each, tuple(WORDS))})")


def evidence_of(name: str) -> str | None:
    """The evidence that a placeholder names, alternatives joined by `|`; `None` when it is a column."""
    prefix, _, rest = name.partition(".")
    if prefix == "item":
        return _ROW.get(rest)
    if prefix == "sample":
        return _ANSWER.get(rest)
    return "|".join(each.strip() for each in name.split("|"))


def column_of(name: str) -> str:
    """The column that a placeholder names which names no evidence."""
    return name.partition(".")[2]


def plain(value: JSON) -> str:
    """What stands in a column, as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _value(name: str, evidence: Evidence) -> str:
    found = evidence_of(name)
    return plain(evidence.column(column_of(name))) if found is None else evidence.first(*found.split("|"))
