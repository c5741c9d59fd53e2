"""An agent's answer, as the small protocol has it, to a `Reply`: every part checked, nothing guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TypeVar

import msgspec

from vivavoce.core import codec, secrets
from vivavoce.core.amounts import is_amount
from vivavoce.core.errors import CallError
from vivavoce.core.foreign import Border, crashed
from vivavoce.core.place import did_you_mean, nearest
from vivavoce.core.reply import JSON, Citation, Object, Reply, ToolCall
from vivavoce.net.failures import bad_payload, excerpt
from vivavoce.wire.json_text import DEPTH_LIMIT, too_deep

T = TypeVar("T")

CONTENT = ("text", "tool_calls", "citations", "retrievals", "rows", "intent", "refusal", "insight")
"""Keys of an answer that are an answer: without any of them there is none."""
KEYS = (*CONTENT, "usage")

_SURROGATE = re.compile("[\ud800-\udfff]")
_LONG = re.compile(rb"\d{19}")
_LONGEST = 10_000
"""Bits of a number that Python would still write out."""
_BORDER = Border(crashed)
_COUNTED = ("input_tokens", "output_tokens", "cost_usd")


def read(payload: JSON) -> Reply:
    """An answer, of plain data that `decode` or `storable` gave, as a reply.

    Raises:
        CallError: it is a `bad_payload`; the message names the key and what it must be.
    """
    if isinstance(payload, str):
        return Reply(text=_plain_text(payload))
    if not isinstance(payload, Mapping):
        raise bad_payload(f'the answer is {_kind(payload)}; it must be text, or an object with "text"')
    if all(payload.get(key) is None for key in CONTENT):
        raise bad_payload(_says_nothing(payload))
    rest = {key: value for key, value in payload.items() if key not in KEYS}
    return Reply(
        text=_text(payload.get("text"), "text"),
        tool_calls=_each(payload.get("tool_calls"), "tool_calls", _tool_call),
        citations=_each(payload.get("citations"), "citations", _citation),
        retrievals=_each(payload.get("retrievals"), "retrievals", _retrieval),
        rows=_each(payload.get("rows"), "rows", _member),
        intent=_text(payload.get("intent"), "intent"),
        refusal=_text(payload.get("refusal"), "refusal"),
        insight=_text(payload.get("insight"), "insight"),
        usage=_usage(payload.get("usage")),
        raw=rest or None,
    )


def decode(body: bytes, what: str = "the answer", hidden: Sequence[str] = ()) -> JSON:
    """JSON bytes as plain data, without what is `hidden`: whatever comes back is kept, so a token goes no further.

    Raises:
        CallError: it is no JSON.
    """
    try:
        value = codec.decode(body, object)
    except RecursionError:
        raise _too_deep(what) from None
    except ValueError as error:
        # Half of a character pair, which some agents send when they cut their text, is no reason to lose an answer.
        mended = re.sub(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}", rb"\\ufffd", body)
        if mended == body:
            said = excerpt(secrets.blot(body.decode(errors="replace"), hidden))
            raise bad_payload(f"{what} is not JSON ({_reason(error)}): {said or 'empty'}") from None
        value = _decode_pairs(body, mended, what)
    if body.count(b"[") + body.count(b"{") > DEPTH_LIMIT and too_deep(body.decode()):
        raise _too_deep(what)
    if _LONG.search(body):
        value = _plain(value)
    return secrets.blot_all(value, hidden) if hidden else value


def storable(value: JSON) -> JSON:
    """A value of the agent's own, as plain data that can be written as JSON and read again.

    What JSON has no word for is told as text, and half characters are replaced.

    Raises:
        CallError: it is nested too deeply, or cannot be told.
    """
    try:
        plain = _plain(value)
        written = codec.encode(plain)
    except RecursionError:
        raise _too_deep("the answer") from None
    except (TypeError, ValueError) as error:
        raise bad_payload(f"the answer holds what is no JSON: {error}") from None
    if written.count(b"[") + written.count(b"{") > DEPTH_LIMIT and too_deep(written.decode()):
        raise _too_deep("the answer")
    return plain


def _plain(value: JSON) -> JSON:
    """Python's own types of JSON alone: of the types that are made of those, and of foreign ones, what they hold."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _plain_text(value)
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, int):
        return _whole(int(value))
    if isinstance(value, float):
        return float(value)
    if isinstance(value, Mapping):
        return {_key(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | Set):
        return [_plain(each) for each in value]
    return _plain_foreign(value)


def _plain_foreign(value: object) -> JSON:
    try:
        return _plain(codec.plain(value))  # such as dates, and dataclasses
    except (TypeError, ValueError):
        pass
    with _BORDER:
        if callable(item := getattr(value, "item", None)) and getattr(value, "shape", None) == ():
            return _plain(item())  # a number of a library for numbers
        if is_dataclass(value) and not isinstance(value, type):
            return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
        return _plain_text(str(value))


def _plain_text(text: str) -> str:
    text = str.__str__(text)  # of a type made of it, the text
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _whole(number: int) -> int | str:
    """A whole number; one that most readers of JSON cannot hold, as text."""
    if -(2**63) <= number < 2**64:
        return number
    return hex(number) if number.bit_length() > _LONGEST else str(number)


def _key(key: object) -> str:
    plain = _plain(key)
    return plain if isinstance(plain, str) else codec.encode(plain).decode()


def _too_deep(what: str) -> CallError:
    return bad_payload(f"{what} is nested deeper than {DEPTH_LIMIT} levels")


def _decode_pairs(body: bytes, mended: bytes, what: str) -> JSON:
    """JSON in which a character pair may be broken; whole pairs are kept."""
    import json

    try:
        decode(mended, what)
        return _plain(json.loads(body))
    except ValueError as error:
        raise bad_payload(f"{what} is not JSON ({_reason(error)}): {excerpt(body)}") from None


def _reason(error: Exception) -> str:
    """The decoder's own words, without its path."""
    text = str(error).partition(" - at ")[0]
    return "it ends too early" if isinstance(error, msgspec.DecodeError) and "truncated" in text else text


def _says_nothing(payload: Object) -> str:
    if not payload:
        return 'the answer is an empty object; it must have "text" or another part of an answer'
    shown = excerpt(codec.encode(payload))
    near = next((key for key in payload if isinstance(key, str) and nearest(key, CONTENT)), None)
    hint = f" ({near}: {did_you_mean(near, CONTENT)})" if near is not None and near not in CONTENT else ""
    return f'the answer has neither "text" nor another part of an answer{hint}: {shown}'


def _kind(value: JSON) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, list | tuple) else f"of the type {type(value).__name__}"


def _wrong(at: str, must: str, value: JSON) -> CallError:
    return bad_payload(f'"{at}" of the answer must be {must}, not {_kind(value)}')


def _text(value: JSON, at: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _wrong(at, "text or null", value)


def _object(value: JSON, at: str) -> Object:
    if isinstance(value, Mapping):
        return value
    raise _wrong(at, "an object", value)


def _each(value: JSON, at: str, read_one: Callable[[JSON, str, int], T]) -> tuple[T, ...] | None:
    """A list read one by one; `None` is unknown and stays so."""
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        raise _wrong(at, "a list or null", value)
    return tuple([read_one(each, f"{at}[{index}]", index) for index, each in enumerate(value)])


def _tool_call(value: JSON, at: str, _index: int) -> ToolCall:
    if isinstance(value, str):
        return ToolCall(name=value)
    call = _object(value, at)
    name = call.get("name")
    if not isinstance(name, str) or not name:
        raise _wrong(f"{at}.name", "the name of a tool", name)
    error = call.get("error")
    return ToolCall(
        name=name,
        arguments=call.get("arguments"),
        result=call.get("result"),
        error=error if error is None or isinstance(error, str) else codec.encode(error).decode(),
        id=_text(call.get("id"), f"{at}.id"),
    )


def _citation(value: JSON, at: str, index: int) -> Citation:
    if isinstance(value, str):
        return Citation(index=index + 1, source=value)
    given = _object(value, at)
    number = given.get("index")
    if number is not None and (isinstance(number, bool) or not isinstance(number, int)):
        raise _wrong(f"{at}.index", "a whole number", number)
    return Citation(
        index=index + 1 if number is None else number,
        text=_text(given.get("text"), f"{at}.text"),
        source=_text(given.get("source"), f"{at}.source"),
    )


def _retrieval(value: JSON, at: str, _index: int) -> Object:
    """A search, of which evaluators read hits and their extracts."""
    execution = _object(value, at)
    _each(execution.get("queries"), f"{at}.queries", _member)
    _each(execution.get("retrievalHits"), f"{at}.retrievalHits", _hit)
    return execution


def _hit(value: JSON, at: str, _index: int) -> None:
    _each(_object(value, at).get("extracts"), f"{at}.extracts", _extract)


def _extract(value: JSON, at: str, _index: int) -> None:
    _text(_object(value, at).get("text"), f"{at}.text")


def _member(value: JSON, at: str, _index: int) -> Object:
    return _object(value, at)


def _usage(value: JSON) -> Object:
    usage = {} if value is None else _object(value, "usage")
    for key in _COUNTED:
        number = usage.get(key)
        if number is None:
            continue
        if not is_amount(number):
            raise _wrong(f"usage.{key}", "a number from 0 to 10^12", number)
    return {key: number for key, number in usage.items() if number is not None}
