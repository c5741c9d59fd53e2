"""A simulated user that follows rules: no model, no key, and the same again for the same seed."""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.core.scene import Move, Scene
from vivavoce.simulators._scripted.mind import Mind

__all__ = ["Scripted"]


@dataclass(frozen=True, kw_only=True)
class Scripted:
    """A user made from profile and goal by rules, without any model; the same seed says the same.

    Plays: the goal is taken apart into the things it asks for, and these are asked for one after the other, each in a sentence
        of the user's own; asked back, the user tells what its profile says, and else that it does not know. It has reached the
        goal when an answer was given to each thing, and gives up when the agent declines, repeats itself or speaks of
        something else for too long: after three answers in vain, or two or four by the profile's patience.
    Options: none.
    Example: goal "Find out when order HW-1042 arrives, and ask how a lantern is returned" -> "Hi. Could you tell me when order
        HW-1042 arrives?", and after an answer "Thanks. Do you know how a lantern is returned?"
    Limits: it does not understand what it reads. An answer counts when it speaks of what was asked, be it right or wrong: what
        an answer is worth is for the evaluators to say. Phrases are English; a goal in another language is said sentence by
        sentence as it stands. For users that understand, name a model: `--simulator openai:MODEL`.
    Source: Viva's own.
    """

    async def move(self, scene: Scene) -> Move:
        """The user's next message, or its end, found by going through the conversation from its beginning."""
        mind = Mind(scene.persona, scene.seed)
        turns = scene.said[len(scene.said) - 2 * scene.turn :]
        for at in range(scene.turn):
            said, answer = turns[2 * at], turns[2 * at + 1]
            if not at and scene.persona.input is not None:
                mind.begin(str(said.content))
            else:
                mind.move()
            mind.hear(str(answer.content))
        return mind.move()
