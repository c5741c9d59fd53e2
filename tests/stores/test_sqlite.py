"""A store in a file: what is no store, what is a newer one, and what is none yet."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest_contracts import HEADER, make_result, make_trial

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions, StoreError
from vivavoce.core.kept import keep
from vivavoce.core.model import Use
from vivavoce.core.result import Summary


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


async def test_reading_a_store_that_does_not_exist_makes_none(tmp_path: Path) -> None:
    store = plugins.build("stores", Use(name="sqlite", options={"path": str(tmp_path / "none.db")}))
    assert store.runs() == []
    with pytest.raises(StoreError, match="no such store"):
        store.run("last")
    assert not (tmp_path / "none.db").exists()


async def test_one_process_at_a_time_carries_out_a_run(tmp_path: Path) -> None:
    path = str(tmp_path / "runs.db")
    first, second = (plugins.build("stores", Use(name="sqlite", options={"path": path})) for _ in range(2))
    first.begin("r1", "2026-01-31T12:00:00Z", HEADER)
    with pytest.raises(StoreError, match=f"run r1 is being carried out by process {os.getpid()}; wait for it, or stop it"):
        second.begin("r1", "2026-01-31T12:00:00Z", HEADER)
    second.begin("r2", "2026-01-31T12:00:00Z", HEADER)
    first.finish("r1", "2026-01-31T12:00:01Z", "interrupted", Summary())
    second.begin("r1", "2026-01-31T12:00:00Z", HEADER)
    second.close()
    first.begin("r2", "2026-01-31T12:00:00Z", HEADER)
    first.close()
    assert not list(tmp_path.glob("*.lock"))


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[Path]:
    """A folder that can be read but not written to, by whomever the tests are run."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    store = plugins.build("stores", Use(name="sqlite", options={"path": str(folder / "r#u?n s.db")}))
    store.begin("r1", "2026-01-31T12:00:00Z", HEADER)
    store.close()
    (folder / "r#u?n s.db").chmod(0o444)
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    yield folder
    if root:
        os.seteuid(0)
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_store_that_cannot_be_written_to_can_be_read(sealed: Path) -> None:
    store = plugins.build("stores", Use(name="sqlite", options={"path": str(sealed / "r#u?n s.db")}))
    assert [run.id for run in store.runs()] == ["r1"]
    assert list(store.run("last").results) == []
    with pytest.raises(StoreError, match="cannot be used as a store"):
        store.begin("r2", "2026-01-31T12:00:00Z", HEADER)


async def test_a_full_disk_says_how_to_go_on(tmp_path: Path) -> None:
    store = plugins.build("stores", Use(name="sqlite", options={"path": str(tmp_path / "runs.db")}))
    store.begin("r1", "2026-01-31T12:00:00Z", HEADER)
    store._writer._connection.execute("PRAGMA max_page_count = 1")
    trial = make_trial(0)
    big = replace(make_result(trial), metadata={"big": "x" * 10_000_000})
    with pytest.raises(StoreError, match=r"full; once that is mended, viva resume r1 goes on from there"):
        await store.append("r1", [keep(big, trial.case)])
    store.close()
