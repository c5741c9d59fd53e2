"""A SQLite file as a database: its connections, its migration, its locks."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vivavoce.core import folders
from vivavoce.core.errors import StoreError
from vivavoce.stores._connection import Connection, Parameters
from vivavoce.stores._lease import Lease
from vivavoce.stores._migrations import MIGRATIONS, migrate, newer

WAIT = 30.0
"""Seconds to wait for another process that writes to the same file."""
PAGE = 8192
"""Bytes of a page: each that is written takes several calls of the system, for which many trials at once want large ones, and
is written whole, for which a few at a time want small ones."""
PATIENCE = 2.0
"""Seconds to wait for it where what is to be done can be left."""


class File:
    """One file, which may not be there yet."""

    begin = "BEGIN IMMEDIATE"
    alone = ""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._path = path

    def open(self) -> sqlite3.Connection:
        """A connection to write by; makes the file, with its folder, and migrates it."""
        try:
            folders.make(self._path.parent)
            return connect(self._path)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{self._path}: cannot be used as a store: {error}; name another with --store") from error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection to read by; `None` where there is no file."""
        if not self._path.exists():
            yield None
            return
        try:
            connection = connect_to_read(self._path)
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: cannot be read as a store: {error}") from error
        try:
            yield connection
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: cannot be read: {error}") from error
        finally:
            connection.close()

    def stream(self, connection: Connection, statement: str, parameters: Parameters) -> Iterator[tuple[str]]:
        """Rows of one column, read one at a time."""
        return iter(connection.execute(statement, parameters))

    def undo(self, connection: Connection) -> None:
        """Leave a transaction, if there is one."""
        if isinstance(connection, sqlite3.Connection) and connection.in_transaction:
            connection.execute("ROLLBACK")

    def lost(self, connection: Connection) -> bool:
        """Whether another connection is needed: where somebody removed the file, which is then put back as it was."""
        if self._path.exists():
            return False
        assert isinstance(connection, sqlite3.Connection)
        self._put_back(connection)
        return True

    def _put_back(self, connection: sqlite3.Connection) -> None:
        """Write what the connection still reaches to where it was."""
        folders.make(self._path.parent)
        beside = self._path.with_name(f"{self._path.name}.{os.getpid()}.tmp")
        try:
            connection.execute("VACUUM INTO ?", (str(beside),))
            connection.close()
            for end in ("-wal", "-shm"):  # of the one that is gone
                self._path.with_name(self._path.name + end).unlink(missing_ok=True)
            beside.rename(self._path)
        finally:
            beside.unlink(missing_ok=True)

    def lease(self, run_id: str) -> Lease:
        """Take a run for this process alone."""
        return Lease(self._path, run_id)

    def shrink(self) -> None:
        """Give back the room of what was dropped; left for another time where somebody writes."""
        connection = sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None)
        try:
            with suppress(sqlite3.OperationalError):
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.close()

    def close(self) -> None:
        """Nothing is held open between reads."""


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a store, migrated if it is older.

    Raises:
        StoreError: it was written by a newer version.
        sqlite3.Error: it is no database, or cannot be opened.
    """
    connection = sqlite3.connect(path, timeout=WAIT, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA page_size = {PAGE}")  # of a file that is made now
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
        raise StoreError(newer(str(path), version))
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


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    if _version(connection) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been first.
        migrate(connection, _version(connection), str(path))
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
