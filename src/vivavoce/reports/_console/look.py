"""How the page looks where it is shown: colours, characters and width of a terminal, a log or a file."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO, cast

from rich.box import Box
from rich.cells import cell_len, set_cell_size
from rich.console import Console as Screen
from rich.text import Text

NARROWEST, WIDEST, USUAL = 40, 160, 100
"""Columns: the fewest that are laid out for, the most that are good to read, and those of a file."""

_RULED = Box("    \n    \n ── \n    \n ── \n ── \n    \n    \n")
_RULED_ASCII = Box("    \n    \n -- \n    \n -- \n -- \n    \n    \n", ascii=True)
_FILLING = re.compile(r" +(?=\n)")
_DRAWN = "─━✓✗█▓▒░…·–≥≤"
_PLAIN: Mapping[str, str] = MappingProxyType(
    {"✓": "+", "✗": "x", "█": "#", "▓": "x", "▒": "!", "░": ".", "…": "...", "·": "|", "–": "-", "≥": ">=", "≤": "<="}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """A place to print to, and the characters it can show."""

    screen: Screen
    ascii: bool

    @classmethod
    def of(cls, out: IO[str], *, color: bool | None, width: int | None) -> Look:
        """The look that suits a stream."""
        encoding = getattr(out, "encoding", None) or "utf-8"
        terminal = out.isatty()
        dumb = os.environ.get("TERM", "") in ("dumb", "unknown")
        colored = color if color is not None else terminal and not dumb and not os.environ.get("NO_COLOR")
        if width is None:
            # A pipe may lead to a terminal whose width somebody tells; a file looks the same wherever it is written.
            told = terminal or (out is sys.stdout and os.environ.get("COLUMNS"))
            width = min(WIDEST, shutil.get_terminal_size((USUAL, 24)).columns) if told else USUAL
        screen = _Screen(
            file=cast(IO[str], _Encodable(out, encoding)),  # it has all of IO that rich uses
            force_terminal=colored,
            # The sixteen colours of a terminal are its user's choice, and readable on whatever ground it has.
            color_system="standard" if colored else None,
            no_color=not colored,
            width=max(NARROWEST, width),
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
            safe_box=False,
        )
        return cls(screen=screen, ascii=not _can(encoding, _DRAWN))

    @property
    def width(self) -> int:
        """Columns."""
        return self.screen.width

    @property
    def colored(self) -> bool:
        """Whether there is colour."""
        return self.screen.color_system is not None

    @property
    def box(self) -> Box:
        """The frame of a table: a rule under its heading."""
        return _RULED_ASCII if self.ascii else _RULED

    def glyphs(self, text: str) -> str:
        """A text of our own, with the characters that can be shown."""
        return text.translate({ord(drawn): plain for drawn, plain in _PLAIN.items()}) if self.ascii else text

    def fit(self, text: str, columns: int) -> str:
        """A text on one line within so many columns, however wide its characters are."""
        if cell_len(text) <= columns:
            return text
        mark = self.glyphs("…")
        return set_cell_size(text, max(0, columns - len(mark))).rstrip() + mark

    def clip(self, text: str, columns: int, lines: int, length: int | None = None) -> Text:
        """A text wrapped to so many columns and lines; `length` is that of the whole, when this is only its beginning."""
        whole = length is None or length <= len(text)
        wrapped = Text(text, end="").wrap(self.screen, columns, overflow="fold", tab_size=4)
        if len(wrapped) <= lines and whole:
            return Text("\n", end="").join(wrapped)
        mark = self.glyphs("…")
        total = length if length is not None else len(text)
        note = f" [{total:,} characters]" if total > 2000 else ""
        kept = wrapped[:lines]
        last = set_cell_size(kept[-1].plain.rstrip(), max(0, columns - len(mark) - len(note)))
        shown = Text("\n", end="").join([*kept[:-1], Text(last.rstrip() + mark, end="")])
        return shown.append(note, style="dim")

    def print(self, *parts: object) -> None:
        """Write parts, each on its own lines."""
        for part in parts:
            self.screen.print(part, soft_wrap=False)


class _Screen(Screen):
    """A screen that leaves it to its caller what becomes of a reader that went away; the usual one ends the process."""

    def on_broken_pipe(self) -> None:
        """Pass on the error that is being handled."""
        raise


class _Encodable:
    """A stream that is handed only what it can encode; the rest becomes escapes such as `\\u2192`."""

    def __init__(self, out: IO[str], encoding: str) -> None:
        self._out = out
        self._encoding = encoding

    def write(self, text: str) -> int:
        """Write, without the spaces that only fill up a line, and say how much."""
        trimmed = _FILLING.sub("", text)
        return self._out.write(trimmed.encode(self._encoding, "backslashreplace").decode(self._encoding))

    def flush(self) -> None:
        """Let go of what is held."""
        self._out.flush()

    def isatty(self) -> bool:
        """Colour has been decided already."""
        return False


def _can(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
