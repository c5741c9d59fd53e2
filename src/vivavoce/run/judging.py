"""Evidence to scores: apply a check, and stamp what the evaluator says with name, threshold and status."""

from __future__ import annotations

import asyncio
from copy import copy
from dataclasses import replace
from typing import SupportsFloat

from vivavoce.core import amounts, codec, foreign, plugins
from vivavoce.core.errors import Abstain, CallError, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.kinds import Guarded, Judge
from vivavoce.core.model import Check, Use
from vivavoce.core.reply import Object
from vivavoce.core.result import BETTER, USAGE, Failure, Score, Status, Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.core.wording import asked_for
from vivavoce.run.calls import Calls
from vivavoce.run.cassette import Deck, Nobody
from vivavoce.run.checks import Checks
from vivavoce.run.examiner import Examiner
from vivavoce.run.player import LATE, Late, Player
from vivavoce.run.stubborn import Overdue, within

_LATE = "not judged within the time limit of the case"


class Bench:
    """The examiners of a run: its evaluators, and its judge where they ask for one."""

    def __init__(self, *, checks: Checks, use: Use, calls: Calls, deck: Deck | None = None) -> None:
        deck = deck or Deck()
        silent = deck.silent("judge")
        made = Nobody() if silent else plugins.build("judges", use, lax=True)
        self._checks = checks
        self._judge: Judge = made.through(calls.sure) if isinstance(made, Guarded) else made
        self._name: str = deck.name("judge") if silent else getattr(made, "name", use.name)
        self._where: str = getattr(made, "where", "")
        self._player: Player | None = None
        """Through whom a trial asks the judge, where that is recorded."""

    def through(self, player: Player) -> Bench:
        """The same, for one trial: its judge is asked through that trial's recording."""
        judge = player.judge(self._judge, self._name, self._where)
        if judge is self._judge:
            return self
        made = copy(self)
        made._judge = judge
        made._player = player
        return made

    async def scores(self, check: Check, evidence: Evidence, deadline: float | None) -> tuple[Score, ...]:
        """One check, applied to a turn by `deadline` on the loop's clock: a score, or one for each tool call where it
        examines those. Never raises but for cancellation."""
        examiner = self._checks.examiner(check)
        if check.given is not None:
            evidence = evidence.limited(check.given, check.sees)
        if examiner.level == "call":
            return await self._of_calls(examiner, check, evidence, deadline)
        made = await self._examine(examiner, check, evidence, deadline)
        assert made is not None, "only of a tool call there may be nothing to say"
        return (made,)

    def now(self, examiner: Examiner, check: Check, evidence: Evidence) -> Score:
        """The score of an evaluator that waits for nobody. Never raises."""
        try:
            return _scored(examiner, examiner.evaluator.score(evidence), None, None)
        except BaseException as error:  # an evaluator's own mistake harms only its score
            if not foreign.is_mistake(error):
                raise
            return self._unsaid(examiner, check, error, None)

    def skip(self, check: Check, reason: str) -> Score:
        """The score of a check that is not applied."""
        return self._stamp(self._checks.examiner(check), "skip", reason)

    async def _of_calls(
        self, examiner: Examiner, check: Check, evidence: Evidence, deadline: float | None
    ) -> tuple[Score, ...]:
        try:
            calls = evidence.tool_calls
        except Missing as missing:
            return (self._lacking(examiner, check, missing),)
        found: list[Score] = []
        for place in range(len(calls)):
            made = await self._examine(examiner, check, evidence.of_call(place), deadline)
            if made is not None:
                found.append(replace(made, call=place))
        if not found:
            which = f" that {examiner.kind} is about" if calls else ""
            return (self._stamp(examiner, "skip", f"the agent called no tool{which} here, so there is no call to judge"),)
        return tuple(found)

    async def _examine(self, examiner: Examiner, check: Check, evidence: Evidence, deadline: float | None) -> Score | None:
        """A score; none of a tool call that the evaluator is not about."""
        asker: _Asker | None = None
        try:
            if examiner.level == "call" and not examiner.examines(evidence.call):
                return None
            if not examiner.asks:
                takes = examiner.takes_long
                if takes is None or not takes(evidence):
                    return self.now(examiner, check, evidence)
                said = within(deadline, asyncio.to_thread(examiner.evaluator.score, evidence))
                return _scored(examiner, await said, None, None)
            asker = _Asker(self, evidence)
            verdict: Verdict = await within(deadline, examiner.evaluator.score(evidence, asker))
            if not asker.asked:
                return _scored(examiner, verdict, None, None)
            details = {**verdict.details, USAGE: asker.usage} if asker.usage else verdict.details
            return _scored(examiner, replace(verdict, details=details), self._name, asker.rubric)
        except Exception as error:  # an evaluator's own mistake harms only its score
            return self._unsaid(examiner, check, error, asker)

    def _unsaid(self, examiner: Examiner, check: Check, error: BaseException, asker: _Asker | None) -> Score:
        """The score of a check of which nothing came."""
        if isinstance(error, Missing):
            return self._lacking(examiner, check, error)
        if isinstance(error, Abstain):
            return self._stamp(examiner, "skip", str(error), judged=asker is not None, took=asker)
        if isinstance(error, CallError):
            if error.failure.phase == "dataset":  # neither judge nor evaluator: there is no truth to compare with
                return self._stamp(examiner, "error", str(error))
            judged = error.failure.phase != "evaluator"  # that is how an evaluator's own code, run apart, tells of its mistake
            who = "judge" if judged else "evaluator"
            return self._stamp(examiner, "error", f"the {who} failed: {error}", judged=judged, took=asker)
        if isinstance(error, Overdue | Late):
            if self._player is not None:
                self._player.late(Failure(code=LATE, message=_LATE, phase="judge"))
            return self._stamp(examiner, "error", _LATE, judged=asker is not None, took=asker)
        return self._stamp(examiner, "error", f"the evaluator failed: {type(error).__name__}: {error}")

    async def ask(self, rubric: Rubric, evidence: Evidence, fields: Object) -> Verdict:
        """The judge's verdict, on the rubric's scale.

        Raises:
            Abstain, CallError, Missing: as `core.kinds.Ask` says.
        """
        return rubric.check(await self._judge.judge(rubric, evidence, fields))

    async def close(self) -> None:
        """Free what the judge holds."""
        if hasattr(self._judge, "close"):
            await self._judge.close()

    def _lacking(self, examiner: Examiner, check: Check, missing: Missing) -> Score:
        status: Status = "error" if check.origin == "item" else "skip"
        hidden = check.given is not None and not set(missing.names) & set(check.sees)
        none = "what is mapped to it holds none" if hidden else "there is none"
        return self._stamp(examiner, status, missing.why or f"needs {asked_for(missing.names)}, and {none}")

    def _stamp(
        self, examiner: Examiner, status: Status, reason: str, *, judged: bool = False, took: _Asker | None = None
    ) -> Score:
        return Score(
            name=examiner.name,
            evaluator=examiner.kind,
            status=status,
            threshold=examiner.threshold,
            reason=reason,
            rubric=examiner.rubric or (took.rubric if took is not None else None),
            judge=self._name if judged else None,
            details={USAGE: took.usage} if took is not None and took.usage else {},
        )


class _Asker:
    """The judge as one evaluator is handed it, with the evidence it is looking at."""

    def __init__(self, bench: Bench, evidence: Evidence) -> None:
        self._bench = bench
        self._evidence = evidence
        self.asked = False
        self.rubric: str | None = None
        """The one rubric that was put; none where there were several."""
        self._put: set[str] = set()
        self.usage: dict[str, float] = {}
        """What the judge's calls took, over all that were asked."""

    async def __call__(self, rubric: Rubric, /, **fields: str) -> Verdict:
        self.asked = True
        self._put.add(rubric.id)
        self.rubric = rubric.id if len(self._put) == 1 else None
        try:
            verdict = await self._bench.ask(rubric, self._evidence, fields)
        except (Abstain, CallError) as error:
            amounts.add(self.usage, error.usage)
            raise
        amounts.add(self.usage, verdict.usage)
        return verdict


_LARGEST = 1e100
"""Of a value that is averaged: the squares of larger ones have no sum."""


def _scored(examiner: Examiner, verdict: Verdict, judge: str | None, rubric: str | None) -> Score:
    if not _is_plain(verdict):
        verdict = _plainly(verdict)
    value, unit, passed = verdict.value, verdict.unit_value, verdict.passed
    # So it is neither beyond bounds nor, since nothing compares with that, no number.
    if not ((value is None or abs(value) <= _LARGEST) and (unit is None or abs(unit) <= _LARGEST)):
        reason = f"the evaluator gave a value that is too large to be averaged, or no number: {verdict.reason}"
        return Score(name=examiner.name, evaluator=examiner.kind, status="error", reason=reason)
    if passed is None:
        if value is None or examiner.threshold is None:
            reason = f"the evaluator gave neither a value nor a verdict: {verdict.reason}"
            return Score(name=examiner.name, evaluator=examiner.kind, status="error", reason=reason)
        passed = value <= examiner.threshold if examiner.lower_is_better else value >= examiner.threshold
    return Score(
        name=examiner.name,
        evaluator=examiner.kind,
        status="pass" if passed else "fail",
        value=value,
        unit_value=_unit(examiner, value) if unit is None and value is not None else unit,
        label=verdict.label,
        threshold=examiner.threshold,
        reason=verdict.reason,
        rubric=examiner.rubric or rubric,
        judge=judge,
        details={**verdict.details, BETTER: "lower"} if examiner.lower_is_better else verdict.details,
    )


def _is_plain(verdict: Verdict) -> bool:
    """Whether its parts are of the types that are stored."""
    return (
        type(verdict.value) in _NUMBER
        and type(verdict.unit_value) in _NUMBER
        and type(verdict.reason) is str
        and type(verdict.label) in _LABEL
    )


def _plainly(verdict: Verdict) -> Verdict:
    """The same in these types, where it can be: an evaluator of other people may say True for 1, or nothing for a reason.

    Raises:
        TypeError: a value is no number.
    """
    return replace(
        verdict,
        value=_number(verdict.value),
        unit_value=_number(verdict.unit_value),
        reason="" if verdict.reason is None else str(verdict.reason),
        label=None if verdict.label is None else str(verdict.label),
    )


def _number(value: object) -> float | None:
    if value is None or type(value) is int:
        return value
    if not isinstance(value, SupportsFloat):
        raise TypeError(f"a value must be a number, not of type {type(value).__name__}")
    return float(value)


_NUMBER = frozenset({float, int, type(None)})
_LABEL = frozenset({str, type(None)})


def _unit(examiner: Examiner, value: float) -> float | None:
    """The value on 0-1, 1 best."""
    low, high = examiner.scale
    if high is None:
        return None
    unit = (value - low) / (high - low)
    unit = 0.0 if unit <= 0 else unit if unit < 1 else 1.0
    return 1.0 - unit if examiner.lower_is_better else unit


def storable(score: Score) -> Score:
    """A score as data: a reason with half a character is mended, details that are no data are left out.

    Judges and evaluators of a project say what they like, and none of it may cost the answer or the other scores.
    """
    try:
        codec.encode(score)
    except (TypeError, ValueError, OverflowError):
        took = score.details.get(USAGE)
        return replace(
            score,
            reason=_mended(score.reason),
            label=None if score.label is None else _mended(score.label),
            details={USAGE: took} if took is not None else {},
        )
    return score


def _mended(text: str) -> str:
    return str(text).encode("utf-8", "replace").decode()
