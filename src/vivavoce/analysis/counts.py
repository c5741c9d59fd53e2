"""What a tally has counted, as plain data: one process can count in what another has counted."""

from __future__ import annotations

import msgspec

from vivavoce.analysis.stats import Clusters
from vivavoce.analysis.taken import Taken
from vivavoce.core.result import Status


class Outcomes(msgspec.Struct):
    """How many came out how."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    errored: int = 0

    def came(self, status: Status) -> None:
        """Count one."""
        if status == "pass":
            self.passed += 1
        elif status == "fail":
            self.failed += 1
        elif status == "skip":
            self.skipped += 1
        else:
            self.errored += 1

    def came_also(self, other: Outcomes) -> None:
        """Count others."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.errored += other.errored


class Group(Outcomes):
    """Trials of one suite, of one category, or of all."""

    cases: int = 0
    first: int | None = None
    """The smallest position, by which groups are put in the dataset's order."""

    def add(self, status: Status, new: bool, position: int) -> None:
        """Count a trial in; `new` tells whether it counts its case too."""
        self.came(status)
        if new:
            self.cases += 1
        if self.first is None or position < self.first:
            self.first = position

    def include(self, other: Group) -> None:
        """Count in other trials of the same group."""
        self.came_also(other)
        self.cases += other.cases
        if self.first is None or (other.first is not None and other.first < self.first):
            self.first = other.first


class Scores(Outcomes):
    """Scores of one name."""

    scale: tuple[float, float | None] | None = None
    """The lowest and highest value, as far as they are known."""
    clusters: Clusters = msgspec.field(default_factory=Clusters)

    def include(self, other: Scores) -> None:
        """Count in other scores of the same name, of other cases."""
        self.came_also(other)
        self.clusters.include(other.clusters)


class Counts(msgspec.Struct):
    """All that is counted of trials whose cases are closed."""

    suites: dict[str, Group] = msgspec.field(default_factory=dict)
    categories: dict[str, Group] = msgspec.field(default_factory=dict)
    scores: dict[str, Scores] = msgspec.field(default_factory=dict)
    usage: Taken = msgspec.field(default_factory=Taken)
    replied: bool = False
    """Whether any agent answered."""
    judged: bool = False
    """Whether anything was found out, and not every check was skipped or failed for want of a judge."""

    @property
    def total(self) -> Group:
        """All trials, each of which is of one suite."""
        total = Group()
        for suite in self.suites.values():
            total.include(suite)
        return total

    def include(self, other: Counts) -> None:
        """Count in what was counted of other trials, of which none is of a case that was counted here."""
        for groups, others in ((self.suites, other.suites), (self.categories, other.categories)):
            for name, group in others.items():
                groups.setdefault(name, Group()).include(group)
        for name, scores in other.scores.items():
            self.scores.setdefault(name, Scores(scale=scores.scale)).include(scores)
        self.usage.include(other.usage)
        self.replied = self.replied or other.replied
        self.judged = self.judged or other.judged
