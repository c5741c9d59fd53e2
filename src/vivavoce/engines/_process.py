"""A process of Viva's own that carries out a part of a run: it is told what to do, and answers with pieces of it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from typing import IO

import msgspec

from vivavoce.core.errors import UsageError, VivaError, WorkerError

AHEAD = 2
"""Pieces that a process may be ahead of those that were taken and kept."""
_LIMIT = 1 << 22
"""Bytes of an answer that are read ahead."""
_START = """import sys
sys.path[:] = {path!r}
from vivavoce.engines._process import serve
serve()
"""


class _Told(msgspec.Struct):
    task: str
    """A function that gives pieces, as `module:name`."""
    given: bytes


class _Answer(msgspec.Struct):
    piece: bytes | None = None
    fault: str | None = None
    """What a person is told; neither this nor a piece: the end."""
    mendable: bool = False
    """Whether what is told is the person's own mistake."""


def serve() -> None:
    """What the process does: read its task, write each piece, and be no more than some pieces ahead."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for its starter, who ends it
    given, out = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever is printed must not get among the pieces
    task = msgspec.msgpack.decode(_read(given), type=_Told)
    module, _, name = task.task.partition(":")
    try:
        pieces = iter(getattr(import_module(module), name)(task.given))
        _write(out, b"ready")
        for ahead, piece in enumerate(pieces):
            if ahead >= AHEAD and not given.read(1):
                return  # nobody takes them any more
            _write(out, msgspec.msgpack.encode(_Answer(piece=piece)))
        last = _Answer()
    except VivaError as error:
        last = _Answer(fault=str(error), mendable=isinstance(error, UsageError))
    _write(out, msgspec.msgpack.encode(last))
    given.read()  # until it is let go


class Process:
    """The process as its starter holds it."""

    def __init__(self, made: asyncio.subprocess.Process) -> None:
        self._made = made
        assert made.stdin is not None
        assert made.stdout is not None
        self._told, self._answers = made.stdin, made.stdout
        self.number = made.pid

    @classmethod
    async def start(cls, task: str, given: bytes) -> Process:
        """Start one.

        Raises:
            OSError: it does not start here.
        """
        flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined] # what multiprocessing passes on too
        made = await asyncio.create_subprocess_exec(
            sys.executable,
            *flags,
            "-c",
            _START.format(path=[os.path.abspath(each) for each in sys.path]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            limit=_LIMIT,
            start_new_session=True,
        )
        process = cls(made)
        told = msgspec.msgpack.encode(_Told(task=task, given=given))
        process._told.write(len(told).to_bytes(4, "big") + told)
        return process

    async def ready(self) -> bool:
        """Whether it can do what it was told."""
        with suppress(asyncio.IncompleteReadError, OSError):
            await self._told.drain()
            return await self._next() == b"ready"
        return False

    async def piece(self) -> bytes | None:
        """Its next piece, or `None` at the end.

        Raises:
            WorkerError, UsageError: it ended before it was done, or found that it cannot go on; the message says which.
        """
        try:
            answer = msgspec.msgpack.decode(await self._next(), type=_Answer)
        except (asyncio.IncompleteReadError, OSError):
            code = await self._made.wait()
            how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
            raise WorkerError(f"process {self.number}, which carried out a part of the run, {how}") from None
        if answer.fault is not None:
            raise UsageError(answer.fault) if answer.mendable else WorkerError(answer.fault)
        return answer.piece

    def taken(self) -> None:
        """A piece is kept, and another may be made."""
        with suppress(OSError):
            self._told.write(b"+")

    async def close(self) -> None:
        """End it, whatever it does."""
        with suppress(ProcessLookupError):
            self._made.kill()
        self._told.close()
        with suppress(OSError):
            while await self._answers.read(_LIMIT):
                pass
        await self._made.wait()
        with suppress(OSError):
            await self._told.wait_closed()

    async def _next(self) -> bytes:
        size = int.from_bytes(await self._answers.readexactly(4), "big")
        return await self._answers.readexactly(size)


def _read(stream: IO[bytes]) -> bytes:
    return stream.read(int.from_bytes(stream.read(4), "big"))


def _write(stream: IO[bytes], data: bytes) -> None:
    stream.write(len(data).to_bytes(4, "big") + data)
    stream.flush()
