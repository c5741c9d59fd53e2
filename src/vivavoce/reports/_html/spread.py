"""How the values of one check are spread, counted in memory that does not grow with the run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, isfinite

from vivavoce.core.result import Score

DISTINCT = 400
"""Values told apart; beyond, near ones are counted together."""
BINS = 20
STEPS = 12
"""Whole numbers of a scale that each get a bar of their own."""


@dataclass(kw_only=True, slots=True)
class Bin:
    """One bar: a value, or all from `low` up to `high`."""

    low: float
    high: float
    passed: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """How many scores are in it."""
        return self.passed + self.failed


class Spread:
    """The values of one check."""

    def __init__(self) -> None:
        self._counts: dict[float, list[int]] = {}
        self._step = 0.0
        self._units: dict[float, float] = {}
        """Of the lowest and the highest value so far, what they are from 0 to 1."""
        self.thresholds: list[float] = []
        """The first few different ones."""
        self.lower_is_better = False

    def add(self, score: Score) -> None:
        """Count one score in, if it has a value."""
        value = score.value
        if value is None or not isfinite(value) or score.status not in ("pass", "fail"):
            return
        self._count(value, score.status == "fail", 1)
        if len(self._counts) > DISTINCT:
            self._merge()
        if score.unit_value is not None and isfinite(score.unit_value):
            self._units[value] = score.unit_value
            ends = {min(self._units), max(self._units)}
            self._units = {end: self._units[end] for end in ends}
        self.lower_is_better = score.lower_is_better
        if score.threshold is not None and score.threshold not in self.thresholds and len(self.thresholds) < 3:
            self.thresholds.append(score.threshold)

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to see that counts of pass and fail do not say."""
        return all(value in (0, 1) for value in self._counts)

    @property
    def is_stepped(self) -> bool:
        """Whether each value has a bar of its own."""
        low, high = self.scale
        return high - low <= STEPS and all(value == floor(value) for value in (low, high, *self._counts))

    @property
    def scale(self) -> tuple[float, float]:
        """From the worst to the best value, as far as the scores show them, lower end first."""
        least, most = min(self._counts, default=0.0), max(self._counts, default=1.0)
        known = sorted(self._units.items())
        if len(known) == 2 and known[0][1] != known[1][1]:
            (one, unit), (other, best) = known
            slope = (best - unit) / (other - one)
            ends = sorted((round(one - unit / slope, 9), round(one + (1 - unit) / slope, 9)))
            if ends[0] <= least and most <= ends[1]:
                return (ends[0], ends[1])
        if least >= 0 and most <= 1:
            return (0.0, 1.0)
        return (least, most) if least < most else (least - 1, most + 1)

    def bins(self) -> list[Bin]:
        """A bar for each step of the scale, or for each twentieth of it."""
        low, high = self.scale
        if self.is_stepped:
            made = [Bin(low=low + at, high=low + at) for at in range(int(high - low) + 1)]
            width = 1.0
        else:
            width = (high - low) / BINS
            made = [Bin(low=low + at * width, high=low + (at + 1) * width) for at in range(BINS)]
        for value, (passed, failed) in self._counts.items():
            # Rounded, so that 0.15 is in the bin that begins there, whatever binary makes of it.
            at = min(max(floor(round((value - low) / width, 9)), 0), len(made) - 1)
            made[at].passed += passed
            made[at].failed += failed
        return made

    def _count(self, value: float, failed: bool, count: int) -> None:
        at = round(value / self._step) * self._step if self._step else value
        self._counts.setdefault(at, [0, 0])[failed] += count

    def _merge(self) -> None:
        span = max(self._counts) - min(self._counts)
        self._step = max(span / (DISTINCT // 4), 2 * self._step)
        counts, self._counts = self._counts, {}
        for value, pair in counts.items():
            for failed in (False, True):
                if pair[failed]:
                    self._count(value, failed, pair[failed])


def drawn(spreads: Iterable[tuple[str, Spread]]) -> list[tuple[str, Spread]]:
    """Those that a picture says something of."""
    return [(name, spread) for name, spread in spreads if not spread.is_plain]
