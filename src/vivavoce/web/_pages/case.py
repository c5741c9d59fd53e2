"""One trial of a run, whole: the conversation, its scores, and the ways to its neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vivavoce.core.errors import StoreError
from vivavoce.core.kinds import Store
from vivavoce.core.overview import Row, Sheet
from vivavoce.reports._html import case
from vivavoce.reports._html.blocks import View
from vivavoce.reports._html.markup import Markup, join
from vivavoce.reports._html.overview import headline
from vivavoce.web._pages.run import Filters

LONGEST = 20_000
"""Characters of a text that are shown."""
EARLIER = 100
"""Runs of a suite in which the one before is looked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A trial."""

    sheet: Sheet
    body: Markup
    why: str
    """Why it failed or errored, in a line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbours:
    """Where a trial stands among those it was found with."""

    place: int
    """From 0."""
    count: int
    before: Row | None
    after: Row | None


def key(given: Mapping[str, str]) -> tuple[str, str, int]:
    """Which trial an address names.

    Raises:
        StoreError: it names none.
    """
    repeat = given.get("repeat", "0")
    if "in" not in given or "case" not in given or not (repeat.isascii() and repeat.isdigit() and len(repeat) < 9):
        raise StoreError("the address names no case: it takes `in`, the suite, `case`, and `repeat`, from 0")
    return (given["in"], given["case"], int(repeat))


def shown(store: Store, run_id: str, wanted: tuple[str, str, int]) -> Shown:
    """The trial.

    Raises:
        StoreError: there is no such run, or no such trial in it.
    """
    sheet = store.sheet(run_id, wanted)
    result = sheet.result
    body = join(*case.body(View(limit=LONGEST), result))
    return Shown(sheet=sheet, body=body, why=headline(result) if result.status in ("fail", "error") else "")


def neighbours(store: Store, run_id: str, filters: Filters, at: str, wanted: tuple[str, str, int]) -> Neighbours | None:
    """Those before and after a trial; `None` when it no longer stands at that place."""
    if not (at.isascii() and at.isdigit() and len(at) < 9):
        return None
    place = int(at)
    first = max(0, place - 1)
    page = store.page(run_id, filters.wanted(first, 3))
    here = place - first
    if here >= len(page.rows) or row_key(page.rows[here]) != wanted:
        return None
    return Neighbours(
        place=place,
        count=page.count,
        before=page.rows[here - 1] if here else None,
        after=page.rows[here + 1] if here + 1 < len(page.rows) else None,
    )


def earlier(store: Store, run_id: str, suite: str | None) -> str | None:
    """The run that the suite was part of before this one."""
    if suite is None:
        return None
    runs = [each.run.id for each in store.history(suite, EARLIER)]
    at = runs.index(run_id) + 1 if run_id in runs else len(runs)
    return runs[at] if at < len(runs) else None


def row_key(row: Row) -> tuple[str, str, int]:
    """What identifies the trial of a row."""
    return (row.suite, row.case, row.repeat)
