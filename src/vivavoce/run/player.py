"""The calls of one trial: replayed, or made and recorded. Retries lie behind, so only what came of a call for good is kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar

import vivavoce
from vivavoce.core import codec
from vivavoce.core.errors import Abstain, CallError, Missing, Signal
from vivavoce.core.evidence import Evidence
from vivavoce.core.kinds import Judge, Session, Target
from vivavoce.core.model import Trial
from vivavoce.core.reply import JSON, Object, Reply, Request
from vivavoce.core.result import Failure, Phase, Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.core.scene import Move, Scene
from vivavoce.run._cassette import outcome
from vivavoce.run._cassette.call import Call, Kind
from vivavoce.run._cassette.nearest import missing
from vivavoce.run._cassette.outcome import Outcome
from vivavoce.run.cassette import Deck

T = TypeVar("T")

_PHASES: Mapping[Kind, Phase] = MappingProxyType(
    {"agent": "target", "rows": "dataset", "judge": "judge", "simulator": "simulator"}
)


LATE = "case_timeout"
"""The code of what the time limit of its case cut off."""


class Late(Signal):
    """A call that was cut off by the time limit of its case when it was recorded."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.message)


class Again(Exception):
    """A conversation of which the beginning was replayed and the rest is not recorded: it is held anew, as a whole."""


class Player:
    """The calls of one trial: replayed, or made and recorded."""

    def __init__(self, deck: Deck, trial: Trial) -> None:
        self._deck = deck
        self._trial = trial
        self._count: dict[str, int] = {}
        self._replayed = False
        """Whether any turn was."""
        self._cut: list[tuple[Call, str | None]] = []
        """Calls that were cancelled, each with who was to answer."""
        self._anew = not deck.taping.replay
        """Whether the agent is asked, whatever is recorded."""

    @property
    def takes_part(self) -> bool:
        """Whether what the agent is asked is recorded, or replayed."""
        return self._deck.takes["agent"]

    def hold_anew(self) -> None:
        """Hold the conversation from its beginning, of which alone was recorded: the agent knows nothing of that."""
        self._anew = True
        self._count.clear()

    def session(self, target: Target) -> Session:
        """A conversation with the agent, which begins when there is something that must be said to it."""
        return _Later(target, self._trial) if self.takes_part else target.session(self._trial)

    async def say(
        self, request: Request, session: Session, send: Callable[[], Awaitable[Reply | Failure]]
    ) -> tuple[Reply | Failure, JSON]:
        """The answer to one turn, and what it answers, where only the session knows that."""
        if not self.takes_part:
            return await send(), getattr(session, "asked", None)
        began = time.perf_counter()
        seconds: float | None = None

        async def make() -> Outcome:
            nonlocal seconds
            made = await send()
            seconds = made.seconds if isinstance(made, Reply) else None
            return self._deck.clean.reply(made, getattr(session, "asked", None) if request.input is None else None)

        told = {"input": request.input, "about": request.about, "history": request.history}
        made = await self._through(self._call("agent", told, request.turn), make)
        reply = outcome.read_reply(made)
        if isinstance(reply, Reply):
            reply = replace(reply, seconds=round(time.perf_counter() - began, 6) if seconds is None else seconds)
        return reply, made.get("asked")

    async def rows(
        self, query: JSON, request: Request, run: Callable[[], Awaitable[tuple[Object, ...] | Failure]]
    ) -> tuple[Object, ...] | Failure:
        """What a reference query gives."""

        async def make() -> Outcome:
            return self._deck.clean.rows(await run())

        if not self._deck.takes["rows"]:
            return await run()
        call = self._call("rows", {"query": query, "about": request.about}, request.turn)
        return outcome.read_rows(await self._through(call, make))

    async def move(
        self, scene: Scene, play: Callable[[Scene], Awaitable[tuple[Move | Failure, Object]]], by: str
    ) -> tuple[Move | Failure, Object]:
        """What the simulated user does next, with what that took."""

        async def make() -> Outcome:
            return self._deck.clean.move(*await play(scene))

        if not self._deck.takes["simulator"]:
            return await play(scene)
        call = self._call("simulator", {"persona": scene.persona, "said": scene.said, "seed": scene.seed}, scene.turn)
        return outcome.read_move(await self._through(call, make, by))

    def judge(self, judge: Judge, name: str, where: str) -> Judge:
        """The run's judge, as this trial asks it; `where` it is, beside its name."""
        return _Examined(self, judge, name, where) if self._deck.takes["judge"] or self._deck.spares else judge

    async def examine(self, judge: _Examined, rubric: Rubric, evidence: Evidence, fields: Object) -> Verdict:
        """A verdict; what it rests on is told by digests."""
        deck = self._deck
        reads, lacking = _reads(rubric, evidence, fields, deck.also_reads)
        texts = {name: deck.clean.text(text) for name, text in reads.items()}
        call = self._call("judge", {"rubric": rubric.id, "digest": codec.digest(rubric), "reads": texts}, None)

        async def make() -> Outcome:
            try:
                verdict = await judge.asked.judge(rubric, evidence, fields)
                rubric.check(verdict)
            except CallError as error:
                return deck.clean.failure(error.failure, error.usage)
            except Abstain as abstention:
                return deck.clean.abstains(abstention)
            return deck.clean.verdict(verdict)

        async def spared() -> Outcome:
            if deck.cache is None or not deck.spares:
                return await make()
            inputs = {
                "version": vivavoce.__version__,
                "judge": [judge.name, judge.where, call.asked],
                "request": call.request,
                "repeat": [call.repeat, call.nth],
            }
            found = deck.cache.find(inputs)
            if found is None:
                found = await make()
                if "verdict" in found:
                    deck.cache.keep(inputs, found)
            return found

        if not deck.takes["judge"]:
            return outcome.read_verdict(await spared())
        if lacking and deck.silent("judge") and not deck.holds(call):
            raise Missing(*lacking)
        return outcome.read_verdict(await self._through(call, spared, judge.name))

    def late(self, failure: Failure) -> None:
        """The time of the case is up: that is what came of the calls which were cut off by it."""
        cut, self._cut = self._cut, []
        for call, by in cut:
            assert self._deck.tape is not None, "or nothing came through here"
            self._deck.tape.keep(call, self._deck.clean.failure(failure), by)

    def over(self) -> None:
        """The trial was carried out."""
        if self._deck.tape is not None:
            self._deck.tape.over(self._trial.key)

    def _call(self, kind: Kind, request: JSON, turn: int | None) -> Call:
        """A call of this trial, told from those in the same words."""
        call = Call(
            kind=kind,
            asked=self._deck.uses[kind],
            suite=self._trial.suite,
            case=self._trial.case.id,
            repeat=self._trial.repeat,
            turn=turn,
            request=self._deck.clean.request(request),
        )
        nth = self._count[call.key] = self._count.get(call.key, -1) + 1
        return replace(call, nth=nth)

    async def _through(self, call: Call, make: Callable[[], Awaitable[Outcome]], by: str | None = None) -> Outcome:
        deck, tape = self._deck, self._deck.tape
        assert tape is not None, "only what is recorded or replayed comes here"
        agent = call.kind in ("agent", "rows")
        if deck.taping.replay is not None and not (agent and self._anew):
            found = tape.find(call)
            if found is not None:
                self._replayed = self._replayed or call.kind == "agent"
                failed = outcome.failure_of(found)
                if failed is not None and failed.code == LATE:
                    raise Late(failed)
                return found
            if not deck.taping.record_missing:
                told = Failure(code="not_recorded", message=missing(call, tape), phase=_PHASES[call.kind], sent=False)
                return deck.clean.failure(told)
            if call.kind == "agent" and self._replayed:
                raise Again
        by = by if by != call.asked["name"] else None
        try:
            made = await make()
        except asyncio.CancelledError:
            self._cut.append((call, by))
            raise
        tape.keep(call, made, by)
        return made


class _Examined:
    """The run's judge, through the recording of one trial."""

    def __init__(self, player: Player, judge: Judge, name: str, where: str) -> None:
        self._player = player
        self.asked = judge
        self.name = name
        self.where = where

    async def judge(self, rubric: Rubric, evidence: Evidence, fields: Object) -> Verdict:
        """The verdict that was recorded, or else the judge's."""
        return await self._player.examine(self, rubric, evidence, fields)


class _Later:
    """A conversation that begins when the agent is spoken to: one that is replayed never does."""

    def __init__(self, target: Target, trial: Trial) -> None:
        self._target = target
        self._trial = trial
        self._session: Session | None = None

    @property
    def asked(self) -> JSON:
        """What the last answer had been asked, where it was given before."""
        return getattr(self._session, "asked", None)

    @property
    def rows(self) -> object:
        """How the session runs queries, where it does."""
        return getattr(self._open(), "rows", None)

    async def send(self, request: Request) -> Reply:
        """Say one thing, and wait for the answer."""
        return await self._open().send(request)

    async def close(self) -> None:
        """End the conversation, if it ever began."""
        if self._session is not None:
            await self._session.close()

    def _open(self) -> Session:
        if self._session is None:
            self._session = self._target.session(self._trial)
        return self._session


def _reads(rubric: Rubric, evidence: Evidence, fields: Object, more: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    """What a judge reads, by name, and the names of which it needs one and has none."""
    reads = {name: str(value) for name, value in fields.items()}
    lacking: tuple[str, ...] = ()
    for names in (*rubric.fields, *((name,) for name in (*rubric.uses, *more))):
        for name in names:
            if name not in reads:
                try:
                    reads[name] = evidence.text(name)
                except Missing:
                    continue
        if names in rubric.fields and not any(name in reads for name in names):
            lacking = lacking or names
    return reads, lacking
