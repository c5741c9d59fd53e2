"""Repeats of a case: what must be remembered of one while its trials come, and how far repeats agree."""

from __future__ import annotations

from heapq import heappush, heappushpop

from vivavoce.analysis.stats import Clusters
from vivavoce.core.result import Stability, Status

Values = dict[str, tuple[int, float, bool]]
"""Of a case, by score name: how many values, their sum, and whether each is 0 or 1."""
UNSTABLE_KEPT = 100
"""How many unstable cases are named."""


class OpenCase:
    """What must be remembered of a case while more of its trials may come."""

    __slots__ = ("failed", "passed", "position", "trials", "values")

    def __init__(self) -> None:
        self.trials = 0
        self.passed = 0
        self.failed = 0
        self.position = 0
        """The smallest of its trials."""
        self.values: Values = {}

    def add(self, status: Status, position: int) -> None:
        """Count one of its trials in."""
        self.position = position if not self.trials else min(position, self.position)
        self.trials += 1
        if status == "pass":
            self.passed += 1
        elif status == "fail":
            self.failed += 1


class Repeats:
    """Closed cases of a run with repeats."""

    def __init__(self) -> None:
        self._trials = Clusters()
        self._complete = self._once = self._always = 0
        self._unstable: list[tuple[int, tuple[str, str]]] = []
        """A heap with the last position on top (negated), so that the first hundred stay."""

    def add(self, key: tuple[str, str], case: OpenCase, repeat: int) -> None:
        """Count in a case of which all trials have been seen."""
        _count(self._trials, case)
        if case.passed + case.failed == repeat:
            self._complete += 1
            self._once += case.passed > 0
            self._always += case.failed == 0
        _note(self._unstable, key, case)

    def summary(self, repeat: int, still_open: dict[tuple[str, str], OpenCase]) -> Stability:
        """How far repeats agree.

        The mean is over every trial that passed or failed, its interval clustered by case. pass@k and pass^k are over the
        cases of which every one of the k trials passed or failed: with an error among them there are fewer than k.
        """
        trials, unstable = self._trials.copy(), list(self._unstable)
        for key, case in still_open.items():
            _count(trials, case)
            _note(unstable, key, case)
        return Stability(
            repeat=repeat,
            mean=trials.mean,
            ci95=trials.interval(),
            pass_at_k=self._once / self._complete if self._complete else None,
            pass_pow_k=self._always / self._complete if self._complete else None,
            unstable=tuple(key for _, key in sorted(unstable, reverse=True)),
        )


def _count(trials: Clusters, case: OpenCase) -> None:
    if case.passed or case.failed:
        trials.add(case.passed + case.failed, float(case.passed), True)


def _note(unstable: list[tuple[int, tuple[str, str]]], key: tuple[str, str], case: OpenCase) -> None:
    if case.passed and case.failed:
        add = heappush if len(unstable) < UNSTABLE_KEPT else heappushpop
        add(unstable, (-case.position, key))
