"""How far a run is, on standard error: a bar in a terminal, else a line every few seconds."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vivavoce.cli.console import console, note, safe
from vivavoce.core.kept import Kept
from vivavoce.core.model import Plan
from vivavoce.core.result import Result, Run

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

EVERY = 5.0
"""Seconds between two lines where there is no terminal."""

_STYLES = (("pass", "green"), ("fail", "red"), ("error", "magenta"), ("skip", "yellow"))


class Shown:
    """What follows a run for a person."""

    def began(self, plan: Plan, done: int) -> None:
        """The run begins."""

    def finished(self, run: Run) -> None:
        """The run ended."""

    def close(self) -> None:
        """Leave the terminal as it was; may be called at any time, more than once."""


class Silent(Shown):
    """Says nothing."""

    def kept(self, kept: Sequence[Kept]) -> None:
        """Results were committed; nobody need read them."""


class Telling(Shown):
    """Says something of each result."""

    def result(self, result: Result) -> None:
        """A result was committed."""


class Lines(Telling):
    """A line every few seconds, for logs."""

    def __init__(self, *, verbose: bool = False, every: float = EVERY) -> None:
        self._verbose = verbose
        self._every = every
        self._count = _Count()
        self._told = time.monotonic()

    def began(self, plan: Plan, done: int) -> None:
        """The run begins."""
        self._count = _Count(plan.count, done)

    def result(self, result: Result) -> None:
        """A result was committed."""
        self._count.add(result)
        if self._verbose:
            note(_line(result))
        if time.monotonic() - self._told >= self._every:
            self._told = time.monotonic()
            note(self._count.line())


class Bar(Telling):
    """A bar with rate, time left, outcomes and cost, for people."""

    def __init__(self, *, verbose: bool = False, no_color: bool = False) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._verbose = verbose
        self._count = _Count()
        self._progress: Progress = Progress(
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TextColumn("left"),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[outcomes]}", markup=True),
            console=console(sys.stderr, no_color=no_color),
            transient=True,
            refresh_per_second=8,
        )
        self._task: TaskID | None = None

    def began(self, plan: Plan, done: int) -> None:
        """The run begins."""
        self._count = _Count(plan.count, done)
        self._task = self._progress.add_task("", total=plan.count, completed=done, **self._fields())
        self._progress.start()

    def result(self, result: Result) -> None:
        """A result was committed."""
        self._count.add(result)
        if self._verbose:
            self._progress.console.print(safe(_line(result)))
        if self._task is not None:
            self._progress.update(self._task, advance=1, **self._fields())

    def finished(self, run: Run) -> None:
        """The run ended."""
        self.close()

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._progress.stop()

    def _fields(self) -> dict[str, Any]:  # the columns' fields, which rich types so
        outcomes = " ".join(
            f"[{style}]{self._count.statuses[status]} {status}[/]"
            for status, style in _STYLES
            if self._count.statuses[status] or status == "pass"
        )
        cost = f" ${self._count.cost:.4f}" if self._count.cost else ""
        return {"rate": self._count.rate(), "outcomes": outcomes + cost}


def progress(*, quiet: bool, verbose: bool, no_color: bool) -> Silent | Telling:
    """What suits the place standard error goes to."""
    if quiet:
        return Silent()
    return Bar(verbose=verbose, no_color=no_color) if sys.stderr.isatty() else Lines(verbose=verbose)


class _Count:
    """What came so far."""

    def __init__(self, total: int = 0, done: int = 0) -> None:
        self.statuses: Counter[str] = Counter()
        self.cost = 0.0
        self._total = total
        self._done = done
        self._new = 0
        self._began = time.monotonic()

    def add(self, result: Result) -> None:
        self.statuses[result.status] += 1
        self._new += 1
        for turn in result.turns:
            cost = turn.reply.usage.get("cost_usd") if turn.reply is not None else None
            if isinstance(cost, int | float):
                self.cost += cost

    def rate(self) -> str:
        seconds = time.monotonic() - self._began
        return f"{self._new / seconds:.1f}/s" if self._new and seconds > 0 else ""

    def line(self) -> str:
        seconds = time.monotonic() - self._began
        left = self._total - self._done - self._new
        ahead = f", {_duration(seconds / self._new * left)} left" if self._new and left else ""
        outcomes = ", ".join(f"{self.statuses[status]} {status}" for status, _ in _STYLES if self.statuses[status])
        cost = f", ${self.cost:.4f}" if self.cost else ""
        return f"{self._done + self._new}/{self._total}, {self.rate()}{ahead}: {outcomes}{cost}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _line(result: Result) -> str:
    repeat = f" ({result.repeat + 1})" if result.repeat else ""
    why = f": {result.error.message}" if result.error is not None else ""
    return f"{result.status:<5} {result.suite} {result.case}{repeat}{why}"
