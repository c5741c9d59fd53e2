"""Stores that an older or a newer version wrote, on every database."""

from __future__ import annotations

from typing import Any

import pytest
from conftest_contracts import HEADER, make_result, make_trial

from vivavoce.core import codec
from vivavoce.core.errors import StoreError
from vivavoce.core.kept import keep
from vivavoce.core.overview import Wanted
from vivavoce.stores import _file, _migrations, _server

NOW = _migrations.MIGRATIONS
WHEN = "2026-01-31T12:00:00Z"


@pytest.fixture
def as_of(open_store: Any) -> Any:
    """Opens the store with the migrations that a version knew, and gives the connection it writes by."""

    def at(migrations: Any) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            for module in (_migrations, _file, _server):
                patch.setattr(module, "MIGRATIONS", migrations)
            return open_store()._database.open()

    return at


def test_a_newer_schema_is_refused(open_store: Any, as_of: Any) -> None:
    as_of((*NOW, ("CREATE TABLE later (number INTEGER)",))).close()
    store = open_store()
    says = rf"was written by a newer viva \(schema {len(NOW) + 1}, this one knows {len(NOW)}\); update viva"
    for ask in (store.runs, store.heads, lambda: store.run("last"), lambda: store.begin("r1", WHEN, HEADER)):
        with pytest.raises(StoreError, match=says):
            ask()


@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize("version", range(1, len(NOW)))
async def test_an_older_schema_is_migrated(open_store: Any, as_of: Any, version: int, *, reads: bool) -> None:
    fill(as_of(NOW[:version]), version)
    store = open_store()
    if reads:
        assert [head.id for head in store.heads()] == ["r1"]
    store.begin("r1", WHEN, HEADER)
    await store.append("r1", [keep(make_result(make_trial(3)), make_trial(3).case)])
    run = store.run("r1")
    assert list(run.results) == [make_result(make_trial(number)) for number in range(4)]
    assert list(run.cases) == [make_trial(number).case for number in range(4)]
    assert len(store.keys("r1")) == 4
    (row,) = store.page("r1", Wanted(text="CASE-2")).rows
    assert row.checks == {"ExactMatch": "pass", "Whole": "skip"}
    (point,) = store.history("a")
    assert (point.tally.cases, point.tally.passed, point.run.target) == (4, 4, "python")


def fill(connection: Any, version: int) -> None:
    """A run of three cases, as that version kept it."""
    head = ("r1", WHEN, "interrupted", HEADER.digest, HEADER.version, "python", "none", codec.encode(HEADER).decode())
    connection.execute(
        "INSERT INTO runs (id, started, state, plan, version, target, judge, header) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", head
    )
    (run,) = connection.execute("SELECT number FROM runs").fetchone()
    for number in range(3):
        kept = keep(make_result(make_trial(number)), make_trial(number).case)
        row = [run, number, "a", kept.case, 0, "kb", "pass", kept.digest, None]
        if version == 1:
            row.append(f"b2:{number}")
        connection.execute(f"INSERT INTO results VALUES ({', '.join('?' * len(row))})", row)
        connection.execute("INSERT INTO transcripts VALUES (?, ?, ?)", (run, number, kept.result))
        if version == 1:
            connection.execute("INSERT INTO cases VALUES (?, ?)", (f"b2:{number}", kept.asked))
        else:
            connection.execute("INSERT INTO cases VALUES (?, ?, ?)", (run, number, kept.asked))
    connection.close()
