"""What the statements leave to each kind of database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from vivavoce.stores._connection import Connection, Parameters


class Lease(Protocol):
    """That this process, and no other, carries out a run."""

    def release(self) -> None:
        """Let others carry it out."""


class Database(Protocol):
    """Where a store's tables are. May be used by several threads."""

    name: str
    """As a person is told of it; without a password."""
    begin: str
    """The statement that begins a transaction which writes."""
    alone: str
    """The statement that keeps others, for a transaction, from beginning runs; none where `begin` does so already."""

    def open(self) -> Connection:
        """A connection to write by, to a schema that is migrated.

        Raises:
            StoreError: it cannot be reached or written to, or was written by a newer version.
        """

    def reading(self) -> AbstractContextManager[Connection | None]:
        """A connection to read by; `None` where nothing was stored yet. What goes wrong with it is a `StoreError`."""

    def stream(self, connection: Connection, statement: str, parameters: Parameters) -> Iterator[tuple[str]]:
        """Rows of one column, read one at a time, however many there are."""

    def undo(self, connection: Connection) -> None:
        """Leave a transaction that failed, if it is still under way."""

    def lost(self, connection: Connection) -> bool:
        """Whether a connection is of no more use, and another one is to be opened."""

    def lease(self, run_id: str) -> Lease:
        """Take a run for this process.

        Raises:
            Taken: another process carries it out.
        """

    def shrink(self) -> None:
        """Give back the room of what was dropped, where that is not done by itself."""

    def close(self) -> None:
        """Let go of what is held open between reads."""
