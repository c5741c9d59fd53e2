"""A store in a file: what is no store, what is a newer one, and what is none yet."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from conftest_contracts import HEADER

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions, StoreError
from vivavoce.core.model import Use


async def test_a_store_that_is_none_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "text.db"
    path.write_bytes(b"this is no database, but text that is long enough to look at" * 40)
    store = plugins.build("stores", Use(name="sqlite", options={"path": str(path)}))
    with pytest.raises(StoreError, match=r"text\.db"):
        store.begin("r", "2026-01-31T12:00:00Z", HEADER)
    with pytest.raises(StoreError, match=r"text\.db"):
        store.runs()


@pytest.mark.parametrize(
    ("path", "says"), [(":memory:", "lost"), ("", "lost"), (".", "a folder"), ("/dev/null", "no regular file")]
)
def test_what_can_keep_nothing_is_refused_before_anything_is_run(path: str, says: str) -> None:
    with pytest.raises(BadOptions, match=says):
        plugins.build("stores", Use(name="sqlite", options={"path": path}))


async def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    store = plugins.build("stores", Use(name="sqlite", options={"path": str(path)}))
    store.begin("r1", "2026-01-31T12:00:00Z", HEADER)
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(StoreError, match="newer viva"):
        store.runs()


async def test_reading_a_store_that_does_not_exist_makes_none(tmp_path: Path) -> None:
    store = plugins.build("stores", Use(name="sqlite", options={"path": str(tmp_path / "none.db")}))
    assert store.runs() == []
    with pytest.raises(StoreError, match="no such store"):
        store.run("last")
    assert not (tmp_path / "none.db").exists()
