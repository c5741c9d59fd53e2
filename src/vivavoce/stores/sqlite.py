"""Runs in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from vivavoce.analysis.summary import Tally
from vivavoce.core import codec
from vivavoce.core.errors import StoreError
from vivavoce.core.kept import Kept
from vivavoce.core.model import Case, Header
from vivavoce.core.overview import Head, Page, Sheet, SuiteRun, SuiteState, Wanted
from vivavoce.core.result import Result, Run, State, Summary
from vivavoce.stores import _overview, _sql
from vivavoce.stores._lease import Lease
from vivavoce.stores._writer import Writer, connect_to_read

__all__ = ["Sqlite"]

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Sqlite:
    """Keep runs in one SQLite file, with nothing to set up.

    Needs: a folder that can be written to.
    Example: `viva run evals/ --store nightly.db`.
    Limits: one machine; several processes there may share a file, which must not lie on a network drive.
    Source: Viva's own.
    """

    path: str = ".viva/runs.db"
    """The file; made, with its folder, when the first run begins."""

    def __post_init__(self) -> None:
        if self.path in ("", ":memory:"):
            raise ValueError(
                f"{self.path or 'an empty path'}: would be lost with the program, and so would the run; name a file"
            )
        if self._file.exists() and not self._file.is_file():
            raise ValueError(f"{self.path}: is {'a folder' if self._file.is_dir() else 'no regular file'}; name a file")

    def begin(self, run_id: str, started: str, header: Header) -> None:
        """Create a run, or reopen one; a run that grew while it was talked to takes its new plan.

        Raises:
            StoreError: another process carries it out.
        """
        row = _sql.new_run(run_id, started, header)
        suites = list(dict.fromkeys(file.suite for file in header.files))

        def work(connection: sqlite3.Connection) -> None:
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
            self._leases[run_id] = Lease(self._file, run_id)
        writer.do(work)

    def append(self, run_id: str, kept: Sequence[Kept]) -> Awaitable[None]:
        """Keep results; awaiting it returns once they are committed."""
        return self._writer.add(run_id, kept)

    def finish(self, run_id: str, finished: str, state: State, summary: Summary) -> None:
        """Close a run."""
        told = codec.encode(codec.summary(summary)).decode()

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(_sql.END_RUN, (finished, state, told, run_id))
            number = _number(connection, run_id)
            cases = [(group.cases, number, suite) for suite, group in summary.suites.items()]
            connection.executemany(_sql.CASES_OF_SUITE, cases)
            connection.execute(_sql.NO_SUITE, (number,))

        self._writer.do(work, run_id)
        self._release(run_id)

    def keys(self, run_id: str) -> set[tuple[str, str, int]]:
        """Keys of the results a run has."""
        with self._reader() as connection:
            return set(connection.execute(_sql.KEYS, (_number(connection, run_id),)))

    def forget(self, run_id: str, keys: Iterable[tuple[str, str, int]]) -> None:
        """Drop results, to be made again."""

        def work(connection: sqlite3.Connection) -> None:
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
        if not self._file.exists():
            return []
        with self._reader() as connection:
            return [self._run(row) for row in connection.execute(_sql.RUNS, (_overview.ALL if limit is None else limit,))]

    def run(self, ref: str) -> Run:
        """A run by id, unique prefix, `last` or `last~N`."""
        with self._finding() as connection:
            row = connection.execute(_sql.RUN, (_id(connection, ref, self.path),)).fetchone()
            return self._run(row)

    def heads(self, limit: int | None = None) -> Sequence[Head]:
        """Runs, newest first, as lines of a list."""
        if not self._file.exists():
            return []
        with self._reader() as connection:
            return _overview.heads(connection, limit)

    def suites(self) -> Sequence[SuiteState]:
        """How every suite stands, by name."""
        if not self._file.exists():
            return []
        with self._reader() as connection:
            return _overview.suites(connection)

    def history(self, suite: str, limit: int | None = None) -> Sequence[SuiteRun]:
        """A suite in its runs, newest first."""
        if not self._file.exists():
            return []
        with self._reader() as connection:
            return _overview.history(connection, suite, limit)

    def page(self, ref: str, wanted: Wanted) -> Page:
        """Some of the results of a run."""
        with self._finding() as connection:
            return _overview.page(connection, self._number(connection, ref), wanted)

    def sheet(self, ref: str, key: tuple[str, str, int]) -> Sheet:
        """One trial of a run."""
        with self._finding() as connection:
            return _overview.sheet(connection, self._number(connection, ref), key)

    def close(self) -> None:
        """Commit what waits, and let go of the file."""
        if "_writer" in self.__dict__:
            self._writer.close()
            del self.__dict__["_writer"]
        for run_id in list(self._leases):
            self._release(run_id)

    def _release(self, run_id: str) -> None:
        lease = self._leases.pop(run_id, None)
        if lease is not None:
            lease.release()

    @cached_property
    def _leases(self) -> dict[str, Lease]:
        """Of the runs that this process carries out."""
        return {}

    @cached_property
    def _file(self) -> Path:
        return Path(self.path).absolute()  # an agent may change the current folder

    @cached_property
    def _writer(self) -> Writer:
        return Writer(self._file)

    def _reader(self) -> _Reader:
        if "_writer" in self.__dict__:
            self._writer.wait()  # a store's reads see all that was added to it before
        return _Reader(self._file)

    def _finding(self) -> _Reader:
        """To read a run that must be there."""
        if not self._file.exists():
            raise StoreError(f"{self.path}: there is no such store; a first `viva run` makes it")
        return self._reader()

    def _number(self, connection: sqlite3.Connection, ref: str) -> int:
        return _number(connection, _id(connection, ref, self.path))

    def _run(self, row: tuple[int, str, str, str | None, State, str, str | None]) -> Run:
        number, run_id, started, finished, state, header, summary = row
        results = _Stored(self._file, _sql.RESULTS, number, Result)
        plan = codec.decode(header, Header)
        return Run(
            id=run_id,
            started=started,
            finished=finished,
            state=state,
            header=plan,
            summary=_so_far(plan, results) if summary is None else codec.read_summary(codec.decode(summary, dict)),
            results=results,
            cases=_Stored(self._file, _sql.CASES, number, Case),
        )


def _so_far(plan: Header, results: Iterable[Result]) -> Summary:
    """What a run has come to that is still under way, or was killed."""
    tally = Tally(repeat=plan.selection.repeat)
    for result in results:
        tally.add(result)
    return tally.summary(trials_planned=plan.trials, seconds=0.0)


class _Reader:
    """A connection for reading, closed at the end of its `with`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> sqlite3.Connection:
        try:
            self._connection = connect_to_read(self._path)
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: cannot be read as a store: {error}") from error
        return self._connection

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._connection.close()
        if isinstance(error, sqlite3.Error):
            raise StoreError(f"{self._path}: cannot be read: {error}") from error


class _Stored(Iterable[T]):
    """Rows of a run, read one at a time, each time afresh."""

    def __init__(self, path: Path, statement: str, run: int, kind: type[T]) -> None:
        self._path = path
        self._statement = statement
        self._number = run
        self._kind = kind

    def __iter__(self) -> Iterator[T]:
        with _Reader(self._path) as connection:
            for (body,) in connection.execute(self._statement, (self._number,)):
                yield codec.decode(body, self._kind)


def _number(connection: sqlite3.Connection, run_id: str) -> int:
    row = connection.execute(_sql.RUN_NUMBER, (run_id,)).fetchone()
    if row is None:
        raise StoreError(f"the store has no run {run_id}")
    number: int = row[0]
    return number


def _id(connection: sqlite3.Connection, ref: str, path: str) -> str:
    """The id that a person's word for a run means."""
    if ref == "last" or ref.startswith("last~"):
        back = ref.removeprefix("last").removeprefix("~") or "0"
        if not back.isdecimal():
            raise StoreError(f"{ref}: say `last`, or `last~1` for the one before it")
        row = connection.execute(_sql.ID_BACK, (int(back),)).fetchone()
        if row is None:
            raise StoreError(f"{path}: does not hold that many runs, so there is no {ref}")
        return str(row[0])
    found = [row[0] for row in connection.execute(_sql.IDS_LIKE, (len(ref), ref))] if ref else []
    if len(found) == 1 or ref in found:
        return ref if ref in found else str(found[0])
    if found:
        raise StoreError(f"{ref}: is the beginning of several runs: {', '.join(found)}")
    raise StoreError(f"{path}: holds no run {ref}; `viva runs` lists them, and `last` is the newest")
