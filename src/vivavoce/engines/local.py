"""Trials on this machine: on the event loop of this process, and in others beside it where nothing but time is needed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TypeVar

from vivavoce.core.errors import WorkerError

__all__ = ["Local"]

P = TypeVar("P")
D = TypeVar("D")


@dataclass(frozen=True, kw_only=True)
class Local:
    """Run trials concurrently on the event loop of this process; recorded answers, where there are many, on every core.

    Needs: nothing.
    Example: `viva run evals/ --concurrency 20` holds twenty conversations at once.
    Limits: one machine; an agent given as a synchronous Python function shares this process's interpreter. Only recorded
    answers, 20,000 and more of them, are examined in processes beside it, four at most.
    Source: Viva's own.
    """

    async def map(
        self,
        work: Callable[[P], Awaitable[D]],
        keep: Callable[[P, D], Awaitable[None]],
        pieces: Iterator[P],
        concurrency: int,
    ) -> AsyncIterator[D]:
        """Results as they come; see `core.kinds.Engine`."""
        done: asyncio.Queue[tuple[D] | None] = asyncio.Queue()

        hired = 0

        async def worker(others: asyncio.TaskGroup) -> None:
            # Each worker is one place in the concurrency limit: it takes the next piece only when its last is kept.
            for piece in pieces:
                hire(others)
                result = await _whole(work, piece)
                await keep(piece, result)
                await done.put((result,))

        def hire(others: asyncio.TaskGroup) -> None:
            # One by one, when there was a piece for the last: there may be fewer than places, by far.
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
            while (ended := await done.get()) is not None:
                yield ended[0]
            await running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def share(self, task: str, given: Sequence[bytes]) -> AsyncIterator[tuple[bytes, Callable[[], None]]]:
        """Pieces of a run that processes of their own make; see `core.kinds.Sharing`."""
        from vivavoce.engines._process import Process

        team: list[Process] = []
        try:
            try:
                for each in given:
                    team.append(await Process.start(task, each))
            except OSError:
                return
            if not all([await process.ready() for process in team]):
                return
            for process in cycle(team):
                piece = await process.piece()
                if piece is None:
                    break
                yield piece, process.taken
            for other in team:
                if other is not process:
                    await other.piece()  # it has come to its end too, or tells why not
        finally:
            await asyncio.gather(*(process.close() for process in team))


async def _whole(work: Callable[[P], Awaitable[D]], piece: P) -> D:
    """What comes of a piece.

    Raises:
        WorkerError: it was cancelled by what it called, and by nobody else; a task group would take it for done.
    """
    try:
        return await work(piece)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
    raise WorkerError("a part of the run was cancelled by what it called")
