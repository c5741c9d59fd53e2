"""What is wrong with the value of a plugin's option, in a person's words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields, is_dataclass
from types import MappingProxyType
from typing import Any, get_args, get_origin, get_type_hints

from vivavoce.core.place import did_you_mean
from vivavoce.core.reply import JSON

_AT_OPTION = re.compile(r"(.*) - at `\$\.(\w+)(.*)`", re.DOTALL)
_LACKING = re.compile(r"Object missing required field `([^`]+)`(?: - at `\$\.?(.*)`)?", re.DOTALL)
_TYPE = re.compile(r"`([^`]+)`")
_TYPES = MappingProxyType(
    {
        "str": "text",
        "int": "a whole number",
        "float": "a number",
        "bool": "true or false",
        "array": "a list",
        "object": "an object",
        "null": "nothing",
    }
)
"""Kinds of values, in words."""


def in_words(message: str, maker: Callable[..., Any]) -> str:  # any plugin's
    """What is wrong with an option's value, as a person says it; any other message as it is."""
    lacking = _LACKING.fullmatch(message)
    if lacking is not None:
        name, where = lacking.groups()
        return f'{where}: "{name}" is missing' if where else f'the option "{name}" is missing'
    found = _AT_OPTION.fullmatch(message)
    if found is None:
        return message
    told, option, inner = found.groups()
    if told.startswith("Invalid enum value"):
        wrong = told.removeprefix("Invalid enum value ").strip("'")
        allowed = [each for each in get_args(get_type_hints(maker).get(option)) if isinstance(each, str)]
        return f'{option}{inner} is "{wrong}"' + (f" ({did_you_mean(wrong, allowed)})" if allowed and not inner else "")
    told = _TYPE.sub(lambda match: " or ".join(_TYPES.get(each, each) for each in match[1].split(" | ")), told)
    return f"{option}{inner}: {told[:1].lower()}{told[1:]}"


def named(told: str, options: Iterable[str]) -> str:
    """The one of these options that a message about a plugin names first; nothing when it names none."""
    what = told.partition(": ")[2].partition(" (")[0]
    found = {match.start(): each for each in options if (match := re.search(rf"\b{re.escape(each)}\b", what))}
    return found[min(found)] if found else ""


def needed(maker: Any) -> dict[str, JSON]:  # any plugin's
    """The options that a class cannot do without, each with a value of its kind: what a person may write, to fill in.

    There are none of what is no dataclass.
    """
    if not is_dataclass(maker):
        return {}
    types = get_type_hints(maker)
    return {
        each.name: _sample(types[each.name])
        for each in fields(maker)
        if each.init and each.default is MISSING and each.default_factory is MISSING
    }


def _sample(kind: Any) -> JSON:  # a type, as it is written
    if is_dataclass(kind):
        return needed(kind)
    inner = get_args(kind)
    if get_origin(kind) in (tuple, list):
        return [_sample(inner[0])]
    if inner:  # one of several
        return _sample(inner[0]) if isinstance(inner[0], type) else inner[0]
    return {int: 1, float: 0.5, bool: True}.get(kind, "...")
