"""One message as it is told by any of those who write spans: its text, the tools it calls, and what they gave back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from vivavoce.core.reply import JSON, Object, ToolCall
from vivavoce.wire import openai

_ROLES = MappingProxyType({"human": "user", "ai": "assistant", "model": "assistant", "function": "tool"})
_CALLS = ("tool_call", "tool_use", "function_call", "function")  # a tuple, as what is looked for in it may be any JSON
_NUMBERS = ("toolUseId", "tool_use_id", "tool_call_id", "call_id", "id")


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """One message."""

    role: str
    text: str | None = None
    calls: tuple[ToolCall, ...] = ()
    results: tuple[tuple[str | None, JSON], ...] = ()
    """What tools gave back, by the id of the call."""


def said(given: JSON, speaks: str) -> Said:
    """A message of whatever shape; `speaks` is whose it is where it does not say so."""
    told = given.get("kwargs", given) if isinstance(given, Mapping) else {}
    told = told if isinstance(told, Mapping) else {}
    role = role_of(told.get("role", told.get("type", speaks)), speaks)
    inner = next((told[key] for key in ("parts", "message", "contents", "content", "text") if told.get(key) is not None), None)
    texts: list[str] = []
    calls = [made for each in _list(told.get("tool_calls")) if (made := _call(each)) is not None]
    results: list[tuple[str | None, JSON]] = []
    for block in _blocks(inner):
        _take(block, texts, calls, results)
    if role == "tool" and not results:
        number = told.get("tool_call_id", told.get("id"))
        results.append((number if isinstance(number, str) else None, openai.result("".join(texts))))
        texts = []
    return Said(role=role, text="".join(texts) if texts else None, calls=tuple(calls), results=tuple(results))


def _blocks(inner: JSON) -> Iterator[JSON]:
    """The parts of a message; a text that is JSON of parts is those."""
    for part in _parts(inner):
        if isinstance(part, Mapping) and "type" not in part and not {"message", "content"}.isdisjoint(part):
            yield from _blocks(part.get("message", part.get("content")))  # as records of logs have it
        else:
            yield part


def _parts(inner: JSON) -> list[JSON]:
    read = openai.result(inner)
    if isinstance(read, list) and (not isinstance(inner, str) or (read and all(map(_is_block, read)))):
        return read
    if isinstance(read, Mapping) and (not isinstance(inner, str) or {"role", "content"} <= read.keys()):
        return [read]
    return [] if inner is None else [inner]


def _is_block(part: JSON) -> bool:
    return isinstance(part, Mapping) and not {"text", "type", "toolUse", "toolResult", "content"}.isdisjoint(part)


def _take(block: JSON, texts: list[str], calls: list[ToolCall], results: list[tuple[str | None, JSON]]) -> None:
    """Sort a part of a message to where it belongs."""
    if isinstance(block, str):
        texts.append(block)
        return
    if not isinstance(block, Mapping):
        return
    part = block.get("message_content", block)
    part = part if isinstance(part, Mapping) else block
    kind = part.get("type")
    answer = part.get("toolResult", part if kind in ("tool_result", "tool_call_response") else None)
    made = _call(part["toolUse"]) if "toolUse" in part else _call(part) if kind in _CALLS else None
    if isinstance(answer, Mapping):
        number = next((answer[key] for key in _NUMBERS if isinstance(answer.get(key), str)), None)
        results.append((number, _outcome(answer)))
    elif made is not None:
        calls.append(made)
    elif kind not in ("reasoning", "thinking"):
        text = next((part[key] for key in ("text", "content") if isinstance(part.get(key), str)), None)
        texts += [] if text is None else [text]


def _outcome(answer: Object) -> JSON:
    value = next((answer[key] for key in ("response", "result", "content", "output") if answer.get(key) is not None), None)
    value = openai.result(value)
    blocks = value if isinstance(value, list) else []
    if blocks and all(isinstance(each, Mapping) and not {"text", "json"}.isdisjoint(each) for each in blocks):
        found = [each["json"] if "json" in each else openai.result(each["text"]) for each in blocks]
        return found[0] if len(found) == 1 else found
    return value


def _call(given: JSON) -> ToolCall | None:
    """A call of a tool, as a message tells it."""
    told = given.get("tool_call", given) if isinstance(given, Mapping) else None
    if not isinstance(told, Mapping):
        return None
    inner = told.get("function")
    of = inner if isinstance(inner, Mapping) else told
    name = of.get("name")
    if not isinstance(name, str) or not name:
        return None
    number = next((told[key] for key in _NUMBERS if isinstance(told.get(key), str)), None)
    arguments = next((of[key] for key in ("arguments", "args", "input", "parameters") if of.get(key) is not None), None)
    return ToolCall(name=name, arguments=openai.arguments(arguments), id=number)


def role_of(given: JSON, speaks: str = "user") -> str:
    """Who speaks, in our words."""
    word = given.lower() if isinstance(given, str) else speaks
    word = _ROLES.get(word, word)
    return word if word in ("user", "assistant", "tool", "system", "developer") else speaks


def _list(given: JSON) -> list[JSON]:
    read = openai.result(given)
    return read if isinstance(read, list) else []
