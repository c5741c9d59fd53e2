"""Understand by rules what a question asks of the cube, given what was asked before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeVar

from vivavoce.samples._cube.query import Filter, Query
from vivavoce.samples._cube.schema import LEVELS, MEASURES, Level, Measure, members

T = TypeVar("T")

Kind = Literal["query", "insight", "view_change", "off_topic"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question, understood."""

    kind: Kind
    query: Query | None = None
    """What is counted, or what an insight or a view is of."""
    view: str = ""
    """How what is counted shall be shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Heard:
    """The words of the cube that a question has, in its order."""

    measures: tuple[Measure, ...]
    levels: tuple[Level, ...]
    filters: tuple[Filter, ...]
    limit: int

    @property
    def anything(self) -> bool:
        return bool(self.measures or self.levels or self.filters)


_NUMBERS: Mapping[str, int] = MappingProxyType(
    {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
)
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_QUARTER = re.compile(r"\bq([1-4])(?:\s+of|,)?\s+(20\d\d)\b")
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})(?:\s+of|,)?\s+(20\d\d)\b")
_RANKED = re.compile(rf"\b(?:top|bottom|best|worst|highest|lowest|first)[\s-]+(\d{{1,3}}|{'|'.join(_NUMBERS)})\b")
_SUPERLATIVE = re.compile(r"\b(?:best|worst|most|least|highest|lowest|top|biggest|smallest)\b")
_INSIGHT = re.compile(r"\b(?:trend\w*|explain|why|summar\w+|insights?|going (?:up|down)|grow\w*|develop\w*)\b")
_VIEW = re.compile(r"\b(?:as|into|to|in) (?:an? |the )?((?:bar |line |pie |area )?(?:chart|graph)|table|heat ?map|tree ?map)\b")


def understand(question: str, earlier: Sequence[str], force: str = "") -> Asked:
    """What a question asks for, the questions before it being `earlier`; `force` names the kind that it is taken for."""
    before: Query | None = None
    for each in earlier:
        before = _understand(each, before).query or before
    asked = _understand(question, before)
    if force in ("query", "insight", "view_change") and asked.query is not None:
        kinds: Mapping[str, Kind] = {"query": "query", "insight": "insight", "view_change": "view_change"}
        return replace(asked, kind=kinds[force], view=asked.view or "table")
    return asked


def _understand(question: str, before: Query | None) -> Asked:
    text = _plain(question)
    view, heard = _VIEW.search(text), _hear(_VIEW.sub(" ", text))
    if view and not heard.anything and before is not None:
        return Asked(kind="view_change", query=before, view=view[1])
    if not heard.anything and not (before is not None and (_INSIGHT.search(text) or heard.limit)):
        return Asked(kind="off_topic")
    query = _query(heard, before, ranked=bool(_SUPERLATIVE.search(text)))
    return Asked(kind="insight" if _INSIGHT.search(text) else "query", query=query)


def _query(heard: _Heard, before: Query | None, *, ranked: bool) -> Query:
    """A query of what was heard; what is missing is taken from the one before, where this follows on it."""
    follows = before if before is not None and not (heard.measures and heard.levels) else None
    measures, levels, filters = heard.measures, heard.levels, heard.filters
    if follows is not None:
        measures, levels = measures or follows.measures, levels or follows.rows
        told = {(each.level.dimension, each.level.hierarchy) for each in filters}
        filters += tuple(each for each in follows.filters if (each.level.dimension, each.level.hierarchy) not in told)
    measures = measures or MEASURES[:1]
    limit = heard.limit or (1 if ranked and levels else 0)
    # Whatever is ranked comes with the highest first, also where the lowest was asked for: see `analytics`.
    return Query(measures=measures, rows=levels, filters=filters, by=measures[0] if ranked or limit else None, limit=limit)


def _hear(text: str) -> _Heard:
    filters, rest = _members(text)
    measures, rest = _named(rest, ((each, each.words) for each in MEASURES))
    levels, _ = _named(rest, ((each, each.words) for each in LEVELS))
    ranked = _RANKED.search(text)
    limit = 0 if ranked is None else int(ranked[1]) if ranked[1].isdigit() else _NUMBERS[ranked[1]]
    return _Heard(measures=tuple(measures), levels=tuple(levels), filters=filters, limit=limit)


def _members(text: str) -> tuple[tuple[Filter, ...], str]:
    """The members that are named, by level, whatever is said of them; and the text without them."""
    filters: list[Filter] = []
    # Longer captions first, so that a Firefly Mini lantern is no Firefly lantern.
    for caption, level in sorted(_captions(), key=lambda each: -len(each[0])):
        text, count = re.subn(rf"\b{re.escape(caption.casefold())}(?:s|es)?\b", " ", text)
        if count:
            same = next((each for each in filters if each.level == level), None)
            if same is None:
                filters.append(Filter(level=level, members=(caption,)))
            else:
                filters[filters.index(same)] = replace(same, members=tuple(sorted((*same.members, caption))))
    return tuple(filters), text


def _captions() -> Iterator[tuple[str, Level]]:
    for level in LEVELS:
        for caption in members(level):
            yield caption, level


def _named(text: str, things: Iterator[tuple[T, tuple[str, ...]]]) -> tuple[list[T], str]:
    """The things whose words a text has, in its order; and the text without these words."""
    found: dict[int, T] = {}
    for word, thing in sorted(((word, each) for each, words in things for word in words), key=lambda pair: -len(pair[0])):
        for match in re.finditer(rf"\b{word}\b", text):
            found[match.start()] = thing
            text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return list(dict.fromkeys(found[at] for at in sorted(found))), text


def _plain(question: str) -> str:
    """A question in small letters, with quarters and months written as their captions are."""
    text = _QUARTER.sub(r"\2 q\1", " ".join(question.casefold().split()))
    return _MONTH.sub(lambda match: f"{match[2]}-{_MONTHS.index(match[1]) + 1:02}", text)
