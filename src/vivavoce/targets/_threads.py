"""Daemon threads for agents that block: as many as are needed at once, and none that holds up the end of the process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from vivavoce.core.errors import CallError

A = TypeVar("A")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Job:
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]  # of what the function gives
    context: Context
    function: Callable[[Any], Any]  # whatever the caller runs, on whatever it runs on
    argument: object


class Threads:
    """Runs functions outside the event loop.

    There is always a thread for a new call: one that is busy with an abandoned call is not waited for, a fresh one takes its
    place. All bookkeeping is done in the event loop, so there is no lock.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._busy = 0
        self._threads = 0

    async def run(self, function: Callable[[A], T], argument: A) -> T:
        """What the function gives, called in a thread with the caller's context variables.

        When this is cancelled, the call is abandoned: it goes on, and nobody waits for it. The function must raise nothing
        but `CallError`.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if self._busy == self._threads:
            threading.Thread(target=self._work, name=f"viva-agent-{self._threads}", daemon=True).start()
            self._threads += 1
        self._busy += 1
        self._jobs.put(_Job(loop, future, copy_context(), function, argument))
        return await future

    def close(self) -> None:
        """Let every thread end, once it is done with what it does."""
        for _ in range(self._threads):
            self._jobs.put(None)
        self._threads = self._busy = 0

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            value, error = None, None
            try:
                value = job.context.run(job.function, job.argument)
            except CallError as failed:
                error = failed
            with suppress(RuntimeError):  # the loop has ended, and with it whoever waited
                job.loop.call_soon_threadsafe(self._done, job.future, value, error)
            del job, value, error  # an idle thread keeps nothing alive

    def _done(self, future: asyncio.Future[Any], value: object, error: CallError | None) -> None:  # of any function
        self._busy = max(self._busy - 1, 0)
        if future.done():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)
