"""The first page: how every suite stands, and the newest runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vivavoce.core.kinds import Store
from vivavoce.core.overview import Head, SuiteRun, SuiteState
from vivavoce.web._pages import drawing

SPARK = 30
"""Runs in the small line beside a suite."""
RUNS = 12
"""Runs on the first page."""
MANY = 200
"""Runs on the page of runs, and on a trend, unless more are asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One suite."""

    name: str
    state: SuiteState | None
    """`None` when it was never run."""
    spark: Sequence[str]
    runs: int
    """In the small line."""


def lines(store: Store, known: Iterable[str]) -> list[Line]:
    """Every suite that was ever run, or that the server may run."""
    states = {each.suite: each for each in store.suites()}
    found = []
    for name in sorted({*states, *known}):
        history = store.history(name, SPARK) if name in states else ()
        found.append(Line(name=name, state=states.get(name), spark=drawing.spark(history), runs=len(history)))
    return found


def newest(store: Store, limit: int = RUNS) -> Sequence[Head]:
    """The newest runs."""
    return store.heads(limit)


def history(store: Store, suite: str, limit: int = MANY) -> tuple[Sequence[SuiteRun], drawing.Trend]:
    """A suite over time, newest first, and the same as a picture."""
    found = store.history(suite, limit)
    return found, drawing.trend(found)
