"""What is written to the terminal: errors, warnings, tables; never what could command it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def safe(text: str) -> str:
    """A text of unknown origin, with whatever in it could command a terminal made visible."""
    from vivavoce.reports._text import visible

    return visible(text)


def complain(message: str, *, by: str = "viva") -> None:
    """An error, on standard error, by the name of the command."""
    _tell(f"{by}: {message}")


def warn(message: str) -> None:
    """A warning, on standard error; also with `--quiet`."""
    _tell(f"warning: {message}")


def note(message: str) -> None:
    """Something to know, on standard error, so that standard output stays what was asked for."""
    _tell(message)


def say(message: str = "") -> None:
    """What was asked for, on standard output."""
    sys.stdout.write(safe(message) + "\n")


def prompt(text: str) -> str | None:
    """A line that the person types, `None` at the end of input. Bytes that are not UTF-8 stay halves of characters.

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    stdin = sys.stdin
    if stdin.errors != "surrogateescape":  # which cannot be said again once something was read
        stdin.reconfigure(errors="surrogateescape")  # type: ignore[union-attr] # a text file, whenever this is a command
    sys.stdout.flush()
    if stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):  # editing and earlier lines, where the system has it
            import readline  # noqa: F401
        try:
            return input(text)
        except EOFError:
            return None
    if stdin.isatty():
        sys.stderr.write(text)
        sys.stderr.flush()
    line = stdin.readline()
    return line.rstrip("\r\n") if line else None


def console(stream: IO[str], *, no_color: bool = False) -> Console:
    """A console for tables and progress; without colours where they are not wanted or cannot be shown."""
    from rich.console import Console

    return Console(file=stream, no_color=no_color or None, highlight=False, markup=False, emoji=False, soft_wrap=True)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table on standard output: aligned, never wrapped, so that it can also be cut and searched line by line."""
    whole = [list(headings), *([safe(cell).replace("\n", " ") for cell in row] for row in rows)]
    widths = [max(_width(row[column]) for row in whole) for column in range(len(headings))]
    for row in whole:
        cells = (cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write("  ".join(cells).rstrip() + "\n")


def hush() -> None:
    """Standard output leads nowhere from here on: who read it went away, as `head` does, and there is nobody to tell."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _width(text: str) -> int:
    """Columns a text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _tell(message: str) -> None:
    sys.stderr.write(safe(message) + "\n")
    sys.stderr.flush()
