"""Names within messages, calls and settings of a simulation that can hardly be anything but slips of names that are read.

Only such are told whose loss nobody would see: a message without a role is told as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from vivavoce.core.place import join
from vivavoce.core.reply import JSON
from vivavoce.formats._foundry.calls import IDS, RESULTS, layers
from vivavoce.formats._foundry.columns import is_slip

Slip = tuple[str, str, str]
"""Where it stands, the name, and the one that is meant."""
Groups = tuple[tuple[str, ...], ...]
"""Names that are read, those together of which one is enough."""
Path = tuple[str | int, ...]
"""The parts of a path, which is put together only for what is told."""

COLUMNS = ("messages", "conversation", "query", "response", "actions", "tool_calls", "simulation_configuration")
"""Columns that hold such names."""
_OF_ROLE: Mapping[str, Groups] = MappingProxyType(
    {
        "assistant": (("content",), ("tool_calls",), ("function_call",), ("refusal",)),
        "tool": (("content",), IDS),
        "function": (("content",), IDS),
    }
)
_OF_ANY: Groups = (("content",),)
_OF_OLDER: Groups = (("context",), ("ground_truth",))
_CONVERSATION: Groups = (("messages",), ("context",))
_CALL: Groups = (("arguments", "input"), IDS, ("tool_result", "result", "output"))
_RESULT: Groups = (RESULTS, IDS)
_SETTINGS: Groups = (("max_num_turns",), ("desired_num_turns",))
_KNOWN = frozenset(
    (
        *("content", "tool_calls", "function_call", "refusal", "context", "ground_truth", "messages", "arguments", "input"),
        *("max_num_turns", "desired_num_turns", *IDS, *RESULTS),
        *("role", "type", "name", "createdAt", "run_id", "assistant_id", "status", "annotations"),
    )
)
"""Names that are read somewhere, or met often; none of them is a slip of another."""
_NOTHING: tuple[JSON, ...] = (None, "", [])
"""Values that say nothing, so that nothing is lost with them."""
_CALLS = (None, "tool_call", "function_call", "openapi_call", "function", "custom", "custom_tool_call")
_RESULTS = ("tool_result", "function_call_output", "openapi_call_output")
"""Kinds of items whose names are known; what the service runs itself has names of its own, such as `results`."""


def slips(column: str, value: JSON, at: str = "") -> Iterator[Slip]:
    """Those in what stands in a column of `COLUMNS`, or `at` another place in its stead."""
    place = at or column
    if column == "simulation_configuration":
        yield from _in(value, (place,), _SETTINGS)
    elif column == "tool_calls":
        yield from _calls(value, (place,))
    elif column == "conversation":
        yield from _in(value, (place,), _CONVERSATION)
        messages = value.get("messages") if isinstance(value, Mapping) else value
        yield from _messages(messages, (place, "messages"), _OF_OLDER)
    else:
        yield from _messages([value] if isinstance(value, Mapping) else value, (place,))


def _messages(given: JSON, path: Path, more: Groups = ()) -> Iterator[Slip]:
    for index, each in enumerate(given if isinstance(given, list) else ()):
        if not isinstance(each, Mapping):
            continue
        at, role, content = (*path, index), each.get("role"), each.get("content")
        if role is None and each.get("type") not in (None, "message"):
            yield from _item(each, at)
            continue
        if not _KNOWN.issuperset(each):
            groups = _OF_ROLE.get(role, _OF_ANY) if isinstance(role, str) else _OF_ANY
            yield from _in(each, at, groups + more)
        for number, item in enumerate(content if isinstance(content, list) else ()):
            yield from _item(item, (*at, "content", number), of_tool=role in ("tool", "function"))
        for name in ("tool_calls", "function_call"):
            if name in each:
                yield from _calls(each[name], (*at, name))


def _item(given: JSON, path: Path, *, of_tool: bool = False) -> Iterator[Slip]:
    kind = given.get("type") if isinstance(given, Mapping) else None
    if kind in _RESULTS or (kind is None and of_tool):
        yield from _in(given, path, _RESULT)
    elif kind is not None:
        yield from _calls(given, path)


def _calls(given: JSON, path: Path) -> Iterator[Slip]:
    """Those in calls, or in one; what is there in one of its layers is missing in none."""
    for index, each in enumerate(given if isinstance(given, list) else [given]):
        if isinstance(each, Mapping) and each.get("type") in _CALLS:
            at = (*path, index) if isinstance(given, list) else path
            found = layers(each, "")
            names = frozenset(name for layer, _ in found for name in layer)
            if not _KNOWN.issuperset(names):
                for layer, within in found:
                    yield from _in(layer, (*at, within), _CALL, names)


def _in(given: JSON, path: Path, groups: Groups, names: frozenset[str] = frozenset()) -> Iterator[Slip]:
    """Those among the names of an object, or of one that has these `names` in all."""
    if not isinstance(given, Mapping) or _KNOWN.issuperset(given):
        return
    missing = tuple(group for group in groups if not any(name in given or name in names for name in group))
    for name, value in given.items():
        meant = None if name in _KNOWN or value in _NOTHING else _meant(name, missing)
        if meant is not None:
            yield join(*path, name), name, meant


@lru_cache(maxsize=4096)
def _meant(name: str, missing: Groups) -> str | None:
    return next((known for group in missing for known in group if is_slip(name, known)), None)
