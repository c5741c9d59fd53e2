"""What stands in a record of OpenTelemetry: ids, times, and attributes, typed or plain."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Protocol

from vivavoce.core.place import join
from vivavoce.core.reply import JSON, Object

WHAT = 'spans have "traceId", "spanId" and "startTimeUnixNano", exports have "resourceSpans"'
"""What is looked for, in a word."""
_LATEST = 2**63 - 1
_SCALES = ((10**17, 1), (10**14, 10**3), (10**11, 10**6), (0, 10**9))
"""From which number on a time without a unit is in nanoseconds, microseconds, milliseconds and seconds."""
_VALUES: Mapping[str, str] = MappingProxyType(
    {
        name: kind
        for kind in ("string", "int", "double", "bool", "array", "kvlist", "bytes")
        for name in (f"{kind}Value", f"{kind}_value")
    }
)


class Say(Protocol):
    """Whoever is told what is wrong; `soft` is what a lenient reading goes on with."""

    def __call__(self, message: str, path: str, fix: str = "", *, soft: bool = False) -> None:
        """Something is wrong at this path."""


def objects(given: JSON, path: str, say: Say) -> Iterator[tuple[Object, str]]:
    """The objects of a list, each with its path."""
    if not isinstance(given, list):
        say("must be a list", path)
        return
    for index, each in enumerate(given):
        if isinstance(each, Mapping):
            yield each, join(path, index)
        else:
            say("must be an object", join(path, index))


def attributes(given: JSON, path: str, say: Say) -> dict[str, JSON]:
    """Attributes as a plain object: typed ones of OTLP, or what is one already."""
    if given is None or isinstance(given, Mapping):
        return dict(given or {})
    made: dict[str, JSON] = {}
    for each, at in objects(given, path, say):
        key, value = each.get("key"), each.get("value")
        if not isinstance(key, str):
            say('an attribute needs a text as "key"', join(at, "key"))
        elif isinstance(value, Mapping) and not is_typed(value):
            say("is no typed value", join(at, "value"), 'write {"stringValue": ...} or another of its kinds')
        else:
            made[key] = plain(value)
    return made


def is_typed(value: Object) -> bool:
    """Whether an object is a typed value of OTLP, or the empty one."""
    return len(value) <= 1 and value.keys() <= _VALUES.keys()


def plain(value: JSON) -> JSON:
    """A typed value of OTLP as a plain one; a plain one as it is."""
    if not isinstance(value, Mapping) or not is_typed(value):
        return value
    for name, inner in value.items():
        kind = _VALUES[name]
        if kind == "int" and isinstance(inner, str):
            return int(inner) if re.fullmatch(r"-?\d{1,20}", inner) else inner
        if kind not in ("array", "kvlist"):
            return inner
        held = inner.get("values") if isinstance(inner, Mapping) else None
        listed = held if isinstance(held, list) else []
        if kind == "array":
            return [plain(each) for each in listed]
        return {str(each.get("key")): plain(each.get("value")) for each in listed if isinstance(each, Mapping)}
    return None


def identifier(record: Object, names: tuple[str, ...], path: str, say: Say, *, needed: bool = True) -> str | None:
    """An id of a record, or of its context, in small letters; one of zeros is none."""
    context = record.get("context")
    holder = record if any(record.get(name) is not None for name in names) else context if isinstance(context, Mapping) else {}
    key = next((name for name in names if holder.get(name) is not None), names[0])
    value = holder.get(key)
    if not needed and value in (None, ""):
        return None
    if not isinstance(value, str):
        say(f'needs "{key}"' if value is None else "must be text", join(path, key))
        return None
    bare = value.strip().lower().removeprefix("0x")
    if bare.strip("0"):
        return bare
    if needed:
        say("must be an id, and is none", join(path, key))
    return None


def moment(record: Object, names: tuple[str, ...], path: str, say: Say, *, needed: bool = True) -> int | None:
    """A time of a record, in nanoseconds since 1970."""
    key = next((name for name in names if record.get(name) not in (None, "", 0, "0")), None)
    if key is None:
        key = next((name for name in names if record.get(name) is not None), names[0])
        if not needed:
            return None
        if record.get(key) in (None, ""):
            say(f'needs "{key}"', join(path, key))
            return None
    found = _nanoseconds(record[key], exact="ano" in key)
    if found is None or not 0 <= found <= _LATEST:
        say("is no time", join(path, key), "write nanoseconds since 1970, or date and time by ISO 8601")
        return None
    return found


def _nanoseconds(value: JSON, *, exact: bool) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"\d{1,20}", value):
        value = int(value)
    if isinstance(value, str):
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            return None
        seconds = calendar.timegm((found if found.tzinfo else found.replace(tzinfo=UTC)).utctimetuple())
        return seconds * 10**9 + found.microsecond * 1000
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**64:
        return None
    return int(value) if exact else int(value * next(scale for least, scale in _SCALES if value >= least))
