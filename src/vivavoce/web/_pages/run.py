"""A run: its head from its summary, its cases a page at a time. Nothing here reads a transcript of a run that has ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from vivavoce.analysis.gate import Outcome, outcome
from vivavoce.core.kinds import Store
from vivavoce.core.model import Revision
from vivavoce.core.overview import Head, Page, Wanted
from vivavoce.core.result import Run, State, Status
from vivavoce.core.specs import spec
from vivavoce.reports._html import head as block
from vivavoce.reports._html import tables
from vivavoce.reports._html.markup import Markup
from vivavoce.reports._html.overview import Overview

PAGE = 100
"""Cases on a page."""
SEARCHED = 200
"""Newest runs among which a run under way is looked for before it is read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Filters:
    """Which cases are asked for, as an address says it."""

    status: Status | None = None
    check: str = ""
    category: str = ""
    suite: str = ""
    q: str = ""
    page: int = 1

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Filters:
        """From a query; what makes no sense in it is as if it were not there."""
        status: Status | None = next((each for each in get_args(Status) if each == given.get("status")), None)
        page = given.get("page", "")
        return cls(
            status=status,
            check=given.get("check", ""),
            category=given.get("category", ""),
            suite=given.get("suite", ""),
            q=given.get("q", "").strip()[:200],
            page=min(int(page), 10_000_000) if page.isascii() and page.isdigit() and 0 < len(page) < 9 and int(page) else 1,
        )

    def wanted(self, offset: int, limit: int) -> Wanted:
        """The same as a store is asked."""
        return Wanted(
            status=self.status,
            evaluator=self.check or None,
            category=self.category or None,
            suite=self.suite or None,
            text=self.q or None,
            offset=offset,
            limit=limit,
        )

    def kept(self, **other: str) -> dict[str, str]:
        """What is in effect, as a query says it; `other` in its place."""
        mine = {
            "status": self.status or "",
            "check": self.check,
            "category": self.category,
            "suite": self.suite,
            "q": self.q,
        }
        return {name: value for name, value in {**mine, **other}.items() if value}

    @property
    def first(self) -> int:
        """The place, from 0, of the first case on the page."""
        return (self.page - 1) * PAGE


@dataclass(frozen=True, kw_only=True, slots=True)
class Top:
    """What is known of a run before its cases."""

    id: str
    started: str
    finished: str | None
    state: State
    target: str
    judge: str
    revision: Revision | None
    counts: Mapping[Status, int]
    """Trials by status, so far."""
    trials: int | None
    """Of the whole run, where that is known."""
    run: Run | None
    """With its summary, once it has ended."""

    @property
    def done(self) -> int:
        """How many trials have a result."""
        return sum(self.counts.values())

    @property
    def pass_rate(self) -> float | None:
        """Over what passed or failed."""
        scored = self.counts["pass"] + self.counts["fail"]
        return self.counts["pass"] / scored if scored else None

    @property
    def verdict(self) -> Outcome | None:
        """As every report gives it."""
        return None if self.run is None else outcome(self.run)

    @property
    def choices(self) -> dict[str, tuple[str, Sequence[str]]]:
        """What cases may be filtered by: a label and the names, for each field."""
        if self.run is None:
            return {}
        summary = self.run.summary
        named = {"suite": summary.suites, "category": summary.categories, "check": summary.evaluators}
        return {field: (field.capitalize(), list(names)) for field, names in named.items() if names}

    @property
    def numbers(self) -> Markup | None:
        """The tables of counts."""
        return None if self.run is None else tables.numbers(self.run)

    @property
    def about(self) -> Markup | None:
        """All that the numbers depend on."""
        return None if self.run is None else block.about(self.run, Overview(kept=0, longest=0))


def top(store: Store, ref: str) -> Top:
    """The head of a run, whose id may be shortened.

    Raises:
        StoreError: there is none.
    """
    head = next((each for each in store.heads(SEARCHED) if each.id == ref), None)
    if head is not None and head.state == "running":
        return _under_way(store, head)
    run = store.run(ref)
    summary = run.summary
    return Top(
        id=run.id,
        started=run.started,
        finished=run.finished,
        state=run.state,
        target=block.subject(run.header.selection.target),
        judge=spec(run.header.selection.judge, "judges"),
        revision=run.header.revision,
        counts={"pass": summary.passed, "fail": summary.failed, "error": summary.errored, "skip": summary.skipped},
        trials=summary.trials,
        run=run,
    )


def main_suite(top: Top) -> str | None:
    """The suite of a run of one."""
    if top.run is None or len(top.run.summary.suites) != 1:
        return None
    return next(iter(top.run.summary.suites))


def cases(store: Store, run_id: str, filters: Filters) -> Page:
    """One page of a run's cases."""
    return store.page(run_id, filters.wanted(filters.first, PAGE))


def _under_way(store: Store, head: Head) -> Top:
    """Counted by the store, for there is no summary yet."""
    return Top(
        id=head.id,
        started=head.started,
        finished=head.finished,
        state=head.state,
        target=head.target or "recorded answers",
        judge=head.judge,
        revision=head.revision,
        counts={each: store.page(head.id, Wanted(status=each, limit=0)).count for each in get_args(Status)},
        trials=None,
        run=None,
    )
