"""A run that is carried out here, as those see it who watch: told in the server's event loop, read by any number of them."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Iterator

from vivavoce.core.reply import JSON
from vivavoce.core.result import Result, State, Status

_KEPT = 1000
"""Results that a watcher may be behind; of older ones only the counts are told."""


class Live:
    """One run under way."""

    def __init__(self, run_id: str, suites: tuple[str, ...]) -> None:
        self.run_id = run_id
        self.suites = suites
        self.trials = 0
        self.warnings: tuple[str, ...] = ()
        """What its files warn of."""
        self.state: State = "running"
        self.fault: str | None = None
        """Why it could not be carried to its end."""
        self.done = 0
        self._counts: Counter[Status] = Counter()
        self._kept: deque[dict[str, JSON]] = deque(maxlen=_KEPT)
        self._news = asyncio.Event()

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.state != "running"

    def began(self, trials: int, warnings: tuple[str, ...]) -> None:
        """It begins, in the store too."""
        self.trials, self.warnings = trials, warnings
        self._tell()

    def add(self, result: Result) -> None:
        """A result was kept."""
        self.done += 1
        self._counts[result.status] += 1
        self._kept.append(
            {
                "position": result.position,
                "suite": result.suite,
                "case": result.case,
                "repeat": result.repeat,
                "status": result.status,
            }
        )
        self._tell()

    def ended(self, state: State, fault: str | None = None) -> None:
        """It is over; the first word about it holds."""
        if not self.over:
            self.state, self.fault = state, fault
            self._tell()

    def progress(self) -> dict[str, JSON]:
        """How far it has come."""
        return {
            "run": self.run_id,
            "suites": list(self.suites),
            "state": self.state,
            "trials": self.trials,
            "done": self.done,
            **counts(self._counts),
        }

    def since(self, number: int) -> Iterator[tuple[int, dict[str, JSON]]]:
        """Results after the first `number` ones, each with its own number, as far as they are remembered."""
        oldest = self.done - len(self._kept)
        for at, each in enumerate(self._kept, start=oldest + 1):
            if at > number:
                yield at, each

    def mark(self) -> asyncio.Event:
        """What is set at the next thing that happens; to be taken before one looks at what did."""
        return self._news

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def counts(given: Counter[Status]) -> dict[str, int]:
    """Counts by status, all of them."""
    return {"pass": given["pass"], "fail": given["fail"], "skip": given["skip"], "error": given["error"]}
