"""Tool calls and definitions of tools, in every shape they are written in, as one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vivavoce.core import codec
from vivavoce.core.place import did_you_mean, join
from vivavoce.core.reply import JSON, Object, ToolCall
from vivavoce.formats._foundry.saying import Say, shown
from vivavoce.wire.json_faults import fault
from vivavoce.wire.json_text import DEPTH_LIMIT, DIGITS_LIMIT, too_deep

IDS = ("tool_call_id", "call_id", "id")
_NAMED = frozenset({"tool_call", "function_call", "function", "openapi_call"})
"""Kinds of calls that say by name what they call."""
_DEFINED = 'definitions are a list such as [{"name": "find", "parameters": {...}}], or its JSON text'
RESULTS = ("tool_result", "function_call_output", "openapi_call_output", "output", "result", "text")


@dataclass(kw_only=True, slots=True)
class Call:
    """One call, while its result is still to be found."""

    name: str
    arguments: JSON
    id: str | None
    result: JSON = None
    answered: bool = False

    def made(self) -> ToolCall:
        """The call as it is kept."""
        return ToolCall(name=self.name, arguments=self.arguments, result=self.result, id=self.id)


def layers(given: Object, path: str) -> list[tuple[Object, str]]:
    """The objects within one another that are one call, outermost first, each with its path."""
    found = [(given, path)]
    for name in ("tool_call", "function", "custom"):
        inner = found[-1][0].get(name)
        if isinstance(inner, Mapping):
            found.append((inner, join(found[-1][1], name)))
    return found


def call(given: Object, path: str, say: Say) -> Call | None:
    """A call: flat, within `tool_call`, within `function`, or within both; arguments as an object or as its JSON text."""
    found = layers(given, path)
    innermost, path = found[-1]
    called = innermost.get("name")
    if not isinstance(called, str) or not called:
        kind = given.get("type")
        if called is not None or not isinstance(kind, str) or kind in _NAMED:
            say("is a tool call without a name", path, 'give it "name"')
            return None
        called = kind.removesuffix("_call")  # what the service runs itself is told by what it is
    key = "arguments" if "arguments" in innermost else "input"
    told = innermost.get(key)
    if key == "input" and isinstance(told, str):
        told = _free(told)
    return Call(name=called, arguments=_arguments(told, join(path, key), say), id=_id(layer for layer, _ in found))


def calls(given: JSON, path: str, say: Say) -> tuple[ToolCall, ...] | None:
    """The column `tool_calls`: a list of calls or of names, or one call."""
    made: list[ToolCall] = []
    many = given if isinstance(given, list) else [given]
    for index, each in enumerate(many):
        at = join(path, index) if isinstance(given, list) else path
        if isinstance(each, str) and each.strip():
            made.append(ToolCall(name=each.strip()))
        elif isinstance(each, Mapping):
            found = call(each, at, say)
            if found is None:
                return None
            found.result = each.get("tool_result", each.get("result", each.get("output")))
            made.append(found.made())
        else:
            say(f"must be a tool call, not {shown(each)}", at)
            return None
    return tuple(made)


def result(item: Object) -> JSON:
    """What a result item holds."""
    return next((item[name] for name in RESULTS if item.get(name) is not None), None)


def id_of(given: Object) -> str | None:
    """The id that ties a result to its call."""
    return _id([given])


def definitions(given: JSON, path: str, say: Say) -> tuple[Object, ...] | None:
    """The column `tool_definitions`: a list, one definition, several by name, or JSON text of these; other text as it is."""
    if isinstance(given, str):
        try:
            told = value(given)
        except ValueError as error:
            if given.lstrip().startswith(("[", "{")):
                say(f"is not valid JSON: {error}", path, _DEFINED)
                return None
            if not given.strip():
                return ()
            say(
                f"is plain text, which judges read as the description of every tool it names: {shown(given)}",
                path,
                _DEFINED,
                warning=True,
            )
            return ({"description": given},)
        return definitions(told, path, say)
    if isinstance(given, Mapping) and not given.keys() & {"name", "type", "function", "functions", "openapi"}:
        found = [{"name": name, **each} for name, each in given.items() if isinstance(each, Mapping)]
        if len(found) == len(given):
            return tuple(found)
    if not isinstance(given, list | Mapping):
        say(f"must be a list of definitions, not {shown(given)}", path)
        return None
    made: list[Object] = []
    many = given if isinstance(given, list) else [given]
    for index, each in enumerate(many):
        made += _definition(each, join(path, index) if isinstance(given, list) else path, say)
    return tuple(made)


def _definition(given: JSON, path: str, say: Say) -> Iterable[Object]:
    """One definition; what holds several `functions` is that many."""
    if not isinstance(given, Mapping):
        say(f"must be a definition of a tool, not {shown(given)}", path)
        return
    inner = given.get("openapi")
    holder = given if isinstance(given.get("functions"), list) or not isinstance(inner, Mapping) else inner
    functions = holder.get("functions")
    if isinstance(functions, list):
        for index, each in enumerate(functions):
            yield from _definition(each, join(path, "functions", index), say)
        return
    function = given.get("function")
    told = function if isinstance(function, Mapping) else holder
    name = told.get("name") or given.get("server_label") or given.get("type")
    if not isinstance(name, str) or not name or (name == "function" and not told.get("name")):
        say("is a definition of a tool without a name", path, 'give it "name"')
        return
    yield told if told.get("name") == name else {"name": name, **told}


def expected(given: JSON, path: str, say: Say) -> tuple[tuple[str, ...], Mapping[str, Object] | None] | None:
    """The column `expected_actions`: names in order, or a pair of them and of the arguments of each."""
    arguments: Mapping[str, Object] | None = None
    names = given
    if isinstance(given, list) and len(given) == 2 and isinstance(given[0], list) and isinstance(given[1], Mapping):
        names, arguments = given
        path = join(path, 0)
        for name, each in given[1].items():
            if not isinstance(each, Mapping):
                say(f"must be an object of arguments, not {shown(each)}", join(path.removesuffix("[0]"), 1, name))
                return None
    if not isinstance(names, list) or not all(isinstance(each, str) and each.strip() for each in names):
        say("must be a list of names of tools", path, 'such as ["search", "book"], or [["search"], {"search": {"q": "x"}}]')
        return None
    told = tuple(each.strip() for each in names)
    for name in arguments or ():
        if name.strip() not in told:
            say(
                f'are arguments of "{name}", which is not expected',
                join(path.removesuffix("[0]"), 1, name),
                did_you_mean(name, told),
            )
            return None
    return told, arguments


def value(text: str) -> JSON:
    """What a JSON text says.

    Raises:
        ValueError: it is none, or nests too deep.
    """
    if too_deep(text):
        raise ValueError(f"nested deeper than {DEPTH_LIMIT} levels")
    try:
        return codec.decode(text, object)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    except ValueError as error:
        raise ValueError(_told(text)) from error


def _told(text: str) -> str:
    """What is wrong with a JSON text, in plain words."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return fault(text, error)[0]
    except ValueError:
        return f"a number of more than {DIGITS_LIMIT:,} digits is too long"
    return "it holds NaN, a number that is too large, or half a surrogate pair"


def _free(text: str) -> Object:
    """What a custom tool is called with, which takes any text."""
    try:
        told = value(text) if text.strip() else {}
    except ValueError:
        told = None
    return told if isinstance(told, Mapping) else {"input": text}


def _arguments(given: JSON, path: str, say: Say) -> JSON:
    if isinstance(given, str):
        if not given.strip():
            return {}
        try:
            given = value(given)
        except ValueError as error:
            say(f"is not valid JSON: {error}", path, "write the arguments as an object")
            return {}
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        say(f"must be an object, not {shown(given)}", path)
    return given


def _id(layers: Iterable[Object]) -> str | None:
    for layer in layers:
        for name in IDS:
            number = layer.get(name)
            if isinstance(number, str | int) and not isinstance(number, bool) and number != "":
                return str(number)
    return None
