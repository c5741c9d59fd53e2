"""What does not let itself be cancelled is not waited for: neither within a run, nor at its end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")

_GRACE = 0.5
"""Seconds that a task which is cancelled has to end."""


class Overdue(TimeoutError):
    """The deadline of what was waited for came before its end; a time limit of its own is another matter."""


async def within(deadline: float | None, work: Coroutine[Any, Any, T]) -> T:  # as coroutines are
    """What comes of it by the deadline, on the loop's clock; when that is over, or this is cancelled, so is the work.

    Raises:
        Overdue: it took longer.
        RuntimeError: it cancelled itself, or ended the program.
    """
    loop = asyncio.get_running_loop()
    task = loop.create_task(_inside(work))
    try:
        done, _ = await asyncio.wait({task}, timeout=None if deadline is None else deadline - loop.time())
    except asyncio.CancelledError:
        await _let_go(task)
        raise
    if not done:
        await _let_go(task)
        raise Overdue
    if task.cancelled():
        raise RuntimeError("it cancelled itself")
    return task.result()


async def _inside(work: Coroutine[Any, Any, T]) -> T:  # as coroutines are
    """The same; a task that ends the program would end the event loop with it."""
    try:
        return await work
    except SystemExit as error:
        raise RuntimeError(f"it ended the program: SystemExit: {error}") from error


async def _let_go(task: asyncio.Task[Any]) -> None:  # of any result
    task.cancel()
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # nobody needs to be told of it
    await asyncio.wait({task}, timeout=_GRACE)


def complete(main: Coroutine[Any, Any, T]) -> T:  # as coroutines are
    """What comes of it, on an event loop of its own. As `asyncio.run`, which waits for ever for what it leaves behind."""
    runner = asyncio.Runner()
    try:
        return runner.run(main)
    finally:
        _end(runner.get_loop())


def aside(main: Coroutine[Any, Any, T]) -> T:  # as coroutines are
    """The same, for a thread in which an event loop is running: in a thread of its own, that Ctrl-C cancels."""
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = Future()  # of any result

    async def work() -> T:
        begun.set_result((asyncio.get_running_loop(), asyncio.current_task()))
        return await main

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="viva") as threads:
        outcome = threads.submit(complete, work())
        try:
            return outcome.result()
        except KeyboardInterrupt:
            loop, task = begun.result()
            if task is not None and not outcome.done():
                loop.call_soon_threadsafe(task.cancel)
            raise


def _end(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=_GRACE))
    with suppress(TimeoutError):
        loop.run_until_complete(asyncio.wait_for(loop.shutdown_asyncgens(), _GRACE))
    asyncio.set_event_loop(None)
    if asyncio.all_tasks(loop):
        # What is left is kept as it is: it would complain about being thrown away, or not even end then.
        loop.set_exception_handler(lambda *_: None)
        threading.Thread(target=loop.run_forever, name="viva-left", daemon=True).start()
    else:
        loop.close()
