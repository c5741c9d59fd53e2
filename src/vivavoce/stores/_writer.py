"""The one thread that writes to a SQLite file: it commits whatever waits, in one transaction."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from vivavoce.core import folders
from vivavoce.core.errors import StoreError
from vivavoce.core.kept import Kept
from vivavoce.stores import _sql
from vivavoce.stores._migrations import MIGRATIONS

WAIT = 30.0
"""Seconds to wait for another process that writes to the same file."""
TURN = 0.0005
"""Seconds a thread of the process may keep the interpreter while this one is there."""
BATCH = 500
"""Results in one transaction, beyond which no more are added to it."""

_Job = Callable[[sqlite3.Connection], object]


class _Added(NamedTuple):
    run_id: str
    kept: Sequence[Kept]
    done: asyncio.Future[None]


class _Asked(NamedTuple):
    job: _Job
    run_id: str | None
    done: Future[None]


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a store, migrated if it is older.

    Raises:
        StoreError: it was written by a newer version.
        sqlite3.Error: it is no database, or cannot be opened.
    """
    connection = sqlite3.connect(path, timeout=WAIT, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _migrate(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing, so that a store can be read that cannot be written to.

    Raises:
        StoreError: it was written by a newer version.
        sqlite3.Error: it is no database, or cannot be opened.
    """
    connection = _open_to_read(path, "")
    try:
        version = _version(connection)
    except sqlite3.OperationalError:
        # What is read beside it in shared memory cannot be made, where the folder cannot be written to.
        connection.close()
        if path.with_name(f"{path.name}-wal").exists():
            raise
        connection = _open_to_read(path, "&immutable=1")
        version = _version(connection)
    except BaseException:
        connection.close()
        raise
    if version == len(MIGRATIONS):
        return connection
    connection.close()
    if version > len(MIGRATIONS):
        raise StoreError(_newer(path, version))
    return connect(path)


def _open_to_read(path: Path, more: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=ro{more}"
    connection = sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None, check_same_thread=False)
    connection.create_function("lower", 1, _lower, deterministic=True)  # its own knows the letters of English alone
    return connection


def _lower(text: str | None) -> str | None:
    return text.lower() if text is not None else None


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _newer(path: Path, version: int) -> str:
    return f"{path}: was written by a newer viva (schema {version}, this one knows {len(MIGRATIONS)}); update viva"


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    version = _version(connection)
    if version == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been first.
        version = _version(connection)
        if version > len(MIGRATIONS):
            raise StoreError(_newer(path, version))
        for steps in MIGRATIONS[version:]:
            for step in steps:
                step(connection) if callable(step) else connection.execute(step)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


class Writer:
    """Writes for one process; its methods are called from an event loop's thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._jobs: SimpleQueue[_Added | _Asked | None] = SimpleQueue()
        self._numbers: dict[str, tuple[int, int | None]] = {}
        self._connection = self._open()
        self._thread = threading.Thread(target=self._run, name="viva-store", daemon=True)
        self._thread.start()
        # A commit takes the interpreter several times; at the usual 5 ms a turn a busy event loop would hold each result's
        # place for long after its answer came.
        self._turn = sys.getswitchinterval()
        sys.setswitchinterval(min(self._turn, TURN))

    def add(self, run_id: str, kept: Sequence[Kept]) -> Awaitable[None]:
        """Keep results; the future is done once they are committed."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._jobs.put(_Added(run_id, kept, done))
        return done

    def do(self, job: _Job, run_id: str | None = None) -> None:
        """Do something else in a transaction of its own, after all that was added before it: to the run, if it has begun."""
        done: Future[None] = Future()
        self._jobs.put(_Asked(job, run_id, done))
        done.result()

    def wait(self) -> None:
        """Return once all that was added so far is committed."""
        self.do(lambda connection: None)

    def close(self) -> None:
        """Commit what waits, and stop."""
        self._jobs.put(None)
        self._thread.join()
        sys.setswitchinterval(self._turn)
        self._connection.close()

    def _open(self) -> sqlite3.Connection:
        try:
            folders.make(self._path.parent)
            return connect(self._path)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{self._path}: cannot be used as a store: {error}; name another with --store") from error

    def _run(self) -> None:
        while (first := self._jobs.get()) is not None:
            if isinstance(first, _Asked):
                self._do(*first)
                continue
            batch = [first]
            size = len(first.kept)
            ends: _Asked | None = None
            closing = False
            while size < BATCH and not self._jobs.empty():
                following = self._jobs.get()
                if following is None:
                    closing = True
                    break
                if isinstance(following, _Asked):
                    ends = following
                    break
                batch.append(following)
                size += len(following.kept)
            self._commit(batch)
            if ends is not None:
                self._do(*ends)
            if closing:
                return

    def _do(self, job: _Job, run_id: str | None, done: Future[None]) -> None:
        error = self._transaction(job, run_id)
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)

    def _commit(self, batch: list[_Added]) -> None:
        error = self._transaction(lambda connection: self._insert(connection, batch), batch[0].run_id)
        waiting = [each.done for each in batch]
        for loop in {done.get_loop() for done in waiting}:
            mine = [done for done in waiting if done.get_loop() is loop]
            if not loop.is_closed():
                loop.call_soon_threadsafe(_settle, mine, error)

    def _transaction(self, job: _Job, run_id: str | None = None) -> StoreError | None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                job(self._connection)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        except StoreError as error:
            return error
        except Exception as error:  # whatever it is, those who wait must hear of it
            way_out = f"; once that is mended, viva resume {run_id} goes on from there" if run_id is not None else ""
            return StoreError(f"{self._path}: cannot be written: {error}{way_out}")
        return None

    def _insert(self, connection: sqlite3.Connection, batch: list[_Added]) -> None:
        by_run: dict[str, list[Kept]] = {}
        for each in batch:
            by_run.setdefault(each.run_id, []).extend(each.kept)
        for run_id, kept in by_run.items():
            for statement, parameters in _sql.rows(*self._number(connection, run_id), kept):
                connection.executemany(statement, parameters)

    def _number(self, connection: sqlite3.Connection, run_id: str) -> tuple[int, int | None]:
        """The number of a run, and of the one it is compared with."""
        if run_id not in self._numbers:
            row = connection.execute(_sql.RUN_NUMBER, (run_id,)).fetchone()
            if row is None:
                raise StoreError(f"{self._path}: has no run {run_id} to add to")
            self._numbers[run_id] = row
        return self._numbers[run_id]


def _settle(kept: list[asyncio.Future[None]], error: StoreError | None) -> None:
    for each in kept:
        if each.done():  # cancelled while it waited
            continue
        if error is None:
            each.set_result(None)
        else:
            each.set_exception(error)
