"""What there is to tell of a run's results, gathered in one pass and in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from vivavoce.core.result import Exchange, Result, Score, Status, Stop
from vivavoce.core.visible import visible
from vivavoce.reports import _text

NAMED = 8
"""How many more cases of one error are named."""
REASONS = 50
"""How many reasons for skipping are told apart."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """The beginning of a text, safe to show, and the length of the whole."""

    text: str
    length: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """What one check said."""

    status: Status
    name: str
    grade: str
    """Its value beside its threshold, where that says more than its status does."""
    reason: Said


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A turn of a case with something wrong, or the conversation as a whole."""

    title: str
    """Which turn, when there are several."""
    told: tuple[tuple[str, Said], ...]
    """Pairs of label and text."""
    fault: str
    """Why there was no answer; empty when there was."""
    marks: tuple[Mark, ...]


@dataclass(kw_only=True, slots=True)
class Finding:
    """A trial that failed or errored; with a failure go those of the same case, with an error all that met the same."""

    status: str
    case: str
    name: str
    place: str
    """Suite, category and repeat."""
    parts: tuple[Part, ...]
    same: int = 0
    """How many more met the same."""
    also: list[str] = field(default_factory=list)
    """The first of them."""


class Findings:
    """Failures, errors, reasons for skipping, and the slowest answer."""

    def __init__(self, *, limit: int, room: int, repeats: bool, everything: bool) -> None:
        self._limit = limit
        self._room = room
        self._repeats = repeats
        self._everything = everything
        self._by_cause: dict[str, Finding] = {}
        self._by_case: dict[tuple[str, str], Finding] = {}
        self.failed: list[Finding] = []
        self.errored: list[Finding] = []
        self.more_failed = 0
        self.more_errored = 0
        self.skips: dict[str, dict[str, int]] = {}
        """By reason, then by check: how many."""
        self.other_skips = 0
        self.stops: dict[Stop, int] = {}
        """Simulated conversations, by why they ended."""
        self.slowest: tuple[float, str] | None = None
        self.unpriced = False
        """Whether a model was asked whose price is not known."""

    def gather(self, results: Iterable[Result]) -> None:
        """Look at every result."""
        for result in results:
            self._time(result)
            self.unpriced = self.unpriced or _text.unpriced_user(result)
            if result.stop is not None:
                self.stops[result.stop] = self.stops.get(result.stop, 0) + 1
            for score in _scores(result):
                self.unpriced = self.unpriced or _text.unpriced(score)
                if score.status == "skip":
                    self._skip(score)
            if result.status == "fail":
                self._fail(result)
            elif result.status == "error":
                self._error(result)

    def _time(self, result: Result) -> None:
        for turn in result.turns:
            seconds = turn.reply.seconds if turn.reply is not None else None
            if seconds is not None and (self.slowest is None or seconds > self.slowest[0]):
                self.slowest = (seconds, _text.line(f"{result.suite}/{result.case}", 60))

    def _skip(self, score: Score) -> None:
        reason = _text.skipped(score)
        if reason not in self.skips and len(self.skips) >= REASONS:
            self.other_skips += 1
            return
        names = self.skips.setdefault(reason, {})
        names[score.name] = names.get(score.name, 0) + 1

    def _fail(self, result: Result) -> None:
        again = self._by_case.get((result.suite, result.case))
        if again is not None:
            again.same += 1
            if len(again.also) < NAMED:
                again.also.append(f"repeat {result.repeat}")
        elif len(self.failed) < self._limit:
            finding = self._finding(result)
            self.failed.append(finding)
            if self._repeats:
                self._by_case[result.suite, result.case] = finding
        else:
            self.more_failed += 1

    def _error(self, result: Result) -> None:
        cause = _cause(result)
        same = self._by_cause.get(cause)
        # A case that errored and also failed a check has more to tell than its error.
        if same is not None and not any(score.status == "fail" for score in _scores(result)):
            same.same += 1
            if len(same.also) < NAMED:
                same.also.append(_text.line(result.case, 40))
        elif len(self.errored) < self._limit:
            finding = self._finding(result)
            self.errored.append(finding)
            self._by_cause.setdefault(cause, finding)
        else:
            self.more_errored += 1

    def _finding(self, result: Result) -> Finding:
        place = [result.suite, *([result.category] if result.category else [])]
        if self._repeats:
            place.append(f"repeat {result.repeat}")
        return Finding(
            status=result.status,
            case=_text.line(result.case, 80),
            name=_text.line(result.name or "", 120),
            place=" · ".join(_text.line(each, 60) for each in place),
            parts=tuple(self._parts(result)),
        )

    def _parts(self, result: Result) -> Iterator[Part]:
        several, shown = len(result.turns) > 1, False
        for index, turn in enumerate(result.turns):
            failed = turn.error is not None and turn.error.code != "not_sent"
            if failed or _wrong(turn.scores):
                shown = True
                yield self._part(f"turn {index + 1} of {len(result.turns)}" if several else "", turn, failed)
        if result.error is None and _wrong(result.scores):
            known = not result.turns or (shown and not several) or result.turns[0].input is None
            told: tuple[tuple[str, Said], ...] = () if known else (("asked", self._said(_text.said(result.turns[0].input))),)
            title = f"all {len(result.turns)} turns" if several else ""
            told += (("ended", self._said(_text.ended(result))),) if result.stop is not None else ()
            yield Part(title=title, told=told, fault="", marks=self._marks(result.scores))
        elif result.error is not None and all(turn.error is None for turn in result.turns):
            yield Part(title="", told=(), fault=_text.line(_text.failure(result.error), 2000), marks=())

    def _part(self, title: str, turn: Exchange, failed: bool) -> Part:
        told = [] if turn.input is None else [("asked", self._said(_text.said(turn.input)))]
        if turn.expected is not None:
            told.append(("expected", self._said(turn.expected)))
        if turn.reply is not None:
            told.append(("got", self._said(_text.answered(turn.reply))))
        fault = "" if turn.error is None else _text.line(_text.failure(turn.error), 2000)
        # The checks of an answer that never came have nothing to add to why it did not.
        return Part(title=title, told=tuple(told), fault=fault, marks=() if failed else self._marks(turn.scores))

    def _marks(self, scores: tuple[Score, ...]) -> tuple[Mark, ...]:
        return tuple(
            Mark(status=score.status, name=_name(score), grade=_grade(score), reason=self._said(score.reason))
            for score in scores
            if self._everything or score.status in ("fail", "error")
        )

    def _said(self, text: str) -> Said:
        begun = text[: self._room]
        lines = (each.rstrip() for each in visible(begun).splitlines())
        shown = "\n".join(each for each in lines if each)
        return Said(text=shown, length=len(shown) if len(text) <= self._room else len(text))


def _scores(result: Result) -> Iterator[Score]:
    for turn in result.turns:
        yield from turn.scores
    yield from result.scores


def _cause(result: Result) -> str:
    """What an error is told apart by."""
    if result.error is not None:
        return _text.failure(result.error)[:500]
    for turn in result.turns:
        if turn.error is not None:
            return _text.failure(turn.error)[:500]
    return next((f"{score.name} {score.reason}"[:500] for score in _scores(result) if score.status == "error"), "")


def _wrong(scores: Iterable[Score]) -> bool:
    return any(score.status in ("fail", "error") for score in scores)


def _name(score: Score) -> str:
    name = _text.line(score.name, 40)
    return name if score.call is None else f"{name}, call {score.call + 1}"


def _grade(score: Score) -> str:
    label = "" if score.label is None else _text.line(score.label, 40)
    if score.value is None or score.status not in ("pass", "fail"):
        return label
    if score.threshold is None:
        return label or ("" if score.value in (0, 1) else f"{score.value:.4g}")
    if score.lower_is_better:
        side = "≤" if score.value <= score.threshold else ">"
    else:
        side = "≥" if score.value >= score.threshold else "<"
    graded = f"{score.value:.4g} {side} {score.threshold:.4g}"
    return f"{label}, {graded}" if label else graded
