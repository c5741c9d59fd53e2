"""Hold the conversation of a trial: say what is to be said, in order, and keep what comes back."""

from __future__ import annotations

import asyncio
import hashlib
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

import msgspec

from vivavoce.core import foreign
from vivavoce.core.errors import CallError
from vivavoce.core.kinds import Session, Target
from vivavoce.core.model import Case, Check, Trial, Turn
from vivavoce.core.record import Record
from vivavoce.core.reply import JSON, Message, Object, Reply, Request
from vivavoce.core.result import Failure
from vivavoce.run.calls import Calls
from vivavoce.run.player import LATE, Again, Late, Player
from vivavoce.run.room import Room
from vivavoce.run.simulate import User

T = TypeVar("T")

CLOSING = 5.0
"""Seconds a session may take to end."""


class Held(Record, frozen=True, kw_only=True):
    """A turn as it was held: answered, failed, or (neither) not sent."""

    turn: Turn
    history: tuple[Message, ...] = ()
    """What was said before it."""
    reply: Reply | None = None
    failure: Failure | None = None
    reference: tuple[Object, ...] | Failure | None = None
    """What the turn's reference query gave, where there is one and a check needs it."""


class Talk(msgspec.Struct, kw_only=True):
    """A conversation, while it is held and after."""

    checks: tuple[Check, ...]
    """Of the conversation as a whole."""
    held: list[Held] = msgspec.field(default_factory=list)
    failure: Failure | None = None
    """What ended it."""
    user: User | None = None
    """Who spoke, where it was simulated."""
    each: tuple[Check, ...] = ()
    """Of each simulated turn."""


async def converse(trial: Trial, room: Room, player: Player, deadline: float | None) -> Talk:
    """Say every turn in order, or let the simulated user speak; after a failure, nothing more is sent."""
    case = trial.case
    talk = Talk(checks=case.checks)
    if case.persona is not None and case.is_simulated:
        assert room.stage is not None, "the planner names a simulator where there is a persona"
        talk.user = room.stage.user(trial, case.persona, player)
        talk.each, talk.checks = room.checks.of_turns(case)
    limit: asyncio.Timeout | None = None
    try:
        if deadline is None:
            talk.failure = await _say_all(trial, room, player, talk)
        else:
            async with asyncio.timeout_at(deadline) as limit:
                talk.failure = await _say_all(trial, room, player, talk)
    except Again:
        player.hold_anew()
        return await converse(trial, room, player, deadline)
    except (TimeoutError, Late) as ended:
        if not isinstance(ended, Late) and (limit is None or not limit.expired()):
            raise
        if not _is_over(talk, case):  # else it ran out while the session closed, when all was said
            late = ended.failure if isinstance(ended, Late) else _too_late(player, room.case_timeout)
            turn = case.turns[len(talk.held)] if talk.user is None else _simulated(talk, talk.user.waiting)
            talk.failure = _failed(talk, turn, late)
        elif talk.held and talk.held[-1].failure is not None:
            talk.failure = talk.held[-1].failure
    talk.held += (Held(turn=turn) for turn in case.turns[len(talk.held) :])
    return talk


def _too_late(player: Player, seconds: float | None) -> Failure:
    failure = Failure(code=LATE, message=f"the case took longer than {seconds:g} s")
    player.late(failure)
    return failure


def _is_over(talk: Talk, case: Case) -> bool:
    """Whether all was said, or something failed."""
    if talk.user is not None:
        return talk.user.has_ended
    return len(talk.held) == len(case.turns) or (bool(talk.held) and talk.held[-1].failure is not None)


def _failed(talk: Talk, turn: Turn | None, failure: Failure, history: tuple[Message, ...] = ()) -> Failure:
    """The failure, told of the turn it happened in."""
    if turn is not None:
        talk.held.append(Held(turn=turn, history=history, failure=failure))
    if talk.user is not None:
        talk.user.fail(failure)
    return failure


def _simulated(talk: Talk, said: JSON) -> Turn | None:
    return None if said is None else Turn(input=said, checks=talk.each)


def _scripted(talk: Talk, case: Case) -> Turn | None:
    """What the dataset says next; `None` when all was said."""
    return case.turns[len(talk.held)] if len(talk.held) < len(case.turns) else None


async def _played(talk: Talk, user: User) -> Turn | Failure | None:
    """What the simulated user says next; `None` when that is all."""
    said = await user.next()
    return said if isinstance(said, Failure) else _simulated(talk, said)


def _said(held: Held) -> Iterator[Message]:
    """A question and its answer as later turns are told of them; an answer in other than words says nothing there."""
    yield Message(role="user", content=held.turn.input)
    if held.reply is not None and held.reply.text is not None:
        yield Message(role="assistant", content=held.reply.text)


async def _say_all(trial: Trial, room: Room, player: Player, talk: Talk) -> Failure | None:
    case = trial.case
    session = await _guarded(_opened, player, room.target)
    if isinstance(session, Failure):
        return _failed(talk, case.turns[0] if talk.user is None else None, session)
    history = case.history
    session_id = _session_id(trial, room.nonce) if room.calls.waits else ""
    try:
        while (turn := _scripted(talk, case) if talk.user is None else await _played(talk, talk.user)) is not None:
            if isinstance(turn, Failure):
                return turn
            if talk.held:
                history = (*history, *_said(talk.held[-1]))
            request = Request(
                input=turn.input,
                session_id=session_id,
                case=case.id,
                turn=len(talk.held),
                about=trial.about,
                history=history,
            )
            if room.calls.waits or player.takes_part or turn.input is None:  # else the shortest way, for recorded answers
                outcome, asked = await player.say(request, session, partial(_send, session, request, room.calls))
            else:
                outcome, asked = _reply(await _guarded(session.send, request)), None
            if isinstance(outcome, Failure):
                return _failed(talk, turn, outcome, history)
            if turn.input is None:
                # Only a session that fetched an answer knows what that had been asked.
                turn = replace(turn, input=asked)
            talk.held.append(Held(turn=turn, history=history, reply=outcome))
            query = turn.expect.reference_query
            if query is not None and any("expected_rows" in room.checks.examiner(check).needs for check in turn.checks):
                reference = await _reference(session, query, request, room.calls, player)
                talk.held[-1] = replace(talk.held[-1], reference=reference)
            if talk.user is not None:
                talk.user.hear(outcome)
        return None
    finally:
        await (_close(session) if room.calls.waits else _guarded(session.close))


async def _send(session: Session, request: Request, calls: Calls) -> Reply | Failure:
    if not calls.waits:
        return _reply(await _guarded(session.send, request))
    began = time.perf_counter()

    async def send() -> Reply:
        nonlocal began
        began = time.perf_counter()
        return await session.send(request)

    outcome = _reply(await _guarded(calls.make, send))
    if isinstance(outcome, Reply) and outcome.seconds is None:
        return replace(outcome, seconds=round(time.perf_counter() - began, 6))
    return outcome


def _reply(outcome: object) -> Reply | Failure:
    """What came of a call to the agent, if it is what a target gives."""
    if isinstance(outcome, Reply | Failure):
        return outcome
    return Failure(code="bad_payload", message=f"the target gave a value of type {type(outcome).__name__}, which is no Reply")


async def _opened(player: Player, target: Target) -> Session:
    return player.session(target)


async def _reference(
    session: Session, query: JSON, request: Request, calls: Calls, player: Player
) -> tuple[Object, ...] | Failure:
    """The rows that a reference query gives on the agent's own source."""

    async def rows() -> tuple[Object, ...]:
        run = getattr(session, "rows", None)
        if run is None:
            why = "the target runs no queries; name one that does, or expect rows that the file holds"
            raise CallError(Failure(code="no_rows", message=why, sent=False))
        return tuple(await run(query))

    outcome = await player.rows(query, request, partial(_guarded, calls.make, rows))
    if isinstance(outcome, Failure):
        return replace(outcome, phase="dataset", message=f"the reference query failed: {outcome.message}")
    return outcome


async def _guarded(call: Callable[..., Awaitable[T | Failure]], *given: object) -> T | Failure:
    """What comes of a call; a target's own mistake harms only its case."""
    try:
        return await call(*given)
    except CallError as error:
        return error.failure
    except BaseException as error:
        if not foreign.is_mistake(error):
            raise
        return Failure(code="crashed", message=f"the target failed: {type(error).__name__}: {error}")


async def _close(session: Session) -> None:
    """End a conversation that is over; its answers are what counts."""
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSING):
            await _guarded(session.close)


def _session_id(trial: Trial, nonce: str) -> str:
    told = f"{nonce}\n{trial.seed}\n{trial.suite}\n{trial.case.id}\n{trial.repeat}"
    return str(uuid.UUID(bytes=hashlib.blake2b(told.encode(), digest_size=16).digest(), version=4))
