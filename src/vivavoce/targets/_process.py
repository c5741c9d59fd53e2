"""A child process that is spoken to: lines in and out, its last words kept, and nothing of it left behind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import cast

from vivavoce.core.errors import CallError
from vivavoce.net.failures import too_large

_LAST_WORDS = 4096
"""Bytes of the error output that are kept."""
_LINGER = 1.0
"""Seconds that output is waited for after the process has ended, when a child of its own still holds it."""
_FAREWELL = 0.5
"""Seconds a process has to end by itself once its input is closed."""


class Process(asyncio.SubprocessProtocol):
    """A process in a group of its own, with what it wrote and has not been read yet."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: deque[bytes] = deque()
        self._partial: list[bytes] = []
        self._unread = 0
        self._complaints = b""
        self._silent = False
        self._problem: CallError | None = None
        self._news = asyncio.Event()
        self._exited = asyncio.Event()
        self._gone = asyncio.Event()
        self._transport: asyncio.SubprocessTransport

    @classmethod
    async def start(cls, argv: Sequence[str], *, cwd: str | None, env: Mapping[str, str], limit: int) -> Process:
        """Start a program.

        Raises:
            OSError: it cannot be started.
        """
        made = cls(limit)
        loop = asyncio.get_running_loop()
        starting = loop.create_task(loop.subprocess_exec(lambda: made, *argv, cwd=cwd, env=env, start_new_session=True))
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            # The program may run already and have children. Cancelling its start would end it alone, and wait for them.
            with suppress(OSError):
                await starting
                made.kill()
                await made.stop()
            raise
        return made

    def write(self, data: bytes) -> None:
        """Give it input. A process that no longer reads is found out by its silence."""
        self._stdin().write(data)

    def end_input(self) -> None:
        """Tell it that no more is coming."""
        self._stdin().close()

    def unasked(self) -> bytes | None:
        """A line it wrote though nothing was asked."""
        return self._lines[0] if self._lines else None

    async def line(self) -> bytes | None:
        """The next line, without its end; `None` when there will be none.

        Raises:
            CallError: it writes more than the limit without being read.
        """
        while not self._lines and not self._silent and self._problem is None:
            self._news.clear()
            await self._news.wait()
        if self._problem is not None:
            raise self._problem
        if not self._lines:
            return None
        line = self._lines.popleft()
        self._unread -= len(line)
        return line

    async def whole(self) -> bytes:
        """All it writes until it closes its output, without the line break at the end."""
        lines: list[bytes] = []
        while (line := await self.line()) is not None:
            lines.append(line)
            self._unread += len(line) + 1  # still held
        return b"\n".join(lines)

    async def exit_code(self) -> int | None:
        """How it ended, negative for a signal; `None` if it does not end though its output has.

        By then its last words are all read, unless a child of its own still holds them.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER):
                await self._gone.wait()
        return self._transport.get_returncode()

    def last_words(self) -> str:
        """The end of its error output."""
        return self._complaints.decode(errors="replace")

    def kill(self) -> None:
        """End it at once, with all processes of its group."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._transport.get_pid(), signal.SIGKILL)

    async def stop(self) -> None:
        """Close its input, let it end by itself for a moment, kill what is left, and free what it held."""
        try:
            if not self._exited.is_set():
                self.end_input()
                with suppress(TimeoutError):
                    async with asyncio.timeout(_FAREWELL):
                        await self._exited.wait()
        finally:
            self.kill()
            await self._exited.wait()
            self._transport.close()
            await self._gone.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)  # as the protocol of subprocesses has it

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd != 1:
            self._complaints = (self._complaints + data)[-_LAST_WORDS:]
            return
        if self._problem is not None:
            return
        self._unread += len(data)
        if self._unread > self._limit:
            self._problem = too_large("what the command wrote", self._limit)
            self._lines.clear()
            self._partial.clear()
            self.kill()
        else:
            first, *more = data.split(b"\n")
            self._partial.append(first)
            for part in more:
                self._end_line()
                self._partial.append(part)
        self._news.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            self._fall_silent()

    def process_exited(self) -> None:
        self._exited.set()
        # A child of the process may hold its output open for ever.
        asyncio.get_running_loop().call_later(_LINGER, self._fall_silent)

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone.set()

    def _fall_silent(self) -> None:
        if not self._silent:
            if any(self._partial):
                self._end_line()
            self._silent = True
            self._news.set()

    def _end_line(self) -> None:
        self._lines.append(b"".join(self._partial))
        self._partial.clear()
        self._unread -= 1  # the line break

    def _stdin(self) -> asyncio.WriteTransport:
        return cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))  # of a pipe that is written to
