"""The file of a cassette while it is open: read once, added to line by line, and put in order at the end."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from vivavoce.core import codec
from vivavoce.core.errors import UsageError
from vivavoce.core.reply import Object
from vivavoce.run._cassette import reading
from vivavoce.run._cassette.call import Call, TrialKey
from vivavoce.run._cassette.outcome import Outcome
from vivavoce.run._cassette.reading import Line, Told, header, read, written

_IN_MEMORY = 16 * 1024 * 1024
"""Bytes of calls that are held in memory; more lie in a file that nobody sees."""
Group = tuple[str, str, TrialKey]
"""Kind, digest of whom it asked, trial."""


class Tape:
    """Recorded calls by key. Holds only where each lies; the calls themselves lie in a file beside."""

    def __init__(self, path: Path, *, records: bool) -> None:
        """Open a file, to replay or, with `records`, also to record.

        Raises:
            UsageError: it cannot be read or written, or another run records to it.
        """
        self.path = path
        self._real = Path(os.path.realpath(path))
        self._packed = path.suffix.lower() == ".gz"
        self._lies: dict[str, tuple[int, int, int]] = {}
        """Of each key: offset, length, line in the file."""
        self._of: dict[tuple[str, str, str], list[str]] = {}
        """Keys by kind, suite and case."""
        self._named: dict[tuple[str, str], str] = {}
        """How reports call who answered, by kind and whom it asked."""
        self._made: set[str] = set()
        """Keys that this run asked for or recorded."""
        self._over: set[TrialKey] = set()
        self._spool: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 # closed with this
        self._locks: list[IO[bytes]] = []
        self._out: Any = None  # the file, or what packs it
        self._broken: OSError | None = None
        told = Told()
        try:
            if records:
                self._lock(create=True)
            for line in read(path, told):
                self._keep(line.call, line.data, line.by, line.number)
            if records:
                self._begin()
        except BaseException:
            self._let_go()
            raise
        self.warning = told.warning

    def __len__(self) -> int:
        return len(self._lies)

    def find(self, call: Call) -> Outcome | None:
        """What came of a call; `None` where it is not recorded."""
        key = call.key
        line = self._line(key)
        if line is None:
            return None
        self._made.add(key)
        return line.outcome

    def near(self, call: Call) -> Iterator[Line]:
        """Calls of the same kind and case."""
        for key in self._of.get((call.kind, call.suite, call.case), ()):
            line = self._line(key)
            if line is not None:
                yield line

    def known_as(self, kind: str, asked: Object) -> str | None:
        """How reports call who answered calls of a kind, where the file says so."""
        return self._named.get((kind, codec.digest(asked)))

    def cases(self, kind: str) -> Iterator[str]:
        """The cases that it has calls of this kind of."""
        return (case for of, _, case in self._of if of == kind)

    def keep(self, call: Call, made: Outcome, by: str | None) -> None:
        """Record a call, at once; it takes the place of one that was recorded before."""
        data = written(call, made, by)
        self._keep(call, data, by, 0)
        self._made.add(call.key)
        if self._out is not None:
            try:
                self._out.write(data)
                self._out.flush()
            except OSError as error:  # told at the end: the run itself goes on
                self._broken, self._out = error, None

    def over(self, trial: TrialKey) -> None:
        """A trial was carried out to its end: what it no longer asks may go."""
        self._over.add(trial)

    def close(self) -> None:
        """Put what was recorded in order.

        Raises:
            UsageError: it could not all be written.
        """
        try:
            if self._locks and self._broken is None:
                self._settle()
        except OSError as error:
            self._broken = error
        finally:
            self._let_go()
        if self._broken is not None:
            why = self._broken.strerror or self._broken
            raise UsageError(f"{self.path}: not everything could be recorded: {why}; the run itself is stored")

    def _keep(self, call: Call, data: bytes, by: str | None, number: int) -> None:
        key = call.key
        offset = self._spool.seek(0, os.SEEK_END)
        self._spool.write(data)
        if key not in self._lies:
            self._of.setdefault((call.kind, call.suite, call.case), []).append(key)
        self._lies[key] = (offset, len(data), number)
        if by is not None:
            self._named[call.kind, codec.digest(call.asked)] = by

    def _line(self, key: str) -> Line | None:
        lies = self._lies.get(key)
        if lies is None:
            return None
        offset, length, number = lies
        self._spool.seek(offset)
        return reading.line(self._spool.read(length), number, self.path)

    def _lock(self, *, create: bool) -> None:
        """Keep every other run from recording to the file as it is now."""
        if self._real.exists() and not self._real.is_file():
            raise UsageError(f"{self.path}: is no file that could be recorded to; name a file")
        try:
            if create:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            held = self.path.open("ab")
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be written: {error.strerror or error}") from error
        self._locks.append(held)
        with suppress(ImportError):  # where there are no such locks, two runs must not record to one file
            import fcntl

            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UsageError(f"{self.path}: another run records to it; wait for its end, or name another file") from None

    def _begin(self) -> None:
        """Write what there is anew, marked as not finished, and stay at its end."""
        beside = self._beside()
        try:
            with beside.open("wb") as raw:
                self._write(raw, self._lies, is_open=True, level=1)
            os.replace(beside, self._real)
            self._lock(create=False)
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be written: {error.strerror or error}") from error
        finally:
            beside.unlink(missing_ok=True)
        held = self._locks[-1]
        self._out = gzip.GzipFile("", "ab", compresslevel=1, fileobj=held, mtime=0) if self._packed else held

    def _settle(self) -> None:
        """The file as it stays: in order, without what was asked no more, in place of what was written meanwhile."""
        groups = {self._group(key) for key in self._made}
        stale = {
            key
            for key in self._lies
            if key not in self._made and (group := self._group(key)) in groups and group[2] in self._over
        }
        calls = {key: line.call.order for key in self._lies if key not in stale and (line := self._line(key)) is not None}
        ordered = sorted(calls, key=lambda key: calls[key])
        beside = self._beside()
        try:
            with beside.open("wb") as raw:
                self._write(raw, ordered, is_open=False, level=9)
                raw.flush()
                os.fsync(raw.fileno())
            os.replace(beside, self._real)
        finally:
            beside.unlink(missing_ok=True)

    def _group(self, key: str) -> Group:
        line = self._line(key)
        assert line is not None, "keys are those of lines"
        return line.call.kind, codec.digest(line.call.asked), line.call.trial

    def _write(self, raw: IO[bytes], keys: Iterable[str], *, is_open: bool, level: int) -> None:
        out: Any = raw  # or what packs it: the two have no type in common
        if self._packed:
            out = gzip.GzipFile("", "wb", compresslevel=level, fileobj=raw, mtime=0)
        out.write(header(is_open=is_open))
        for key in keys:
            offset, length, _ = self._lies[key]
            self._spool.seek(offset)
            out.write(self._spool.read(length))
        if out is not raw:
            out.close()

    def _beside(self) -> Path:
        return self._real.with_name(f".{self._real.name}.{os.getpid()}.part")

    def _let_go(self) -> None:
        if isinstance(self._out, gzip.GzipFile):
            with suppress(OSError):
                self._out.close()
        self._out = None
        for held in self._locks:
            with suppress(OSError):
                held.close()
        self._locks.clear()
        self._spool.close()
