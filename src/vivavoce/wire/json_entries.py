"""The entries of JSON lists cut out of a file of any size, each as it stands, to be read as a line of JSON lines is.

Libraries that read JSON as a stream give neither the text of an entry nor its place, and keep the last of two values that have
one name. So a list is only cut here, by its brackets, and each entry is read by the one reader that tells of all that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Generator, Iterator, Mapping
from types import MappingProxyType

from vivavoce.core.errors import UsageError
from vivavoce.core.place import join
from vivavoce.core.source import DOCUMENT_LIMIT, LINE_LIMIT, Source
from vivavoce.wire.json_text import DEPTH_LIMIT, OPEN_LIMIT
from vivavoce.wire.passage import Passage

Place = tuple[str, ...]
"""Where a list stands: the names that lead to it from the root of a document, none when it is the root."""
Entry = tuple[int, bytes]
"""The line at which an entry begins, from 1, and its text."""

_STRING = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
_NUMBER = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
_BETWEEN = rb'(?:[^"\[\]{}]++|' + _STRING + rb")*+"
_TO_BRACKET = re.compile(_BETWEEN + rb"[\[\]{}]", re.DOTALL)
_TO_BROKEN = re.compile(_BETWEEN + rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+\n', re.DOTALL)
"""All up to the end of a text that ends with its line, which no text of JSON does."""
_SCALAR = re.compile(_STRING + rb"|" + _NUMBER + rb"|true|false|null|NaN|-?Infinity", re.DOTALL)
_TOKEN = re.compile(_STRING + rb'|[{}\[\],:]|[ \t\r\n]++|[^ \t\r\n{}\[\],:"]++|"', re.DOTALL)
_CLOSES: Mapping[bytes, bytes] = MappingProxyType({b"[": b"]", b"{": b"}"})
_MARKS = (*_CLOSES, *_CLOSES.values(), b",", b":")
_AHEAD = 100
"""Bytes at the place of damage that are given to be looked at."""


class Entries(Passage):
    """One pass over a file: the entries of the lists at some places, and what is beside them.

    Memory holds no more of the file than one entry, and a block. Where a list is damaged, so that nobody knows where the next
    entry begins, the last text given is what stands there; whoever reads it as JSON learns what is wrong with it.
    """

    def __init__(self, source: Source, places: Collection[Place] = ((),)) -> None:
        super().__init__(source)
        self.found: dict[Place, int] = {}
        """Where there was a list so far, and how many entries it has."""
        self.rest = b""
        """The document with these lists empty, once all was read; behind a damaged one, what closes all that is open."""
        self.given = 0
        """How many texts were given."""
        self.wrong = 0
        """Which of them, from 1, whoever reads them last found to be no JSON."""
        self.is_damaged = False
        """Whether the text given last is what stands where a list is damaged."""
        self._places = places
        self._cuts: list[tuple[int, int, int]] = []
        """Of each list that was cut: where in `rest` it belongs, how many lines it has, and how far the last of them goes."""
        self._made_up = 0
        """How many characters of the text given last are not in the file, but before it."""

    def __iter__(self) -> Iterator[Entry]:
        """Each entry with its line.

        Raises:
            UsageError: the file cannot be read, or an entry, or all that is beside the lists, is too large.
        """
        self._at += self._skip(0)
        if () in self._places and self._char(0) == b"[":
            return self._alone()
        return self._document()

    @property
    def column(self) -> int:
        """Where in its line, from 1, the text begins that was given last."""
        return self._column_here() - self._made_up

    def spread(self) -> bytes:
        """The rest, in which everything stands at the line and column where it stands in the file.

        Raises:
            UsageError: it would take as much room as no document may.
        """
        parts, last = [], 0
        for at, lines, columns in self._cuts:
            if lines + columns > LINE_LIMIT:
                told = "is not valid JSON beside its rows, and these are too many to tell where; write them as JSON lines"
                raise UsageError(f"{self._source.name}: {told}")
            parts += [self.rest[last:at], b"\n" * lines, b" " * columns]
            last = at
        return b"".join((*parts, self.rest[last:]))

    def _alone(self) -> Iterator[Entry]:
        """Of a file that is a list, and nothing else."""
        if (yield from self._list(())) and self._char(self._skip(0)):
            self.path, self.is_damaged = "", True
            yield self._damage(self._skip(0) + _AHEAD, b"[]")

    def _document(self) -> Iterator[Entry]:
        """Of a document; what is wrong with the rest of it is seen by whoever reads that."""
        way: list[str] = []  # the name seen last in each object that is open
        rest = bytearray()
        before = b""
        while token := self._token():
            if token in _CLOSES:
                self._at -= 1
                here = tuple(way)
                if token == b"[" and way and here in self._places:
                    line, column = self._line_here(), self._column_here()
                    if not (yield from self._list(here)):
                        rest += b"[]" + b"}" * len(way)
                        break
                    self.path = way[-1] = ""
                    lines = self._line_here() - line
                    self._cuts.append((len(rest) + 1, lines, self._column_here() - 2 - (0 if lines else column)))
                    token = b"[]"
                elif token == b"{" and any(place[: len(here)] == here for place in self._places):
                    self._at += 1
                    way.append("")
                else:
                    ends, is_whole = self._entry()
                    if not is_whole:
                        rest += self._damage(ends + _AHEAD)[1]
                        break
                    token = self._text[self._at : self._at + ends]
                    self._at += ends
            elif token == b"}":
                del way[-1:]
            elif token in (b":", b",") and way:
                way[-1] = _name(before) if token == b":" else ""
            rest += token
            if len(rest) > DOCUMENT_LIMIT:
                self._refuse("what is beside the rows is larger than", DOCUMENT_LIMIT, "no document holds as much")
            before = before if token.isspace() else token
        self.rest = bytes(rest)

    def _list(self, place: Place) -> Generator[Entry, None, bool]:
        """Each entry of the list that begins here; then whether it came to its end."""
        line, column, path, count = self._line_here(), self._column_here(), join(*place), 0
        ahead, is_right = self._skip(1), True
        while is_right and self._char(ahead) not in (b"]", b""):
            self._at += ahead
            self.path = f"{path}[{count}]"
            self.given += 1
            ends, is_whole = self._entry()
            if not is_whole:
                self.is_damaged = True
                yield self._damage(ends, b"[")
                return False
            if ends > LINE_LIMIT:
                self._refuse("a row longer than", LINE_LIMIT, "split the row")
            yield self._line_here(), self._text[self._at : self._at + ends]
            self._at += ends
            count += 1
            ahead, is_right = self._behind()
        self.found[place] = count
        self.given += 1
        char = self._char(ahead)
        self.is_damaged = not is_right or not char
        if not is_right:
            self.path = self.path if char in _CLOSES.values() else f"{path}[{count}]"
            yield self._damage(ahead + _AHEAD, b"[{}")
        elif char:
            self._at += ahead + 1
            return True
        else:  # what never closes is told where it opens
            self.path, self._text, self._at = path, b"[", 0
            self._line, self._column, self._counted, self._measured = line, column, 0, 0
            yield self._damage(1)
        return False

    def _behind(self) -> tuple[int, bool]:
        """How far it is from the end of an entry to the next or to the end of the list, and whether it leads there."""
        ahead = self._skip(0)
        if self._char(ahead) != b",":
            return ahead, self._char(ahead) in (b"]", b"")
        self._at += ahead
        ahead = self._skip(1)
        return ahead, self._char(ahead) not in (b"]", b"}")

    def _entry(self) -> tuple[int, bool]:
        """How far the entry goes that begins here, and whether it is whole."""
        if self._char(0) not in _CLOSES:
            return self._scalar()
        open_ = bytearray()  # what closes each bracket that is open
        ahead = opened = 0
        while True:
            match = _TO_BRACKET.match(self._text, self._at + ahead)
            if match is None:
                broken = _TO_BROKEN.match(self._text, self._at + ahead)
                if broken:
                    return broken.end() - self._at, False
                if not self._more():
                    return len(self._text) - self._at, False
                continue
            ahead = match.end() - self._at
            bracket = self._char(ahead - 1)
            if bracket in _CLOSES:
                open_ += _CLOSES[bracket]
                opened += 1
                if len(open_) > DEPTH_LIMIT or opened > OPEN_LIMIT:
                    return ahead, False
            elif open_[-1:] != bracket:
                return ahead, False
            else:
                del open_[-1]
                if not open_:
                    return ahead, True

    def _scalar(self) -> tuple[int, bool]:
        """The same of an entry that is neither a list nor an object."""
        while True:
            match = _SCALAR.match(self._text, self._at)
            if self._may_go_on(match is None, match.end() if match else self._at) and self._more():
                continue
            ends = match.end() - self._at if match else 0
            is_whole = ends > 0 and self._char(self._skip(ends)) in (b",", b"]", b"}", b"")
            return ends if is_whole else self._skip(ends) + _AHEAD, is_whole

    def _may_go_on(self, is_open: bool, ends: int) -> bool:
        """Whether what begins here may end in what was not read yet: a text that is open so far, or a word."""
        if is_open and self._char(0) == b'"':
            return self._text.find(b"\n", self._at) < 0
        return len(self._text) - ends < len("-Infinity")

    def _token(self) -> bytes:
        """The next part of a document, be it damaged; nothing at its end."""
        while True:
            match = _TOKEN.match(self._text, self._at)
            token, ends = (match[0], match.end()) if match else (b"", self._at)
            if token not in _MARKS and self._may_go_on(token in (b"", b'"'), ends) and self._more():
                continue
            self._at = ends
            return token

    def _damage(self, ahead: int, made_up: bytes = b"") -> Entry:
        """What stands here, so far, behind what makes a beginning of it where it has none."""
        while self._at + ahead > len(self._text) and self._more():
            pass
        self._made_up = len(made_up)
        text = self._text[self._at : self._at + ahead]
        return self._line_here(), made_up + text.decode(errors="ignore").encode()  # it may end within a character


def _name(token: bytes) -> str:
    """The name that a text is, be it damaged."""
    try:
        return str(json.loads(token))
    except ValueError:
        return ""
