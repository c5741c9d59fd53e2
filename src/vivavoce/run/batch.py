"""Trials that were held, and are kept as one; and what counts them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from vivavoce.analysis.counts import Counts
from vivavoce.analysis.summary import Tally
from vivavoce.core import plugins
from vivavoce.core.errors import PluginError
from vivavoce.core.kept import Kept
from vivavoce.core.model import Header
from vivavoce.core.result import Result


@dataclass(frozen=True, slots=True)
class Batch:
    """Trials that were held, in this process or in another."""

    kept: Sequence[Kept]
    made: Sequence[Result] | None = None
    """Their results, where they were held in this process."""
    counts: Counts | None = None
    """Their numbers, where they were counted already."""

    def results(self) -> Iterable[Result]:
        """Their results."""
        return self.made if self.made is not None else map(Kept.whole, self.kept)

    def count(self, tally: Tally) -> None:
        """Count them in."""
        if self.counts is not None:
            tally.include(self.counts)
            return
        for result in self.results():
            tally.add(result)


def packed(held: Sequence[tuple[Result, Kept]], tally: Tally) -> bytes:
    """Trials as another process reads them, counted by a tally that has counted nothing else."""
    for result, _ in held:
        tally.add(result)
    return msgspec.msgpack.encode(([kept for _, kept in held], tally.counts))


def unpacked(piece: bytes) -> Batch:
    """What was packed."""
    kept, counts = msgspec.msgpack.decode(piece, type=tuple[list[Kept], Counts])
    return Batch(kept, counts=counts)


def new_tally(header: Header) -> Tally:
    """What counts the results of a plan."""
    target = header.selection.target
    asks = target is None or target.name != "recorded"
    return Tally(repeat=header.selection.repeat, scale=_scale, asks=asks)


def _scale(evaluator: str) -> tuple[float, float | None] | None:
    try:
        scale: tuple[float, float | None] | None = getattr(plugins.find("evaluators", evaluator), "scale", None)
    except PluginError:  # a project's own, whose scale nobody stated
        return None
    return scale
