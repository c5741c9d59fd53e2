"""What a span of an agent is, by the attributes of OpenTelemetry's own conventions, of OpenInference and of Traceloop."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from vivavoce.core.amounts import is_amount
from vivavoce.core.reply import JSON, Object, ToolCall
from vivavoce.wire import openai
from vivavoce.wire.otel import Span

Kind = Literal["agent", "chain", "chat", "tool", "retriever", ""]

_OPERATIONS: Mapping[str, Kind] = MappingProxyType(
    {
        "execute_tool": "tool",
        "chat": "chat",
        "text_completion": "chat",
        "generate_content": "chat",
        "completion": "chat",
        "retrieval": "retriever",
    }
)
_KINDS: Mapping[str, Kind] = MappingProxyType(
    {"tool": "tool", "agent": "agent", "llm": "chat", "retriever": "retriever", "chain": "chain", "workflow": "chain"}
)
_OF_CHATS = ("llm.request.type", "gen_ai.input.messages", "gen_ai.prompt.0.content", "llm.input_messages.0.message.content")
_CONVERSATIONS = (
    "gen_ai.conversation.id",
    "session.id",
    "traceloop.association.properties.conversation_id",
    "traceloop.association.properties.session_id",
)
_CASES = ("viva.case", "scenario_id", "scenario.id", "test.case.name")
_TOOL_NAMES = ("gen_ai.tool.name", "tool.name", "traceloop.entity.name", "tool_call.function.name")
_ARGUMENTS = ("gen_ai.tool.input", "gen_ai.tool.call.arguments")
_RESULTS = ("gen_ai.tool.output", "gen_ai.tool.call.result")
_WRAPPED = MappingProxyType(
    {
        "in": ("input.value", "tool.parameters", "traceloop.entity.input"),
        "out": ("output.value", "traceloop.entity.output"),
    }
)
"""The same of frameworks, which wrap them in what is theirs."""
_WELL = frozenset(("success", "succeeded", "ok", "completed"))
_TOKENS = MappingProxyType(
    {
        "input_tokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
        "output_tokens": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"),
    }
)


def kind(span: Span) -> Kind:
    """What a span is; `""` when it is none of an agent's doings."""
    operation = _word(span, "gen_ai.operation.name")
    if operation.startswith("invoke_"):
        return "agent"
    if operation in _OPERATIONS:
        return _OPERATIONS[operation]
    for name in ("openinference.span.kind", "traceloop.span.kind"):
        found = _KINDS.get(_word(span, name))
        if found is not None:
            return found
    return "chat" if any(name in span.attributes for name in _OF_CHATS) else ""


def conversation(given: Object) -> str | None:
    """Which conversation the attributes of a span name."""
    return _first_text(given, _CONVERSATIONS)


def case(given: Object) -> str | None:
    """Which case of an exam the attributes of a span name."""
    return _first_text(given, _CASES)


def usage(span: Span) -> dict[str, int]:
    """Tokens in and out, as far as a span tells them."""
    found: dict[str, int] = {}
    for name, keys in _TOKENS.items():
        counts = (span.attributes.get(key) for key in keys)
        count = next((each for each in counts if is_amount(each) and type(each) is int), None)
        if count is not None:
            found[name] = count
    return found


def reports_searches(span: Span) -> bool:
    """Whether the span of an agent says that every search has a span, so that without any there was none."""
    told = span.attributes.get("viva.reports")
    words = told if isinstance(told, list) else str(told or "").split(",")
    return any(isinstance(each, str) and each.strip().lower() == "retrievals" for each in words)


def tool_name(span: Span) -> str:
    """What a tool is called; by the span's own name where nothing else tells."""
    told = _first_text(span.attributes, _TOOL_NAMES)
    return told or span.name.removeprefix("execute_tool ").strip() or "unnamed tool"


def call(span: Span) -> ToolCall:
    """The call that the span of a tool tells."""
    given, made = span.attributes, span.events
    arguments = next((each.attributes.get("content") for each in made if each.name == "gen_ai.tool.message"), None)
    arguments = _first(given, _ARGUMENTS) if arguments is None else arguments
    arguments = openai.arguments(arguments) if arguments is not None else _unwrapped(given)
    result = next((_blocks(_chosen(each.attributes)) for each in made if each.name == "gen_ai.choice"), None)
    result = openai.result(_first(given, _RESULTS)) if result is None else result
    result = _outcome(_first(given, _WRAPPED["out"])) if result is None else result
    number = _first_text(given, ("gen_ai.tool.call.id", "tool_call.id", "tool.call.id"))
    number = number or next((told for each in made if (told := _first_text(each.attributes, ("id",))) is not None), None)
    return ToolCall(
        name=tool_name(span),
        arguments=arguments,
        result=result,
        error=_error(span),
        id=number,
    )


def retrieval(span: Span) -> Object:
    """The search that the span of a retriever tells, in the shape of `Reply.retrievals`."""
    given = span.attributes
    asked = openai.result(_first(given, ("gen_ai.retrieval.query.text", "input.value", "traceloop.entity.input")))
    query = asked.get("query", asked.get("input")) if isinstance(asked, Mapping) else asked
    hits = _documents(given)
    made: dict[str, JSON] = {
        "capability": _first_text(given, ("gen_ai.data_source.name", "gen_ai.data_source.id", "retrieval.name")) or span.name,
        "status": "success" if span.failure is None else "error",
        "queries": [{"queryString": query}] if isinstance(query, str) else [],
    }
    return made | ({} if hits is None else {"totalResultCount": len(hits), "retrievalHits": hits})


def _documents(given: Object) -> list[JSON] | None:
    """What was found, best first; `None` when it is not told."""
    listed = openai.result(_first(given, ("gen_ai.retrieval.documents", "retrieval.documents", "output.value")))
    if isinstance(listed, Mapping):
        listed = listed.get("documents")
    if not isinstance(listed, list):
        found: dict[int, dict[str, JSON]] = {}
        for key, each in given.items():
            match = re.fullmatch(r"retrieval\.documents\.(\d{1,6})\.document\.(.+)", key)
            if match:
                found.setdefault(int(match[1]), {})[match[2]] = each
        if not found:
            return None
        listed = [found[at] for at in sorted(found)]
    return [_hit(each, rank) for rank, each in enumerate(listed, 1)]


def _hit(document: JSON, rank: int) -> Object:
    told = document if isinstance(document, Mapping) else {"content": document}
    beside = openai.result(told.get("metadata"))
    beside = beside if isinstance(beside, Mapping) else {}
    where = (told.get("url"), beside.get("url"), beside.get("source"), told.get("id"), told.get("document_id"))
    text = next((each for key in ("content", "page_content", "text") if isinstance(each := told.get(key), str)), None)
    return {
        "rank": rank,
        "webUrl": next((each for each in where if isinstance(each, str) and each), None),
        "extracts": [] if text is None else [{"text": text}],
    }


def _error(span: Span) -> str | None:
    """Why a call failed; `None` when it did not."""
    kind_of = span.attributes.get("error.type")
    status = _word(span, "gen_ai.tool.status")
    if span.failure is None and kind_of in (None, "") and status in {"", *_WELL}:
        return None
    return span.failure or (kind_of if isinstance(kind_of, str) and kind_of else None) or status or "failed"


def _chosen(told: Object) -> JSON:
    return next((each for key in ("message", "content") if (each := told.get(key)) is not None), None)


def _unwrapped(given: Object) -> JSON:
    """Arguments out of what decorators and frameworks wrap them in."""
    told = _first(given, _WRAPPED["in"])
    value = openai.arguments(told) if told is not None else None
    if not isinstance(value, Mapping):
        return value
    if value.keys() == {"args", "kwargs"}:
        return value["kwargs"] or (value["args"] or {})
    if "input_str" in value and isinstance(value.get("inputs"), Mapping):
        return value["inputs"]
    return value


def _outcome(told: JSON) -> JSON:
    """The same of what a tool gave back."""
    value = _blocks(told)
    if isinstance(value, Mapping) and len(value) == 1 and value.keys() <= {"output", "outputs"}:
        return _outcome(next(iter(value.values())))
    return value


def _blocks(told: JSON) -> JSON:
    """A result out of the blocks of text that it may be told in."""
    value = openai.result(told)
    if isinstance(value, list) and value and all(isinstance(each, Mapping) and "text" in each for each in value):
        return openai.result(openai.text_of(value))
    return value


def _first(given: Object, names: tuple[str, ...]) -> JSON:
    return next((each for name in names if (each := given.get(name)) is not None), None)


def _first_text(given: Object, names: tuple[str, ...]) -> str | None:
    for name in names:
        value = given.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = json.dumps(value)
        if isinstance(value, str) and value.strip():
            return value
    return None


def _word(span: Span, name: str) -> str:
    value = span.attributes.get(name)
    return value.strip().lower() if isinstance(value, str) else ""
