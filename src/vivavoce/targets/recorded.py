"""Examine the answers that the dataset holds itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from vivavoce.core.errors import CallError
from vivavoce.core.kinds import Session
from vivavoce.core.model import Case, Trial
from vivavoce.core.reply import Reply, Request
from vivavoce.core.result import Failure

__all__ = ["Recorded"]


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """The answers that the dataset holds: nothing is called, what was answered once is examined again.

    Speaks: nothing; each turn is answered with the answer recorded for it.
    Options: none.
    Example: `viva run answers.jsonl --target recorded`, where each row has a response.
    Limits: a turn without a recorded answer is an error, and what the file does not tell of an answer is unknown.
    Source: the dataset formats, each of which can hold answers.
    """

    waits: ClassVar[bool] = False

    def session(self, trial: Trial) -> Session:
        """The recorded conversation."""
        return _Recording(trial.case)

    async def close(self) -> None:
        """Nothing is held."""


class _Recording:
    def __init__(self, case: Case) -> None:
        self._case = case

    async def send(self, request: Request) -> Reply:
        turns = self._case.turns
        turn = turns[request.turn] if request.turn < len(turns) else None
        if turn is not None and turn.fault is not None:
            raise CallError(Failure(code=turn.fault.code, message=turn.fault.message, sent=False))
        reply = turn.reply if turn is not None else None
        if reply is None:
            which = f"turn {request.turn} of case {self._case.id}"
            message = f"{which} has no recorded answer; record one, or name an agent with --target"
            raise CallError(Failure(code="not_recorded", message=message, sent=False))
        return reply

    async def close(self) -> None:
        return None
