"""Numbers and times as the pages say them."""

from __future__ import annotations

from vivavoce.core.result import GroupSummary, State, Status
from vivavoce.reports._html.blocks import ORDER

STATES: tuple[tuple[State, str], ...] = (
    ("running", "under way"),
    ("complete", "complete"),
    ("interrupted", "interrupted"),
    ("stopped", "stopped by a limit"),
)
"""How far a run came, in words."""


def when(moment: str | None) -> str:
    """A time as a person reads it: `2026-01-31 12:00 UTC`."""
    return f"{moment[:16].replace('T', ' ')} UTC" if moment else ""


def rate(share: float | None) -> str:
    """A pass rate; a dash when nothing passed or failed. One of less than all is never told as all."""
    if share is None:
        return "–"
    shown = f"{100 * share:.1f}"
    if shown == "100.0" and share < 1:
        return "99.9 %"
    return f"{shown.removesuffix('.0')} %"


def change(points: float | None) -> str:
    """By how much a pass rate rose or fell, in points of a hundred."""
    if points is None:
        return ""
    shown = f"{100 * abs(points):.1f}".removesuffix(".0")
    if shown == "0":
        return "no change"
    return f"{'+' if points > 0 else '−'}{shown} points"


def direction(points: float | None) -> str:
    """`up`, `down` or `same`; nothing when there is no change to tell of."""
    if points is None:
        return ""
    return "same" if abs(points) < 0.0005 else "up" if points > 0 else "down"


def counts(tally: GroupSummary) -> dict[Status, int]:
    """A tally by status, as a bar shows it."""
    return {"pass": tally.passed, "fail": tally.failed, "error": tally.errored, "skip": tally.skipped}


def told(tally: GroupSummary) -> str:
    """A tally in words: `8 passed, 2 failed`."""
    found = counts(tally)
    parts = (f"{found[each]:,} {word.removesuffix('s') if found[each] == 1 else word}" for each, word in ORDER if found[each])
    return ", ".join(parts) or "nothing was run"
