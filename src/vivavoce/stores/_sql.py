"""Statements and migrations, once for every database.

The schema is an append-only list of migrations; each is applied in one transaction with its number. Tables:

- `runs`: one row a run, with its plan's header and, once it ended, its summary;
- `results`: one row a trial, small, for listing and comparing;
- `transcripts`: the whole result, as the run document has it;
- `scores`: one row a score, small, for trends;
- `cases`: every case that was asked, once for all runs, by digest of its whole content.
"""

from __future__ import annotations

from typing import NamedTuple

from vivavoce.core import codec
from vivavoce.core.model import Case
from vivavoce.core.result import Result, Score

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
)
"""Each migration's statements; never change one that was released, append another."""

NEW_RUN = "INSERT INTO runs (id, started, state, plan, version, target, judge, header) VALUES (?, ?, 'running', ?, ?, ?, ?, ?)"
REOPEN_RUN = "UPDATE runs SET state = 'running', finished = NULL WHERE id = ?"
GROW_RUN = "UPDATE runs SET plan = ?, header = ? WHERE id = ? AND plan <> ?"
END_RUN = "UPDATE runs SET finished = ?, state = ?, summary = ? WHERE id = ?"
RUN_NUMBER = "SELECT number FROM runs WHERE id = ?"
RUNS = "SELECT number, id, started, finished, state, header, summary FROM runs ORDER BY number DESC LIMIT ?"
RUN = "SELECT number, id, started, finished, state, header, summary FROM runs WHERE id = ?"
IDS_LIKE = "SELECT id FROM runs WHERE substr(id, 1, ?) = ? ORDER BY number DESC LIMIT 10"
ID_BACK = "SELECT id FROM runs ORDER BY number DESC LIMIT 1 OFFSET ?"

ADD_RESULT = "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
ADD_TRANSCRIPT = "INSERT INTO transcripts VALUES (?, ?, ?)"
ADD_SCORE = "INSERT INTO scores VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
ADD_CASE = "INSERT INTO cases VALUES (?, ?) ON CONFLICT (content) DO NOTHING"

KEYS = "SELECT suite, case_id, repeat FROM results WHERE run = ?"
POSITION = "SELECT position FROM results WHERE run = ? AND suite = ? AND case_id = ? AND repeat = ?"
FORGET = tuple(f"DELETE FROM {table} WHERE run = ? AND position = ?" for table in ("scores", "transcripts", "results"))
RESULTS = "SELECT body FROM transcripts WHERE run = ? ORDER BY position"
CASES = "SELECT cases.body FROM results JOIN cases ON cases.content = results.content WHERE results.run = ? ORDER BY position"

WHOLE = -1
"""The `turn` of a score of the conversation as a whole."""


def result_row(run: int, result: Result, content: str) -> tuple[object, ...]:
    """Parameters of `ADD_RESULT`."""
    return (
        run,
        result.position,
        result.suite,
        result.case,
        result.repeat,
        result.category,
        result.status,
        result.digest,
        result.error.code if result.error is not None else None,
        content,
    )


class Written(NamedTuple):
    """A result and its case as JSON, before anything of them is in the database."""

    result: str
    """The `body` of a transcript."""
    content: str
    """What names the case."""
    case: str


def written(result: Result, case: Case) -> Written:
    """Write both down; raises what the codec does where something is no data."""
    body = codec.encode(case)
    return Written(codec.encode(result).decode(), codec.digest_of(body), body.decode())


def score_rows(run: int, result: Result) -> list[tuple[object, ...]]:
    """Parameters of `ADD_SCORE`, for every score of a result."""
    rows = [
        _score_row(run, result.position, turn, place, score)
        for turn, exchange in enumerate(result.turns)
        for place, score in enumerate(exchange.scores)
    ]
    rows += [_score_row(run, result.position, WHOLE, place, score) for place, score in enumerate(result.scores)]
    return rows


def _score_row(run: int, position: int, turn: int, place: int, score: Score) -> tuple[object, ...]:
    return (run, position, turn, place, score.name, score.evaluator, score.status, score.value, score.unit_value)
