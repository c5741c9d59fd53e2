"""Conversations in the JSON of Amazon Bedrock's Converse: what is sent, and what comes back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vivavoce.core import codec
from vivavoce.core.reply import JSON, Completion, Message, Object
from vivavoce.wire import openai
from vivavoce.wire.roles import apart


def said(messages: Iterable[Message]) -> dict[str, JSON]:
    """What was said, as fields of a request."""
    conversation = apart(messages)
    made: dict[str, JSON] = {
        "messages": [{"role": role, "content": [{"text": text} for text in texts]} for role, texts in conversation.turns]
    }
    return {"system": [{"text": text} for text in conversation.system], **made} if conversation.system else made


def limited(temperature: float | None, max_tokens: int | None) -> dict[str, JSON]:
    """Fields of a request that bound an answer."""
    given = {"temperature": temperature, "maxTokens": max_tokens}
    made = {name: value for name, value in given.items() if value is not None}
    return {"inferenceConfig": made} if made else {}


def tool(name: str, description: str, schema: Object, *, forced: bool) -> dict[str, JSON]:
    """Fields of a request that offer a tool, or have the model call it."""
    tools = [{"toolSpec": {"name": name, "description": description, "inputSchema": {"json": schema}}}]
    return {"toolConfig": {"tools": tools, **({"toolChoice": {"tool": {"name": name}}} if forced else {})}}


def completion(payload: JSON, asked: str) -> Completion:
    """An answer, of which a call of a tool is what the tool was given; it does not say which model gave it.

    Raises:
        ValueError: it is none; the message completes "answered ...".
    """
    output = payload.get("output") if isinstance(payload, Mapping) else None
    message = output.get("message") if isinstance(output, Mapping) else None
    content = message.get("content") if isinstance(message, Mapping) else None
    reason = payload.get("stopReason") if isinstance(payload, Mapping) else None
    refused = reason in ("guardrail_intervened", "content_filtered")
    if not isinstance(content, list) and not refused:
        raise ValueError("without output.message.content")
    blocks = [each for each in content or () if isinstance(each, Mapping)]
    calls = [each["toolUse"] for each in blocks if isinstance(each.get("toolUse"), Mapping)]
    called = [each["input"] for each in calls if isinstance(each.get("input"), Mapping)]
    return Completion(
        text=codec.encode(called[0]).decode() if called else openai.text_of(blocks),
        model=asked,
        usage=_usage(payload.get("usage")),
        cut=reason in ("max_tokens", "model_context_window_exceeded"),
        refused=refused,
    )


def _usage(given: JSON) -> dict[str, JSON]:
    """Tokens in and out; what is read out of a cache, or written into one, is read all the same."""
    if not isinstance(given, Mapping):
        return {}
    told = openai.usage({"input_tokens": given.get("inputTokens"), "output_tokens": given.get("outputTokens")})
    if "input_tokens" in told:
        cached = (given.get("cacheReadInputTokens"), given.get("cacheWriteInputTokens"))
        told["input_tokens"] += sum(count for count in cached if type(count) is int and count > 0)
    return told
