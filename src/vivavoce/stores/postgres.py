"""Runs in a PostgreSQL database."""

from __future__ import annotations

from dataclasses import dataclass, field

from vivavoce.stores._server import Server
from vivavoce.stores._store import Stored

__all__ = ["Postgres"]


@dataclass(frozen=True, kw_only=True)
class Postgres(Stored):
    """Keep the runs of a team in a PostgreSQL database, where several machines write at once.

    Needs: the extra `postgres`; PostgreSQL 13 or newer; a user who may make a schema there, or owns one called `viva`.
    Example: `viva run evals/ --store postgresql://viva@db.example/evals`.
    Limits: connect to the server itself; a pooler that shares connections between transactions loses the lock on a run.
    Source: Viva's own.
    """

    url: str = field(repr=False)
    """The database's address, as PostgreSQL's own programs take it. A password is better kept in `PGPASSWORD` or `.pgpass`."""

    def __post_init__(self) -> None:
        _ = self._database  # an address that is none is said to be before anything is run

    def _place(self) -> Server:
        return Server(self.url)
