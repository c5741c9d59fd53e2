"""A trial as it is kept: its result and its case as text, and beside them what they are found by."""

from __future__ import annotations

from typing import NamedTuple

from vivavoce.core import codec
from vivavoce.core.model import Case
from vivavoce.core.result import Result, Status


class Kept(NamedTuple):
    """Plain data alone, so that it can be made in one process and stored by another."""

    suite: str
    case: str
    repeat: int
    position: int
    category: str | None
    status: Status
    digest: str
    error: str | None
    """The code of what went wrong."""
    result: str
    """The result as JSON, as a run document has it."""
    asked: str
    """The case as JSON, as it was asked."""

    def whole(self) -> Result:
        """The result itself."""
        return codec.decode(self.result, Result)


def keep(result: Result, case: Case, text: str | None = None) -> Kept:
    """Write both down; `text` is the result as JSON, where that was made before.

    Raises:
        TypeError, ValueError, RecursionError: something of them is no data.
    """
    return Kept(
        result.suite,
        result.case,
        result.repeat,
        result.position,
        result.category,
        result.status,
        result.digest,
        result.error.code if result.error is not None else None,
        codec.encode(result).decode() if text is None else text,
        codec.encode(case).decode(),
    )
