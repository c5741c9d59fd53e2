"""The schema, once for every database: an append-only list of migrations.

The tables:

- `runs`: one row a run, with its plan's header and, once it ended, its summary;
- `suites`: one row a suite of a run, with its tally, kept true while results come;
- `results`: one row a trial, small, for listing and comparing;
- `transcripts`: the whole result, as the run document has it;
- `cases`: every case as it was asked; a run of the same exam as an earlier one leaves out those that it asked alike.

Rows of a run are added in the order of their keys, at the end of every table: so a run of a million trials costs as much a
trial as one of a hundred.
"""

from __future__ import annotations

from collections.abc import Callable

from vivavoce.core import codec
from vivavoce.core.errors import StoreError
from vivavoce.core.kept import checks
from vivavoce.core.result import Result
from vivavoce.stores._connection import Connection

Step = str | Callable[[Connection], None]


def _name_results(connection: Connection) -> None:
    """Names and checks of results that were kept before these stood in their rows."""

    last = (-1, -1)
    while rows := list(connection.execute(_AFTER, last)):
        named = [(codec.decode(body, Result), run, position) for run, position, body in rows]
        places = [(result.name, checks(result), run, position) for result, run, position in named]
        connection.executemany("UPDATE results SET name = ?, checks = ? WHERE run = ? AND position = ?", places)
        last = rows[-1][:2]


_AFTER = """SELECT run, position, body FROM transcripts WHERE (run, position) > (?, ?)
    ORDER BY run, position LIMIT 500"""

MIGRATIONS: tuple[tuple[Step, ...], ...] = (
    (
        """CREATE TABLE runs (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            started TEXT NOT NULL,
            finished TEXT,
            state TEXT NOT NULL,
            plan TEXT NOT NULL,
            version TEXT NOT NULL,
            target TEXT NOT NULL,
            judge TEXT NOT NULL,
            header TEXT NOT NULL,
            summary TEXT
        )""",
        """CREATE TABLE results (
            run INTEGER NOT NULL,
            position INTEGER NOT NULL,
            suite TEXT NOT NULL,
            case_id TEXT NOT NULL,
            repeat INTEGER NOT NULL,
            category TEXT,
            status TEXT NOT NULL,
            digest TEXT NOT NULL,
            error TEXT,
            content TEXT NOT NULL,
            PRIMARY KEY (run, position)
        )""",
        "CREATE UNIQUE INDEX results_by_key ON results (run, suite, case_id, repeat)",
        """CREATE TABLE transcripts (
            run INTEGER NOT NULL,
            position INTEGER NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (run, position)
        )""",
        """CREATE TABLE scores (
            run INTEGER NOT NULL,
            position INTEGER NOT NULL,
            turn INTEGER NOT NULL,
            place INTEGER NOT NULL,
            name TEXT NOT NULL,
            evaluator TEXT NOT NULL,
            status TEXT NOT NULL,
            value DOUBLE PRECISION,
            unit_value DOUBLE PRECISION,
            PRIMARY KEY (run, position, turn, place)
        )""",
        """CREATE TABLE cases (
            content TEXT NOT NULL PRIMARY KEY,
            body TEXT NOT NULL
        )""",
    ),
    (
        "DROP TABLE scores",
        "DROP INDEX results_by_key",
        "ALTER TABLE runs ADD COLUMN exam TEXT",
        "ALTER TABLE runs ADD COLUMN alike INTEGER",
        "ALTER TABLE results RENAME TO results_before",
        "ALTER TABLE cases RENAME TO cases_before",
        """CREATE TABLE results (
            run INTEGER NOT NULL,
            position INTEGER NOT NULL,
            suite TEXT NOT NULL,
            case_id TEXT NOT NULL,
            repeat INTEGER NOT NULL,
            category TEXT,
            status TEXT NOT NULL,
            digest TEXT NOT NULL,
            error TEXT,
            PRIMARY KEY (run, position)
        )""",
        """CREATE TABLE cases (
            run INTEGER NOT NULL,
            position INTEGER NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (run, position)
        )""",
        """INSERT INTO results
            SELECT run, position, suite, case_id, repeat, category, status, digest, error FROM results_before""",
        """INSERT INTO cases
            SELECT run, position, body FROM results_before
            JOIN cases_before ON cases_before.content = results_before.content""",
        "DROP TABLE results_before",
        "DROP TABLE cases_before",
    ),
    (
        "ALTER TABLE runs ADD COLUMN revision TEXT",
        "ALTER TABLE results ADD COLUMN name TEXT",
        "ALTER TABLE results ADD COLUMN checks TEXT NOT NULL DEFAULT '{}'",
        _name_results,
        """CREATE TABLE suites (
            run INTEGER NOT NULL,
            suite TEXT NOT NULL,
            cases INTEGER NOT NULL,
            passed INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            skipped INTEGER NOT NULL,
            errored INTEGER NOT NULL,
            PRIMARY KEY (run, suite)
        )""",
        "CREATE INDEX suites_by_name ON suites (suite, run)",
        """INSERT INTO suites
            SELECT run, suite, count(DISTINCT case_id), sum(CASE status WHEN 'pass' THEN 1 ELSE 0 END),
            sum(CASE status WHEN 'fail' THEN 1 ELSE 0 END), sum(CASE status WHEN 'skip' THEN 1 ELSE 0 END),
            sum(CASE status WHEN 'error' THEN 1 ELSE 0 END) FROM results GROUP BY run, suite""",
    ),
)
"""Each migration's steps; never change one that was released, append another."""


def migrate(connection: Connection, version: int, name: str) -> None:
    """Apply, within a transaction that is under way, the migrations that a store lacks. Does not note that they were.

    Raises:
        StoreError: it was written by a newer version.
    """
    if version > len(MIGRATIONS):
        raise StoreError(newer(name, version))
    for steps in MIGRATIONS[version:]:
        for step in steps:
            step(connection) if callable(step) else connection.execute(step)


def newer(name: str, version: int) -> str:
    """Why a store is left alone."""
    return f"{name}: was written by a newer viva (schema {version}, this one knows {len(MIGRATIONS)}); update viva"
