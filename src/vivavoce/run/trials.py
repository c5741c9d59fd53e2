"""The trials of a plan, read from its files again each time they are iterated: all of them, or a part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, cycle, islice, repeat
from typing import TypeVar

from vivavoce.core import codec
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Case, Header, Suite, Trial
from vivavoce.core.parts import Parted
from vivavoce.run.checks import Checks
from vivavoce.run.joining import Recordings
from vivavoce.run.reading import MADE, Reading, selected
from vivavoce.run.steady import Stamp, Steady

T = TypeVar("T")
Key = tuple[str, str, int]


class Trials:
    """The trials of a plan, read from the files again each time they are iterated.

    All are as they were planned: after a piece of them was read, and before it is given, its file is looked at.
    """

    def __init__(self, readings: Sequence[Reading], header: Header, checks: Checks, recordings: Recordings | None) -> None:
        both = zip(readings, header.files, strict=True)
        self._suites = [(reading.suite, _steady(reading, file.sha256)) for reading, file in both]
        self._readings = readings
        self._selection = header.selection
        self._planned = header.trials
        self._checks = checks
        self._recordings = recordings

    @property
    def stamps(self) -> tuple[Stamp | None, ...]:
        """Of the files, as they were when they were planned."""
        return tuple(reading.stamp for reading in self._readings)

    @property
    def can_be_shared(self) -> bool:
        """Whether parts of it can be read without reading what is between them."""
        selection = self._selection
        chosen = selection.cases or selection.categories or selection.limit is not None or selection.repeat > 1
        parts = all(isinstance(suite.cases, Parted) for suite, _ in self._suites)
        return self._recordings is None and not chosen and parts and all(reading.format != MADE for reading in self._readings)

    def __iter__(self) -> Iterator[Trial]:
        return chain.from_iterable(self.pieces(1))

    def pieces(self, size: int, done: Collection[Key] = ()) -> Iterator[list[Trial]]:
        """So many trials at a time, without those that were done."""
        each = self._each()
        return _pieces((one for one in each if one[0].key not in done) if done else each, size)

    def part(self, index: int, of: int, size: int) -> Iterator[list[Trial]]:
        """Every `of`-th piece of so many trials, from the one at `index` on."""
        wanted = chain.from_iterable(repeat(turn == index, size) for turn in cycle(range(of)))
        return _pieces(self._some(wanted), size)

    def _some(self, wanted: Iterator[bool]) -> Iterator[_Read]:
        position = 0
        for suite, steady in self._suites:
            assert isinstance(suite.cases, Parted)
            for case in _watched(suite.cases.part(wanted), steady):
                if case is not None:
                    yield self._trial(suite, case, self._checks.apply(case), position), steady
                position += 1
        if position != self._planned:
            raise UsageError(_other_count(self._suites[-1][0], "more" if position > self._planned else "fewer"))

    def _each(self) -> Iterator[_Read]:
        selection, position = self._selection, 0
        for suite, case, steady in self._cases():
            told = self._checks.apply(case)
            digest = codec.case_digest(case)
            for repeated in range(selection.repeat):
                if self._recordings is not None:
                    told = self._checks.apply(self._recordings.case(case, repeated))
                if position == self._planned:
                    if steady is not None:
                        steady.check()
                    raise UsageError(_other_count(suite, "more"))
                yield self._trial(suite, case, told, position, repeated, digest), steady
                position += 1
        if position < self._planned:
            raise UsageError(_other_count(self._suites[-1][0], "fewer"))

    def _trial(self, suite: Suite, case: Case, told: Case, position: int, repeat: int = 0, digest: str = "") -> Trial:
        return Trial(
            suite=suite.name,
            case=told,
            repeat=repeat,
            position=position,
            digest=digest or codec.case_digest(case),
            about=suite.about,
            seed=self._selection.seed,
        )

    def _cases(self) -> Iterator[tuple[Suite, Case, Steady | None]]:
        left = self._selection.limit
        for suite, steady in self._suites:
            for case in _watched(suite.cases, steady):
                if left is not None and left <= 0:
                    return
                if selected(case, self._selection):
                    left = left if left is None else left - 1
                    yield suite, case, steady


_Read = tuple[Trial, Steady | None]
"""A trial, and what watches over the file it was read from."""


def _watched(cases: Iterable[T], steady: Steady | None) -> Iterator[T]:
    """Cases; that their file changed is told at its end, and where it cannot be read any more for that."""
    if steady is None:
        yield from cases
        return
    try:
        yield from cases
    except UsageError:
        steady.check()
        raise
    steady.check()


def _pieces(trials: Iterator[_Read], size: int) -> Iterator[list[Trial]]:
    while piece := list(islice(trials, size)):
        steady = piece[-1][1]  # earlier files were looked at when they came to their end
        if steady is not None:
            steady.check()
        yield [trial for trial, _ in piece]


def _steady(reading: Reading, sha256: str) -> Steady | None:
    """What watches over a file that is read again; cases that were read whole stay as they are, whatever becomes of it."""
    if reading.format == MADE or isinstance(reading.suite.cases, list | tuple):
        return None
    return Steady(reading.source, reading.stamp, sha256)


def _other_count(suite: Suite, what: str) -> str:
    return f"{suite.source or suite.name}: holds {what} cases than when the run was planned; what was done is kept"
