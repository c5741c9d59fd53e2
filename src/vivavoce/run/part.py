"""What a process does that carries out a part of a run: it reads the files for itself, and holds its pieces of the trials."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec

from vivavoce.core import codec
from vivavoce.core.kept import Kept
from vivavoce.run.calls import Limits
from vivavoce.run.planner import again
from vivavoce.run.share import PIECE, Share
from vivavoce.run.trials import Trials
from vivavoce.run.work import Work


def pieces(told: bytes) -> Iterator[bytes]:
    """The pieces of a share, held and written down."""
    mine = codec.decode(told, Share)
    plan = again(mine.header, Path(mine.folder), mine.stamps)
    assert isinstance(plan.trials, Trials)
    trials = plan.trials.part(mine.index, mine.of, PIECE)
    work = Work(plan, Limits(), "", None, hidden=mine.hidden)

    async def piece() -> list[Kept]:
        return [(await work.hold(trial)).kept for trial in islice(trials, PIECE)]

    with asyncio.Runner() as runner:
        while made := runner.run(piece()):
            yield msgspec.msgpack.encode(made)
