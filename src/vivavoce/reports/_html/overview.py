"""What must be known of all results before the first is written: gathered in one pass, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from vivavoce.core.result import Result, Score, Status
from vivavoce.reports import _text
from vivavoce.reports._html.spread import Spread

FIRST = 8
"""Failed cases named at the top."""
CAUSES = 50
"""Errors, and reasons for skipping, that are told apart."""
SPREADS = 100
"""Checks whose values are counted for a picture."""
SPEAKERS = 20
"""Judges that are told apart."""
LIMITS = (20_000, 5_000, 1_500, 500)
"""Characters of a text that may be shown, the most that keeps the page within `ROOM`."""
ROOM = 24_000_000
"""Characters of texts in a page that a browser still opens gladly."""


@dataclass(kw_only=True, slots=True)
class First:
    """A failed case, as the top of the page names it."""

    key: tuple[str, str]
    """Suite and case."""

    place: str
    """The id of its place in the page."""
    case: str
    why: str
    again: int = 0
    """How many more repeats of it failed."""


@dataclass(kw_only=True, slots=True)
class Cause:
    """An error that one case or several met."""

    why: str
    first: First
    count: int = 0


@dataclass(kw_only=True)
class Overview:
    """The results of a run, looked at once."""

    kept: int
    """How many passed and skipped cases are to be shown."""
    longest: int
    """Characters of a text, at most."""
    counts: dict[Status, int] = field(default_factory=lambda: {"fail": 0, "error": 0, "pass": 0, "skip": 0})
    left_out: dict[Status, int] = field(default_factory=lambda: {"pass": 0, "skip": 0})
    suites: dict[str, int] = field(default_factory=dict)
    """Each name with its number, by which a case says that it belongs there."""
    categories: dict[str, int] = field(default_factory=dict)
    checks: dict[str, int] = field(default_factory=dict)
    uncategorised: bool = False
    first: list[First] = field(default_factory=list)
    causes: dict[str, Cause] = field(default_factory=dict)
    other_errors: int = 0
    skips: dict[str, dict[str, int]] = field(default_factory=dict)
    """By reason, then by check: how many."""
    other_skips: int = 0
    judges: dict[str, int] = field(default_factory=dict)
    """Who gave how many scores."""
    spreads: dict[str, Spread] = field(default_factory=dict)
    slowest: tuple[float, str] | None = None
    unpriced: bool = False
    """Whether a model was asked whose price is not known."""
    _sizes: list[int] = field(default_factory=lambda: [0] * len(LIMITS))

    def gather(self, results: Iterable[Result]) -> None:
        """Look at every result."""
        for result in results:
            self._place(result)
            self.unpriced = self.unpriced or _text.unpriced_user(result)
            for turn in result.turns:
                seconds = turn.reply.seconds if turn.reply is not None else None
                if seconds is not None and (self.slowest is None or seconds > self.slowest[0]):
                    self.slowest = (seconds, result.case[:200])
            for score in scores(result):
                self._score(score)

    @property
    def limit(self) -> int:
        """Characters of a text that are shown."""
        fitting = [limit for limit, size in zip(LIMITS, self._sizes, strict=True) if size <= ROOM]
        return min(self.longest, fitting[0] if fitting else LIMITS[-1])

    def _place(self, result: Result) -> None:
        self.counts[result.status] += 1
        self.suites.setdefault(result.suite, len(self.suites))
        if result.category is None:
            self.uncategorised = True
        else:
            self.categories.setdefault(result.category, len(self.categories))
        if result.status in ("fail", "error"):
            self._wrong(result)
        elif self.counts["pass"] + self.counts["skip"] > self.kept:
            self.left_out[result.status] += 1
            return
        for length in _lengths(result):
            for at, limit in enumerate(LIMITS):
                self._sizes[at] += min(length, limit)

    def _wrong(self, result: Result) -> None:
        key = (result.suite, result.case)
        if result.status == "fail":
            known = next((each for each in self.first if each.key == key), None)
            if known is not None:
                known.again += 1
            if known is not None or len(self.first) >= FIRST:
                return
        why = headline(result)
        found = First(key=key, place=place_of(result), case=_text.line(result.case, 80), why=why)
        if result.status == "fail":
            self.first.append(found)
        elif why in self.causes or len(self.causes) < CAUSES:
            self.causes.setdefault(why, Cause(why=why, first=found)).count += 1
        else:
            self.other_errors += 1

    def _score(self, score: Score) -> None:
        self.checks.setdefault(score.name, len(self.checks))
        self.unpriced = self.unpriced or _text.unpriced(score)
        if score.status == "skip":
            reason = _text.skipped(score)
            if reason in self.skips or len(self.skips) < CAUSES:
                names = self.skips.setdefault(reason, {})
                names[score.name] = names.get(score.name, 0) + 1
            else:
                self.other_skips += 1
        elif score.judge is not None and (score.judge in self.judges or len(self.judges) < SPEAKERS):
            self.judges[score.judge] = self.judges.get(score.judge, 0) + 1
        if score.name in self.spreads or len(self.spreads) < SPREADS:
            self.spreads.setdefault(score.name, Spread()).add(score)


def scores(result: Result) -> Iterator[Score]:
    """All scores of a result: those of its turns, then its own."""
    for turn in result.turns:
        yield from turn.scores
    yield from result.scores


def headline(result: Result) -> str:
    """Why a case failed or errored, in one line: what ended it, else the first check that went wrong."""
    if result.error is not None:
        return _text.line(_text.failure(result.error), 240)
    for status in ("error", "fail"):
        for score in scores(result):
            if score.status == status == result.status:
                return _text.line(f"{score.name[:60]}: {score.reason}", 240)
    return ""


def place_of(result: Result) -> str:
    """The id of a case in the page: its place in the dataset, then what of its own id may stand in an address."""
    kept = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in result.case[:40])
    slug = "-".join(part for part in kept.split("-") if part)
    return f"case-{result.position + 1}" + (f"-{slug}" if slug else "")


def _lengths(result: Result) -> Iterator[int]:
    """How long the texts of a result are, roughly: what is structured counts as JSON."""
    for turn in result.turns:
        yield len(_text.said(turn.input))
        yield len(turn.expected or "")
        reply = turn.reply
        if reply is not None:
            yield len(reply.text or "")
            for part in (reply.tool_calls, reply.citations, reply.retrievals, reply.rows, reply.raw):
                yield len(_text.encoded(part)) if part else 0
    for score in scores(result):
        yield len(score.reason)
        yield len(_text.encoded(score.details)) if score.details else 0
