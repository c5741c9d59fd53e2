"""An eval document to a suite, with everything wrong in it reported at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from functools import partial
from types import MappingProxyType

from vivavoce.core.model import Case, Suite
from vivavoce.core.place import Problems, join, nearest
from vivavoce.core.reply import JSON
from vivavoce.core.source import Source
from vivavoce.formats._m365 import versions
from vivavoce.formats._m365.building import Base, build_case, ours
from vivavoce.formats._m365.checker import NO_HINTS, Checker, printable, quoted, shown
from vivavoce.formats._m365.checks import SYSTEM, check_map, checks_of
from vivavoce.formats._m365.rules import INPUT_FIELDS, OURS, definitions
from vivavoce.formats._m365.shapes import LEGACY_FIELDS, ROOT_FIELDS, open_document
from vivavoce.wire import json_text

_OF_TURNS = MappingProxyType(
    dict.fromkeys(
        ("evaluators", "evaluators_mode", "expected_response", "context", "response", "scores"),
        "a conversation has none of its own: write it on each turn",
    )
)
_OF_ITEMS = MappingProxyType(
    dict.fromkeys(("testId", "category", "notes", "name", "description"), "write it on the item, beside turns")
)


def read(source: Source, problems: Problems) -> Suite:
    """The document as a suite; a case that is wrong is left out."""
    before = problems.total
    value = json_text.parse(source, source.text(), problems)
    if value is None and problems.total > before:
        return Suite(name=source.stem, cases=(), format="m365", source=source.name)
    is_sound = problems.total == before
    suite = Reader(source, problems).suite(value)
    # What JSON cannot keep must go no further; the rest was read to tell all problems at once.
    return suite if is_sound else replace(suite, cases=())


class Reader:
    """One reading of one file."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self._source = source
        self._problems = problems
        self._newer = False
        self._definitions = definitions(strict=False)
        self._checker = Checker(self._definitions, self._say, lenient=problems.lenient)
        self._warn = partial(self._say, warning=True)
        self._rules = _rules(self._definitions)

    def suite(self, value: JSON) -> Suite:
        """The suite a parsed document is."""
        name = self._source.stem
        metadata: dict[str, JSON] = {}
        version = value.get("schemaVersion", versions.CURRENT) if isinstance(value, dict) else versions.CURRENT
        readable, self._newer = versions.check(version, self._say)
        if self._newer:
            fix = f"update Viva, or write {versions.CURRENT} if the document needs nothing newer"
            self._warn(
                f"version {version[:20]} is newer than {versions.CURRENT} and is read by its rules", "schemaVersion", fix
            )
        opened = open_document(value, self._say) if readable else None
        if opened is None:
            return Suite(name=name, cases=(), format="m365", source=self._source.name)
        before = self._problems.total
        self._check_root(opened.root, has_items=bool(opened.entries))
        if self._problems.total == before:
            metadata = opened.root
        return Suite(
            name=_name(metadata) or name,
            cases=self._cases(opened.entries, _base(metadata)),
            metadata=_hidden(metadata) | metadata,
            format="m365",
            source=self._source.name,
        )

    def _cases(self, entries: tuple[tuple[str, int, JSON], ...], base: Base) -> tuple[Case, ...]:
        cases = []
        places: dict[str, str] = {}
        for path, position, item in entries:
            before = self._problems.total
            self._check_item(item, path)
            test_id = _test_id(item) or f"#{position}"
            if test_id in places:
                message = f"{quoted(test_id)} is already the testId of {places[test_id]}"
                self._say(message, join(path, "testId"), "give each item its own")
            places.setdefault(test_id, path)
            if self._problems.total == before:
                cases.append(build_case(item, path, test_id, base))
        return tuple(cases)

    def _check_root(self, root: dict[str, JSON], *, has_items: bool) -> None:
        for name in root:
            if name in LEGACY_FIELDS:
                if has_items:
                    self._say(f"{quoted(name)} does not go with items", name, "move it into the items")
            elif name not in ROOT_FIELDS:
                near = nearest(name, ROOT_FIELDS)
                if near:
                    self._say(f"unknown field {quoted(name)}", name, f'did you mean "{near}"?', soft=True)
                else:
                    self._warn(f"unknown field {quoted(name)}, kept as metadata", name)
        for name in ("$schema", "description"):
            if name in root:
                self._checker.check(root[name], {"type": "string"}, name)
        if "metadata" in root:
            self._checker.check(root["metadata"], self._definitions["metadata"], "metadata")
            self._check_metadata(root["metadata"])
        if "default_evaluators" in root:
            self._check_map(root["default_evaluators"], "default_evaluators")

    def _check_metadata(self, metadata: JSON) -> None:
        if not isinstance(metadata, dict):
            return
        known = self._definitions["metadata"]["properties"]
        # The vendor leaves this object open, so only what can hardly be meant otherwise is taken for a slip.
        for name in metadata:
            near = nearest(name, known)
            if name not in known and near and _is_slip(name, near):
                self._say(f"unknown field {quoted(name)}", join("metadata", name), f'did you mean "{near}"?', soft=True)
        kept = ours(metadata)
        if isinstance(kept.get("default_evaluators"), dict):
            self._check_map(kept["default_evaluators"], join("metadata.extensions", OURS, "default_evaluators"))

    def _check_item(self, item: JSON, path: str) -> None:
        if not isinstance(item, dict):
            fix = f'write {{"prompt": {quoted(item)}}}' if isinstance(item, str) else "write an object with a prompt"
            self._say(f"must be an object with a prompt or with turns, not {shown(item)}", path, fix)
            return
        kind, hints = _kind(item)
        if kind == "both":
            self._say('has both "prompt" and "turns"', path, "keep one: a single prompt, or a conversation")
        elif kind == "neither":
            self._say('needs "prompt" or "turns"', path, "add what is said to the agent")
        self._check_part(item, kind, path, hints)
        turns = item.get("turns")
        for index, turn in enumerate(turns if isinstance(turns, list) else ()):
            self._check_part(turn, "turn", join(path, "turns", index), _OF_ITEMS)

    def _check_part(self, part: JSON, kind: str, path: str, hints: Mapping[str, str]) -> None:
        """An item or a turn: all but its evaluators by the rule, those with their names."""
        self._checker.check(part, self._rules[kind], path, hints=hints)
        if not isinstance(part, dict) or kind == "thread":
            return
        kept = ours(part).get("evaluators")
        if "evaluators" in part:
            self._check_map(part["evaluators"], join(path, "evaluators"))
        elif "evaluators_mode" in part and kept is None:
            self._warn("does nothing without evaluators", join(path, "evaluators_mode"), "add evaluators, or leave it out")
        if isinstance(kept, dict):
            self._check_map(kept, join(path, "extensions", OURS, "evaluators"))
        prompt = part.get("prompt")
        if isinstance(prompt, str) and prompt and not prompt.strip():
            self._warn("is nothing but white space", join(path, "prompt"), "write what is said to the agent")

    def _check_map(self, value: JSON, path: str) -> None:
        check_map(value, path, self._checker, self._say, self._warn)

    def _say(
        self, message: str, path: str, fix: str = "", *, soft: bool = False, far: bool = False, warning: bool = False
    ) -> None:
        path = printable(path)
        # Of a newer version it cannot be known which fields it has.
        if warning or (far and self._newer):
            self._problems.warn(self._source, message, path=path, fix=fix)
        elif soft:
            self._problems.soft(self._source, message, path=path, fix=fix)
        else:
            self._problems.add(self._source, message, path=path, fix=fix)


def _is_slip(name: str, near: str) -> bool:
    return abs(len(name) - len(near)) < 2 and SequenceMatcher(None, name, near).ratio() > 0.85


def _kind(item: dict[str, JSON]) -> tuple[str, Mapping[str, str]]:
    """What an item is meant to be, and the ways out for fields it cannot have."""
    if "prompt" in item:
        return ("both", NO_HINTS) if "turns" in item else ("single", NO_HINTS)
    if "turns" in item:
        return "thread", _OF_TURNS
    meant = {nearest(name, INPUT_FIELDS) for name in item if name not in INPUT_FIELDS}
    if "prompt" in meant:
        return "single", NO_HINTS
    return ("thread", _OF_TURNS) if "turns" in meant else ("neither", NO_HINTS)


def _rules(given: Mapping[str, JSON]) -> dict[str, JSON]:
    """The rules of items and turns, without the parts that are checked on their own: evaluators, and each turn."""
    rules = {}
    for kind in ("single", "thread", "turn"):
        fields = dict(given[kind]["properties"])
        if "turns" in fields:
            fields["turns"] = {**fields["turns"], "items": {}}
        if "evaluators" in fields:
            fields["evaluators"] = {}
        rules[kind] = {**given[kind], "properties": fields}
    both = {**rules["thread"]["properties"], **rules["single"]["properties"]}
    return {**rules, "both": {**rules["single"], "properties": both}, "neither": {**rules["single"], "required": []}}


def _base(root: dict[str, JSON]) -> Base:
    """What examines every item."""
    kept = ours(root.get("metadata") or {}).get("default_evaluators")
    if isinstance(kept, dict):
        return checks_of(kept, join("metadata.extensions", OURS, "default_evaluators"), "file")
    if "default_evaluators" in root:
        return checks_of(root["default_evaluators"], "default_evaluators", "file")
    return SYSTEM


def _name(root: dict[str, JSON]) -> str | None:
    name = (root.get("metadata") or {}).get("name")
    return name.strip() or None if isinstance(name, str) else None


def _hidden(root: dict[str, JSON]) -> dict[str, JSON]:
    """What Viva kept of a suite's own words where the root could not hold them."""
    kept = ours(root.get("metadata")).get("suite", {})
    return {name: each for name, each in kept.items() if name not in ROOT_FIELDS or name == "description"}


def _test_id(item: JSON) -> str | None:
    if not isinstance(item, dict):
        return None
    given = item.get("testId", ours(item).get("testId"))
    return given if isinstance(given, str) and given else None
