"""Trials on this process's event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass

from vivavoce.core.model import Trial
from vivavoce.core.result import Result

__all__ = ["Local"]


@dataclass(frozen=True, kw_only=True)
class Local:
    """Run trials concurrently on the event loop of this process.

    Needs: nothing.
    Example: `viva run evals/ --concurrency 20` holds twenty conversations at once.
    Limits: one process; an agent given as a synchronous Python function shares its interpreter.
    Source: Viva's own.
    """

    async def map(
        self,
        work: Callable[[Trial], Awaitable[Result]],
        keep: Callable[[Trial, Result], Awaitable[None]],
        trials: Iterator[Trial],
        concurrency: int,
    ) -> AsyncIterator[Result]:
        """Results as they come; see `core.kinds.Engine`."""
        done: asyncio.Queue[Result | None] = asyncio.Queue()

        hired = 0

        async def worker(others: asyncio.TaskGroup) -> None:
            # Each worker is one place in the concurrency limit: it takes the next trial only when its last is kept.
            for trial in trials:
                hire(others)
                result = await work(trial)
                await keep(trial, result)
                await done.put(result)

        def hire(others: asyncio.TaskGroup) -> None:
            # One by one, when there was a trial for the last: there may be fewer than places, by far.
            nonlocal hired
            if hired < concurrency:
                hired += 1
                others.create_task(worker(others))

        async def all_workers() -> None:
            try:
                async with asyncio.TaskGroup() as workers:
                    hire(workers)
            except BaseExceptionGroup as failed:
                raise failed.exceptions[0] from None

        running = asyncio.create_task(all_workers())
        running.add_done_callback(lambda _: done.put_nowait(None))
        try:
            while (result := await done.get()) is not None:
                yield result
            await running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
