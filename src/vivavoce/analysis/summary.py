"""A run in numbers, counted while its results come: in any order, in memory that does not grow with the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import isfinite

from vivavoce.analysis.counts import Counts, Group, Scores
from vivavoce.analysis.repeats import OpenCase, Repeats, Values
from vivavoce.analysis.stats import Interval
from vivavoce.core.result import USAGE, EvaluatorSummary, GroupSummary, Result, Score, Summary, Usage

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
        self._repeats = Repeats()
        self._counts = Counts()

    def add(self, result: Result) -> None:
        """Count one trial in."""
        if self._repeat == 1:
            values: Values = {}
            self._count(result, values, new=True)
            self._close(values)
            return
        case = self._opened(result)
        self._count(result, case.values, new=case.trials == 0)
        case.add(result.status, result.position)
        if case.trials == self._repeat:
            self._close(case.values)
            del self._open[result.suite, result.case]
            self._repeats.add((result.suite, result.case), case, self._repeat)

    def _count(self, result: Result, values: Values, *, new: bool) -> None:
        """Count a trial in, and what its scores are worth with those of its case; the first trial seen counts the case."""
        counts, status, at = self._counts, result.status, result.position
        suite = counts.suites.get(result.suite)
        if suite is None:
            suite = counts.suites[result.suite] = Group()
        suite.add(status, new, at)
        if result.category is not None:
            category = counts.categories.get(result.category)
            if category is None:
                category = counts.categories[result.category] = Group()
            category.add(status, new, at)
        if result.simulation is not None:
            counts.usage.add_simulator(result.simulation.usage)
        for turn in result.turns:
            reply, error = turn.reply, turn.error
            if reply is not None:
                counts.replied = True
                if reply.usage:
                    counts.usage.add(reply.usage)
            if self._asks and (reply is not None or error is None or error.code != "not_sent"):
                counts.usage.agent_calls += 1
            if turn.scores:
                self._score(turn.scores, values, error is None)
        if result.scores:
            self._score(result.scores, values, result.error is None)

    def include(self, counts: Counts) -> None:
        """Count in what another tally of the run has counted, of cases that each had one trial."""
        self._counts.include(counts)

    @property
    def counts(self) -> Counts:
        """What was counted of cases of which every trial was seen."""
        return self._counts

    @property
    def count(self) -> int:
        """How many trials were counted in."""
        total = self._counts.total
        return total.passed + total.failed + total.skipped + total.errored

    @property
    def usage(self) -> Usage:
        """What the trials counted in have taken."""
        return self._counts.usage.total()

    def summary(self, *, trials_planned: int, seconds: float) -> Summary:
        """The numbers so far; may be asked for at any time.

        Args:
            trials_planned: how many trials the run is to have; those not seen yet are `not_run`.
            seconds: how long the run took.
        """
        total = self._counts.total
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
            evaluated=self._counts.replied and self._counts.judged,
            evaluators=self._summarise_evaluators(),
            categories=_in_order(self._counts.categories),
            suites=_in_order(self._counts.suites),
            usage=self._counts.usage.total(),
            seconds=seconds,
            stability=self._repeats.summary(self._repeat, self._open) if self._repeat > 1 else None,
        )

    def _opened(self, result: Result) -> OpenCase:
        key = (result.suite, result.case)
        case = self._open.get(key)
        if case is None:
            case = self._open[key] = OpenCase()
        return case

    def _close(self, values: Values) -> None:
        for name, (count, total, rates) in values.items():
            self._counts.scores[name].clusters.add(count, total, rates)

    def _score(self, scores: Iterable[Score], values: Values, answered: bool) -> None:
        for score in scores:
            name, status = score.name, score.status
            row = self._counts.scores.get(name)
            if row is None:
                row = self._counts.scores[name] = Scores(scale=self._scale(score.evaluator))
            row.came(status)
            if score.judge is not None and USAGE in score.details:
                self._counts.usage.add_judge(score.details[USAGE])
            if status == "pass" or status == "fail":
                self._counts.judged = True
                value = score.value
                if value is not None and isfinite(value):
                    is_rate = value == 0 or value == 1
                    before = values.get(name)
                    if before is None:
                        values[name] = (1, value, is_rate)
                    else:
                        values[name] = (before[0] + 1, before[1] + value, before[2] and is_rate)
            elif status == "error" and answered and score.judge is None:
                # A check that could not be made for another reason than a silent agent or a failing judge: a mistake in
                # the dataset or in an evaluator, which is something the run has found out.
                self._counts.judged = True

    def _summarise_evaluators(self) -> dict[str, EvaluatorSummary]:
        clusters = {name: row.clusters for name, row in self._counts.scores.items()}
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
            for name, row in sorted(self._counts.scores.items())
        }


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


def _in_order(groups: dict[str, Group]) -> dict[str, GroupSummary]:
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
