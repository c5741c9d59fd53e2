"""Tools that an A2A agent tells of: the protocol has no words for them, but agents such as those of the ADK do it in data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from vivavoce.core.reply import JSON, Object, ToolCall
from vivavoce.wire import openai

_CALLS = frozenset(("function_call", "tool_call", "tool_use"))
_RESULTS = frozenset(("function_response", "tool_response", "tool_result"))


def is_step(part: Object) -> bool:
    """Whether a part tells of a tool, and so is nothing said to the user."""
    return _kind(part) is not None or _listed(part) is not None


def calls(parts: Iterable[Object]) -> tuple[ToolCall, ...] | None:
    """The calls that parts tell, in order, each once and with its result by its id; `None` when none speaks of tools."""
    found: dict[object, ToolCall] = {}
    results: dict[str, tuple[JSON, str | None]] = {}
    speaks = False
    for place, part in enumerate(parts):
        listed = _listed(part)
        kind = _kind(part)
        speaks = speaks or listed is not None or kind is not None
        told = listed or ([part["data"]] if kind is not None else [])
        for at, each in enumerate(told):
            if not isinstance(each, Mapping):
                continue
            number = _text(each, "id", "call_id", "tool_call_id")
            if kind in _RESULTS:
                results.setdefault(number or "", _outcome(each))
            elif (name := _text(each, "name", "tool_name")) is not None:
                arguments = openai.arguments(_first(each, "arguments", "args", "input"))
                result, error = _outcome(each)
                made = ToolCall(name=name, arguments=arguments, result=result, error=error, id=number)
                found.setdefault(number or (place, at), made)
    if not speaks:
        return None
    return tuple(_answered(call, results) for call in found.values())


def _answered(call: ToolCall, results: Mapping[str, tuple[JSON, str | None]]) -> ToolCall:
    if call.id is None or call.id not in results or call.result is not None or call.error is not None:
        return call
    result, error = results[call.id]
    return ToolCall(name=call.name, arguments=call.arguments, result=result, error=error, id=call.id)


def _kind(part: Object) -> str | None:
    """What the metadata of a part of data, or the data itself, say that it is."""
    data, metadata = part.get("data"), part.get("metadata")
    if not isinstance(data, Mapping):
        return None
    said = [each for key, each in metadata.items() if key.endswith("type")] if isinstance(metadata, Mapping) else []
    return next((each for each in (*said, data.get("type")) if isinstance(each, str) and each in _CALLS | _RESULTS), None)


def _listed(part: Object) -> list[JSON] | None:
    data = part.get("data")
    listed = data.get("tool_calls") if isinstance(data, Mapping) else None
    return listed if isinstance(listed, list) else None


def _outcome(told: Object) -> tuple[JSON, str | None]:
    error = told.get("error")
    error = error if isinstance(error, str | None) else json.dumps(error, ensure_ascii=False)
    return _first(told, "response", "result", "output"), error


def _first(told: Object, *names: str) -> JSON:
    return next((each for name in names if (each := told.get(name)) is not None), None)


def _text(told: Object, *names: str) -> str | None:
    return next((each for name in names if isinstance(each := told.get(name), str) and each), None)
