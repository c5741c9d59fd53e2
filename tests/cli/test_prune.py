"""`viva prune` keeps the store small."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from vivavoce.core import plugins
from vivavoce.core.model import Use


def ids(viva):
    return [run["id"] for run in json.loads(viva("runs", "--json").out)]


@pytest.fixture
def four(viva, cases):
    """Ids of four runs, newest first, of which the two oldest began long ago."""
    for _ in range(4):
        viva("run", cases)
    found = ids(viva)
    with sqlite3.connect(".viva/runs.db") as connection:
        connection.executemany(
            "UPDATE runs SET started = '2020-01-31T12:00:00.000Z' WHERE id = ?", [(each,) for each in found[2:]]
        )
    connection.close()
    return found


@pytest.mark.parametrize(
    ("argv", "stay"),
    [
        (["--keep", "3"], 3),
        (["--keep", "0"], 0),
        (["--keep", "9"], 4),
        (["--older-than", "30d"], 2),
        (["--older-than", "12h"], 2),
        (["--older-than", "9999w"], 4),
        (["--keep", "3", "--older-than", "8w"], 3),
        (["--keep", "1", "--older-than", "8w"], 2),
    ],
)
def test_old_runs_go(viva, four, argv, stay):
    gone = 4 - stay
    told = viva("prune", *argv, "--dry-run")
    assert told.code == 0
    assert told.out.endswith(f"Would remove {gone} run{'s' * (gone != 1)}; {stay} stay{'s' * (stay == 1)}.\n")
    assert ids(viva) == four
    done = viva("prune", *argv)
    assert done.code == 0
    assert done.out.replace("Removed", "Would remove").splitlines()[-1] == told.out.splitlines()[-1]
    assert [each in done.out for each in four] == [False] * stay + [True] * gone
    assert ids(viva) == four[:stay]
    if stay:
        assert viva("show", "last", "--as", "jsonl").out.count("\n") == 3


def test_a_run_under_way_stays(viva, four):
    store = plugins.build("stores", Use(name="sqlite", options={"path": ".viva/runs.db"}))
    oldest = store.run(four[-1])
    store.begin(oldest.id, oldest.started, oldest.header)
    try:
        for argv in (["--dry-run"], []):
            done = viva("prune", "--keep", "0", *argv)
            assert f"{oldest.id} stays: it is being carried out." in done.out
            assert done.out.endswith("remove 3 runs; 1 stays.\n" if argv else "Removed 3 runs; 1 stays.\n")
    finally:
        store.close()
    assert ids(viva) == [oldest.id]
    viva("prune", "--keep", "0")
    assert ids(viva) == [], "nobody carries it out any more"


def test_the_file_becomes_small(viva, write_cases):
    many = write_cases("many.jsonl", [{"input": str(number), "expected": "x" * 2000, "reply": "y"} for number in range(200)])
    viva("run", many)
    before = Path(".viva/runs.db").stat().st_size
    viva("prune", "--keep", "0")
    assert Path(".viva/runs.db").stat().st_size < before / 5


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ([], "--keep N"),
        (["--keep", "-1"], "--keep must be"),
        (["--older-than", "30"], '--older-than "30": say a number'),
        (["--older-than", "1y"], "such as 12h, 30d or 8w"),
    ],
)
def test_what_cannot_be_meant_is_refused(viva, argv, says):
    done = viva("prune", *argv)
    assert done.code == 2
    assert says in done.err


def test_an_empty_store_has_nothing_to_remove(viva, folder):
    assert viva("prune", "--keep", "3").out == "Removed 0 runs; 0 stay.\n"
    assert list(folder.iterdir()) == []
