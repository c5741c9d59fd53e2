"""What is asked of a file's rows: mappings, level, and evaluators with mappings of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from vivavoce.core.model import Check
from vivavoce.formats._foundry import names
from vivavoce.formats._foundry.expressions import Expression

SAID = ("messages", "query", "response")
"""Parameters that are what was said."""
Level = Literal["turn", "conversation"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Places:
    """Where each parameter's value is found, and where that is said."""

    where: Mapping[str, str]
    """Of each parameter, its path in the document; empty for the command line."""
    of: Mapping[str, Expression]


@dataclass(frozen=True, kw_only=True, slots=True)
class Mapped:
    """An evaluator that a file names; with a mapping, it sees nothing else."""

    check: Check
    mapping: Places | None = None


NO_MAPPING = Places(where={}, of={})


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """All of it."""

    mapping: Places = NO_MAPPING
    """For every row: which field stands for a standard column."""
    beside: Mapping[str, Expression] = field(default_factory=dict)
    """For a row that has no question or no answer: where evaluators are told to find them."""
    level: Level | None = None
    checks: tuple[Mapped, ...] | None = None
    """What the file names; `None` when it names nothing."""
    fields: tuple[tuple[str, Expression], ...] = ()
    """Fields that texts of graders name, each with its place."""
    live: bool | None = None
    """Whether a target answers; `None` when that is not known."""
    refers: frozenset[str] = frozenset()
    """Columns that a mapping refers to, which are so no slips."""

    seeds: Mapping[str, int] = field(default_factory=dict)
    """What of a simulation holds for rows that are seeds and do not say it themselves."""

    @property
    def is_whole(self) -> bool:
        """Whether whole conversations are examined."""
        return self.level == "conversation"

    def expressions(self) -> Iterator[tuple[str, str, Expression]]:
        """Every expression, with its place and parameter."""
        for mapping in (self.mapping, *(each.mapping for each in self.checks or () if each.mapping is not None)):
            for param, expression in mapping.of.items():
                yield mapping.where.get(param, ""), param, expression
        for where, field_named in self.fields:
            yield where, field_named.path, field_named


def refers(mappings: Iterable[Places | None]) -> frozenset[str]:
    """The columns that mappings refer to."""
    return frozenset(
        part
        for mapping in mappings
        if mapping is not None
        for expression in mapping.of.values()
        if expression.sees is None
        for part in (expression.path, expression.path.partition(".")[0])
    )


def beside(mappings: Iterable[Places | None]) -> dict[str, Expression]:
    """Fields of a row that evaluators are told to take for what was said, of each the first."""
    found: dict[str, Expression] = {}
    for mapping in mappings:
        for param, expression in mapping.of.items() if mapping is not None else ():
            if param in SAID and expression.sees is None:
                found.setdefault(param, expression)
    return found


@cache
def defaults(*, truth: bool, context: bool, actions: bool, whole: bool) -> tuple[Check, ...]:
    """What examines a row when nobody names anything."""
    wanted = ["Coherence"] if whole else ["Relevance", "Coherence"]
    wanted += ["Similarity", "F1Score"] if truth and not whole else []
    wanted += ["Groundedness"] if context else []
    made = [names.default(name) for name in wanted]
    if whole:
        made = [replace(check, level="case") for check in made]
    return (*made, *([names.default("TaskNavigationEfficiency")] if actions else []))


@cache
def of_seeds(*, whole: bool) -> tuple[Check, ...]:
    """What examines a conversation that is simulated."""
    return (replace(names.default("TaskCompletion"), level="case" if whole else "turn"),)
