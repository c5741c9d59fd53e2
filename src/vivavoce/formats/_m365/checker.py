"""Hold a value against a rule, and say everything that is wrong with it in plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from vivavoce.core.place import join, nearest
from vivavoce.core.reply import JSON, Object

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "string": "text",
        "number": "a number",
        "integer": "a whole number",
        "boolean": "true or false",
        "array": "a list",
        "object": "an object",
        "null": "null",
    }
)
"""What each type of JSON is called."""

NO_HINTS: Mapping[str, str] = MappingProxyType({})


class Say(Protocol):
    """Who is told of a problem."""

    def __call__(self, message: str, path: str, fix: str = "", *, soft: bool = False, far: bool = False) -> None:
        """Hear of a problem. `soft`: an unknown field; `far`: and it is like no known one."""


class Checker:
    """Walks a value and a rule side by side; what it knows of JSON Schema is what the rules here are written in."""

    def __init__(self, definitions: Mapping[str, JSON], say: Say, *, lenient: bool = False) -> None:
        self._definitions = definitions
        self._say = say
        self._lenient = lenient

    def check(self, value: JSON, rule: Object, path: str, *, noun: str = "field", hints: Mapping[str, str] = NO_HINTS) -> None:
        """Report whatever is wrong. `hints` are ways out for fields that belong elsewhere."""
        rule = self._settled(value, rule)
        kinds = rule.get("type")
        allowed = [kinds] if isinstance(kinds, str) else list(kinds or KINDS)
        if not any(_is(value, kind) for kind in allowed):
            wanted = " or ".join(KINDS[kind] for kind in allowed)
            self._say(f"must be {wanted}, not {shown(value)}", path, _mended(value, allowed))
        elif isinstance(value, str):
            self._text(value, rule, path)
        elif isinstance(value, list):
            self._list(value, rule, path, noun)
        elif isinstance(value, dict):
            self._object(value, rule, path, noun, hints)
        elif isinstance(value, int | float):
            self._number(value, rule, path)

    def _settled(self, value: JSON, rule: Object) -> Object:
        while True:
            if "$ref" in rule:
                rule = self._definitions[rule["$ref"].rpartition("/")[2]]
            elif "if" in rule:
                failed = isinstance(value, dict) and value.get("result") == rule["if"]["properties"]["result"]["const"]
                rule = rule["then" if failed else "else"]
            else:
                return rule

    def _text(self, value: str, rule: Object, path: str) -> None:
        if len(value) < rule.get("minLength", 0):
            self._say("is empty", path, "write something")
        elif "enum" in rule and value not in rule["enum"]:
            near = nearest(value, rule["enum"])
            either = " or ".join(f'"{each}"' for each in rule["enum"])
            self._say(f"must be {either}, not {quoted(value)}", path, f'did you mean "{near}"?' if near else "choose one")

    def _number(self, value: float, rule: Object, path: str) -> None:
        low, high = rule.get("minimum"), rule.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            bounds = f"from {low} to {high}" if high is not None else f"{low} or more"
            self._say(f"must be {bounds}, not {shown(value)}", path, "choose one within")

    def _list(self, value: list[JSON], rule: Object, path: str, noun: str) -> None:
        low, high = rule.get("minItems", 0), rule.get("maxItems")
        if len(value) < low:
            self._say("is empty", path, "give at least one")
        elif high is not None and len(value) > high:
            self._say(f"has {len(value)} entries, and at most {high} are allowed", path, "split it")
        for index, each in enumerate(value):
            self.check(each, rule.get("items", {}), join(path, index), noun=noun)

    def _object(self, value: dict[str, JSON], rule: Object, path: str, noun: str, hints: Mapping[str, str]) -> None:
        known: Mapping[str, JSON] = rule.get("properties", {})
        rest = rule.get("additionalProperties", True)
        stand_ins = set()
        if rest is False and (strangers := [name for name in value if name not in known]):
            stand_ins = self.unknown(strangers, known, path, noun, hints)
        for name in rule.get("required", ()):
            if name not in value and (self._lenient or name not in stand_ins):
                self._say(f'needs "{name}"', path, f'add "{name}"')
        ways = [each["required"][0] for each in rule.get("anyOf", ())]
        if ways and not any(name in value or (name in stand_ins and not self._lenient) for name in ways):
            self._say(f"needs {' or '.join(json.dumps(name) for name in ways)}", path, "add one of them")
        for name, each in value.items():
            if name in known:
                self.check(each, known[name], join(path, name), noun=noun)
            elif isinstance(rest, dict):
                self.check(each, rest, join(path, name), noun=noun)

    def unknown(
        self, names: Iterable[str], known: Mapping[str, JSON], path: str, noun: str, hints: Mapping[str, str] = NO_HINTS
    ) -> set[str]:
        """Report unknown names; returns the known ones that they seem to be meant for."""
        written = ", ".join(name for name, rule in known.items() if not rule.get("readOnly"))
        meant = set()
        for name in names:
            near = nearest(name, known)
            if near:
                meant.add(near)
            fix = hints.get(name) or (f'did you mean "{near}"?' if near else f"known here: {written}")
            self._say(
                f"unknown {noun} {quoted(name)}", join(path, name), fix, soft=True, far=near is None and name not in hints
            )
        return meant


def fits(value: JSON, rule: Object, definitions: Mapping[str, JSON]) -> bool:
    """Whether nothing is wrong with a value."""
    wrong: list[str] = []

    def say(message: str, path: str, fix: str = "", *, soft: bool = False, far: bool = False) -> None:
        wrong.append(message)

    Checker(definitions, say).check(value, rule, "")
    return not wrong


def shown(value: JSON) -> str:
    """A value, as a message speaks of it."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    return _cut(json.dumps(value))


def quoted(text: str) -> str:
    """A text, as a message speaks of it."""
    return f'"{_cut(text)}"'


def printable(text: str) -> str:
    """A text without what could upset a terminal, or be no text at all."""
    return text if text.isprintable() else "".join(char if char.isprintable() else "�" for char in text)


def _cut(text: str) -> str:
    """Short enough for a line, and without what could upset a terminal."""
    plain = printable(text)
    return plain if len(plain) <= 40 else plain[:39] + "…"


def _is(value: JSON, kind: str) -> bool:
    if kind == "integer":
        return not isinstance(value, bool) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    types = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}
    return isinstance(value, types[kind])


def _mended(value: JSON, allowed: Sequence[str]) -> str:
    """How to mend a value of the wrong type."""
    kind = allowed[0]
    if value is None:
        return "write {}, or leave it out" if kind == "object" else "leave it out"
    if kind == "string" and isinstance(value, int | float):
        return f"write it in quotes: {json.dumps(json.dumps(value))}"
    if isinstance(value, str):
        bare = value.strip()
        if kind in ("number", "integer") and re.fullmatch(r"-?\d+(\.\d+)?", bare):
            return f"write it without quotes: {_cut(bare)}"
        if kind == "boolean" and bare.lower() in ("true", "false"):
            return f"write it without quotes: {bare.lower()}"
        if kind == "array":
            return f"write a list: [{json.dumps(_cut(value), ensure_ascii=False)}]"
    if kind == "object" and isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return "write an object: {" + ", ".join(f'"{_cut(each)}": {{}}' for each in value[:3]) + "}"
    return f"write {KINDS[kind]}"
