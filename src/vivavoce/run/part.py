"""What a process does that carries out a part of a run: it reads the files for itself, and holds its pieces of the trials."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

from vivavoce.core import codec, garbage
from vivavoce.core.model import Trial
from vivavoce.run.batch import new_tally, packed
from vivavoce.run.calls import Limits
from vivavoce.run.planner import again
from vivavoce.run.share import PIECE, Share
from vivavoce.run.trials import Trials
from vivavoce.run.work import Done, Work


def pieces(told: bytes) -> Iterator[bytes]:
    """The pieces of a share, held and written down."""
    mine = codec.decode(told, Share)
    plan = again(mine.header, Path(mine.folder), mine.stamps)
    assert isinstance(plan.trials, Trials)
    work = Work(plan, Limits(), "", None, hidden=mine.hidden)

    async def held(piece: Sequence[Trial]) -> list[Done]:
        return [await work.hold(trial) for trial in piece]

    with garbage.seldom(), asyncio.Runner() as runner:
        for piece in plan.trials.part(mine.index, mine.of, PIECE):
            yield packed(runner.run(held(piece)), new_tally(mine.header))
