"""A run of many recorded answers, shared out among processes: when, and what each of them is given.

Every process reads the files for itself, and holds every so many-th piece of the trials; who started them keeps the pieces in
the dataset's order. The plan is the same, and so is all that examines.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vivavoce.core import codec
from vivavoce.core.model import Header, Plan, Use
from vivavoce.run.steady import Stamp
from vivavoce.run.trials import Trials

TASK = "vivavoce.run.part:pieces"
"""What each process does."""
PIECE = 500
"""Trials that are held and kept as one, where nobody is waited for."""
_LEAST = 20_000
"""Trials from which starting processes takes less time than it saves."""
_MOST = 4
"""Processes, which one that keeps what they make can keep up with."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """What one process is given."""

    header: Header
    folder: str
    stamps: tuple[Stamp | None, ...]
    """Of the files, as they were planned."""
    hidden: tuple[str, ...]
    """Secrets, which are to be blotted out."""
    index: int
    of: int


def is_worth_it(plan: Plan) -> bool:
    """Whether a plan is large, and such that it can be shared out."""
    if plan.waits or plan.count < _LEAST or plan.header.own or _cores() < 2:
        return False
    return isinstance(plan.trials, Trials) and plan.trials.can_be_shared


def given(plan: Plan, hidden: Sequence[str]) -> list[bytes]:
    """What each of the processes is given."""
    assert isinstance(plan.trials, Trials)
    header = replace(plan.header, selection=replace(plan.header.selection, judge=Use(name="none")))  # none is asked
    share = Share(
        header=header,
        folder=str(plan.folder),
        stamps=plan.trials.stamps,
        hidden=tuple(hidden),
        index=0,
        of=min(_cores(), _MOST),
    )
    return [codec.encode(replace(share, index=index)) for index in range(share.of)]


def _cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
