"""What a store tells of its runs without reading a transcript: how suites stand, how they went over time, pages of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from vivavoce.core.model import Case, Revision
from vivavoce.core.result import GroupSummary, Result, State, Status


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """A run as a line of a list."""

    id: str
    started: str
    finished: str | None
    state: State
    target: str
    """Who was examined, with the model or the address: `openai:gpt-5-mini`."""
    judge: str
    version: str
    """Of Viva."""
    revision: Revision | None = None
    tally: GroupSummary | None = None
    """What came of all its suites, so far; `None` in a `SuiteRun`, which tells of one, and before there is any."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SuiteRun:
    """A suite in one run: a point of its trend. Of a run under way, as far as it has come."""

    suite: str
    run: Head
    tally: GroupSummary


@dataclass(frozen=True, kw_only=True, slots=True)
class SuiteState:
    """How a suite stands: in its newest run that ended, and in the one before that."""

    suite: str
    latest: SuiteRun
    """One under way, where none has ended yet."""
    before: SuiteRun | None = None

    @property
    def change(self) -> float | None:
        """By how much the pass rate rose or fell; `None` when one of the two runs has none."""
        now = self.latest.tally.pass_rate
        then = self.before.tally.pass_rate if self.before is not None else None
        return None if now is None or then is None else now - then


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Which results of a run, and which page of them; what is `None` leaves all."""

    status: Status | None = None
    """Of the result; with `evaluator`, of its score."""
    evaluator: str | None = None
    """The name of a check, as the summary has it."""
    category: str | None = None
    suite: str | None = None
    text: str | None = None
    """A part of the case's id or name, in capitals or not."""
    offset: int = 0
    limit: int = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A result without what was said."""

    position: int
    suite: str
    case: str
    repeat: int
    name: str | None
    category: str | None
    status: Status
    error: str | None
    """The code of what went wrong."""
    checks: Mapping[str, Status]
    """What came of each check by its name: the worst of all turns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Some of the results of a run, in the dataset's order."""

    rows: Sequence[Row]
    count: int
    """How many there are on all pages."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sheet:
    """One trial, whole: its result, and its case as it was asked."""

    result: Result
    case: Case


class Overview(Protocol):
    """The part of a store that tells all this. A run is named by its id, a unique prefix, `last` or `last~N`."""

    def heads(self, limit: int | None = None) -> Sequence[Head]:
        """Runs, newest first, as lines of a list."""

    def suites(self) -> Sequence[SuiteState]:
        """Every suite that was ever run, by name."""

    def history(self, suite: str, limit: int | None = None) -> Sequence[SuiteRun]:
        """A suite in the runs it was part of, newest first; nothing where it was in none."""

    def page(self, ref: str, wanted: Wanted) -> Page:
        """Some of the results of a run. Raises `StoreError` as `sheet` does."""

    def sheet(self, ref: str, key: tuple[str, str, int]) -> Sheet:
        """One trial of a run, by suite, case and repeat.

        Raises:
            StoreError: there is no such run, or no such trial in it.
        """
