"""Messages in Anthropic's JSON: what is sent, and what comes back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vivavoce.core import codec
from vivavoce.core.amounts import is_amount
from vivavoce.core.reply import JSON, Completion, Message, Object
from vivavoce.wire import openai
from vivavoce.wire.roles import apart

VERSION = "2023-06-01"
"""Of the interface, as every request names it."""


def said(messages: Iterable[Message]) -> dict[str, JSON]:
    """What was said, as fields of a request."""
    conversation = apart(messages)
    made: dict[str, JSON] = {
        "messages": [
            {"role": role, "content": texts[0] if len(texts) == 1 else [{"type": "text", "text": text} for text in texts]}
            for role, texts in conversation.turns
        ]
    }
    return {"system": "\n\n".join(conversation.system), **made} if conversation.system else made


def limited(temperature: float | None, max_tokens: int | None) -> dict[str, JSON]:
    """Fields of a request that bound an answer."""
    given = {"temperature": temperature, "max_tokens": max_tokens}
    return {name: value for name, value in given.items() if value is not None}


def tool(name: str, description: str, schema: Object, *, forced: bool) -> dict[str, JSON]:
    """Fields of a request that offer a tool, or have the model call it."""
    offered: dict[str, JSON] = {"tools": [{"name": name, "description": description, "input_schema": schema}]}
    return {**offered, "tool_choice": {"type": "tool", "name": name}} if forced else offered


def completion(payload: JSON, asked: str) -> Completion:
    """An answer, of which a call of a tool is what the tool was given; `asked` is the model that was asked.

    Raises:
        ValueError: it is none; the message completes "answered ...".
    """
    content = payload.get("content") if isinstance(payload, Mapping) else None
    if not isinstance(content, list):
        raise ValueError("without content")
    blocks = [each for each in content if isinstance(each, Mapping)]
    called = [each["input"] for each in blocks if each.get("type") == "tool_use" and isinstance(each.get("input"), Mapping)]
    model, reason = payload.get("model"), payload.get("stop_reason")
    return Completion(
        text=codec.encode(called[0]).decode() if called else openai.text_of(blocks),
        model=model if isinstance(model, str) and model else asked,
        usage=_usage(payload.get("usage")),
        cut=reason in ("max_tokens", "model_context_window_exceeded"),
        refused=reason == "refusal",
    )


def _usage(given: JSON) -> dict[str, JSON]:
    """Tokens in and out; what is read out of a cache, or written into one, is read all the same."""
    told = openai.usage(given)
    if "input_tokens" in told:
        cached = (given.get("cache_creation_input_tokens"), given.get("cache_read_input_tokens"))
        told["input_tokens"] += sum(count for count in cached if type(count) is int and is_amount(count))
    return told
