"""A trial as it is kept: its result and its case as text, and beside them what they are found by."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
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
    name: str | None
    checks: str
    """What came of each check by its name, as JSON: the worst of all turns."""

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
        result.name,
        checks(result),
    )


def checks(result: Result) -> str:
    """What came of each check by its name, as JSON: the worst of all turns."""
    turns, whole = result.turns, result.scores
    scores = turns[0].scores if len(turns) == 1 and not whole else (*(score for turn in turns for score in turn.scores), *whole)
    found = {score.name: score.status for score in scores}
    if len(found) < len(scores):
        for score in scores:
            if _WORSE[score.status] > _WORSE[found[score.name]]:
                found[score.name] = score.status
    return codec.encode(found).decode()


_WORSE: Mapping[Status, int] = MappingProxyType({"skip": 0, "pass": 1, "fail": 2, "error": 3})
