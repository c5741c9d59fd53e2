"""Statements and migrations, once for every database.

The schema is an append-only list of migrations; each is applied in one transaction with its number. Tables:

- `runs`: one row a run, with its plan's header and, once it ended, its summary;
- `results`: one row a trial, small, for listing and comparing;
- `transcripts`: the whole result, as the run document has it;
- `cases`: every case as it was asked; a run of the same exam as an earlier one leaves out those that it asked alike.

Rows of a run are added in the order of their keys, at the end of every table: so a run of a million trials costs as much a
trial as one of a hundred.
"""

from __future__ import annotations

from collections.abc import Iterable

from vivavoce.core import codec
from vivavoce.core.kept import Kept
from vivavoce.core.model import Header

MIGRATIONS: tuple[tuple[str, ...], ...] = (
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
)
"""Each migration's statements; never change one that was released, append another."""

NEW_RUN = (
    "INSERT INTO runs (id, started, state, plan, version, target, judge, header, exam, alike) "
    "VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?, ?)"
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
IDS_LIKE = "SELECT id FROM runs WHERE substr(id, 1, ?) = ? ORDER BY number DESC LIMIT 10"
ID_BACK = "SELECT id FROM runs ORDER BY number DESC LIMIT 1 OFFSET ?"

ADD_RESULT = "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
ADD_TRANSCRIPT = "INSERT INTO transcripts VALUES (?, ?, ?)"
ADD_CASE = "INSERT INTO cases VALUES (?, ?, ?) ON CONFLICT (run, position) DO NOTHING"
ADD_OTHER_CASE = """INSERT INTO cases SELECT ?, ?, ?
    WHERE NOT EXISTS (SELECT 1 FROM cases WHERE run = ? AND position = ? AND body = ?) ON CONFLICT (run, position) DO NOTHING"""

KEYS = "SELECT suite, case_id, repeat FROM results WHERE run = ?"
POSITIONS = "SELECT position, suite, case_id, repeat FROM results WHERE run = ?"
FORGET = tuple(f"DELETE FROM {table} WHERE run = ? AND position = ?" for table in ("transcripts", "results"))
"""Cases stay: others may be compared with them, and they are asked again as they were."""
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


Row = tuple[object, ...]


def rows(run: int, alike: int | None, kept: Iterable[Kept]) -> tuple[tuple[str, list[Row]], ...]:
    """Statements that add trials, each with the parameters of every one of them."""
    results: list[Row] = []
    transcripts: list[Row] = []
    cases: list[Row] = []
    for suite, case, repeat, position, category, status, digest, error, result, asked in kept:
        results.append((run, position, suite, case, repeat, category, status, digest, error))
        transcripts.append((run, position, result))
        cases.append((run, position, asked) if alike is None else (run, position, asked, alike, position, asked))
    add_case = ADD_CASE if alike is None else ADD_OTHER_CASE
    return (add_case, cases), (ADD_RESULT, results), (ADD_TRANSCRIPT, transcripts)
