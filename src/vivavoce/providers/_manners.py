"""Chat completions: what an endpoint has turned out to take, of the parts of a request that not every one knows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from vivavoce.core.reply import JSON, Object
from vivavoce.providers._dialect import Dialect
from vivavoce.wire import openai
from vivavoce.wire.openai import Fault

Shape = Literal["bounded", "schema", "object", "text"]
_MILDER: tuple[Shape, ...] = ("bounded", "schema", "object", "text")
_SHAPE = (
    "response_format",
    "response format",
    "json_schema",
    "response_schema",
    "json_object",
    "json mode",
    "json schema",
    "structured output",
    "schema",
    "grammar",
    "requested parameters",
)
"""How endpoints speak of the form of an answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """What is sent. Begins with all there is, and gets milder with every refusal that names a part."""

    shape: Shape = "bounded"
    """How an answer is held to a schema: with its bounds, without them, as some JSON object, or not at all."""
    temperature: bool = True
    length: Literal["max_tokens", "max_completion_tokens"] | None = "max_tokens"
    """What the limit of an answer's length is called."""

    def fields(self, *, schema: Object | None, temperature: float | None, max_tokens: int | None) -> dict[str, JSON]:
        """The parts of a request that this is about."""
        made: dict[str, JSON] = {}
        if temperature is not None and self.temperature:
            made["temperature"] = temperature
        if max_tokens is not None and self.length is not None:
            made[self.length] = max_tokens
        if schema is not None and self.shape in ("bounded", "schema"):
            made["response_format"] = openai.held_to(schema if self.shape == "bounded" else openai.unbounded(schema))
        elif schema is not None and self.shape == "object":
            made["response_format"] = {"type": "json_object"}
        return made

    def after(self, fault: Fault, sent: Object) -> Held | None:
        """What to try when a request was refused; `None` when the refusal is about something else."""
        if "temperature" in sent and fault.names("temperature"):
            return replace(self, temperature=False)
        if self.length in sent and fault.names("max_tokens", "max_completion_tokens"):
            return replace(self, length="max_completion_tokens" if self.length == "max_tokens" else None)
        if "response_format" in sent and fault.names(*_SHAPE):
            return replace(self, shape=_MILDER[_MILDER.index(self.shape) + 1])
        return None


def chat(*, own: bool) -> Dialect:
    """How one speaks to an endpoint of chat completions; `own` is the vendor's, which is known to refuse bounds in a schema."""
    return Dialect(
        said=lambda messages: {"messages": openai.messages(messages)},
        read=openai.completion,
        manners=Held(shape="schema" if own else "bounded"),
    )
