"""The one thread of a process that writes to a store: it commits whatever waits, in one transaction."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import NamedTuple

from vivavoce.core.errors import StoreError
from vivavoce.core.kept import Kept
from vivavoce.stores import _sql
from vivavoce.stores._connection import Connection
from vivavoce.stores._database import Database

TURN = 0.0005
"""Seconds a thread of the process may keep the interpreter while this one is there."""
BATCH = 500
"""Results in one transaction, beyond which no more are added to it."""

_Job = Callable[[Connection], object]


class _Added(NamedTuple):
    run_id: str
    kept: Sequence[Kept]
    done: asyncio.Future[None]


class _Asked(NamedTuple):
    job: _Job
    run_id: str | None
    done: Future[None]


class Writer:
    """Writes for one process; its methods are called from an event loop's thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._jobs: SimpleQueue[_Added | _Asked | None] = SimpleQueue()
        self._numbers: dict[str, tuple[int, int | None]] = {}
        self._connection = database.open()
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
        database = self._database
        try:
            if database.lost(self._connection):
                self._connection = database.open()
            self._connection.execute(database.begin)
            try:
                job(self._connection)
                self._connection.execute("COMMIT")
            except BaseException:
                database.undo(self._connection)
                raise
        except StoreError as error:
            return error
        except Exception as error:  # whatever it is, those who wait must hear of it
            way_out = f"; once that is mended, viva resume {run_id} goes on from there" if run_id is not None else ""
            reason = " ".join(str(error).split()).rstrip(".")
            return StoreError(f"{self._database.name}: cannot be written: {reason}{way_out}")
        return None

    def _insert(self, connection: Connection, batch: list[_Added]) -> None:
        by_run: dict[str, list[Kept]] = {}
        for each in batch:
            by_run.setdefault(each.run_id, []).extend(each.kept)
        for run_id, kept in by_run.items():
            for statement, parameters in _sql.rows(*self._number(connection, run_id), kept):
                if parameters:
                    connection.executemany(statement, parameters)

    def _number(self, connection: Connection, run_id: str) -> tuple[int, int | None]:
        """The number of a run, and of the one it is compared with."""
        if run_id not in self._numbers:
            row = connection.execute(_sql.RUN_NUMBER, (run_id,)).fetchone()
            if row is None:
                raise StoreError(f"{self._database.name}: has no run {run_id} to add to")
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
