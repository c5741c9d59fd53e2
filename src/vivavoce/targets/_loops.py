"""An event loop in a daemon thread, for agents that are asynchronous: whatever they do to it, Viva's own goes on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import copy_context
from typing import Any, TypeVar

from vivavoce.core.errors import CallError
from vivavoce.core.foreign import crashed

T = TypeVar("T")

_GRACE = 0.5
"""Seconds that a call which is cancelled has to end, and a loop that is closed."""


class Loops:
    """Runs coroutines outside Viva's event loop, all of them in one other: what an agent shares between calls works.

    When a call blocks that loop, and is given up, the next calls get a fresh one.
    """

    def __init__(self) -> None:
        self._current: _Loop | None = None
        self._all: list[_Loop] = []

    async def run(self, begin: Callable[[], Coroutine[Any, Any, T]]) -> T:  # as coroutines are
        """What the coroutine gives, begun and awaited in the other loop with the caller's context variables.

        When this is cancelled, so is the coroutine; but one that does not end by that is abandoned. It must raise nothing but
        `CallError`.

        Raises:
            CallError: what it raises, or it was cancelled by somebody else.
        """
        loop = self._current
        if loop is None:
            loop = self._current = _Loop()
            self._all.append(loop)
        call = _Call(begin)
        loop.start(call)
        try:
            answer: T = await call.answer
        except asyncio.CancelledError:
            if not call.ended:
                await self._cancel(loop, call)
            raise
        return answer

    async def close(self) -> None:
        """End the loops, but for those that are held up: they end when they can."""
        loops, self._all, self._current = self._all, [], None
        if loops:
            await asyncio.wait([loop.end() for loop in loops], timeout=3 * _GRACE)

    async def _cancel(self, loop: _Loop, call: _Call) -> None:
        over = call.over = asyncio.get_running_loop().create_future()
        loop.cancel(call)
        await asyncio.wait([over], timeout=_GRACE)
        if not call.heard and self._current is loop:
            self._current = None  # it is blocked


class _Call:
    """A call, seen from both loops. Only the caller's changes it, but for `task` and `heard`."""

    def __init__(self, begin: Callable[[], Coroutine[Any, Any, Any]]) -> None:  # of any result
        self.home = asyncio.get_running_loop()
        self.begin = begin
        self.answer: asyncio.Future[Any] = self.home.create_future()  # of any result
        self.over: asyncio.Future[None] | None = None
        """Done at the end of a call that was cancelled."""
        self.ended = False
        self.task: asyncio.Task[Any] | None = None  # of any result
        self.heard = False
        """Whether the other loop has come to cancelling it."""

    def settle(self, value: object, error: BaseException | None) -> None:
        self.ended = True
        if self.over is not None and not self.over.done():
            self.over.set_result(None)
        if self.answer.done():
            return
        if error is None:
            self.answer.set_result(value)
        else:
            self.answer.set_exception(error)


class _Loop:
    """An event loop and its thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._calls: set[_Call] = set()
        self._ended: Callable[[], None] | None = None
        threading.Thread(target=self._work, name="viva-loop", daemon=True).start()

    def start(self, call: _Call) -> None:
        self._loop.call_soon_threadsafe(self._start, call, context=copy_context())

    def cancel(self, call: _Call) -> None:
        self._loop.call_soon_threadsafe(self._cancel, call)

    def end(self) -> asyncio.Future[None]:
        """End the loop; tells when it has ended."""
        home = asyncio.get_running_loop()
        gone: asyncio.Future[None] = home.create_future()

        def tell() -> None:
            if not gone.done():
                gone.set_result(None)

        def ended() -> None:
            with suppress(RuntimeError):  # nobody waits for it any more
                home.call_soon_threadsafe(tell)

        self._ended = ended
        self._loop.call_soon_threadsafe(self._loop.stop)
        return gone

    def _start(self, call: _Call) -> None:
        self._calls.add(call)  # or nothing may hold its task
        call.task = self._loop.create_task(call.begin())
        call.task.add_done_callback(lambda task: self._done(call, task))

    def _cancel(self, call: _Call) -> None:
        call.heard = True
        if call.task is not None:
            call.task.cancel()

    def _done(self, call: _Call, task: asyncio.Task[Any]) -> None:  # of any result
        self._calls.discard(call)
        error: BaseException | None
        if task.cancelled():
            error = crashed("the agent cancelled the task it runs in")
        else:
            error = task.exception()
            if error is not None and not isinstance(error, CallError):
                error = crashed(f"the agent ended with {type(error).__name__}")
        value = task.result() if error is None else None
        with suppress(RuntimeError):  # the caller's loop has ended, and with it whoever waited
            call.home.call_soon_threadsafe(call.settle, value, error)

    def _work(self) -> None:
        asyncio.set_event_loop(self._loop)
        while self._ended is None:
            self._go_on()
        self._loop.set_exception_handler(lambda *_: None)  # nobody is interested in what is left behind
        if self._left():
            # What does not let itself be cancelled is kept as it is: it would complain about being thrown away.
            self._ended()
            while True:
                self._go_on()
        self._loop.close()
        self._ended()

    def _go_on(self) -> None:
        # An agent may stop the loop, or raise what leaves it, such as SystemExit; neither is the others' affair.
        with suppress(BaseException):
            self._loop.run_forever()

    def _left(self) -> bool:
        """Cancel what runs; whether something still does."""
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        with suppress(BaseException):  # as above
            if tasks:
                self._loop.run_until_complete(asyncio.wait(tasks, timeout=_GRACE))
            self._loop.run_until_complete(asyncio.wait_for(self._loop.shutdown_asyncgens(), _GRACE))
        return bool(asyncio.all_tasks(self._loop))
