"""Failures of whoever answers: what cannot be read or tells of one, how much of it a message shows, how long to wait."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from vivavoce.core import codec
from vivavoce.core.errors import CallError
from vivavoce.core.reply import JSON
from vivavoce.core.result import Failure, Phase

_SHOWN = 200
"""Characters of an answer or of an error output that a message shows."""


def bad_payload(message: str, phase: Phase = "target") -> CallError:
    """The other side answered, but with nothing that can be read as an answer."""
    return CallError(Failure(code="bad_payload", message=message, phase=phase, answered=True))


def too_large(what: str, limit: int, phase: Phase = "target") -> CallError:
    """The other side answered with more than anyone would read."""
    message = f"{what} is larger than {limit:,} bytes, so reading stopped; the option `limit` allows more"
    return CallError(Failure(code="too_large", message=message, phase=phase, answered=True))


def excerpt(text: str | bytes, size: int = _SHOWN, *, tail: bool = False) -> str:
    """The beginning (or end) of a foreign text as one line without control characters."""
    part = text[-4 * size :] if tail else text[: 4 * size]
    if isinstance(part, bytes):
        part = part.decode(errors="replace")
    line = " ".join("".join(each if each.isprintable() else " " for each in part).split())
    if len(line) <= size:
        return line
    return f"...{line[-size:]}" if tail else f"{line[:size]}..."


def retry_after(value: str | None, said: str | None, now: float) -> float | None:
    """Seconds that a `Retry-After` header asks for, given as seconds or as a date; `None` when it cannot be read.

    `said` is when the answer was given by the other side's clock, as its `Date` tells; without that, it was given `now`.
    """
    if value is None:
        return None
    text = value.strip()
    if text.replace(".", "", 1).isdecimal() and text.isascii():
        return float(text)
    until = _time(text)
    if until is None:
        return None
    given = None if said is None else _time(said)
    return max(until - (now if given is None else given), 0.0)


def _time(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None


def refuse_error(answer: JSON) -> None:
    """Raise what an agent says went wrong, where it says nothing else: by `error` alone, or as AgentCore's library reports it.

    Raises:
        CallError: it says so.
    """
    if not isinstance(answer, Mapping) or not answer.get("error") or any(answer.get(key) for key in ("text", "result")):
        return
    if "error_type" in answer or len(answer) == 1:
        kind = answer.get("error_type")
        said = answer["error"] if isinstance(answer["error"], str) else codec.encode(answer["error"]).decode()
        message = f"the agent reported an error: {f'{kind}: ' if kind else ''}{excerpt(said, 400)}"
        raise CallError(Failure(code="agent_error", message=message, answered=True))
