"""Manners for endpoints whose answers are held to a schema by a tool that the model is made to call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from vivavoce.core.reply import JSON, Object
from vivavoce.wire.openai import Fault, unbounded

_NAME = "answer"
_DESCRIPTION = "Takes the answer, whole."
_LEAST = 4096
"""Tokens that the answers of any model may have."""
_TOOLS = ("tool", "thinking", "schema")
"""How endpoints speak of what is wrong with a tool, or with being made to call it."""
_LENGTH = ("max_tokens", "maxtokens", "maximum tokens", "max tokens")


class Tool(Protocol):
    """Fields of a request that offer a tool, or have the model call it."""

    def __call__(self, name: str, description: str, schema: Object, *, forced: bool) -> dict[str, JSON]:
        """The fields."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tooled:
    """What is sent. Begins with all there is, and gets milder with every refusal that names a part."""

    tool: Tool
    limited: Callable[[float | None, int | None], dict[str, JSON]]
    """Fields that bound an answer: how freely it is given, and how long."""
    shape: Literal["forced", "offered", "text"] = "forced"
    """How an answer is held to a schema: the tool must be called, it may be, or there is none."""
    temperature: bool = True
    length: int | None = None
    """The longest answer in tokens, where nobody says; `None` leaves it to the model."""

    def fields(self, *, schema: Object | None, temperature: float | None, max_tokens: int | None) -> dict[str, JSON]:
        """The parts of a request that this is about."""
        made = self.limited(temperature if self.temperature else None, max_tokens or self.length)
        if schema is None or self.shape == "text":
            return made
        return {**made, **self.tool(_NAME, _DESCRIPTION, unbounded(schema), forced=self.shape == "forced")}

    def after(self, fault: Fault, sent: Object) -> Tooled | None:
        """What to try when a request was refused; `None` when the refusal is about something else."""
        if self.temperature and fault.names("temperature"):
            return replace(self, temperature=False)
        if self.length is not None and self.length > _LEAST and fault.names(*_LENGTH):
            return replace(self, length=_LEAST)
        if any(name.startswith("tool") for name in sent) and fault.names(*_TOOLS):
            return replace(self, shape="offered" if self.shape == "forced" else "text")
        return None
