"""What a simulated user is told before it speaks, and what it then does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from vivavoce.core.model import Persona
from vivavoce.core.reply import Message, Object


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """A conversation as far as it went, for the simulated user who speaks next."""

    persona: Persona
    said: tuple[Message, ...] = ()
    """All that was said, as text: what the case starts with, then every turn."""
    turn: int = 0
    """Of the message that comes next, from 0."""
    seed: int = 0
    """What chance follows from: the same for the same run seed, case and repeat."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """What a simulated user does next: says something, or ends the conversation."""

    reasoning: str
    """Why, in a sentence."""
    message: str | None = None
    """What it says; not sent where it stops."""
    stop: Literal["goal_completed", "gave_up"] | None = None
    usage: Object = field(default_factory=dict)
    """What its calls took: `calls`, `input_tokens`, `output_tokens`, `cost_usd`, as far as they are known."""
