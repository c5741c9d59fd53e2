"""Two runs side by side: what broke, what was fixed, and what cannot be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

from vivavoce.analysis.gate import number
from vivavoce.core.reply import JSON
from vivavoce.core.result import Result, Run, Score, Status

FORMAT = "viva.comparison/1"
Kind = Literal["broke", "fixed", "other"]
"""What became of a case: it passed and now fails or errs; the other way round; any other change of its status."""
_BAD: frozenset[Status] = frozenset(("fail", "error"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What must be remembered of a result to compare it: not its texts."""

    status: Status
    digest: str
    checks: Mapping[str, tuple[Status, float | None]]
    """By the check's name and place, as in `turn 2, ExactMatch`: its status, and its value on 0-1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckChange:
    """A check of one case whose status is another one."""

    check: str
    """With its place: `turn 2, ExactMatch`."""
    before: Status | None
    """`None` when it was not made."""
    after: Status | None
    reason: str
    """As the later run tells it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A case, in one repeat, of which the two runs say different things."""

    suite: str
    case: str
    repeat: int
    kind: Kind
    before: Status
    after: Status
    reason: str
    """Why it is as it is in the later run, where that failed or erred."""
    checks: tuple[CheckChange, ...]


@dataclass(kw_only=True, slots=True)
class CheckCount:
    """One check over all equal cases: pairs of scores, of which both passed or failed."""

    pairs: int = 0
    broke: int = 0
    fixed: int = 0
    before: float = 0.0
    """Sum of the values on 0-1 in the earlier run."""
    after: float = 0.0

    @property
    def means(self) -> tuple[float, float] | None:
        """Mean value on 0-1, 1 best, in either run, over the pairs."""
        return (self.before / self.pairs, self.after / self.pairs) if self.pairs else None


@dataclass(kw_only=True, slots=True)
class Comparison:
    """Two runs compared over the cases that are equal in both, by (suite, case, repeat) and by what was asked and expected."""

    before: Run
    after: Run
    pairs: int = 0
    """How many trials stand in both runs and are equal."""
    both_pass: int = 0
    before_passed: int = 0
    after_passed: int = 0
    before_decided: int = 0
    """Pairs that passed, failed or erred in the earlier run."""
    after_decided: int = 0
    changes: list[Change] = field(default_factory=list)
    """In the later run's order."""
    checks: dict[str, CheckCount] = field(default_factory=dict)
    changed: list[tuple[str, str, int]] = field(default_factory=list)
    """Keys of trials whose case is asked or examined otherwise: they are not compared."""
    new: list[tuple[str, str, int]] = field(default_factory=list)
    gone: list[tuple[str, str, int]] = field(default_factory=list)

    def of(self, kind: Kind) -> list[Change]:
        """The changes of one kind."""
        return [each for each in self.changes if each.kind == kind]

    def sentence(self) -> str:
        """What it comes to, in words that claim no more than was counted."""
        broke, fixed = len(self.of("broke")), len(self.of("fixed"))
        if not self.pairs:
            return "no case is equal in both runs, so there is nothing to compare"
        if not broke and not fixed:
            return f"nothing broke and nothing was fixed, of {number(self.pairs, 'equal case')}"
        counted = f"{broke:,} broke and {fixed:,} fixed, of {number(self.pairs, 'equal case')}"
        return f"{counted}; whether that is more than chance is not tested: an agent that varies shows such changes by itself"


def document(found: Comparison) -> dict[str, JSON]:
    """A comparison as plain data."""
    return {
        "format": FORMAT,
        "before": _side(found.before, found.before_passed, found.before_decided),
        "after": _side(found.after, found.after_passed, found.after_decided),
        "pairs": found.pairs,
        "summary": {
            "broke": len(found.of("broke")),
            "fixed": len(found.of("fixed")),
            "other": len(found.of("other")),
            "both_pass": found.both_pass,
            "changed": len(found.changed),
            "new": len(found.new),
            "gone": len(found.gone),
            "sentence": found.sentence(),
        },
        "evaluators": {
            name: {
                "pairs": each.pairs,
                "broke": each.broke,
                "fixed": each.fixed,
                "before": None if each.means is None else each.means[0],
                "after": None if each.means is None else each.means[1],
            }
            for name, each in found.checks.items()
        },
        **{kind: [asdict(each) for each in found.of(kind)] for kind in ("broke", "fixed", "other")},
        **{
            name: [{"suite": suite, "case": case, "repeat": repeat} for suite, case, repeat in keys]
            for name, keys in (("changed", found.changed), ("new", found.new), ("gone", found.gone))
        },
    }


def _side(run: Run, passed: int, decided: int) -> dict[str, JSON]:
    return {
        "id": run.id,
        "started": run.started,
        "state": run.state,
        "passed": passed,
        "scored": decided,
        "not_run": run.summary.not_run,
    }


def compare(before: Run, after: Run) -> Comparison:
    """Compare an earlier run with a later one; results are read one at a time, and of the earlier its standings are kept."""
    known = {result.key: _standing(result) for result in before.results}
    found = Comparison(before=before, after=after)
    for result in after.results:
        earlier = known.pop(result.key, None)
        if earlier is None:
            found.new.append(result.key)
        elif earlier.digest != result.digest:
            found.changed.append(result.key)
        else:
            _pair(found, earlier, result)
    found.gone.extend(known)
    return found


def _pair(found: Comparison, earlier: Standing, result: Result) -> None:
    later = _standing(result)
    found.pairs += 1
    found.both_pass += earlier.status == later.status == "pass"
    found.before_passed += earlier.status == "pass"
    found.after_passed += later.status == "pass"
    found.before_decided += earlier.status != "skip"
    found.after_decided += later.status != "skip"
    for check, (status, value) in later.checks.items():
        _count(found.checks.setdefault(_name(check), CheckCount()), earlier.checks.get(check), (status, value))
    if earlier.status != later.status:
        found.changes.append(_change(earlier, later, result))


def _count(count: CheckCount, earlier: tuple[Status, float | None] | None, later: tuple[Status, float | None]) -> None:
    if earlier is None or not {earlier[0], later[0]} <= {"pass", "fail"}:
        return
    count.pairs += 1
    count.broke += earlier[0] == "pass" and later[0] == "fail"
    count.fixed += earlier[0] == "fail" and later[0] == "pass"
    count.before += _unit(*earlier)
    count.after += _unit(*later)


def _unit(status: Status, value: float | None) -> float:
    return value if value is not None else float(status == "pass")


def _change(earlier: Standing, later: Standing, result: Result) -> Change:
    kind: Kind = "other"
    if earlier.status == "pass" and later.status in _BAD:
        kind = "broke"
    elif earlier.status in _BAD and later.status == "pass":
        kind = "fixed"
    reasons = {check: score.reason for check, score in _scores(result)}
    checks = tuple(
        CheckChange(check=check, before=before, after=after, reason=reasons.get(check, ""))
        for check in dict.fromkeys((*later.checks, *earlier.checks))
        if (before := _status(earlier, check)) != (after := _status(later, check))
    )
    return Change(
        suite=result.suite,
        case=result.case,
        repeat=result.repeat,
        kind=kind,
        before=earlier.status,
        after=later.status,
        reason=_why(result),
        checks=checks,
    )


def _status(standing: Standing, check: str) -> Status | None:
    return standing.checks[check][0] if check in standing.checks else None


def _why(result: Result) -> str:
    if result.error is not None:
        return f"{result.error.code}: {result.error.message}"
    wrong = [f"{check}: {score.reason}" for check, score in _scores(result) if score.status == result.status]
    return wrong[0] if wrong and result.status in _BAD else ""


def _standing(result: Result) -> Standing:
    checks = {check: (score.status, score.unit_value) for check, score in _scores(result)}
    return Standing(status=result.status, digest=result.digest, checks=checks)


def _scores(result: Result) -> Iterator[tuple[str, Score]]:
    """Scores, each with its name and place."""
    several = len(result.turns) > 1
    for at, turn in enumerate(result.turns):
        yield from _placed(turn.scores, f"turn {at + 1}, " if several else "")
    yield from _placed(result.scores, "")


def _placed(scores: Iterable[Score], place: str) -> Iterator[tuple[str, Score]]:
    for score in scores:
        call = "" if score.call is None else f"call {score.call + 1}, "
        yield f"{place}{call}{score.name}", score


def _name(check: str) -> str:
    return check.rpartition(", ")[2]
