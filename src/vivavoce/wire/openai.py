"""Chat completions in OpenAI's JSON, which many others speak too: what is sent, what comes back, what an error says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vivavoce.core import codec
from vivavoce.core.amounts import is_amount
from vivavoce.core.reply import JSON, Citation, Completion, Message, Object
from vivavoce.wire.json_text import too_deep

_UNBOUNDED = frozenset({"minimum", "maximum", "minLength", "maxLength"})
"""Keywords of JSON Schema that some endpoints refuse."""
_FILTERED = frozenset({"content_filter", "responsibleaipolicyviolation", "content_policy_violation"})


class Reported(ValueError):
    """An error that an endpoint reports in place of an answer, though by its status all is well."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """What an endpoint says is wrong with a request."""

    code: str
    """Its own word for it, or nothing."""
    param: str
    """The part of the request it is about, or nothing."""
    message: str

    @property
    def filtered(self) -> bool:
        """Whether a filter has refused what was asked; that is an answer of a kind."""
        return any(each in self.code.split() for each in _FILTERED)

    def names(self, *words: str) -> bool:
        """Whether it is about one of these."""
        told = f"{self.param} {self.message}".lower()
        return any(word in told for word in words)


def messages(said: Iterable[Message]) -> list[dict[str, JSON]]:
    """What was said, as a request carries it."""
    return [{"role": each.role, "content": each.content} for each in said]


def held_to(schema: Object) -> dict[str, JSON]:
    """The `response_format` that holds an answer to a JSON Schema."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def unbounded(schema: JSON) -> JSON:
    """A JSON Schema without lengths and limits of numbers."""
    if isinstance(schema, Mapping):
        return {key: unbounded(each) for key, each in schema.items() if key not in _UNBOUNDED}
    return [unbounded(each) for each in schema] if isinstance(schema, list | tuple) else schema


def completion(payload: JSON, asked: str) -> Completion:
    """An answer; `asked` is the model that was asked, for endpoints that do not say which answered.

    Raises:
        ValueError: it is none; the message completes "answered ...".
    """
    choice, message = chosen(payload)
    model = payload.get("model")
    reason = choice.get("finish_reason")
    return Completion(
        text=text_of(message.get("content")),
        model=model if isinstance(model, str) and model else asked,
        usage=usage(payload.get("usage")),
        cut=reason == "length",
        refused=bool(message.get("refusal")) or reason == "content_filter",
    )


def chosen(payload: JSON) -> tuple[Object, Object]:
    """The first choice of an answer, and its message.

    Raises:
        ValueError: there is none; the message completes "answered ...".
    """
    if isinstance(payload, Mapping) and "choices" not in payload and payload.get("error"):
        raise Reported(f"an error ({_fault(payload['error']).message})")
    choices = payload.get("choices") if isinstance(payload, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        raise ValueError("without choices[0].message")
    return choice, message


def text_of(content: JSON) -> str:
    """The text of a message: as it stands, or its parts put together."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(each["text"] for each in parts if isinstance(each, Mapping) and isinstance(each.get("text"), str))


def arguments(text: JSON) -> JSON:
    """The arguments of a tool call: what their JSON text says, or the text as it stands where it is no JSON."""
    if not isinstance(text, str):
        return text
    try:
        return text if too_deep(text) else codec.decode(text or "{}", object)
    except (ValueError, RecursionError):
        return text


def result(text: JSON) -> JSON:
    """What a tool gave back: an object or a list where it is the JSON text of one, else as it stands."""
    return arguments(text) if isinstance(text, str) and text.lstrip()[:1] in ("{", "[") else text


def citations(links: Iterable[Object]) -> tuple[Citation, ...]:
    """What links name, in order, each source once: `url` and `title`, or `file_id` and `filename`."""
    found: dict[str, str | None] = {}
    for link in links:
        source = link.get("url") or link.get("filename") or link.get("file_id")
        if isinstance(source, str):
            title = link.get("title") or link.get("filename")
            found.setdefault(source, title if isinstance(title, str) else None)
    return tuple(Citation(index=at, text=text, source=source) for at, (source, text) in enumerate(found.items(), 1))


def usage(given: JSON) -> dict[str, JSON]:
    """Tokens in and out, as far as they are told, by either of their names."""
    told = (
        {}
        if not isinstance(given, Mapping)
        else {
            "input_tokens": given.get("prompt_tokens", given.get("input_tokens")),
            "output_tokens": given.get("completion_tokens", given.get("output_tokens")),
        }
    )
    return {name: count for name, count in told.items() if type(count) is int and is_amount(count)}


def fault(body: str) -> Fault:
    """What an error's body says; a body that is no JSON is all message."""
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        return Fault(code="", param="", message=body)
    if isinstance(payload, Mapping):
        return _fault(payload.get("error") or payload.get("detail") or payload.get("message") or payload)
    return _fault(payload)


def _fault(error: JSON) -> Fault:
    if not isinstance(error, Mapping):
        return Fault(code="", param="", message=error if isinstance(error, str) else json.dumps(error))
    inner = error.get("innererror")
    codes = (error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, Mapping) else None)
    message = error.get("message")
    return Fault(
        code=" ".join(str(each).lower() for each in codes if each),
        param=str(error.get("param") or ""),
        message=message if isinstance(message, str) else json.dumps(error),
    )
