"""A persona speaks: one message a turn, until its goal is met, it is stuck, or the limit is reached."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from vivavoce.core import amounts, plugins
from vivavoce.core.errors import CallError
from vivavoce.core.kinds import Guarded, Simulator
from vivavoce.core.model import Persona, Trial, Use
from vivavoce.core.reply import JSON, Message, Object, Reply
from vivavoce.core.result import Failure, Simulation, Stop
from vivavoce.core.scene import Move, Scene
from vivavoce.run import saying
from vivavoce.run.calls import Calls
from vivavoce.run.cassette import Deck, Nobody
from vivavoce.run.player import Player


class Stage:
    """Who plays the users of a run."""

    def __init__(self, *, use: Use, calls: Calls, deck: Deck | None = None) -> None:
        deck = deck or Deck()
        silent = deck.silent("simulator")
        made = Nobody() if silent else plugins.build("simulators", use, lax=True)
        self._simulator: Simulator = made.through(calls.sure) if isinstance(made, Guarded) else made
        self.name: str = deck.name("simulator") if silent else getattr(made, "name", use.name)

    def user(self, trial: Trial, persona: Persona, player: Player) -> User:
        """The user of one trial."""
        return User(self, trial, persona, player)

    async def move(self, scene: Scene) -> tuple[Move | Failure, Object]:
        """What the user does next, with what the simulator's calls took; its failure is data."""
        try:
            move = await self._simulator.move(scene)
        except CallError as error:
            return replace(error.failure, phase="simulator"), error.usage
        except Exception as error:  # a simulator's own mistake harms only its case
            told = f"{type(error).__name__}: {error}"
            return Failure(code="crashed", message=told, phase="simulator"), {}
        return move, move.usage

    async def close(self) -> None:
        """Free what the simulator holds."""
        if hasattr(self._simulator, "close"):
            await self._simulator.close()


class User:
    """The simulated user of one conversation."""

    def __init__(self, stage: Stage, trial: Trial, persona: Persona, player: Player) -> None:
        self._stage = stage
        self._player = player
        self._persona = persona
        self._seed = _seed(trial)
        self._said = tuple(replace(each, content=saying.words(each.content)) for each in trial.case.history)
        self._turn = 0
        self._stop: Stop | None = None
        self._reasoning = ""
        self._usage: dict[str, float] = {}
        self._warnings: list[str] = []
        self.waiting: JSON = None
        """What was said and has no answer yet."""

    @property
    def has_ended(self) -> bool:
        """Whether the conversation is over, in whatever way."""
        return self._stop is not None

    async def next(self) -> JSON | Failure:
        """What it says next; `None` when the conversation is over. Nobody is asked for a message that would not be sent."""
        persona = self._persona
        if self._turn >= persona.max_turns:
            self._end("max_turns", f"the limit of {_turns(persona.max_turns)} was reached")
            return None
        if not self._turn and persona.input is not None:
            self.waiting = persona.input
            return persona.input
        scene = Scene(persona=persona, said=self._said, turn=self._turn, seed=self._seed)
        move, usage = await self._player.move(scene, self._stage.move, self._stage.name)
        amounts.add(self._usage, usage)
        outcome = move if isinstance(move, Failure) else self._take(move)
        if isinstance(outcome, Failure):
            outcome = replace(outcome, message=f"the simulated user failed: {outcome.message}")
            self.fail(outcome)
        return outcome

    def hear(self, reply: Reply) -> None:
        """The agent's answer to what it said last."""
        asked = Message(role="user", content=saying.words(self.waiting))
        self._said = (*self._said, asked, Message(role="assistant", content=saying.heard(reply)))
        self._turn += 1
        self.waiting = None

    def fail(self, failure: Failure) -> None:
        """An error ends the conversation."""
        self._end("error", failure.message)

    def ending(self) -> tuple[Stop | None, Simulation]:
        """Why the conversation ended, and how it went."""
        return self._stop, Simulation(
            simulator=self._stage.name,
            reasoning=self._reasoning,
            usage=self._usage,
            warnings=tuple(self._warnings),
        )

    def _take(self, move: Move) -> JSON | Failure:
        if move.stop is not None:
            if move.stop not in ("goal_completed", "gave_up"):
                return _wrong(f"it stopped for a reason there is not: {move.stop!r}")
            if not self._turn:
                return _wrong("it ended the conversation before it said anything")
            self._end(move.stop, move.reasoning)
            return None
        if move.message is None:
            return _wrong("it neither said anything nor ended the conversation")
        message = _sound(move.message)
        if not message.strip():
            if not self._turn:
                return _wrong("its first message is empty")
            self._warnings.append("the simulated user sent an empty message, which was taken for the end of the conversation")
            self._end("gave_up", move.reasoning)
            return None
        self.waiting = saying.put(self._persona.input, message)
        return self.waiting

    def _end(self, stop: Stop, reasoning: str) -> None:
        self._stop, self._reasoning = stop, _sound(reasoning)


def _wrong(why: str) -> Failure:
    return Failure(code="bad_answer", message=why, phase="simulator")


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"


def _sound(text: str) -> str:
    """Without halves of characters, which could not be stored."""
    return str(text).encode("utf-8", "replace").decode()


def _seed(trial: Trial) -> int:
    told = f"{trial.seed}\n{trial.case.id}\n{trial.repeat}"
    return int.from_bytes(hashlib.blake2b(told.encode("utf-8", "replace"), digest_size=6).digest())
