"""Statements that write and find runs, once for every database. The tables are told of in `_migrations`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from vivavoce.core import codec
from vivavoce.core.kept import Kept
from vivavoce.core.model import Header
from vivavoce.core.result import Status
from vivavoce.core.specs import spec
from vivavoce.stores._connection import Parameters

STATUSES: tuple[Status, ...] = ("pass", "fail", "skip", "error")
"""In the order of their columns."""

NEW_RUN = (
    "INSERT INTO runs (id, started, state, plan, version, target, judge, header, exam, revision, alike) "
    "VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?)"
)
ALIKE = """SELECT number FROM runs WHERE exam = ?
    ORDER BY coalesce((SELECT max(position) FROM cases WHERE cases.run = runs.number), -1) DESC, number LIMIT 1"""
"""The run with whose cases those of another run of the same exam are compared: the one that has most of its own."""
REOPEN_RUN = "UPDATE runs SET state = 'running', finished = NULL WHERE id = ?"
GROW_RUN = "UPDATE runs SET plan = ?, header = ? WHERE id = ? AND plan <> ?"
END_RUN = "UPDATE runs SET finished = ?, state = ?, summary = ? WHERE id = ?"
RUN_NUMBER = "SELECT number, alike FROM runs WHERE id = ?"
RUNS = "SELECT number, id, started, finished, state, header, summary FROM runs ORDER BY number DESC LIMIT ?"
RUN = "SELECT number, id, started, finished, state, header, summary FROM runs WHERE id = ?"
IDS_LIKE = "SELECT id FROM runs WHERE substr(id, 1, ?) = ? ORDER BY id <> ?, number DESC LIMIT 10"
"""The run of this very id first, then those whose ids begin so."""
ID_BACK = "SELECT id FROM runs ORDER BY number DESC LIMIT 1 OFFSET ?"

ADD_RESULT = (
    "INSERT INTO results (run, position, suite, case_id, repeat, category, status, digest, error, name, checks) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
ADD_USUAL_RESULT = (
    "INSERT INTO results (run, position, suite, case_id, repeat, status, digest, checks) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
"""Of a case without category and name, of which there was no error: to SQLite's interface a NULL costs more than a text."""
ADD_TRANSCRIPT = "INSERT INTO transcripts VALUES (?, ?, ?)"
ADD_CASE = "INSERT INTO cases VALUES (?, ?, ?) ON CONFLICT (run, position) DO NOTHING"
ADD_OTHER_CASE = """INSERT INTO cases SELECT ?, ?, ?
    WHERE NOT EXISTS (SELECT 1 FROM cases WHERE run = ? AND position = ? AND body = ?) ON CONFLICT (run, position) DO NOTHING"""

ADD_SUITE = "INSERT INTO suites VALUES (?, ?, 0, 0, 0, 0, 0) ON CONFLICT (run, suite) DO NOTHING"
COUNT_SUITE = """INSERT INTO suites VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, suite) DO UPDATE SET
    cases = suites.cases + excluded.cases, passed = suites.passed + excluded.passed, failed = suites.failed + excluded.failed,
    skipped = suites.skipped + excluded.skipped, errored = suites.errored + excluded.errored"""
CASES_OF_SUITE = "UPDATE suites SET cases = ? WHERE run = ? AND suite = ?"
NO_SUITE = "DELETE FROM suites WHERE run = ? AND passed + failed + skipped + errored = 0"
"""Of what a run was to examine and did not come to, once it ended."""

KEYS = "SELECT suite, case_id, repeat FROM results WHERE run = ?"
POSITIONS = "SELECT position, suite, case_id, repeat, status FROM results WHERE run = ?"
FORGET = tuple(f"DELETE FROM {table} WHERE run = ? AND position = ?" for table in ("transcripts", "results"))
"""Cases stay: others may be compared with them, and they are asked again as they were."""
DROP = tuple(f"DELETE FROM {table} WHERE run = ?" for table in ("transcripts", "results", "suites"))
DROP_RUN = "DELETE FROM runs WHERE number = ?"
DROP_CASES = """DELETE FROM cases WHERE run IN (?, ?) AND run NOT IN (SELECT number FROM runs)
    AND run NOT IN (SELECT alike FROM runs WHERE alike IS NOT NULL)"""
"""Of a run that was dropped, and of the one it was compared with if that was: unless others still are."""

RESULTS = "SELECT body FROM transcripts WHERE run = ? ORDER BY position"
CASES = """SELECT coalesce(mine.body, alike.body) FROM results
    JOIN runs ON runs.number = results.run
    LEFT JOIN cases mine ON mine.run = results.run AND mine.position = results.position
    LEFT JOIN cases alike ON alike.run = runs.alike AND alike.position = results.position
    WHERE results.run = ? ORDER BY results.position"""


def exam(header: Header) -> str:
    """What runs have in common whose cases are likely to be the same: files and what is asked of them, whoever answers."""
    selection = header.selection
    asked = (selection.evaluators, selection.only, selection.map, selection.level)
    chosen = (selection.cases, selection.categories, selection.limit, selection.repeat)
    return codec.digest([[(file.suite, file.sha256) for file in header.files], asked, chosen])


class NewRun(NamedTuple):
    """What `NEW_RUN` adds, but for the run it is compared with."""

    id: str
    started: str
    plan: str
    version: str
    target: str
    judge: str
    header: str
    exam: str
    revision: str | None


def new_run(run_id: str, started: str, header: Header) -> NewRun:
    """The row of a run that begins."""
    selection = header.selection
    return NewRun(
        run_id,
        started,
        header.digest,
        header.version,
        spec(selection.target),
        spec(selection.judge, "judges"),
        codec.encode(header).decode(),
        exam(header),
        str(header.revision) if header.revision is not None else None,
    )


def counts(run: int, counted: Iterable[tuple[str, int, Status]], sign: int = 1) -> list[Parameters]:
    """What `COUNT_SUITE` adds for trials by their suites, repeats and statuses; with a sign of -1, takes away."""
    found: dict[str, list[int]] = {}
    for suite, repeat, status in counted:
        tally = found.get(suite)
        if tally is None:
            tally = found[suite] = [0] * (1 + len(STATUSES))
        tally[0] += sign * (repeat == 0)  # of a case with repeats, the first counts the case
        tally[1 + STATUSES.index(status)] += sign
    return [(run, suite, *tally) for suite, tally in found.items()]


def rows(run: int, alike: int | None, kept: Iterable[Kept]) -> tuple[tuple[str, list[Parameters]], ...]:
    """Statements that add trials, each with the parameters of every one of them."""
    usual: list[Parameters] = []
    results: list[Parameters] = []
    transcripts: list[Parameters] = []
    cases: list[Parameters] = []
    counted: list[tuple[str, int, Status]] = []
    for suite, case, repeat, position, category, status, digest, error, result, asked, name, checks in kept:
        if category is error is name is None:
            usual.append((run, position, suite, case, repeat, status, digest, checks))
        else:
            results.append((run, position, suite, case, repeat, category, status, digest, error, name, checks))
        transcripts.append((run, position, result))
        counted.append((suite, repeat, status))
        cases.append((run, position, asked) if alike is None else (run, position, asked, alike, position, asked))
    add_case = ADD_CASE if alike is None else ADD_OTHER_CASE
    return (
        (add_case, cases),
        (ADD_USUAL_RESULT, usual),
        (ADD_RESULT, results),
        (ADD_TRANSCRIPT, transcripts),
        (COUNT_SUITE, counts(run, counted)),
    )
