"""One trial: hold the conversation, then judge it. What goes wrong becomes data."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Check, Trial
from vivavoce.core.result import Exchange, Failure, Fault, Result, Score, Status
from vivavoce.run.checks import Checks
from vivavoce.run.conversing import Held, converse
from vivavoce.run.player import Player
from vivavoce.run.room import Room
from vivavoce.run.sitting import Sitting

NOT_SENT = Fault(code="not_sent", message="not sent: an earlier turn of this conversation failed")


async def run_trial(trial: Trial, room: Room) -> Result:
    """Hold the conversation of a trial and judge it. Never raises but for cancellation."""
    deadline = None if room.case_timeout is None else asyncio.get_running_loop().time() + room.case_timeout
    player = Player(room.deck, trial)
    talk = await converse(trial, room, player, deadline)
    sitting = Sitting(room.bench.through(player), room.checks, deadline)
    turns: list[Exchange] = []
    for each in talk.held:
        turns.append(await _judge_turn(each, trial.case, room.checks, sitting))  # a comprehension is a coroutine more
    failed = talk.failure
    scores: tuple[Score, ...] = ()
    if failed is not None:
        scores = tuple(_unanswered(check, failed, room.checks) for check in talk.checks)
    elif talk.checks:
        scores = await sitting.scores(talk.checks, Evidence(case=trial.case, exchanges=turns))
    player.over()
    stop, simulation = talk.user.ending() if talk.user is not None else (None, None)
    return Result(
        suite=trial.suite,
        case=trial.case.id,
        name=trial.case.name,
        category=trial.case.category,
        metadata=trial.case.metadata,
        repeat=trial.repeat,
        position=trial.position,
        status=_settle(turns, scores, failed),
        digest=trial.digest,
        turns=tuple(turns),
        scores=scores,
        stop=stop,
        simulation=simulation,
        error=_fault(failed) if failed is not None else None,
    )


async def _judge_turn(held: Held, case: Case, checks: Checks, sitting: Sitting) -> Exchange:
    """A turn with its scores; one that was not sent has none."""
    turn = held.turn
    scores: tuple[Score, ...] = ()
    fault = NOT_SENT
    if held.failure is not None:
        fault = _fault(held.failure)
        scores = tuple(_unanswered(check, held.failure, checks) for check in turn.checks)
    elif held.reply is not None:
        evidence = Evidence(case=case, turn=turn, reply=held.reply, history=held.history, reference=held.reference)
        scores = await sitting.scores(turn.checks, evidence)
    return Exchange(
        input=turn.input,
        expected=turn.expect.response,
        error=None if held.reply is not None else fault,
        reply=held.reply,
        scores=scores,
    )


def _unanswered(check: Check, failure: Failure, checks: Checks) -> Score:
    examiner = checks.examiner(check)
    return Score(
        name=examiner.name,
        evaluator=examiner.kind,
        status="error",
        threshold=examiner.threshold,
        reason=failure.message if failure.phase == "simulator" else f"the agent did not answer: {failure.message}",
        rubric=examiner.rubric,
    )


def _fault(failure: Failure) -> Fault:
    return Fault(code=failure.code, message=failure.message)


def _settle(turns: Sequence[Exchange], scores: Sequence[Score], failed: Failure | None) -> Status:
    """The status of a trial: an error anywhere, else a failure anywhere, else any pass, else a skip."""
    if failed is not None:
        return "error"
    given = [score.status for score in scores]
    for turn in turns:
        for score in turn.scores:
            given.append(score.status)
    for status in _WORST_FIRST:
        if status in given:
            return status
    return "skip"


_WORST_FIRST: tuple[Status, ...] = ("error", "fail", "pass")
