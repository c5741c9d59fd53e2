"""Points of a trend, placed on a chart. Places are shares of a hundred, so that a chart is as wide as its page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from vivavoce.core.overview import SuiteRun
from vivavoce.web._pages import words

TICKS = 6
"""Dates under a chart."""
APART = 9.0
"""Hundredths of the width that the name of a revision needs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """A suite in one run."""

    at: SuiteRun
    index: int
    """From the oldest."""
    x: float
    y: float | None
    """From the top; `None` where nothing passed or failed."""
    shape: Literal["whole", "errors", "none"]
    """Whether some cases had errors, or nothing else."""
    deployed: bool
    """Whether the project was at another revision in the run before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Trend:
    """Everything a chart is drawn from."""

    points: Sequence[Point]
    lines: Sequence[tuple[Point, Point]]
    """Neighbours that both have a rate."""
    ticks: Sequence[tuple[float, str]]
    named: frozenset[int]
    """Revisions, by the index of their first run, whose names have room."""

    @property
    def told(self) -> str:
        """The picture in words."""
        rated = [each for each in self.points if each.y is not None]
        if not rated:
            return "no run in which a case passed or failed"
        rates = [each.at.tally.pass_rate or 0.0 for each in rated]
        return (
            f"pass rate in {len(self.points)} runs: from {words.rate(rates[0])} to {words.rate(rates[-1])},"
            f" lowest {words.rate(min(rates))}, highest {words.rate(max(rates))}"
        )


def trend(history: Sequence[SuiteRun]) -> Trend:
    """Place a suite's runs, the newest of which comes first."""
    points = list(_points(history))
    rated = [each for each in points if each.y is not None]
    return Trend(
        points=points,
        lines=[(one, other) for one, other in pairwise(rated) if other.index == one.index + 1],
        ticks=list(_ticks(points)),
        named=frozenset(_named(points)),
    )


def spark(history: Sequence[SuiteRun], width: float = 120, height: float = 28) -> list[str]:
    """A small line of the same runs, oldest first: the points of each unbroken part of it."""
    rates = [each.tally.pass_rate for each in reversed(history)]
    step = (width - 6) / max(1, len(rates) - 1)
    parts: list[list[str]] = [[]]
    for at, rate in enumerate(rates):
        if rate is None:
            parts.append([])
        else:
            parts[-1].append(f"{3 + at * step:.1f},{3 + (1 - rate) * (height - 6):.1f}")
    return [" ".join(part) for part in parts if part]


def _points(history: Sequence[SuiteRun]) -> Iterator[Point]:
    before = None
    for index, each in enumerate(reversed(history)):
        rate, revision = each.tally.pass_rate, each.run.revision
        commit = revision.commit if revision is not None else None
        yield Point(
            at=each,
            index=index,
            x=round(100 * index / (len(history) - 1), 3) if len(history) > 1 else 50,
            y=None if rate is None else round(100 * (1 - rate), 3),
            shape="none" if rate is None else "errors" if each.tally.errored else "whole",
            deployed=None not in (commit, before) and commit != before,
        )
        before = commit or before


def _ticks(points: Sequence[Point]) -> Iterator[tuple[float, str]]:
    count = min(TICKS, len(points))
    for at in range(count):
        each = points[round(at * (len(points) - 1) / max(1, count - 1))]
        yield each.x, each.at.run.started[:10]


def _named(points: Sequence[Point]) -> Iterator[int]:
    free = 0.0
    for each in points:
        if each.deployed and each.x >= free:
            free = each.x + APART
            yield each.index
