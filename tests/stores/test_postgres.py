"""A store on a server: which may be elsewhere, out of reach, or gone in the middle of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from conftest_contracts import HEADER, make_result, make_trial
from conftest_stores import start_server, stop_server

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions, StoreError
from vivavoce.core.kept import keep
from vivavoce.core.model import Use

WHEN = "2026-01-31T12:00:00Z"


def make(url: str) -> Any:
    return plugins.build("stores", Use(name="postgres", options={"url": url}))


def kept(number: int) -> Any:
    return keep(make_result(make_trial(number)), make_trial(number).case)


@pytest.fixture
def mortal() -> Iterator[Any]:
    """A server that a test may end."""
    yield from start_server()


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://me:hush-hush@127.0.0.1:1/runs", "postgresql://me@127.0.0.1:1/runs"),
        ("postgres://me:hush%2Dhush@127.0.0.1:1/runs?sslmode=disable", "postgresql://me@127.0.0.1:1/runs"),
        ("postgresql://127.0.0.1:1/runs?user=me&password=hush-hush", "postgresql://me@127.0.0.1:1/runs"),
        ("postgresql:///runs?host=/nowhere/at-all&password=hush-hush", "postgresql:///runs?host=/nowhere/at-all"),
    ],
)
def test_a_server_out_of_reach_is_told_of_without_a_password(url: str, told: str) -> None:
    store = make(url)
    for ask in (store.runs, lambda: store.run("last"), lambda: store.begin("r1", WHEN, HEADER)):
        with pytest.raises(StoreError) as raised:
            ask()
        text = str(raised.value)
        assert text.startswith(f"{told}: cannot be reached: ")
        assert text.endswith("see that the server is there, or name another store with --store")
        assert "hush" not in text + repr(store)
        assert "\n" not in text


@pytest.mark.parametrize("url", ["postgresql://me:hush%zz@host/x", "postgresql://me:hush@host:port/x?nonsense=hush", "hush"])
def test_an_address_that_is_none_is_refused_before_anything_is_run(url: str) -> None:
    with pytest.raises(BadOptions, match="write postgresql://USER@HOST/DATABASE") as raised:
        make(url)
    assert "hush" not in str(raised.value)


def test_reading_a_database_without_tables_makes_none(database: str) -> None:
    store = make(database)
    assert list(store.runs()) == list(store.heads()) == []
    with pytest.raises(StoreError, match="no such store; a first `viva run` makes it"):
        store.run("last")
    store.close()
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT to_regnamespace('viva')").fetchone() == (None,)


def test_tables_of_others_in_the_database_are_left_alone(database: str) -> None:
    with psycopg.connect(database) as connection:
        connection.execute("CREATE TABLE runs (mine TEXT)")
    store = make(database)
    store.begin("r1", WHEN, HEADER)
    store.close()
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM public.runs").fetchone() == (0,)


def test_a_user_who_may_make_no_schema_needs_one(database: str) -> None:
    with psycopg.connect(database) as connection:
        connection.execute("DROP ROLE IF EXISTS guest")
        connection.execute("CREATE ROLE guest LOGIN")
    as_guest = database.replace("//postgres:@", "//guest@")
    store = make(as_guest)
    with pytest.raises(StoreError, match="cannot be used as a store: permission denied"):
        store.begin("r1", WHEN, HEADER)
    store.close()
    with psycopg.connect(database) as connection:
        connection.execute("CREATE SCHEMA viva AUTHORIZATION guest")
    store = make(as_guest)
    store.begin("r1", WHEN, HEADER)
    store.close()


async def test_what_was_committed_outlives_a_server_that_ends_in_the_middle(mortal: Any) -> None:
    store = make(mortal.get_uri())
    store.begin("r1", WHEN, HEADER)
    await store.append("r1", [kept(0)])
    assert [head.id for head in store.heads()] == ["r1"], "a connection is kept for the next time"
    stop_server(mortal)
    with pytest.raises(StoreError, match=r"cannot be written: .*; once that is mended, viva resume r1 goes on from there"):
        await store.append("r1", [kept(1)])
    with pytest.raises(StoreError, match="cannot be reached"):
        store.heads()
    mortal.ensure_postgres_running()
    assert store.keys("r1") == {("a", "case-0", 0)}
    store.begin("r1", WHEN, HEADER)
    await store.append("r1", [kept(1)])
    assert [result.position for result in store.run("r1").results] == [0, 1]
    store.close()


async def test_a_connection_that_the_server_ended_is_made_again(database: str) -> None:
    store = make(database)
    store.begin("r1", WHEN, HEADER)
    await store.append("r1", [kept(0)])
    assert len(store.heads()) == 1
    with psycopg.connect(database, autocommit=True) as connection:
        others = "datname = current_database() AND pid <> pg_backend_pid()"
        connection.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}".encode())
    with pytest.raises(StoreError, match="viva resume r1 goes on"):
        await store.append("r1", [kept(1)])
    assert len(store.heads()) == 1
    await store.append("r1", [kept(1)])
    assert len(store.keys("r1")) == 2
    store.close()


async def test_results_are_read_one_at_a_time_while_others_are_added(database: str) -> None:
    store = make(database)
    store.begin("r1", WHEN, HEADER)
    await asyncio.gather(*(store.append("r1", [kept(number)]) for number in range(300)))
    several = iter(store.run("r1").results), iter(store.run("r1").cases)
    assert next(several[0]).case == next(several[1]).id == "case-0"
    await store.append("r1", [kept(300)])
    assert len(list(several[0])) == len(list(several[1])) == 299
    store.close()
