"""Files that no format knows as its own: what they may have been meant to be, and what is wrong with them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vivavoce.core.kinds import Format
from vivavoce.core.place import Problems, nearest
from vivavoce.core.reply import JSON, Object
from vivavoce.core.source import Source
from vivavoce.wire import json_lines, json_text
from vivavoce.wire.peek import block_names, is_slip, names, opening

_DATASETS = (".eval.yaml", ".jsonl")
"""Suffixes of files that hardly anything but a dataset has."""
_RESULT = frozenset(("suite", "case", "status"))
"""Names in each line of what a run writes."""


def is_meant(source: Source, formats: Sequence[Format]) -> bool:
    """Whether a file in a folder, which no format knows, would be missed if the exam went on without it.

    Raises:
        UsageError: it cannot be read.
    """
    name = source.path.name.lower().removesuffix(".gz")
    if name.endswith(_DATASETS):
        left = any(each.matches(source) for each in formats)  # sound rows of columns that say nothing to it
        return not _holds_results(opening(source)) and (not left or bool(slips(source, formats)))
    return name.endswith(".json") and (not _is_json(source) or bool(slips(source, formats)))


def slips(source: Source, formats: Iterable[Format]) -> dict[str, str]:
    """Names at a file's root, each with the name that it nearly is, where they nearly make a document or rows of a format."""
    text = opening(source)
    listed = text.startswith("[")
    found = _first(text) if listed else names(text) if text.startswith("{") else block_names(text)
    are_rows = source.suffix == ".jsonl"
    for each in formats:
        for known, needed in (*(() if listed else _shapes(each.schema())), *_listed(each.schema())):
            meant = {name: near for name in sorted(found - known) if (near := nearest(name, known - found)) is not None}
            missed = {near for name, near in meant.items() if near in (needed or known) and is_slip(name, near)}
            strange = found - known - meant.keys()
            if missed and (needed or are_rows) and (not strange or len(missed) > 1):
                return meant
    return {}


def damage(source: Source) -> Problems:
    """What is wrong with a file that is called a suite in YAML, or JSON and begins like it, and is not."""
    found = Problems()
    if code(source):
        return _yaml_damage(source)
    if source.suffix not in (".json", ".jsonl") or source.head(100).lstrip()[:1] not in (b"[", b"{"):
        return found
    lines = source.lines()
    number, line = next(lines)
    if source.suffix == ".json" and json_lines.parsed(source, line, number, Problems())[1]:
        json_text.parse(source, source.text(), found)
        return found
    while not json_lines.parsed(source, line, number, found)[1]:
        number, line = next(lines, (0, b""))
        if not number:
            break
    return found


def code(source: Source) -> str:
    """The code of damage to a file that is called a suite in YAML; empty for any other."""
    return "MALFORMED_YAML" if source.path.name.lower().removesuffix(".gz").endswith(".eval.yaml") else ""


def _yaml_damage(source: Source) -> Problems:
    from vivavoce.wire import yaml_text

    parsed, found = Problems(), Problems()
    value = yaml_text.parse(source, source.text(), parsed)
    for each in parsed.found():
        found.add(source, each.message, path=each.path, line=each.line, fix=each.fix, code=code(source))
    if not parsed.total and not isinstance(value, Mapping):
        said = "a list" if isinstance(value, list) else "one value" if value is not None else "nothing"
        found.add(source, f"the top level must be a mapping, not {said}", line=1, code=code(source))
    return found


def beginning(source: Source) -> str:
    """What a file holds, as far as its first line tells."""
    head = source.head(200)
    if b"\0" in head:
        return "binary data"
    text = head.decode(errors="replace").strip().splitlines()[:1] or ["white space only"]
    line = "".join(char if char.isprintable() else "�" for char in text[0])
    return f"a file that begins: {line[:80]}"


def printable(name: str) -> str:
    """A file's name as it can be shown and stored, each byte that is not UTF-8 written out."""
    return os.fsencode(name).decode(errors="backslashreplace")


def _holds_results(text: str) -> bool:
    """Whether lines are the results of a run, which are no dataset: results of Viva, or rows with what was made of them."""
    first = text.split("\n", 1)[0].strip()
    if names(first) >= _RESULT:
        return True
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and any("." in name for name in row)


def _is_json(source: Source) -> bool:
    """Whether the whole file is JSON, or each of its lines is."""
    text = source.text()
    return _parses(text) or (bool(text.strip()) and all(_parses(line) for line in text.split("\n") if line.strip()))


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except RecursionError:
        return True  # a dataset nests less deeply
    except ValueError:
        return False
    return True


def _first(text: str) -> frozenset[str]:
    """The names of a list's first object."""
    try:
        first, _ = json.JSONDecoder().raw_decode(text[1:].lstrip())
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(first) if isinstance(first, dict) else frozenset()


def _listed(schema: Object) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The same of what a document's lists hold: a bare list holds it too, or a file it alone."""
    definitions = schema.get("$defs", {})
    for member in schema.get("properties", {}).values():
        if isinstance(member, Mapping) and isinstance(member.get("items"), Mapping):
            yield from _shapes({**member["items"], "$defs": definitions})


def _shapes(schema: Object) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The names of each document or row that a schema describes, and those it cannot be without."""
    pending: list[JSON] = [schema]
    definitions = schema.get("$defs", {})
    while pending:
        one = pending.pop(0)
        if not isinstance(one, Mapping):
            continue
        pending += [each for way in ("anyOf", "oneOf", "allOf") for each in one.get(way, ())]
        pending += [one[way] for way in ("then", "else") if way in one]
        if "$ref" in one:
            pending.append(definitions.get(str(one["$ref"]).rpartition("/")[2]))
        elif one.get("properties"):
            yield frozenset(one["properties"]), frozenset(one.get("required", ()))
