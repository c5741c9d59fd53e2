"""What the small tables tell: runs, suites and rows, without a transcript."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from vivavoce.core import codec
from vivavoce.core.errors import StoreError
from vivavoce.core.model import Case, Revision
from vivavoce.core.overview import Head, Page, Row, Sheet, SuiteRun, SuiteState, Wanted
from vivavoce.core.result import GroupSummary, Result, Status
from vivavoce.stores._connection import Connection, Cursor, Parameters

ALL = 2**62
"""A limit that leaves everything; not every database has a word for it."""

_OF_HEAD = ("id", "started", "finished", "state", "target", "judge", "version")
_OF_ROW = ("position", "suite", "case", "repeat", "name", "category", "status", "error")
"""What the columns of `_HEAD` and `_ROWS` are called in what they become, the last ones apart, which are read further."""
_HEAD = "runs.id, started, finished, state, target, judge, version, revision"
_TALLY = "suites.suite, cases, passed, failed, skipped, errored"
_HEADS = f"""SELECT {_HEAD}, told.cases, told.passed, told.failed, told.skipped, told.errored FROM runs LEFT JOIN (
        SELECT run, sum(cases) AS cases, sum(passed) AS passed, sum(failed) AS failed, sum(skipped) AS skipped,
            sum(errored) AS errored
        FROM suites WHERE run IN (SELECT number FROM runs ORDER BY number DESC LIMIT ?) GROUP BY run) AS told
    ON told.run = runs.number ORDER BY number DESC LIMIT ?"""
_SUITES = f"""SELECT {_HEAD}, {_TALLY} FROM (
        SELECT run, suite, row_number() OVER (
            PARTITION BY suite ORDER BY CASE WHEN finished IS NULL THEN 1 ELSE 0 END, number DESC) AS age
        FROM suites JOIN runs ON runs.number = suites.run) AS ranked
    JOIN suites ON suites.run = ranked.run AND suites.suite = ranked.suite
    JOIN runs ON runs.number = ranked.run
    WHERE age <= 2 ORDER BY suites.suite, age"""
_HISTORY = f"""SELECT {_HEAD}, {_TALLY} FROM suites JOIN runs ON runs.number = suites.run
    WHERE suites.suite = ? ORDER BY suites.run DESC LIMIT ?"""
_ROWS = "SELECT position, suite, case_id, repeat, name, category, status, error, checks FROM results"
_SHEET = """SELECT transcripts.body, coalesce(mine.body, alike.body) FROM results
    JOIN runs ON runs.number = results.run
    JOIN transcripts ON transcripts.run = results.run AND transcripts.position = results.position
    LEFT JOIN cases mine ON mine.run = results.run AND mine.position = results.position
    LEFT JOIN cases alike ON alike.run = runs.alike AND alike.position = results.position
    WHERE results.run = ? AND results.suite = ? AND results.case_id = ? AND results.repeat = ?"""


def heads(connection: Connection, limit: int | None) -> list[Head]:
    """Runs, newest first."""
    most = ALL if limit is None else limit
    found = connection.execute(_HEADS, (most, most))
    return [replace(_head(row[:8]), tally=_tally(*row[8:]) if row[8] is not None else None) for row in found]


def suites(connection: Connection) -> list[SuiteState]:
    """How every suite stands."""
    found: dict[str, list[SuiteRun]] = {}
    for each in _suite_runs(connection.execute(_SUITES)):
        found.setdefault(each.suite, []).append(each)
    return [SuiteState(suite=suite, latest=runs[0], before=_before(runs)) for suite, runs in found.items()]


def history(connection: Connection, suite: str, limit: int | None) -> list[SuiteRun]:
    """A suite in its runs, newest first."""
    return _suite_runs(connection.execute(_HISTORY, (suite, ALL if limit is None else limit)))


def page(connection: Connection, run: int, wanted: Wanted) -> Page:
    """Some of the results of a run."""
    where, parameters = _where(run, wanted)
    count = connection.execute(f"SELECT count(*) FROM results {where}", parameters).fetchone()[0]
    statement = f"{_ROWS} {where} ORDER BY position LIMIT ? OFFSET ?"
    rows = connection.execute(statement, (*parameters, wanted.limit, wanted.offset))
    return Page(rows=[_row(row) for row in rows], count=count)


def sheet(connection: Connection, run: int, key: tuple[str, str, int]) -> Sheet:
    """One trial of a run."""
    row = connection.execute(_SHEET, (run, *key)).fetchone()
    if row is None:
        suite, case, repeat = key
        raise StoreError(f"the run has no result of case {case} in suite {suite}, repeat {repeat}")
    return Sheet(result=codec.decode(row[0], Result), case=codec.decode(row[1], Case))


def _where(run: int, wanted: Wanted) -> tuple[str, Parameters]:
    conditions = ["run = ?"]
    parameters: list[object] = [run]
    given: list[tuple[str, str | None]] = [("suite = ?", wanted.suite), ("category = ?", wanted.category)]
    if wanted.evaluator is None:
        given.append(("status = ?", wanted.status))
    else:
        # As `checks` is written; databases agree on no other way to look for a part of a text with its capitals.
        check = f"{codec.encode(wanted.evaluator).decode()}:" + (f'"{wanted.status}"' if wanted.status is not None else "")
        given.append(("replace(checks, ?, '') <> checks", check))
    for condition, value in given:
        if value is not None:
            conditions.append(condition)
            parameters.append(value)
    if wanted.text:
        part = "".join(f"!{letter}" if letter in "!%_" else letter for letter in wanted.text.lower())
        conditions.append("(lower(case_id) LIKE ? ESCAPE '!' OR lower(name) LIKE ? ESCAPE '!')")
        parameters += [f"%{part}%"] * 2
    return f"WHERE {' AND '.join(conditions)}", parameters


def _before(runs: Sequence[SuiteRun]) -> SuiteRun | None:
    """What the latest run is compared with: one that ended, too."""
    return runs[1] if len(runs) > 1 and runs[1].run.finished is not None else None


def _suite_runs(rows: Cursor) -> list[SuiteRun]:
    return [SuiteRun(suite=row[8], run=_head(row[:8]), tally=_tally(*row[9:])) for row in rows]


def _tally(cases: int, passed: int, failed: int, skipped: int, errored: int) -> GroupSummary:
    rate = passed / (passed + failed) if passed + failed else None
    return GroupSummary(cases=cases, passed=passed, failed=failed, skipped=skipped, errored=errored, pass_rate=rate)


def _head(row: Sequence[Any]) -> Head:  # of what its columns hold
    *told, revision = row
    return Head(**dict(zip(_OF_HEAD, told, strict=True)), revision=Revision.of(revision) if revision is not None else None)


def _row(row: Sequence[Any]) -> Row:  # of what its columns hold
    *told, checks = row
    return Row(**dict(zip(_OF_ROW, told, strict=True)), checks=codec.decode(checks, dict[str, Status]))
