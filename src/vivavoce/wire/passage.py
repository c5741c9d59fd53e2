"""A file that is passed from front to back, of which memory holds no more than what is being looked at."""

from __future__ import annotations

import re

from vivavoce.core.errors import UsageError
from vivavoce.core.source import LINE_LIMIT, Source

_SPACE = re.compile(rb"[ \t\r\n]*+")


class Passage:
    """A place in a file that moves on, with as much of the text behind it as was asked for."""

    def __init__(self, source: Source) -> None:
        self.path = ""
        """The JSON path of what stands here, where it has one."""
        self._source = source
        self._blocks = source.blocks()
        self._text = b""
        self._at = 0
        """Where in `_text` stands what comes next, or what was given last until the next is asked for."""
        self._line, self._counted = 1, 0
        """The line of the place in `_text` up to which lines are counted."""
        self._column, self._measured = 1, 0
        """The column of the place in `_text` up to which columns are counted, further back than lines are."""

    def _skip(self, ahead: int) -> int:
        """How far it is to what is no space, from so far ahead."""
        while True:
            match = _SPACE.match(self._text, self._at + ahead)
            ahead = match.end() - self._at if match else ahead
            if self._at + ahead < len(self._text) or not self._more():
                return ahead

    def _char(self, ahead: int) -> bytes:
        return self._text[self._at + ahead : self._at + ahead + 1]

    def _line_here(self) -> int:
        self._line += self._text.count(b"\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _column_here(self) -> int:
        begun = self._text.rfind(b"\n", self._measured, self._at) + 1
        before = 1 if begun else self._column
        self._column = before + len(self._text[begun or self._measured : self._at].decode(errors="replace"))
        self._measured = self._at
        return self._column

    def _more(self) -> bool:
        """Read on, as much again as there is; whether there was more. What was passed is dropped."""
        if len(self._text) - self._at > LINE_LIMIT:
            what = f"what begins here (column {self._column_here()}) goes on for more than"
            self._refuse(what, LINE_LIMIT, "close it, or split the row")
        more: list[bytes] = []
        wanted = len(self._text) - self._at
        for block in self._blocks:
            more.append(block)
            wanted -= len(block)
            if wanted <= 0:
                break
        if more:
            self._line_here()
            self._column_here()
            self._text = b"".join((self._text[self._at :], *more))
            self._at = self._counted = self._measured = 0
        return bool(more)

    def _refuse(self, what: str, limit: int, way_out: str) -> None:
        path = f"{self.path}: " if self.path else ""
        raise UsageError(f"{self._source.name}:{self._line_here()}: {path}{what} {limit // 1024 // 1024} MB; {way_out}")
