"""Mappings: where the value of an evaluator's parameter is found, in the row or in what a target answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from vivavoce.core.place import did_you_mean
from vivavoce.core.reply import JSON

_BRACES = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_DOLLAR = re.compile(r"\$\{\s*([^{}]*?)\s*\}")
_INDEX = re.compile(r"\[(\d+)\]")
_NAMED = r"\s*(?:item|data|sample|target|outputs)\.[^{}]*+"
_UNCLOSED = re.compile(rf"\{{\{{{_NAMED}(?!\}}\}})|\$\{{{_NAMED}(?!\}})")
_LONGEST = 1000
"""Characters of an expression; none that means something is as long."""
_ROW = frozenset({"item", "data"})
_ANSWER = frozenset({"sample", "target", "outputs"})
_ALL_OF_IT = ("response", "tool_calls", "conversation")

ANSWERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "output_text": ("response",),
        "output_items": _ALL_OF_IT,
        "tool_calls": ("tool_calls",),
        "tool_definitions": ("tool_definitions",),
        **dict.fromkeys(("response", "output", "text", "answer"), _ALL_OF_IT),
        "context": ("extracts",),
    }
)
"""Parts of what a target answers, each with the evidence it is."""
OF_ANSWER = frozenset({"response", "tool_calls", "actions", "messages", "conversation", "tool_definitions", "context"})
"""Parameters whose value can come from an answer."""
ABSENT: Final = Ellipsis
"""What a field is that a row does not have; no JSON value is this."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Expression:
    """Where a value is found."""

    text: str
    """As it was written."""
    path: str
    """The field of the row; of an answer, the part of it."""
    sees: tuple[str, ...] | None = None
    """Evidence that it stands for, when it is part of an answer; `None` when it is a field of the row."""


def parse(param: str, text: str) -> Expression:
    """An expression as it is written: `{{item.a.b}}`, `{{sample.output_text}}`, `${data.x}`, `${target.x}`, or a column's name.

    Raises:
        ValueError: it is none; the message completes "EXPRESSION ...".
    """
    if len(text) > _LONGEST:
        raise ValueError(f"has {len(text):,} characters, and at most {_LONGEST:,} are allowed")
    found = _BRACES.fullmatch(text.strip()) or _DOLLAR.fullmatch(text.strip())
    if found is None:
        if "{{" in text or "${" in text or not text.strip():
            raise ValueError("is no single field; write {{item.FIELD}}, {{sample.output_text}}, or a column's name")
        return Expression(text=text, path=text.strip())
    root, _, path = found[1].partition(".")
    if root in _ROW and path:
        return Expression(text=text, path=path)
    if root in _ANSWER and path:
        if path not in ANSWERS:
            raise ValueError(f'names no part of an answer ("{path}": {did_you_mean(path, ANSWERS)})')
        if param not in OF_ANSWER:
            raise ValueError(f"is part of an answer, and {param} is not; take it from the row, as {{{{item.FIELD}}}}")
        return Expression(text=text, path=path, sees=_part(param, ANSWERS[path]))
    if root in _ROW | _ANSWER:
        raise ValueError(f"names no field; write {{{{{root}.FIELD}}}}")
    raise ValueError(f'begins with "{root}" ({did_you_mean(root, sorted(_ROW | _ANSWER))})')


def is_field(text: JSON) -> bool:
    """Whether a text is a single field of the row or of the answer, in braces, and nothing besides."""
    found = (_BRACES.fullmatch(text.strip()) or _DOLLAR.fullmatch(text.strip())) if isinstance(text, str) else None
    return found is not None and found[1].partition(".")[0] in _ROW | _ANSWER


def within(given: JSON) -> Iterator[Expression]:
    """The fields that a text names, or that texts anywhere in a value do."""
    for text in _texts(given):
        for match in _BRACES.finditer(text):
            root, _, path = match[1].partition(".")
            if root in _ROW and path and len(path) <= _LONGEST:
                yield Expression(text=match[0], path=path)
            elif root in _ANSWER and path in ANSWERS:
                yield Expression(text=match[0], path=path, sees=ANSWERS[path])


def unclosed(given: JSON) -> Iterator[str]:
    """Where a text, or texts anywhere in a value, begin to name a field and do not close its braces."""
    for text in _texts(given):
        yield from (match[0].strip()[:60] for match in _UNCLOSED.finditer(text))


def _texts(given: JSON) -> Iterator[str]:
    if isinstance(given, str):
        yield given
    else:
        for each in given.values() if isinstance(given, Mapping) else given if isinstance(given, list) else ():
            yield from _texts(each)


def find(row: JSON, path: str) -> JSON:
    """The value at a path, or `ABSENT`. A name may itself hold dots: the longest that is there is taken."""
    return _find(row, _INDEX.sub(r".\1", path))


def _find(value: JSON, path: str) -> JSON:
    if isinstance(value, Mapping):
        if path in value:
            return value[path]
        cut = len(path)
        while (cut := path.rfind(".", 0, cut)) > 0:
            if path[:cut] in value:
                found = _find(value[path[:cut]], path[cut + 1 :])
                if found is not ABSENT:
                    return found
    elif isinstance(value, list):
        head, _, rest = path.partition(".")
        if head.isdecimal() and int(head) < len(value):
            return _find(value[int(head)], rest) if rest else value[int(head)]
    return ABSENT


def _part(param: str, sees: tuple[str, ...]) -> tuple[str, ...]:
    """What a parameter takes of an answer."""
    if param in ("tool_calls", "actions"):
        return tuple(each for each in sees if each == "tool_calls") or sees
    return sees
