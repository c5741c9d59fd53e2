"""The engine of this process."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from vivavoce.core.errors import WorkerError
from vivavoce.engines.local import Local


async def all_of_it(work, keep, places) -> None:
    async with aclosing(Local().map(work, keep, iter(range(5)), places)) as results:
        async for _ in results:
            pass


async def test_a_piece_that_cancels_itself_ends_the_run_and_is_not_taken_for_done() -> None:
    kept = []

    async def work(piece: int) -> int:
        if piece == 2:
            raise asyncio.CancelledError
        return piece

    async def keep(piece: int, done: int) -> None:
        kept.append(done)

    with pytest.raises(WorkerError, match="cancelled by what it called"):
        await all_of_it(work, keep, 1)
    assert kept == [0, 1]


async def test_a_run_that_is_cancelled_is() -> None:
    begun = asyncio.Event()

    async def work(piece: int) -> int:
        begun.set()
        await asyncio.sleep(3600)
        return piece

    async def keep(piece: int, done: int) -> None: ...

    task = asyncio.create_task(all_of_it(work, keep, 2))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
