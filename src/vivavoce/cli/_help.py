"""How help looks; a module of its own, since it brings `rich`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from shutil import get_terminal_size

from rich.text import Text
from rich_argparse import RichHelpFormatter

NARROW = 80
"""Columns below which long flags get a line of their own."""
_ENTRY = re.compile(r"  [a-z]+ {2,}")
_EXAMPLE = "  $ "
_WORD = re.compile(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""")
"""A word of a command, as a shell sees it."""


class Help(RichHelpFormatter):
    """Help with room for long flags. Of descriptions and examples, lines that are indented stay apart, and paragraphs flow."""

    help_markup = False
    text_markup = False
    group_name_formatter = str.capitalize
    highlights = (  # type: ignore[assignment] # the base class has a list, which could be changed by anyone
        *RichHelpFormatter.highlights,
        r"(?m)^  (?P<args>[a-z]+)(?=  )",
        r"(?m)^  (?P<syntax>\$ .+)$",
    )

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30 if get_terminal_size().columns >= NARROW else 20)

    def _rich_fill_text(self, text: Text, width: int, indent: Text) -> Text:
        lines: list[Text] = []
        for flows, part in groupby(text.split("\n", allow_blank=True), key=lambda line: line.plain[:1].strip() != ""):
            if flows:
                lines += self._wrap(Text(" ").join(part), width)
            else:
                lines += (each for line in part for each in self._apart(line, width))
        return Text("\n").join(indent + line for line in lines) + "\n\n"

    def _apart(self, line: Text, width: int) -> Iterator[Text]:
        """A line of its own, with what does not fit into it below where its text begins."""
        if line.plain.startswith(_EXAMPLE):
            yield from _continued(line, width)
            return
        entry = _ENTRY.match(line.plain)
        start = entry.end() if entry else 0
        head, rest = line[:start], line[start:]
        for part in self._wrap(rest, width - start) or [rest]:
            yield head + part
            head = Text(" " * start)

    def _wrap(self, text: Text, width: int) -> list[Text]:
        lines = list(text.wrap(self.console, max(width, 11)))
        for line in lines:
            line.rstrip()
        return lines


def _continued(line: Text, width: int) -> Iterator[Text]:
    """A command in lines that are one command to a shell too."""
    begin = 0
    end = 0
    for word in _WORD.finditer(line.plain, len(_EXAMPLE)):
        if end and word.end() - begin + (len(_EXAMPLE) if begin else 0) > width - 2:
            yield (Text("    ") if begin else Text()) + line[begin:end] + Text(" \\")
            begin = word.start()
        end = word.end()
    yield (Text("    ") if begin else Text()) + line[begin:]
