"""YAML text to plain data, with everything wrong in it reported at its line.

Scalars are read by the rules of YAML 1.2, so that text stays text: `NO`, `on`, `2024-01-01`, `1:30` and `007` are text, `1e-3`
is a number. Tags, a second document and `.nan` are refused; aliases are followed within bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import yaml

from vivavoce.core.place import Problems, above, join
from vivavoce.core.reply import JSON
from vivavoce.core.source import Source
from vivavoce.wire.json_text import DEPTH_LIMIT, DIGITS_LIMIT, FEWER, OPEN_LIMIT
from vivavoce.wire.yaml_events import Broken, events, line_of

ALIAS_LIMIT = 1_000_000
"""Values that aliases may add to a document, each counted as often as it is referred to."""
ALIAS_TEXT_LIMIT = 64 * 1024 * 1024
"""Characters that aliases may add."""

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("true", "True", "TRUE"))
_FALSE = frozenset(("false", "False", "FALSE"))
_NUMBER_BEGINS = frozenset("+-.0123456789")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """Where a value stands, and how it is written."""

    line: int
    """From 1; of a member, the line of its name."""
    plain: bool
    """Whether it is a scalar without quotes: `yes`, not `"yes"`."""


class Unfit(ValueError):
    """A scalar that has no value here, such as `.nan`; the message says why."""


def parse(source: Source, text: str, problems: Problems) -> JSON:
    """The value of a YAML text; `None` after reporting what is wrong.

    A name given twice in one mapping, a tag and a number that is not finite are all reported; bad syntax, a second document,
    more than `DEPTH_LIMIT` levels and aliases past their limits end the reading.
    """
    reader = _Reader(source, problems)
    try:
        for count, event in enumerate(events(text)):
            if count > OPEN_LIMIT // 4:  # a YAML text takes far longer to read than a JSON one
                raise Broken("holds over a million values, too many to read at once", 1, FEWER)
            reader.take(event)
    except Broken as broken:
        problems.add(source, str(broken), line=broken.line, fix=broken.fix)
        return None
    return reader.value


def scalar(text: str) -> JSON:
    """What a scalar without quotes stands for.

    Raises:
        Unfit: a number that is not finite, or too long.
    """
    if text in _NULL:
        return None
    if text[0] in _NUMBER_BEGINS:
        return _number(text)
    if text in _TRUE:
        return True
    return False if text in _FALSE else text


def marks(text: str, paths: Iterable[str]) -> Mapping[str, Mark]:
    """Line and style of the values at these JSON paths, as far as there are such; the text need not be valid to its end."""
    wanted = set(paths)
    found: dict[str, Mark] = {}
    last = text.count("\n") + 1
    for path, mark in _walk(text):
        if path in wanted:
            # A value that is left out at the very end is marked on the line after it.
            found.setdefault(path, mark if mark.line <= last else replace(mark, line=last))
    return found


def locate(text: str, paths: Iterable[str]) -> Mapping[str, int]:
    """The line of each JSON path, or of its nearest ancestor that is there: `place.locate` for YAML."""
    wanted = list(paths)
    found = marks(text, {each for path in wanted for each in above(path)})
    return {path: next(found[each].line for each in above(path) if each in found) for path in wanted if "" in found}


def _number(text: str) -> JSON:
    if _INTEGER.fullmatch(text):
        if len(text) > DIGITS_LIMIT:
            raise Unfit(f"a number of {len(text)} digits is too long")
        return int(text, 0 if text[:2] in ("0x", "0o") else 10)
    if _FLOAT.fullmatch(text):
        value = float(text)
        if value in (float("inf"), float("-inf")):
            raise Unfit(f"{text[:20]} is too large a number")
        return value
    if _NOT_FINITE.fullmatch(text):
        raise Unfit(f"{text} is not a number here")
    return text


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end has not come."""

    value: dict[str, JSON] | list[JSON]
    anchor: str | None
    size: int = 1
    letters: int = 0
    key: str | None = None
    merge: bool = False
    merged: list[JSON] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Anchored:
    value: JSON
    size: int
    letters: int


class _Reader:
    """Builds a value out of parser events, so that no depth of nesting can exhaust the stack."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self.value: JSON = None
        self._source = source
        self._problems = problems
        self._open: list[_Open] = []
        self._anchors: dict[str, _Anchored | None] = {}
        self._aliased = _Anchored(None, 0, 0)
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        """Go one event on."""
        line = line_of(event)
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._end(line)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event.anchor or "", line)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise Broken("a second document begins here", line, "keep one document a file")

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        self._refuse_tag(event.tag, line)
        text: str = event.value
        holder = self._open[-1] if self._open else None
        if holder is not None and isinstance(holder.value, dict) and holder.key is None:
            self._name(holder, text, line, plain=not event.style, anchor=event.anchor)
            return
        value: JSON = text
        if not event.style:
            try:
                value = scalar(text)
            except Unfit as error:
                self._report(str(error), line, "use null, a number, or text in quotes")
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(value, 1, len(text))
        self._put(value, 1, len(text), line)

    def _name(self, holder: _Open, text: str, line: int, *, plain: bool, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = _Anchored(text, 1, len(text))
        holder.letters += len(text)
        holder.merge = plain and text == "<<"
        holder.key = text
        if text in holder.value:
            self._report(f'"{text}" is given twice in one object', line, "keep one")

    def _begin(self, event: yaml.CollectionStartEvent, line: int) -> None:
        self._refuse_tag(event.tag, line)
        holder = self._open[-1] if self._open else None
        if holder is not None and isinstance(holder.value, dict) and holder.key is None:
            raise Broken("a name must be text, not a list or mapping", line)
        if len(self._open) >= DEPTH_LIMIT:
            raise Broken(f"nested deeper than {DEPTH_LIMIT} levels", line, "flatten it")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(_Open({} if isinstance(event, yaml.MappingStartEvent) else [], event.anchor))

    def _end(self, line: int) -> None:
        done = self._open.pop()
        for each in done.merged:
            for key, value in each.items():
                done.value.setdefault(key, value)  # type: ignore[union-attr] # only a mapping can have merge keys
        if done.anchor is not None:
            self._anchors[done.anchor] = _Anchored(done.value, done.size, done.letters)
        self._put(done.value, done.size, done.letters, line)

    def _alias(self, name: str, line: int) -> None:
        if name not in self._anchors:
            raise Broken(f"*{name} refers to nothing before it", line, f"mark a value with &{name}")
        anchored = self._anchors[name]
        if anchored is None:
            raise Broken(f"*{name} stands within what it refers to", line)
        total = _Anchored(None, self._aliased.size + anchored.size, self._aliased.letters + anchored.letters)
        if total.size > ALIAS_LIMIT or total.letters > ALIAS_TEXT_LIMIT:
            raise Broken("aliases make this document too large", line, "write out less, or split the file")
        self._aliased = total
        holder = self._open[-1] if self._open else None
        if holder is not None and isinstance(holder.value, dict) and holder.key is None:
            if not isinstance(anchored.value, str):
                raise Broken("a name must be text, not a list or mapping", line)
            self._name(holder, anchored.value, line, plain=False, anchor=None)
        else:
            self._put(anchored.value, anchored.size, anchored.letters, line)

    def _put(self, value: JSON, size: int, letters: int, line: int) -> None:
        if not self._open:
            self.value = value
            return
        holder = self._open[-1]
        holder.size += size
        holder.letters += letters
        if isinstance(holder.value, list):
            holder.value.append(value)
            return
        if holder.merge:
            given = value if isinstance(value, list) else [value]
            if not all(isinstance(each, dict) for each in given):
                raise Broken("<< takes a mapping, or a list of them", line)
            holder.merged += given
        else:
            holder.value[holder.key or ""] = value
        holder.key, holder.merge = None, False

    def _refuse_tag(self, tag: str | None, line: int) -> None:
        if tag is not None:
            self._report(f"the tag {tag.replace('tag:yaml.org,2002:', '!!')} is not read", line, "leave tags out")

    def _report(self, message: str, line: int, fix: str) -> None:
        places = (len(each.value) if isinstance(each.value, list) else each.key or "" for each in self._open)
        self._problems.add(self._source, message, path=join(*places), line=line, fix=fix)


def _walk(text: str) -> Iterator[tuple[str, Mark]]:
    """Path and mark of every value, as far as the text is valid."""
    stack: list[tuple[str, str | int | None]] = []  # path of an open container; index in a list, name in a mapping if known
    named_at = 0
    try:
        for event in events(text):
            if isinstance(event, yaml.CollectionEndEvent):
                stack.pop()
            elif isinstance(event, yaml.NodeEvent):
                path, line = "", line_of(event)
                if stack:
                    above_it, place = stack[-1]
                    if place is None:
                        if isinstance(event, yaml.CollectionStartEvent):
                            return  # a name is text
                        stack[-1], named_at = (above_it, getattr(event, "value", "")), line
                        continue
                    path = join(above_it, place)
                    line = line if isinstance(place, int) else named_at
                    stack[-1] = (above_it, place + 1 if isinstance(place, int) else None)
                yield path, Mark(line=line, plain=isinstance(event, yaml.ScalarEvent) and not event.style)
                if isinstance(event, yaml.CollectionStartEvent):
                    stack.append((path, None if isinstance(event, yaml.MappingStartEvent) else 0))
    except Broken:
        return
