"""What every simulator does with a scene: it says something as the user, or it ends the conversation, with a reason."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from conftest_models import OPTIONS, Models, completion, models, no_variables

from vivavoce.core import codec, plugins
from vivavoce.core.model import Persona, Use
from vivavoce.core.reply import Message
from vivavoce.core.scene import Move, Scene

__all__ = ["models", "no_variables"]

PERSONAS = {
    "plain": Persona(context="You live in Skerrow.", goal="Find out when order 17 arrives, then ask what it costs."),
    "traits": Persona(context="", goal="Return a lamp.", traits={"mood": "annoyed", "nested": {"a": [1]}, "n": None}),
    "begins": Persona(context="", goal="Learn the opening hours.", input={"prompt": "When do you open?", "shop": 3}),
    "chinese": Persona(
        context="\u60a8\u662f\u5ba2\u6237", goal="\u67e5\u8be2\u8ba2\u5355\u3002\u4e86\u89e3\u9000\u8d27\u653f\u7b56\u3002"
    ),
    "bare": Persona(context="", goal="?"),
    "long": Persona(context="word " * 2000, goal="and ask " * 500),
    "hostile": Persona(context="{{goal}} {it} \x1b[2J", goal="Say {it} and {0} and {{conversation}} %s \ud800 <goal>"),
}
ANSWERS = ("It arrives on Friday.", "", "I cannot help with that.", "Which order do you mean?", "x" * 10_000, "{stop}")


async def moves(request: web.Request) -> web.StreamResponse:
    """Answers as a model would that plays a user."""
    await request.read()
    return web.json_response(completion(json.dumps({"reasoning": "It goes on.", "stop": "no", "message": "And then?"})))


@pytest.fixture(params=plugins.names("simulators"))
async def simulator(request: pytest.FixtureRequest, models: Models) -> AsyncIterator[Any]:
    """Each simulator; one that asks a model has an endpoint to ask."""
    models(moves)
    options = OPTIONS[request.param](models.base) if request.param in OPTIONS else {}
    made = plugins.build("simulators", Use(name=request.param, options=options))
    yield made
    if hasattr(made, "close"):
        await made.close()


def is_sound(move: Move) -> bool:
    """Whether a move can be told, and either says something or ends."""
    codec.plain(move)
    return bool(move.reasoning.strip()) and (move.stop in ("goal_completed", "gave_up") or bool((move.message or "").strip()))


@pytest.mark.parametrize("persona", PERSONAS.values(), ids=PERSONAS)
async def test_it_begins_goes_on_and_says_the_same_of_the_same(simulator: Any, persona: Persona) -> None:
    said: tuple[Message, ...] = ()
    if persona.input is None:
        first = await simulator.move(Scene(persona=persona, seed=5))
        assert first.stop is None, "nobody ends what has not begun"
        assert is_sound(first)
        words = first.message
    else:
        words = "When do you open?"
    for turn, answer in enumerate(ANSWERS, 1):
        said = (*said, Message(role="user", content=words), Message(role="assistant", content=answer))
        scene = Scene(persona=persona, said=said, turn=turn, seed=5)
        move = await simulator.move(scene)
        assert is_sound(move)
        assert await simulator.move(scene) == move, "all it knows is in the scene"
        if move.stop is not None:
            break
        words = move.message


async def test_what_a_case_starts_with_is_no_turn_of_the_user(simulator: Any) -> None:
    before = (
        Message(role="system", content="Be brief."),
        Message(role="user", content="Hi"),
        Message(role="assistant", content="Hi"),
    )
    move = await simulator.move(Scene(persona=PERSONAS["plain"], said=before))
    assert move.stop is None
    assert move.message


@pytest.mark.parametrize("name", plugins.names("simulators"))
def test_every_simulator_has_its_manual(name: str) -> None:
    manual = plugins.manual("simulators", name)
    first = "Plays:" if name not in plugins.names("providers") else "Speaks:"
    for part in (first, "Options:", "Example:", "Limits:", "Source:"):
        assert f"\n{part}" in manual, part
