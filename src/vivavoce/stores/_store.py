"""A store on a database: the same statements on every one."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

from vivavoce.analysis.summary import Tally
from vivavoce.core import codec
from vivavoce.core.errors import StoreError, Taken
from vivavoce.core.kept import Kept
from vivavoce.core.model import Case, Header
from vivavoce.core.overview import Head, Page, Sheet, SuiteRun, SuiteState, Wanted
from vivavoce.core.result import Result, Run, State, Summary
from vivavoce.stores import _overview, _sql
from vivavoce.stores._connection import Connection
from vivavoce.stores._database import Database, Lease
from vivavoce.stores._writer import Writer

T = TypeVar("T")


class Stored(ABC):
    """All that a store does but for saying where its tables are."""

    def begin(self, run_id: str, started: str, header: Header) -> None:
        """Create a run, or reopen one; a run that grew while it was talked to takes its new plan.

        Raises:
            StoreError: another process carries it out.
        """
        row = _sql.new_run(run_id, started, header)
        suites = list(dict.fromkeys(file.suite for file in header.files))

        def work(connection: Connection) -> None:
            known = connection.execute(_sql.RUN_NUMBER, (run_id,)).fetchone()
            if known is None:
                alike = connection.execute(_sql.ALIKE, (row.exam,)).fetchone()
                connection.execute(_sql.NEW_RUN, (*row, alike[0] if alike else None))
            else:
                connection.execute(_sql.REOPEN_RUN, (run_id,))
                connection.execute(_sql.GROW_RUN, (row.plan, row.header, run_id, row.plan))
            number = _number(connection, run_id)
            connection.executemany(_sql.ADD_SUITE, [(number, suite) for suite in suites])

        writer = self._writer  # which makes the folder
        if run_id not in self._leases:
            self._leases[run_id] = self._database.lease(run_id)
        writer.do(work)

    def append(self, run_id: str, kept: Sequence[Kept]) -> Awaitable[None]:
        """Keep results; awaiting it returns once they are committed."""
        return self._writer.add(run_id, kept)

    def finish(self, run_id: str, finished: str, state: State, summary: Summary) -> None:
        """Close a run."""
        told = codec.encode(codec.summary(summary)).decode()

        def work(connection: Connection) -> None:
            connection.execute(_sql.END_RUN, (finished, state, told, run_id))
            number = _number(connection, run_id)
            cases = [(group.cases, number, suite) for suite, group in summary.suites.items()]
            connection.executemany(_sql.CASES_OF_SUITE, cases)
            connection.execute(_sql.NO_SUITE, (number,))

        self._writer.do(work, run_id)
        self._release(run_id)

    def keys(self, run_id: str) -> set[tuple[str, str, int]]:
        """Keys of the results a run has."""
        with self._finding() as connection:
            return set(connection.execute(_sql.KEYS, (_number(connection, run_id),)))

    def forget(self, run_id: str, keys: Iterable[tuple[str, str, int]]) -> None:
        """Drop results, to be made again."""

        def work(connection: Connection) -> None:
            run = _number(connection, run_id)
            wanted = set(keys)
            rows = [row for row in connection.execute(_sql.POSITIONS, (run,)) if row[1:4] in wanted]
            for statement in _sql.FORGET:
                connection.executemany(statement, [(run, row[0]) for row in rows])
            gone = _sql.counts(run, ((suite, repeat, status) for _, suite, _, repeat, status in rows), -1)
            connection.executemany(_sql.COUNT_SUITE, gone)

        self._writer.do(work, run_id)

    def runs(self, limit: int | None = None) -> Sequence[Run]:
        """Runs, newest first."""
        with self._reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(_sql.RUNS, (_overview.ALL if limit is None else limit,))
            return [self._run(row) for row in rows]

    def run(self, ref: str) -> Run:
        """A run by id, unique prefix, `last` or `last~N`."""
        with self._finding() as connection:
            row = connection.execute(_sql.RUN, (_id(connection, ref, self._database.name),)).fetchone()
            return self._run(row)

    def heads(self, limit: int | None = None) -> Sequence[Head]:
        """Runs, newest first, as lines of a list."""
        with self._reading() as connection:
            found = [] if connection is None else _overview.heads(connection, limit)
        return [replace(each, state=self._standing(each.id, each.state)) for each in found]

    def suites(self) -> Sequence[SuiteState]:
        """How every suite stands, by name."""
        with self._reading() as connection:
            found = [] if connection is None else _overview.suites(connection)
        return [replace(each, latest=self._stood(each.latest)) for each in found]

    def history(self, suite: str, limit: int | None = None) -> Sequence[SuiteRun]:
        """A suite in its runs, newest first."""
        with self._reading() as connection:
            found = [] if connection is None else _overview.history(connection, suite, limit)
        return [self._stood(each) for each in found]

    def page(self, ref: str, wanted: Wanted) -> Page:
        """Some of the results of a run."""
        with self._finding() as connection:
            return _overview.page(connection, self._number(connection, ref), wanted)

    def sheet(self, ref: str, key: tuple[str, str, int]) -> Sheet:
        """One trial of a run."""
        with self._finding() as connection:
            return _overview.sheet(connection, self._number(connection, ref), key)

    def under_way(self, run_id: str) -> bool:
        """Whether a process carries out the run."""
        try:
            self._database.lease(run_id).release()
        except Taken:
            return True
        return False

    def _standing(self, run_id: str, state: State) -> State:
        """Its state; a run whose process left it without a word, as when it was killed, is interrupted."""
        if state != "running" or run_id in self._leases or sys.platform == "win32":  # where nobody can tell
            return state
        try:
            return state if self.under_way(run_id) else "interrupted"
        except StoreError:
            return state  # a folder that may only be read

    def _stood(self, each: SuiteRun) -> SuiteRun:
        return replace(each, run=replace(each.run, state=self._standing(each.run.id, each.run.state)))

    def drop(self, run_id: str) -> None:
        """Remove a run with all of it that no other run shares."""

        def work(connection: Connection) -> None:
            if self._database.alone:
                connection.execute(self._database.alone)
            row = connection.execute(_sql.RUN_NUMBER, (run_id,)).fetchone()
            if row is None:
                raise StoreError(f"the store has no run {run_id}")
            number, alike = row
            for statement in (*_sql.DROP, _sql.DROP_RUN):
                connection.execute(statement, (number,))
            connection.execute(_sql.DROP_CASES, (number, number if alike is None else alike))

        writer = self._writer
        lease = self._database.lease(run_id)
        try:
            writer.do(work)
        finally:
            lease.release()

    def shrink(self) -> None:
        """Give back the room of runs that were dropped."""
        self._database.shrink()

    def close(self) -> None:
        """Commit what waits, and let go of the store."""
        if "_writer" in self.__dict__:
            self._writer.close()
            del self.__dict__["_writer"]
        for run_id in list(self._leases):
            self._release(run_id)
        self._database.close()

    def _release(self, run_id: str) -> None:
        lease = self._leases.pop(run_id, None)
        if lease is not None:
            lease.release()

    @cached_property
    def _leases(self) -> dict[str, Lease]:
        """Of the runs that this process carries out."""
        return {}

    @abstractmethod
    def _place(self) -> Database:
        """Where its tables are."""

    @cached_property
    def _database(self) -> Database:
        return self._place()

    @cached_property
    def _writer(self) -> Writer:
        return Writer(self._database)

    @contextmanager
    def _reading(self) -> Iterator[Connection | None]:
        if "_writer" in self.__dict__:
            self._writer.wait()  # a store's reads see all that was added to it before
        with self._database.reading() as connection:
            yield connection

    @contextmanager
    def _finding(self) -> Iterator[Connection]:
        """To read a run that must be there."""
        with self._reading() as connection:
            if connection is None:
                raise StoreError(f"{self._database.name}: there is no such store; a first `viva run` makes it")
            yield connection

    def _number(self, connection: Connection, ref: str) -> int:
        return _number(connection, _id(connection, ref, self._database.name))

    def _run(self, row: tuple[int, str, str, str | None, State, str, str | None]) -> Run:
        number, run_id, started, finished, state, header, summary = row
        results = _Stored(self._database, _sql.RESULTS, number, Result)
        plan = codec.decode(header, Header)
        return Run(
            id=run_id,
            started=started,
            finished=finished,
            state=self._standing(run_id, state),
            header=plan,
            summary=_so_far(plan, results) if summary is None else codec.read_summary(codec.decode(summary, dict)),
            results=results,
            cases=_Stored(self._database, _sql.CASES, number, Case),
        )


def _so_far(plan: Header, results: Iterable[Result]) -> Summary:
    """What a run has come to that is still under way, or was killed."""
    tally = Tally(repeat=plan.selection.repeat)
    for result in results:
        tally.add(result)
    return tally.summary(trials_planned=plan.trials, seconds=0.0)


class _Stored(Iterable[T]):
    """Rows of a run, read one at a time, each time afresh."""

    def __init__(self, database: Database, statement: str, run: int, kind: type[T]) -> None:
        self._database = database
        self._statement = statement
        self._number = run
        self._kind = kind

    def __iter__(self) -> Iterator[T]:
        with self._database.reading() as connection:
            if connection is None:
                return
            for (body,) in self._database.stream(connection, self._statement, (self._number,)):
                yield codec.decode(body, self._kind)


def _number(connection: Connection, run_id: str) -> int:
    row = connection.execute(_sql.RUN_NUMBER, (run_id,)).fetchone()
    if row is None:
        raise StoreError(f"the store has no run {run_id}")
    number: int = row[0]
    return number


def _id(connection: Connection, ref: str, path: str) -> str:
    """The id that a person's word for a run means."""
    if ref == "last" or ref.startswith("last~"):
        back = ref.removeprefix("last").removeprefix("~") or "0"
        if not back.isdecimal():
            raise StoreError(f"{ref}: say `last`, or `last~1` for the one before it")
        row = connection.execute(_sql.ID_BACK, (int(back),)).fetchone()
        if row is None:
            raise StoreError(f"{path}: does not hold that many runs, so there is no {ref}")
        return str(row[0])
    found = [row[0] for row in connection.execute(_sql.IDS_LIKE, (len(ref), ref, ref))] if ref else []
    if len(found) == 1 or ref in found:
        return ref if ref in found else str(found[0])
    if found:
        raise StoreError(f"{ref}: is the beginning of several runs: {', '.join(found)}")
    raise StoreError(f"{path}: holds no run {ref}; `viva runs` lists them, and `last` is the newest")
