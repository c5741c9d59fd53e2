"""A PostgreSQL server as a database: its connections, its migration, its locks."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from vivavoce.core.errors import StoreError, Taken
from vivavoce.stores._connection import Connection, Cursor, Parameters
from vivavoce.stores._migrations import MIGRATIONS, migrate, newer

if TYPE_CHECKING:
    import psycopg

SCHEMA = "viva"
"""Where the tables are, apart from those of others in the same database."""
IDLE = 8
"""Connections that are kept open between reads."""
_MIGRATING = 0x76697661
"""The lock that one process holds while it migrates."""
_VERSION = "SELECT number FROM schema_version"
_GIVEN: Mapping[str, str | int] = MappingProxyType(
    {
        "fallback_application_name": "viva",
        "client_encoding": "utf8",
        "connect_timeout": 10,
        # A server that is gone without a word is found out within a minute.
        "keepalives_idle": 20,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 60_000,
    }
)
"""What the address may say otherwise."""


class Link:
    """A connection to the server, with statements as every database takes them."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:  # of rows that hold what their columns hold
        self.connection = connection

    def execute(self, statement: str, parameters: Parameters = (), /) -> Cursor:
        """Carry out one statement."""
        return self.connection.execute(_asked(statement), parameters)

    def executemany(self, statement: str, rows: Iterable[Parameters], /) -> None:
        """Carry out one statement for each of several rows of parameters."""
        with self.connection.cursor() as cursor:
            cursor.executemany(_asked(statement), rows)

    def close(self) -> None:
        """Let go of it."""
        self.connection.close()


class Server:
    """One database of a server."""

    begin = "BEGIN"
    alone = "LOCK TABLE runs IN SHARE ROW EXCLUSIVE MODE"

    def __init__(self, url: str) -> None:
        from psycopg import ProgrammingError, conninfo

        try:
            told = conninfo.conninfo_to_dict(url)
        except ProgrammingError:  # whose message may hold a password
            raise ValueError("the store's address is none of PostgreSQL's: write postgresql://USER@HOST/DATABASE") from None
        self._address = conninfo.make_conninfo("", **{**_GIVEN, **told})
        self.name = _name(told)
        self._idle: list[Link] = []
        self._closed = False
        self._lock = threading.Lock()

    def open(self) -> Link:
        """A connection to write by; makes the tables, or migrates them."""
        link = self._connect()
        try:
            with self._telling("cannot be used as a store"):
                self._migrate(link)
        except BaseException:
            link.close()
            raise
        return link

    @contextmanager
    def reading(self) -> Iterator[Link | None]:
        """A connection to read by; `None` where there are no tables yet."""
        link, version = self._ready()
        try:
            with self._telling("cannot be read"):
                yield link if version else None
        finally:
            self._put_back(link)

    def stream(self, connection: Connection, statement: str, parameters: Parameters) -> Iterator[tuple[str]]:
        """Rows of one column, read one at a time."""
        assert isinstance(connection, Link)
        with connection.connection.transaction(), connection.connection.cursor(name="viva") as cursor:
            cursor.itersize = 200
            cursor.execute(_asked(statement), parameters)
            yield from cursor

    def undo(self, connection: Connection) -> None:
        """Leave a transaction, if there is one."""
        import psycopg

        assert isinstance(connection, Link)
        with suppress(psycopg.Error):
            connection.connection.rollback()

    def lost(self, connection: Connection) -> bool:
        """Whether the server is gone, or was: it may be there again."""
        assert isinstance(connection, Link)
        return connection.connection.closed

    def lease(self, run_id: str) -> Held:
        """Take a run for this process; the server lets go of it when the process ends, however it ends."""
        link = self._connect()
        try:
            with self._telling("cannot be used as a store"):
                taken = link.execute("SELECT pg_try_advisory_lock(?)", (_key(run_id),)).fetchone()[0]
            if not taken:
                raise Taken(f"run {run_id} is being carried out by another process; wait for it, or stop it")
        except BaseException:
            link.close()
            raise
        return Held(link)

    def shrink(self) -> None:
        """Nothing: the server gives room back by itself."""

    def close(self) -> None:
        """Let go of the connections that are kept open."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for link in idle:
            link.close()

    def _connect(self) -> Link:
        import psycopg

        with self._telling("cannot be reached"):
            connection = psycopg.connect(self._address, autocommit=True)
            try:
                connection.execute(f"SET search_path TO {SCHEMA}")
            except BaseException:
                connection.close()
                raise
            return Link(connection)

    def _ready(self) -> tuple[Link, int]:
        """A connection to read by, and the version of the tables; 0 where there are none."""
        import psycopg

        while True:
            with self._lock:
                link = self._idle.pop() if self._idle else None
            fresh = link is None
            link = link or self._connect()
            try:
                version = _version(link)
                if version > len(MIGRATIONS):
                    raise StoreError(newer(self.name, version))
                if 0 < version < len(MIGRATIONS):
                    self._migrate(link)
                return link, version
            except psycopg.Error as error:
                link.close()
                if fresh:  # else the server closed it meanwhile
                    raise StoreError(self._told("cannot be read as a store", error)) from error
            except BaseException:
                link.close()
                raise

    def _put_back(self, link: Link) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < IDLE and not link.connection.closed:
                self._idle.append(link)
                return
        link.close()

    def _migrate(self, link: Link) -> None:
        if _version(link) == len(MIGRATIONS):
            return
        with link.connection.transaction():
            link.execute("SELECT pg_advisory_xact_lock(?)", (_MIGRATING,))
            if link.execute("SELECT to_regnamespace(?)", (SCHEMA,)).fetchone()[0] is None:
                link.execute(f"CREATE SCHEMA {SCHEMA}")
            link.execute("CREATE TABLE IF NOT EXISTS schema_version (number INTEGER NOT NULL)")
            # Another process may have been first.
            migrate(_Dialect(link.connection), _version(link), self.name)
            link.execute("DELETE FROM schema_version")
            link.execute("INSERT INTO schema_version VALUES (?)", (len(MIGRATIONS),))

    @contextmanager
    def _telling(self, what: str) -> Iterator[None]:
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            raise StoreError(self._told(what, error)) from error

    def _told(self, what: str, error: Exception) -> str:
        reason = re.sub("^connection (failed|is bad): ", "", " ".join(str(error).split())).rstrip(".?") or type(error).__name__
        return f"{self.name}: {what}: {reason}; see that the server is there, or name another store with --store"


class Held:
    """A run, held by the connection that took it."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def release(self) -> None:
        """Let others carry out the run."""
        import psycopg

        with suppress(psycopg.Error):  # it is let go of at once; the end of a connection is only heard of later
            self._link.execute("SELECT pg_advisory_unlock_all()")
        self._link.close()


class _Dialect(Link):
    """Tables as this database spells them."""

    def execute(self, statement: str, parameters: Parameters = (), /) -> Cursor:
        return super().execute(
            statement.replace("INTEGER PRIMARY KEY", "INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY"), parameters
        )


def _version(link: Link) -> int:
    import psycopg

    try:
        row = link.execute(_VERSION).fetchone()
    except psycopg.errors.UndefinedTable:
        return 0
    return row[0] if row is not None else 0


def _name(told: Mapping[str, Any]) -> str:  # of texts and numbers
    """An address without what may be secret in it."""
    user, host, port, base = (told.get(part) for part in ("user", "host", "port", "dbname"))
    whom = f"{user}@" if user else ""
    if host and str(host).startswith("/"):
        return f"postgresql://{whom}/{base or ''}?host={host}"
    return f"postgresql://{whom}{host or ''}{f':{port}' if port else ''}/{base or ''}"


def _key(run_id: str) -> int:
    """The number of the lock on a run."""
    return int.from_bytes(hashlib.blake2b(run_id.encode(), digest_size=8).digest(), signed=True)


@cache
def _asked(statement: str) -> bytes:
    """A statement with its parameters as this database's library marks them."""
    return statement.replace("%", "%%").replace("?", "%s").encode()
