"""An agent behind chat completions: a conversation to messages, an answer to a reply, the pieces of a stream to an answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from vivavoce.core.reply import JSON, Citation, Message, Object, Reply, ToolCall
from vivavoce.wire import openai

_FILTERED = "the content filter of the service stopped the answer"
_READ = frozenset({"choices", "usage"})
_READ_OF_CHOICE = frozenset({"message", "index"})
_READ_OF_MESSAGE = frozenset({"role", "content", "refusal", "tool_calls", "function_call", "annotations"})


def messages(system: str | None, history: Iterable[Message], said: JSON) -> list[dict[str, JSON]]:
    """A conversation as a request carries it: what it begins with, what was said, what is said now.

    Results of tools are left out, since nothing tells which call they belong to, and that is required.
    """
    first = [{"role": "system", "content": system}] if system else []
    before = [{"role": each.role, "content": content(each.content)} for each in history if each.role != "tool"]
    return [*first, *before, {"role": "user", "content": content(said)}]


def content(said: JSON) -> JSON:
    """What was said, as content of a message: text, parts that are of that form already, or else as JSON text."""
    if said is None or isinstance(said, str):
        return said or ""
    if isinstance(said, list | tuple) and said and all(isinstance(each, Mapping) and "type" in each for each in said):
        return said
    return json.dumps(said, ensure_ascii=False)


def reply(payload: JSON, *, offered: bool = False) -> Reply:
    """An answer as a reply; `offered` says that tools were, so that none called means none.

    Raises:
        ValueError: it is none; the message completes "answered ...".
    """
    choice, message = openai.chosen(payload)
    said = message.get("content")
    refusal = message.get("refusal")
    refused = refusal if isinstance(refusal, str) and refusal else None
    if refused is None and choice.get("finish_reason") == "content_filter":
        refused = _FILTERED
    calls = _calls(message, offered)
    text = openai.text_of(said) if said is not None else refusal if isinstance(refusal, str) else None
    if text is None and refused is not None:
        text = ""
    if text is None and not calls:
        raise ValueError(f"without text or tool calls (finish_reason {json.dumps(choice.get('finish_reason'))})")
    return Reply(
        text=text,
        tool_calls=calls,
        citations=_citations(message.get("annotations")),
        refusal=refused,
        usage=openai.usage(payload.get("usage")),
        raw={**_but(payload, _READ), **_but(choice, _READ_OF_CHOICE), **_but(message, _READ_OF_MESSAGE)} or None,
    )


class Joined:
    """The pieces of a streamed answer, put together to the answer that would have come in one piece."""

    def __init__(self) -> None:
        self._head: dict[str, JSON] = {}
        self._choice: dict[str, JSON] = {}
        self._texts: dict[str, list[str]] = {}
        self._calls: dict[int, dict[str, JSON]] = {}
        self._annotations: list[JSON] | None = None
        self._begun = False

    def take(self, piece: JSON) -> bool:
        """Take one in; it never says by itself that it was the last.

        Raises:
            Reported: it is an error of the service's.
        ValueError: it is no piece; the message completes "answered ...".
        """
        if not isinstance(piece, Mapping):
            raise ValueError("an event that is no object")
        if piece.get("error"):
            raise openai.Reported(f"an error ({openai.fault(json.dumps(piece)).message})")
        self._head |= {key: value for key, value in piece.items() if key != "choices" and value is not None}
        choices = piece.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, Mapping) and choice.get("index", 0) == 0:
                self._begun = True
                self._choice |= {key: value for key, value in choice.items() if key != "delta" and value is not None}
                self._add(choice.get("delta"))
        return False

    def payload(self) -> dict[str, JSON]:
        """All of them as one answer.

        Raises:
            ValueError: nothing was said in them.
        """
        if not self._begun:
            raise ValueError("a stream without choices")
        message: dict[str, JSON] = {key: "".join(texts) for key, texts in self._texts.items()}
        if self._calls:
            message["tool_calls"] = [call for _, call in sorted(self._calls.items())]
        if self._annotations is not None:
            message["annotations"] = self._annotations
        return {**self._head, "choices": [{**self._choice, "message": message}]}

    def _add(self, delta: JSON) -> None:
        if not isinstance(delta, Mapping):
            return
        for key in ("content", "refusal"):
            if isinstance(delta.get(key), str):
                self._texts.setdefault(key, []).append(delta[key])
        calls = delta.get("tool_calls")
        for place, call in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(call, Mapping):
                self._add_to_call(call, place)
        if isinstance(delta.get("annotations"), list):
            self._annotations = [*(self._annotations or ()), *delta["annotations"]]

    def _add_to_call(self, piece: Object, place: int) -> None:
        """A call's name comes once, its arguments in pieces."""
        index = piece.get("index")
        call = self._calls.setdefault(index if type(index) is int else place, {"function": {"arguments": ""}})
        if isinstance(piece.get("id"), str) and piece["id"]:
            call["id"] = piece["id"]
        function = piece.get("function")
        if isinstance(function, Mapping):
            if isinstance(function.get("name"), str) and function["name"]:
                call["function"]["name"] = function["name"]
            if isinstance(function.get("arguments"), str):
                call["function"]["arguments"] += function["arguments"]


def _calls(message: Object, offered: bool) -> tuple[ToolCall, ...] | None:
    """The calls a message reports; `None` is unknown."""
    given = message.get("tool_calls")
    if isinstance(message.get("function_call"), Mapping):
        given = [{"function": message["function_call"]}]  # as it was before there could be several
    if given is None:
        return () if offered else None
    if not isinstance(given, list):
        raise ValueError("tool_calls that are no list")
    return tuple(_call(each) for each in given)


def _call(given: JSON) -> ToolCall:
    call = given if isinstance(given, Mapping) else {}
    function = call.get("function")
    custom = call.get("custom")
    told = function if isinstance(function, Mapping) else custom if isinstance(custom, Mapping) else {}
    name, number = told.get("name"), call.get("id")
    if not isinstance(name, str) or not name:
        raise ValueError("a tool call without a name")
    arguments = openai.arguments(told.get("arguments", told.get("input")))
    return ToolCall(name=name, arguments=arguments, id=number if isinstance(number, str) else None)


def _citations(given: JSON) -> tuple[Citation, ...] | None:
    """Addresses that a message says its text stands on; the same one counts once."""
    if not isinstance(given, list):
        return None
    links = [each.get("url_citation") for each in given if isinstance(each, Mapping)]
    return openai.citations(link for link in links if isinstance(link, Mapping))


def _but(value: Object, keys: frozenset[str]) -> dict[str, JSON]:
    return {key: each for key, each in value.items() if key not in keys and each is not None}
