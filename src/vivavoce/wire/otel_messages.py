"""What was said to a model or an agent and what it answered, in every way in which spans hold messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from vivavoce.core import codec
from vivavoce.core.place import join
from vivavoce.core.reply import JSON, Object
from vivavoce.wire import openai
from vivavoce.wire.otel import DETAILS, Span
from vivavoce.wire.otel_said import Said, role_of, said
from vivavoce.wire.otel_values import Say

Side = tuple[Said, ...]

_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
_FLAT = MappingProxyType(
    {
        "input": (
            re.compile(r"llm\.input_messages\.(\d{1,6})\.message\.(.+)"),
            re.compile(r"gen_ai\.prompt\.(\d{1,6})\.(.+)"),
            re.compile(r"llm\.prompts\.(\d{1,6})\.(.+)"),
        ),
        "output": (
            re.compile(r"llm\.output_messages\.(\d{1,6})\.message\.(.+)"),
            re.compile(r"gen_ai\.completion\.(\d{1,6})\.(.+)"),
            re.compile(r"llm\.completions\.(\d{1,6})\.(.+)"),
        ),
    }
)
"""Attributes that hold messages piece by piece, of OpenInference and of Traceloop."""
_WHOLE = MappingProxyType(
    {
        "input": ("input.value", "traceloop.entity.input", "gen_ai.prompt", "input"),
        "output": ("output.value", "traceloop.entity.output", "gen_ai.completion", "output"),
    }
)
_SPEAKS = MappingProxyType({"input": "user", "output": "assistant"})
_KEYS = MappingProxyType(
    {
        "input": ("input", "prompt", "query", "question", "message", "text", "user_input"),
        "output": ("output", "response", "answer", "text", "result", "message", "content"),
    }
)
_DEEPEST = 8
"""Wrappings within which messages are looked for."""


def unreadable(span: Span, path: str, say: Say) -> None:
    """Say of messages that are to be JSON, and are not."""
    for side in ("input", "output"):
        name = f"gen_ai.{side}.messages"
        value = span.attributes.get(name)
        if value is not None and not isinstance(openai.result(value), list | Mapping):
            say(f"{name} is no JSON list of messages", join(path, "attributes"), soft=True)


def inputs(span: Span) -> Side:
    """What was said, history and all."""
    return _side(span, "input")


def outputs(span: Span) -> Side:
    """What was answered."""
    return _side(span, "output")


def last_asked(said: Sequence[Said]) -> str | None:
    """The last thing a user said."""
    return next((each.text for each in reversed(said) if each.role == "user" and each.text is not None), None)


def last_answered(said: Sequence[Said]) -> str | None:
    """The last thing the agent said."""
    return next((each.text for each in reversed(said) if each.role == "assistant" and each.text is not None), None)


def since_asked(said: Sequence[Said]) -> Sequence[Said]:
    """What follows the last thing a user said."""
    places = [at for at, each in enumerate(said) if each.role == "user" and each.text is not None]
    return said[places[-1] + 1 :] if places else said


def _side(span: Span, side: str) -> Side:
    name = f"gen_ai.{side}.messages"
    held = [span.attributes.get(name)]
    held += [event.attributes.get(name) for event in span.events if event.name == DETAILS]
    for value in held:
        found = tuple(_listed(openai.result(value), side))
        if found:
            return found
    return tuple(_of_events(span, side)) or tuple(_flat(span.attributes, side)) or tuple(_whole(span.attributes, side))


def _of_events(span: Span, side: str) -> Iterator[Said]:
    for event in span.events:
        role = _EVENT.fullmatch(event.name)
        if role is not None and side == "input":
            yield said({"role": role[1], **event.attributes}, role[1])
        elif event.name == "gen_ai.choice" and side == "output":
            yield said({"role": "assistant", **event.attributes}, "assistant")


def _flat(given: Object, side: str) -> Iterator[Said]:
    for pattern in _FLAT[side]:
        found: dict[int, dict[str, JSON]] = {}
        for key, each in given.items():
            match = pattern.fullmatch(key)
            if match:
                _put(found.setdefault(int(match[1]), {}), match[2], each)
        if found:
            for at in sorted(found):
                yield said(_standing(found[at]), _SPEAKS[side])
            return


def _put(holder: dict[str, JSON], path: str, value: JSON) -> None:
    """Put a value where its dotted name says; numbers are places of a list, which become one later."""
    *above, last = path.split(".")
    for part in above:
        inner = holder.setdefault(part, {})
        if not isinstance(inner, dict):
            return
        holder = inner
    holder.setdefault(last, value)


def _standing(value: JSON) -> JSON:
    """Objects whose names are all numbers, as the lists they are."""
    if not isinstance(value, dict):
        return value
    made = {key: _standing(each) for key, each in value.items()}
    if made and all(key.isdigit() for key in made):
        return [made[key] for key in sorted(made, key=int)]
    return made


def _whole(given: Object, side: str) -> Iterator[Said]:
    """Messages out of one value: a list of them, an object that holds one, or a text."""
    for name in _WHOLE[side]:
        if given.get(name) is not None:
            yield from _held(openai.result(given[name]), side, 0)
            return


def _held(value: JSON, side: str, depth: int) -> Iterator[Said]:
    if isinstance(value, str):
        yield Said(role=_SPEAKS[side], text=value)
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        inner = next((value[key] for key in ("messages", f"{side}s") if value.get(key)), None)
        if inner is not None:
            yield from _held(inner, side, depth + 1)
        elif "role" in value or "kwargs" in value or "parts" in value:
            yield said(value, _SPEAKS[side])
        else:
            key = next((key for key in _KEYS[side] if value.get(key) is not None), None)
            if key is not None:
                yield from _held(value[key], side, depth + 1)
            elif value:
                yield Said(role=_SPEAKS[side], text=codec.encode(value).decode())
    elif isinstance(value, list):
        yield from _listed(value, side, depth)


def _listed(value: JSON, side: str, depth: int = 0) -> Iterator[Said]:
    """A list of messages, or one; a list of lists is a batch, of which the first counts."""
    if isinstance(value, Mapping):
        yield from _held(value, side, depth + 1)
        return
    for each in value if isinstance(value, list) else ():
        if isinstance(each, list) and len(each) == 2 and all(isinstance(part, str) for part in each):
            yield Said(role=role_of(each[0]), text=each[1])
        elif isinstance(each, list) and depth < _DEEPEST:
            yield from _listed(each, side, depth + 1)
            return
        elif isinstance(each, Mapping):
            yield said(each, _SPEAKS[side])
        elif isinstance(each, str):
            yield Said(role=_SPEAKS[side], text=each)
