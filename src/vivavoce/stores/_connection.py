"""A connection to whatever database, as the statements need it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

Parameters = Sequence[object]


class Cursor(Protocol):
    """Rows, read one at a time."""

    def __iter__(self) -> Iterator[Any]:  # a row holds what its columns hold
        """The rows that are left."""

    def fetchone(self) -> Any:  # a row holds what its columns hold
        """The next row, or `None`."""


class Connection(Protocol):
    """Statements have `?` where a parameter goes; each is committed by itself unless a transaction was begun."""

    def execute(self, statement: str, parameters: Parameters = ..., /) -> Cursor:
        """Carry out one statement."""

    def executemany(self, statement: str, rows: Iterable[Parameters], /) -> object:
        """Carry out one statement for each of several rows of parameters."""

    def close(self) -> None:
        """Let go of it."""
