"""Options that are texts with placeholders for evidence, such as `{{response}}` or `{{context|expected}}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from vivavoce.core.evidence import Evidence
from vivavoce.core.place import did_you_mean
from vivavoce.core.wording import WORDS

_ANY = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")


class Needs:
    """What an evaluator needs: the class by its options' defaults, an evaluator by its own options."""

    def __init__(self, default: tuple[str, ...], of: Callable[[Any], tuple[str, ...]]) -> None:  # of the class it stands in
        self._default = default
        self._of = of

    def __get__(self, made: object | None, owner: type) -> tuple[str, ...]:
        """For the class, or for one evaluator."""
        return self._default if made is None else self._of(made)


def needed(*texts: str) -> tuple[str, ...]:
    """What the placeholders name, each once; alternatives are joined by `|`."""
    return tuple(dict.fromkeys("|".join(names) for text in texts for names in _named(text)))


def filled(text: str, evidence: Evidence) -> str:
    """The text with evidence in place of its placeholders.

    Raises:
        Missing: evidence that is named is not there.
    """
    return _ANY.sub(lambda match: evidence.first(*_names(match)), text)


def check(option: str, text: str) -> None:
    """Refuse a placeholder that names no evidence.

    Raises:
        ValueError: there is one.
    """
    for names in _named(text):
        for name in names:
            if name not in WORDS:
                raise ValueError(f"{option}: {{{{{name}}}}} names no evidence ({did_you_mean(name, tuple(WORDS))})")


def _named(text: str) -> Iterator[tuple[str, ...]]:
    return (_names(match) for match in _ANY.finditer(text))


def _names(match: re.Match[str]) -> tuple[str, ...]:
    return tuple(name.strip() for name in match[1].split("|"))
