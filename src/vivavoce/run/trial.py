"""One trial: hold the conversation, then judge it. What goes wrong becomes data."""

from __future__ import annotations

import asyncio
import hashlib
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from vivavoce.core.errors import CallError
from vivavoce.core.evidence import Evidence
from vivavoce.core.kinds import Session, Target
from vivavoce.core.model import Case, Check, Trial, Turn
from vivavoce.core.reply import JSON, Message, Object, Reply, Request
from vivavoce.core.result import Exchange, Failure, Fault, Result, Score, Status
from vivavoce.run.calls import Calls
from vivavoce.run.checks import Checks
from vivavoce.run.judging import Bench
from vivavoce.run.sitting import Sitting

T = TypeVar("T")

CLOSING = 5.0
"""Seconds a session may take to end."""
NOT_SENT = Fault(code="not_sent", message="not sent: an earlier turn of this conversation failed")


@dataclass(frozen=True, kw_only=True, slots=True)
class Room:
    """What every trial of a run shares."""

    target: Target
    calls: Calls
    """To the target."""
    checks: Checks
    bench: Bench
    nonce: str
    """Tells this process's conversations from those of earlier ones, for agents that remember sessions."""
    case_timeout: float | None = None


async def run_trial(trial: Trial, room: Room) -> Result:
    """Hold the conversation of a trial and judge it. Never raises but for cancellation."""
    deadline = None if room.case_timeout is None else asyncio.get_running_loop().time() + room.case_timeout
    held = await _converse(trial, room, deadline)
    sitting = Sitting(room.bench, room.checks, deadline)
    turns = [await _judge_turn(each, trial.case, room.checks, sitting) for each in held]
    failed = next((each.failure for each in held if each.failure is not None), None)
    scores = await _judge_whole(trial.case, turns, failed, room.checks, sitting)
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
        error=_fault(failed) if failed is not None else None,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Held:
    """A turn as it was held: answered, failed, or (neither) not sent."""

    turn: Turn
    history: tuple[Message, ...] = ()
    """What was said before it."""
    reply: Reply | None = None
    failure: Failure | None = None
    reference: tuple[Object, ...] | Failure | None = None
    """What the turn's reference query gave, where there is one and a check needs it."""


async def _converse(trial: Trial, room: Room, deadline: float | None) -> list[_Held]:
    """Say every turn in order; after one that failed, none is sent."""
    held: list[_Held] = []
    try:
        async with asyncio.timeout_at(deadline) as limit:
            await _say_all(trial, room, held)
    except TimeoutError:
        if not limit.expired():
            raise
        # It may also have run out while the session closed, when all is said.
        if len(held) < len(trial.case.turns) and (not held or held[-1].failure is None):
            late = Failure(code="case_timeout", message=f"the case took longer than {room.case_timeout:g} s")
            held.append(_Held(turn=trial.case.turns[len(held)], failure=late))
    return [*held, *(_Held(turn=turn) for turn in trial.case.turns[len(held) :])]


async def _say_all(trial: Trial, room: Room, held: list[_Held]) -> None:
    case = trial.case
    try:
        session = room.target.session(trial)
    except CallError as error:
        held.append(_Held(turn=case.turns[0], failure=error.failure))
        return
    history = case.history
    session_id = _session_id(trial, room.nonce)
    try:
        for index, turn in enumerate(case.turns):
            request = Request(
                input=turn.input,
                session_id=session_id,
                case=case.id,
                turn=index,
                about=trial.about,
                history=history,
            )
            outcome = await _say(session, request, room.calls)
            if isinstance(outcome, Failure):
                held.append(_Held(turn=turn, history=history, failure=outcome))
                return
            if turn.input is None:
                # Only a session that fetched an answer knows what that had been asked.
                turn = replace(turn, input=getattr(session, "asked", None))
            held.append(_Held(turn=turn, history=history, reply=outcome))
            if any("expected_rows" in room.checks.examiner(check).needs for check in turn.checks):
                held[-1] = replace(held[-1], reference=await _reference(session, turn.expect.reference_query, room.calls))
            history = (*history, Message(role="user", content=turn.input), Message(role="assistant", content=outcome.text))
    finally:
        await _close(session)


async def _say(session: Session, request: Request, calls: Calls) -> Reply | Failure:
    began = time.perf_counter()

    async def send() -> Reply:
        nonlocal began
        began = time.perf_counter()
        return await session.send(request)

    outcome = await _call(send, calls)
    if isinstance(outcome, Reply) and outcome.seconds is None:
        return replace(outcome, seconds=round(time.perf_counter() - began, 6))
    return outcome


async def _reference(session: Session, query: JSON, calls: Calls) -> tuple[Object, ...] | Failure | None:
    """The rows that a reference query gives on the agent's own source; `None` where there is no query."""
    if query is None:
        return None
    run = getattr(session, "rows", None)

    async def rows() -> tuple[Object, ...]:
        if run is None:
            why = "the target runs no queries; name one that does, or expect rows that the file holds"
            raise CallError(Failure(code="no_rows", message=why, sent=False))
        return tuple(await run(query))

    outcome = await _call(rows, calls)
    if isinstance(outcome, Failure):
        return replace(outcome, phase="dataset", message=f"the reference query failed: {outcome.message}")
    return outcome


async def _call(call: Callable[[], Awaitable[T]], calls: Calls) -> T | Failure:
    try:
        return await calls.make(call)
    except Exception as error:  # a target's own mistake harms only its case
        return Failure(code="crashed", message=f"the target failed: {type(error).__name__}: {error}")


async def _close(session: Session) -> None:
    try:
        async with asyncio.timeout(CLOSING):
            await session.close()
    except Exception:  # the conversation is over, and its answers are what counts
        return


async def _judge_turn(held: _Held, case: Case, checks: Checks, sitting: Sitting) -> Exchange:
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


async def _judge_whole(
    case: Case, turns: Sequence[Exchange], failed: Failure | None, checks: Checks, sitting: Sitting
) -> tuple[Score, ...]:
    if failed is not None:
        return tuple(_unanswered(check, failed, checks) for check in case.checks)
    return await sitting.scores(case.checks, Evidence(case=case, exchanges=turns))


def _unanswered(check: Check, failure: Failure, checks: Checks) -> Score:
    examiner = checks.examiner(check)
    return Score(
        name=examiner.name,
        evaluator=examiner.kind,
        status="error",
        threshold=examiner.threshold,
        reason=f"the agent did not answer: {failure.message}",
        rubric=examiner.rubric,
    )


def _fault(failure: Failure) -> Fault:
    return Fault(code=failure.code, message=failure.message)


def _settle(turns: Sequence[Exchange], scores: Sequence[Score], failed: Failure | None) -> Status:
    """The status of a trial: an error anywhere, else a failure anywhere, else any pass, else a skip."""
    if failed is not None:
        return "error"
    statuses = {score.status for score in scores}
    for turn in turns:
        statuses.update(score.status for score in turn.scores)
    order: tuple[Status, ...] = ("error", "fail", "pass")
    return next((status for status in order if status in statuses), "skip")


def _session_id(trial: Trial, nonce: str) -> str:
    told = f"{nonce}\n{trial.seed}\n{trial.suite}\n{trial.case.id}\n{trial.repeat}"
    return str(uuid.UUID(bytes=hashlib.blake2b(told.encode(), digest_size=16).digest(), version=4))
