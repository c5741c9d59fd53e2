"""What a chat model that plays a user is asked, and what is made of its answer: a move, or why it is none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from vivavoce.core.reply import JSON, Completion, Object
from vivavoce.core.scene import Move, Scene
from vivavoce.providers._asking import Unusable, unspoken
from vivavoce.wire.answers import objects

STOPS: Mapping[str, JSON] = MappingProxyType({"no": None, "goal_completed": "goal_completed", "gave_up": "gave_up"})
FORM = (
    'one JSON object and nothing else, of this form: {"reasoning": "why, in one or two sentences", '
    '"stop": "no" or "goal_completed" or "gave_up", "message": "what you say next, or null if you stop"}'
)
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def schema() -> Object:
    """JSON Schema of an answer; the reasoning comes first, so that the step follows from it."""
    return {
        "type": "object",
        "properties": {
            "reasoning": {"type": "string", "minLength": 1},
            "stop": {"type": "string", "enum": list(STOPS)},
            "message": {"type": ["string", "null"]},
        },
        "required": ["reasoning", "stop", "message"],
        "additionalProperties": False,
    }


def prompt(scene: Scene) -> str:
    """All that the model is told."""
    persona = scene.persona
    told = {
        "context": persona.context or "(nothing more is known)",
        "goal": persona.goal,
        "traits": json.dumps(dict(persona.traits), ensure_ascii=False) if persona.traits else "(none in particular)",
        "conversation": _conversation(scene),
        "pace": _pace(scene),
    }
    whole = _PLACE.sub(lambda place: told[place[1]], _text()).strip()
    return whole.encode("utf-8", "replace").decode()  # halves of characters cannot be sent


def read(completion: Completion, scene: Scene, asked: str) -> Move:
    """The move that an answer holds.

    Raises:
        Unusable: it holds none.
    """
    unspoken(completion)
    found = [each for each, text in objects(completion.text) if "stop" in each and text not in asked]
    if not found:
        raise Unusable('the answer holds no JSON object with "stop"')
    answer = found[0]
    reasoning, stop, message = answer.get("reasoning"), answer.get("stop"), answer.get("message")
    if not isinstance(reasoning, str) or not reasoning.strip():
        raise Unusable('the answer gives no "reasoning"')
    if not isinstance(stop, str) or stop not in STOPS:
        raise Unusable(f'"stop" is {json.dumps(stop, default=str)[:80]}; it must be one of {", ".join(STOPS)}')
    if message is not None and not isinstance(message, str):
        raise Unusable('"message" must be a text or null')
    ends = STOPS[stop]
    if message is None and ends is None:
        raise Unusable('"message" is null, and "stop" is "no"')
    if ends is not None and not scene.turn:
        raise Unusable("the conversation has not begun yet, so it cannot be ended")
    return Move(reasoning=reasoning.strip(), message=message, stop=ends)


def _conversation(scene: Scene) -> str:
    names = {"user": "you", "assistant": "assistant"}
    said = [f"{names.get(each.role, each.role)}: {each.content}" for each in scene.said]
    return "\n\n".join(said) or "(nothing was said yet: you begin)"


def _pace(scene: Scene) -> str:
    """How far the conversation is, and how long it is meant to be."""
    persona = scene.persona
    told = [f"This will be your message number {scene.turn + 1}, and {persona.max_turns} is the most there may be."]
    if persona.desired_turns is not None:
        told.append(f"A conversation of about {persona.desired_turns} messages of yours is what is wanted.")
    return " ".join(told)


@cache
def _text() -> str:
    return files("vivavoce.simulators").joinpath("_user.md").read_text(encoding="utf-8")
