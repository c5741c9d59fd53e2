"""A run in numbers, counted while its results come: in any order, in memory that does not grow with the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import isfinite

from vivavoce.analysis.repeats import OpenCase, Repeats
from vivavoce.analysis.stats import Clusters, Interval
from vivavoce.analysis.taken import Taken
from vivavoce.core.result import USAGE, EvaluatorSummary, GroupSummary, Result, Score, Status, Summary, Usage

Scale = Callable[[str], "tuple[float, float | None] | None"]
"""The lowest and highest value of an evaluator's scale, by its name; `None` when it is not known."""


class Tally:
    """Counts results into a `Summary`.

    With one trial a case nothing is kept of a case once it is counted. With more, a case is held open until all its trials
    have been seen, and so are only those in flight.
    """

    def __init__(self, repeat: int = 1, *, scale: Scale | None = None, asks: bool = True) -> None:
        """With `scale`, no interval goes beyond the ends of an evaluator's scale. `asks` tells whether an agent is called at
        all: answers that a dataset holds are replayed, and cost no call."""
        self._repeat = repeat
        self._scale = scale or _unknown
        self._asks = asks
        self._open: dict[tuple[str, str], OpenCase] = {}
        self._total = _Group()
        self._suites: dict[str, _Group] = {}
        self._categories: dict[str, _Group] = {}
        self._evaluators: dict[str, _Evaluator] = {}
        self._repeats = Repeats()
        self._usage = Taken()
        self._replied = False
        self._judged = False

    def add(self, result: Result) -> None:
        """Count one trial in."""
        case = OpenCase() if self._repeat == 1 else self._opened(result)
        # Of a case with repeats, the first trial seen counts the case.
        new, status, at = case.trials == 0, result.status, result.position
        self._total.add(status, new, at)
        suite = self._suites.get(result.suite)
        if suite is None:
            suite = self._suites[result.suite] = _Group()
        suite.add(status, new, at)
        if result.category is not None:
            category = self._categories.get(result.category)
            if category is None:
                category = self._categories[result.category] = _Group()
            category.add(status, new, at)
        if result.simulation is not None:
            self._usage.add_simulator(result.simulation.usage)
        for turn in result.turns:
            reply, error = turn.reply, turn.error
            if reply is not None:
                self._replied = True
                if reply.usage:
                    self._usage.add(reply.usage)
            if self._asks and (reply is not None or error is None or error.code != "not_sent"):
                self._usage.agent_calls += 1
            if turn.scores:
                self._score(turn.scores, case, error is None)
        if result.scores:
            self._score(result.scores, case, result.error is None)
        case.add(status, at)
        if case.trials == self._repeat:
            self._close(result, case)

    @property
    def count(self) -> int:
        """How many trials were counted in."""
        total = self._total
        return total.passed + total.failed + total.skipped + total.errored

    @property
    def usage(self) -> Usage:
        """What the trials counted in have taken."""
        return self._usage.total()

    def summary(self, *, trials_planned: int, seconds: float) -> Summary:
        """The numbers so far; may be asked for at any time.

        Args:
            trials_planned: how many trials the run is to have; those not seen yet are `not_run`.
            seconds: how long the run took.
        """
        total = self._total
        done = self.count
        return Summary(
            cases=total.cases,
            trials=max(trials_planned, done),
            not_run=max(0, trials_planned - done),
            passed=total.passed,
            failed=total.failed,
            skipped=total.skipped,
            errored=total.errored,
            pass_rate=_rate(total.passed, total.failed),
            scored=total.passed + total.failed,
            evaluated=self._replied and self._judged,
            evaluators=self._summarise_evaluators(),
            categories=_in_order(self._categories),
            suites=_in_order(self._suites),
            usage=self._usage.total(),
            seconds=seconds,
            stability=self._repeats.summary(self._repeat, self._open) if self._repeat > 1 else None,
        )

    def _opened(self, result: Result) -> OpenCase:
        key = (result.suite, result.case)
        case = self._open.get(key)
        if case is None:
            case = self._open[key] = OpenCase()
        return case

    def _close(self, result: Result, case: OpenCase) -> None:
        for name, (count, total, rates) in case.values.items():
            self._evaluators[name].clusters.add(count, total, rates)
        if self._repeat > 1:
            del self._open[result.suite, result.case]
            self._repeats.add((result.suite, result.case), case, self._repeat)

    def _score(self, scores: Iterable[Score], case: OpenCase, answered: bool) -> None:
        for score in scores:
            name, status = score.name, score.status
            row = self._evaluators.get(name)
            if row is None:
                row = self._evaluators[name] = _Evaluator(self._scale(score.evaluator))
            if status == "pass":
                row.passed += 1
            elif status == "fail":
                row.failed += 1
            elif status == "skip":
                row.skipped += 1
            else:
                row.errored += 1
            if score.judge is not None and USAGE in score.details:
                self._usage.add_judge(score.details[USAGE])
            if status == "pass" or status == "fail":
                self._judged = True
                value = score.value
                if value is not None and isfinite(value):
                    count, total, rates = case.values.get(name, _NO_VALUES)
                    case.values[name] = (count + 1, total + value, rates and (value == 0 or value == 1))
            elif status == "error" and answered and score.judge is None:
                # A check that could not be made for another reason than a silent agent or a failing judge: a mistake in
                # the dataset or in an evaluator, which is something the run has found out.
                self._judged = True

    def _summarise_evaluators(self) -> dict[str, EvaluatorSummary]:
        clusters = {name: row.clusters for name, row in self._evaluators.items()}
        if self._open:
            clusters = {name: each.copy() for name, each in clusters.items()}
            for case in self._open.values():
                for name, (count, total, rates) in case.values.items():
                    clusters[name].add(count, total, rates)
        return {
            name: EvaluatorSummary(
                passed=row.passed,
                failed=row.failed,
                skipped=row.skipped,
                errored=row.errored,
                pass_rate=_rate(row.passed, row.failed),
                mean=clusters[name].mean,
                ci95=_within(clusters[name].interval(), row.scale),
            )
            for name, row in sorted(self._evaluators.items())
        }


_NO_VALUES = (0, 0.0, True)


class _Group:
    """Trials of one suite, of one category, or of all."""

    __slots__ = ("cases", "errored", "failed", "first", "passed", "skipped")

    def __init__(self) -> None:
        self.cases = self.passed = self.failed = self.skipped = self.errored = 0
        self.first: int | None = None
        """The smallest position, by which groups are put in the dataset's order."""

    def add(self, status: Status, new: bool, position: int) -> None:
        if new:
            self.cases += 1
        if self.first is None or position < self.first:
            self.first = position
        if status == "pass":
            self.passed += 1
        elif status == "fail":
            self.failed += 1
        elif status == "skip":
            self.skipped += 1
        else:
            self.errored += 1


class _Evaluator:
    """Scores of one name."""

    __slots__ = ("clusters", "errored", "failed", "passed", "scale", "skipped")

    def __init__(self, scale: tuple[float, float | None] | None) -> None:
        self.passed = self.failed = self.skipped = self.errored = 0
        self.clusters = Clusters()
        self.scale = scale


def categories(summary: Summary) -> Mapping[str, GroupSummary]:
    """The categories of a run, and those of its trials that have none, so that a table of them adds up."""
    groups = summary.categories.values()
    rest = GroupSummary(
        cases=max(0, summary.cases - sum(group.cases for group in groups)),
        passed=summary.passed - sum(group.passed for group in groups),
        failed=summary.failed - sum(group.failed for group in groups),
        skipped=summary.skipped - sum(group.skipped for group in groups),
        errored=summary.errored - sum(group.errored for group in groups),
    )
    if not groups or not (rest.passed + rest.failed + rest.skipped + rest.errored):
        return summary.categories
    return {**summary.categories, "(none)": replace(rest, pass_rate=_rate(rest.passed, rest.failed))}


def _in_order(groups: dict[str, _Group]) -> dict[str, GroupSummary]:
    ordered = sorted(groups.items(), key=lambda item: (item[1].first or 0, item[0]))
    return {
        name: GroupSummary(
            cases=group.cases,
            passed=group.passed,
            failed=group.failed,
            skipped=group.skipped,
            errored=group.errored,
            pass_rate=_rate(group.passed, group.failed),
        )
        for name, group in ordered
    }


def _unknown(evaluator: str) -> None:
    """No scale is known."""


def _within(interval: Interval | None, scale: tuple[float, float | None] | None) -> Interval | None:
    """Student's interval knows no ends; a mean does not leave the scale."""
    if interval is None or scale is None:
        return interval
    low, high = scale
    top = interval[1] if high is None else min(interval[1], high)
    return (max(interval[0], low), top)


def _rate(passed: int, failed: int) -> float | None:
    return passed / (passed + failed) if passed + failed else None
