"""Evaluators that ask the judge one thing where the dataset says what is right, and another where it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vivavoce.core.errors import Abstain, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.kinds import Ask
from vivavoce.core.reply import JSON
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.evaluators import _put, _rubrics
from vivavoce.evaluators._options import within
from vivavoce.evaluators._quote import count, quote

__all__ = ["Correctness", "GoalSuccessRate"]


@dataclass(frozen=True, kw_only=True)
class Correctness:
    """Whether the answer is right: by the expected response where there is one, else as far as the judge knows.

    Measures: with an expected response INCORRECT (0) or CORRECT (1); without one Incorrect (0), Partially Correct (0.5) or
    Perfectly Correct (1), given by the run's judge; passed from 1. The score's rubric says which of the two was asked.
    Needs: an input and a text answer; the run's judge.
    Example: expected "We open at 9 am", answer "At nine in the morning." -> CORRECT.
    Limits: without an expected response the judge can only tell what is generally known; the two rubrics have different
    labels, so compare runs whose cases have expected responses alike. The local judge answers only where there is one.
    Source: AWS Bedrock AgentCore, `Builtin.Correctness`, and its labels; the wording of the rubrics is Viva's own.
    """

    needs: ClassVar[tuple[str, ...]] = ("input", "response")
    uses: ClassVar[tuple[str, ...]] = ("expected", "history")
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    threshold: float = 1
    """The lowest value that passes; with 0.5, what is partially correct does."""

    def __post_init__(self) -> None:
        within("threshold", self.threshold, 0, 1)

    @property
    def rubrics(self) -> tuple[Rubric, ...]:
        """All that the judge may be asked."""
        return (_rubrics.load("_correctness.reference"), _rubrics.load("_correctness"))

    async def score(self, evidence: Evidence, ask: Ask) -> Verdict:
        """The judge's verdict on one of the two rubrics."""
        referenced, free = self.rubrics
        try:
            return await _put.put(referenced, evidence, ask)
        except Missing as missing:
            if "expected" not in missing.names:
                raise
        return await _put.put(free, evidence, ask)


@dataclass(frozen=True, kw_only=True)
class GoalSuccessRate:
    """Whether a conversation reached its goal: by its assertions where it has any, else as far as the judge can tell.

    Measures: with assertions FAILURE (0) or SUCCESS (1), the latter when every one of them holds; `details.assertions` has
    each with its own verdict and reason. Without any, No (0) or Yes (1). Given by the run's judge, which is asked once for
    each assertion; passed from 1. The score's rubric says which of the two was asked.
    Needs: a conversation; the run's judge.
    Example: two of three assertions hold -> FAILURE, with the third named, and 2 of 3 in the details.
    Limits: the judge sees what was said and which tools were called, not the world. A judge that abstains on one assertion
    abstains on the whole, unless another does not hold. The local judge answers few assertions, and no conversation without.
    Source: AWS Bedrock AgentCore, `Builtin.GoalSuccessRate`, and its labels; verdicts by assertion, and the wording of the
    rubrics, are Viva's own.
    """

    needs: ClassVar[tuple[str, ...]] = ("conversation",)
    uses: ClassVar[tuple[str, ...]] = ("assertions",)
    levels: ClassVar[tuple[str, ...]] = ("case",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    @property
    def rubrics(self) -> tuple[Rubric, ...]:
        """All that the judge may be asked."""
        return (_rubrics.load("_goal.assertion"), _rubrics.load("_goal"))

    async def score(self, evidence: Evidence, ask: Ask) -> Verdict:
        """The judge's verdict on every assertion, or on the conversation as such."""
        asserting, free = self.rubrics
        _put.check(free, evidence)
        try:
            assertions = evidence.assertions
        except Missing:
            assertions = ()
        if not assertions:
            verdict = await _put.put(free, evidence, ask)
            return Verdict(value=verdict.value, passed=verdict.value == 1, label=verdict.label, reason=verdict.reason)
        return _all_of([await _hold(asserting, text, ask) for text in assertions])


async def _hold(rubric: Rubric, assertion: str, ask: Ask) -> dict[str, JSON]:
    """Whether one assertion holds, as the details show it."""
    try:
        verdict = await ask(rubric, assertions=assertion)
    except Abstain as abstention:
        return {"assertion": assertion, "status": "skip", "label": None, "reason": str(abstention)}
    status = "pass" if _put.passes(rubric, verdict.value) else "fail"
    return {"assertion": assertion, "status": status, "label": verdict.label, "reason": verdict.reason}


def _all_of(parts: Sequence[dict[str, JSON]]) -> Verdict:
    """The verdict that several make, of which all must hold.

    Raises:
        Abstain: none fails, but of one the judge could not say.
    """
    failed = [part for part in parts if part["status"] == "fail"]
    unsaid = [part for part in parts if part["status"] == "skip"]
    held = len(parts) - len(failed) - len(unsaid)
    if unsaid and not failed:
        so_far = f"; {held} of {count(len(parts), 'assertion')} hold" if held else ""
        raise Abstain(f"{quote(unsaid[0]['assertion'])}: {unsaid[0]['reason']}{so_far}")
    wrong = [f"{quote(part['assertion'])}: {part['reason']}" for part in failed]
    told = "every assertion holds" if not failed else f"{held} of {count(len(parts), 'assertion')} hold; {'; '.join(wrong)}"
    if unsaid:
        told += f"; of {len(unsaid)} the judge could not say"
    return Verdict(
        value=float(not failed),
        passed=not failed,
        label="FAILURE" if failed else "SUCCESS",
        reason=told if failed or len(parts) > 1 else f"{told}: {parts[0]['reason']}",
        details={"assertions": list(parts)},
    )
