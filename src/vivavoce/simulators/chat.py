"""Simulated users that a chat model plays: every model provider can, under its own name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from vivavoce.core.kinds import Guard, Provider, Simulator
from vivavoce.core.reply import Completion
from vivavoce.core.scene import Move, Scene
from vivavoce.providers._asking import Question, ask
from vivavoce.providers._role import Role, players, straight
from vivavoce.simulators import _moves


class Chat(Role):
    """What a provider's class is given to play users as well."""

    def through(self, guard: Guard) -> Simulator:
        """The same simulator, every call made through `guard`."""
        return Player(self._provider, self.name, guard)

    async def move(self, scene: Scene) -> Move:
        """The model's move, as `Player` gives it."""
        return await self.through(straight).move(scene)


class Player:
    """Puts a scene to a chat model, and takes nothing but a message or an end, with a reason."""

    def __init__(self, provider: Provider, name: str, guard: Guard) -> None:
        self._provider = provider
        self._guard = guard
        self.name = name

    async def move(self, scene: Scene) -> Move:
        """The model's move; an answer that cannot be used is given one more chance.

        Raises:
            CallError: the model failed, or twice made no move; carries what its answers took.
        """
        question = Question(
            prompt=_moves.prompt(scene),
            schema=_moves.schema(),
            form=_moves.FORM,
            again="Take the same step again",
            failed=f"{self.name} played no user",
            phase="simulator",
        )

        def read(completion: Completion) -> Move:
            return _moves.read(completion, scene, question.prompt)

        move, usage = await ask(self._provider, self._guard, question, read)
        return replace(move, usage=usage)

    async def close(self) -> None:
        """Free what the provider holds."""
        await self._provider.close()


def plugins() -> Mapping[str, Callable[[], type[Chat]]]:
    """A simulator for each provider that comes with this package."""
    return players(Chat, __name__)
