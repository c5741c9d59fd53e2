"""What a process does that carries out a part of a run: it reads the files for itself, and holds its pieces of the trials."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from vivavoce.core import codec, garbage
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
    trials = plan.trials.part(mine.index, mine.of, PIECE)
    work = Work(plan, Limits(), "", None, hidden=mine.hidden)

    async def piece() -> list[Done]:
        return [await work.hold(trial) for trial in islice(trials, PIECE)]

    with garbage.seldom(), asyncio.Runner() as runner:
        while made := runner.run(piece()):
            yield packed(made, new_tally(mine.header))
