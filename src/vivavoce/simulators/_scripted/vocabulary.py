"""The words and phrases of words.toml, read once, on first use; and what a text is about."""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""Writing without spaces between words, or nearly so."""
_STEM = 5
"""Letters by which longer words are compared: "arrives" and "arrival" are one."""


@cache
def terms(name: str) -> tuple[str, ...]:
    """A list."""
    return tuple(_table()[name])


@cache
def phrases(name: str, tone: str) -> tuple[str, ...]:
    """What is said in a tone."""
    return tuple(_table()[name][tone])


@cache
def groups(name: str) -> Mapping[str, tuple[str, ...]]:
    """Lists of one heading."""
    return MappingProxyType({key: tuple(each) for key, each in _table()[name].items()})


def has(text: str, name: str) -> bool:
    """Whether a text has a phrase of a list."""
    folded = text.lower().replace("\u2019", "'")
    return any(phrase in folded for phrase in terms(name))


def stems(text: str) -> frozenset[str]:
    """What a text is about: its words without those that tell nothing, each by its beginning."""
    idle = terms("idle")
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        runs = _UNSPACED.findall(word)
        for run in runs:
            found |= {run[at : at + 2] for at in range(max(1, len(run) - 1))}
        if not runs and word not in idle:
            found.add(word if any(letter.isdigit() for letter in word) else word.removesuffix("s")[:_STEM])
    return frozenset(found)


def is_english(text: str) -> bool:
    """Whether a text may be taken apart and put together again by English rules."""
    if _UNSPACED.search(text):
        return False
    words = _WORD.findall(text.lower())
    if sum(not word.isascii() for word in words) * 4 > len(words):
        return False
    return sum(word in terms("english") for word in words) >= sum(word in terms("foreign") for word in words)


@cache
def _table() -> Mapping[str, Any]:  # as the file is laid out
    file = importlib.resources.files("vivavoce.simulators").joinpath("_scripted", "words.toml")
    return MappingProxyType(tomllib.loads(file.read_text(encoding="utf-8")))
