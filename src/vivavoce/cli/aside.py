"""Standard output holds what was asked for and nothing else: what an agent prints goes to standard error."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from vivavoce.core import foreign


class Aside:
    """A standard output that is another one for foreign code: in threads of its own, and inside a `Border`."""

    def __init__(self, own: TextIO) -> None:
        self._own = own
        self._thread = threading.get_ident()

    def write(self, text: str) -> int:
        """Write to where the code that calls this belongs."""
        return self._stream().write(text)

    def __getattr__(self, name: str) -> Any:  # whatever a text stream has
        return getattr(self._stream(), name)

    def _stream(self) -> TextIO:
        ours = threading.get_ident() == self._thread and not foreign.inside()
        return self._own if ours else sys.stderr


@contextmanager
def aside(words: Sequence[str] = ()) -> Iterator[None]:
    """While this is open, foreign code prints to standard error.

    So do programs that it starts, when `words`, the arguments of this process, have it write a document to standard output.
    """
    before = sys.stdout
    own = _alone() if _asks_for_stdout(words) else None
    sys.stdout = cast(TextIO, Aside(own or before))  # as much of one as anybody uses
    try:
        yield
    finally:
        sys.stdout = before
        if own is not None:
            os.dup2(own.fileno(), 1)
            with suppress(OSError):  # of what nobody reads any more
                own.close()


def _asks_for_stdout(words: Sequence[str]) -> bool:
    if any(word.startswith(("/dev/", "/proc/")) for word in words):
        return False  # which may be standard output by another name
    return any(word == "-" or word.endswith((":-", "=-")) for word in words)


def _alone() -> TextIO | None:
    """Standard output by a descriptor that nobody else knows, while theirs leads to standard error."""
    try:
        if sys.stdout.fileno() != 1 or sys.stdout.isatty():
            return None
        own = os.dup(1)
    except (OSError, ValueError):
        return None
    sys.stdout.flush()
    try:
        os.dup2(2, 1)
    except OSError:
        os.close(own)
        return None
    encoding, errors = sys.stdout.encoding, sys.stdout.errors
    return io.TextIOWrapper(io.BufferedWriter(io.FileIO(own, "w")), encoding=encoding, errors=errors)
