"""What is written to the terminal: errors, warnings, tables; never what could command it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING

from vivavoce.core.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

_LAST = 9
"""Columns that the last column of a table takes at least."""
_WORD = 24
"""Columns of a word that is not broken where a table flows."""


def safe(text: str) -> str:
    """A text of unknown origin, with whatever in it could command a terminal made visible."""
    from vivavoce.core.visible import visible

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
    put(safe(message) + "\n")


def put(text: str) -> None:
    """A text of our own, on standard output, as it stands."""
    with printing():
        sys.stdout.write(text)


@contextmanager
def printing(way_out: str = "") -> Iterator[None]:
    """Around what writes to standard output. Who reads it may go away, as `head` does: then there is nobody to tell, what
    would be written goes nowhere from there on, and nothing else changes.

    Raises:
        UsageError: it cannot be written, such as to a disk that is full; `way_out` is said then too.
    """
    try:
        yield
    except BrokenPipeError:
        hush(sys.stdout)
    except OSError as error:
        hush(sys.stdout)
        raise UsageError(f"standard output cannot be written: {error.strerror or error}{way_out and f'; {way_out}'}") from error


def prompt(text: str) -> str | None:
    """A line that the person types, `None` at the end of input. Bytes that are not UTF-8 stay halves of characters.

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    stdin = sys.stdin
    if stdin.errors != "surrogateescape":  # which cannot be said again once something was read
        stdin.reconfigure(errors="surrogateescape")  # type: ignore[union-attr] # a text file, whenever this is a command
    with printing():
        sys.stdout.flush()
    if stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):  # editing and earlier lines, where the system has it
            import readline  # noqa: F401
        try:
            return input(text)
        except EOFError:
            return None
    if stdin.isatty():
        _tell(text, end="")
    line = stdin.readline()
    return line.rstrip("\r\n") if line else None


def console(stream: IO[str], *, no_color: bool = False) -> Console:
    """A console for tables and progress; without colours where they are not wanted or cannot be shown."""
    from rich.console import Console

    return Console(file=stream, no_color=no_color or None, highlight=False, markup=False, emoji=False, soft_wrap=True)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, spare: Sequence[str] = ()) -> None:
    """A table on standard output. A row is a line, which can be cut and searched; but where there is so much room and no
    more, columns of `spare` are left out as far as that helps, and the last column flows.
    """
    whole = [list(headings), *([safe(cell).replace("\n", " ") for cell in row] for row in rows)]
    room = _room()
    least = min(_WORD, max(_width(word) for row in whole for word in row[-1].split() or [""]))
    for heading in spare:
        if room is None or sum(_widths(whole)[:-1]) + 2 * len(whole[0][:-1]) + least <= room:
            break
        column = whole[0].index(heading)
        whole = [row[:column] + row[column + 1 :] for row in whole]
    *widths, last = _widths(whole)
    begins = sum(widths) + 2 * len(widths)
    if room is not None:
        last = max(_LAST, min(last, room - begins))
    for *row, text in whole:
        line = "".join(cell + " " * (width - _width(cell) + 2) for cell, width in zip(row, widths, strict=True))
        for part in _flowing(text, last):
            put(f"{line}{part}".rstrip() + "\n")
            line = " " * begins


def hush(stream: IO[str]) -> None:
    """Have a stream lead nowhere from here on, also for what it holds back and could not get rid of."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _room() -> int | None:
    """Columns that are seen of standard output; `None` where it is no terminal and nobody says how many there are."""
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS"):
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(_width, column)) for column in zip(*rows, strict=True)]


def _flowing(text: str, width: int) -> list[str]:
    """A text in lines of so many columns."""
    if _width(text) <= width:
        return [text]
    from rich.console import Console
    from rich.text import Text

    return [line.plain.rstrip() for line in Text(text).wrap(Console(), width)]


def _width(text: str) -> int:
    """Columns a text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _tell(message: str, *, end: str = "\n") -> None:
    try:
        sys.stderr.write(safe(message) + end)
        sys.stderr.flush()
    except OSError:
        hush(sys.stderr)  # nobody can be told that nobody can be told
