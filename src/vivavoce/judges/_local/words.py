"""The words and phrases of words.toml, each list read and compiled once, on first use."""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any


@cache
def terms(name: str) -> frozenset[str]:
    """A list of words."""
    return frozenset(ordered(name))


@cache
def ordered(name: str) -> tuple[str, ...]:
    """A list of words, in its order."""
    return tuple(_table()["words"][name].split())


@cache
def groups(name: str) -> tuple[tuple[frozenset[str], ...], ...]:
    """Groups of words that exclude one another."""
    return tuple(tuple(frozenset(side.split()) for side in group.split("/")) for group in _table()["groups"][name])


@cache
def units() -> Mapping[str, tuple[str, float]]:
    """How units are written: what each measures, and how many of its smallest unit it is."""
    found = {}
    for what, spellings in _table()["units"].items():
        dimension, factor = what.split()
        found.update(dict.fromkeys(spellings.split(), (dimension, float(factor))))
    return MappingProxyType(found)


@cache
def phrases(table: str) -> Mapping[str, str]:
    """A table of texts."""
    return MappingProxyType(dict(_table()[table]))


@cache
def pattern(table: str, name: str) -> re.Pattern[str]:
    """A list of alternatives, without case."""
    return re.compile("|".join(_table()[table][name]), re.IGNORECASE)


@cache
def patterns(table: str) -> Mapping[str, re.Pattern[str]]:
    """All lists of alternatives of a table, in its order."""
    return MappingProxyType({name: pattern(table, name) for name in _table()[table]})


@cache
def _table() -> Mapping[str, Any]:  # TOML of several shapes
    file = importlib.resources.files("vivavoce.judges").joinpath("_local", "words.toml")
    return MappingProxyType(tomllib.loads(file.read_text(encoding="utf-8")))
