"""Evaluators that put several rubrics to the judge and make one verdict of the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vivavoce.core.errors import Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.kinds import Ask
from vivavoce.core.reply import JSON
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.core.wording import asked_for
from vivavoce.evaluators import _put, _rubrics

__all__ = ["OutputQuality", "QualityGrader", "ToolUseQuality"]

_SCALE: tuple[float, float | None] = (0, 1)


class _Composite:
    """What composites share: one passes when every part passes that applies."""

    files: ClassVar[tuple[tuple[str, ...], ...]]
    """The parts' rubrics, in stages; a stage is entered only when everything before it passed."""
    level: ClassVar[str] = "turn"
    needs: ClassVar[tuple[str, ...]]
    scale: ClassVar[tuple[float, float | None]] = _SCALE

    @property
    def rubrics(self) -> tuple[Rubric, ...]:
        """All that the judge may be asked."""
        return tuple(_rubrics.load(file, self.level) for stage in self.files for file in stage)

    async def score(self, evidence: Evidence, ask: Ask) -> Verdict:
        """1 when all parts that apply passed, else 0; the details have the parts."""
        for need in self.needs:
            evidence.first(*need.split("|"))
        parts: list[dict[str, JSON]] = []
        lacking: list[Missing] = []
        for stage in self.files:
            if any(part["status"] == "fail" for part in parts):
                break
            for file in stage:
                rubric = _rubrics.load(file, self.level)
                try:
                    parts.append(_judged(rubric, await _put.put(rubric, evidence, ask)))
                except Missing as missing:
                    lacking.append(missing)
                    parts.append(_skipped(rubric, missing))
        if len(lacking) == len(parts):
            raise lacking[0]
        passed = not any(part["status"] == "fail" for part in parts)
        return Verdict(value=float(passed), passed=passed, reason=_reason(parts), details={"parts": parts})


@dataclass(frozen=True, kw_only=True)
class OutputQuality(_Composite):
    """Whether an answer, or a conversation, is good in every respect at once.

    Measures: 1 when Fluency, Coherence, IntentResolution, TaskAdherence, foundry.Groundedness and TaskCompletion all pass
    by their own thresholds, as far as they apply, else 0; `details.parts` has each with grade and reason.
    Needs: an input and a text answer, or a conversation; the run's judge, which is asked once for each part.
    Example: a fluent and coherent answer that leaves the task undone -> 0, failed, naming TaskCompletion.
    Limits: without a `context` Groundedness does not apply, and the verdict rests on the other five. A judge that abstains
    on one part abstains on the whole.
    Source: Microsoft Foundry, `output_quality`; each part is asked by itself rather than all in one call.
    """

    files: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("fluency", "coherence", "intent_resolution", "task_adherence", "foundry.groundedness", "task_completion"),
    )
    needs: ClassVar[tuple[str, ...]] = ("input", "response")
    uses: ClassVar[tuple[str, ...]] = ("history", "context", "tool_calls", "tool_definitions")
    levels: ClassVar[tuple[str, ...]] = ("turn", "case")

    def at_level(self, level: str) -> OutputQuality:
        """The same, as it judges turns or whole conversations."""
        return _WholeOutputQuality() if level == "case" else OutputQuality()


@dataclass(frozen=True, kw_only=True)
class _WholeOutputQuality(OutputQuality):
    """Whether a whole conversation is."""

    files: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("fluency", "coherence.conversation", "intent_resolution", "task_adherence", "foundry.groundedness", "task_completion"),
    )
    level: ClassVar[str] = "case"
    needs: ClassVar[tuple[str, ...]] = ("conversation",)
    uses: ClassVar[tuple[str, ...]] = ("context", "tool_calls", "tool_definitions")
    levels: ClassVar[tuple[str, ...]] = ("case",)


@dataclass(frozen=True, kw_only=True)
class ToolUseQuality(_Composite):
    """Whether an agent uses its tools well in every respect at once.

    Measures: 1 when ToolCallAccuracy, ToolSelection, ToolInputAccuracy, ToolOutputUtilization and ToolCallSuccess all pass
    by their own thresholds, as far as they apply, else 0; `details.parts` has each with grade and reason.
    Needs: an input, or a conversation; the agent's tool calls, at least one; and `tool_definitions`; the run's judge, which
    is asked once for each part.
    Example: the right tool with a made-up argument -> 0, failed, naming ToolInputAccuracy.
    Limits: of a tool that is called and not defined, only whether its call worked is judged; without a text answer,
    ToolOutputUtilization does not apply. A judge that abstains on one part abstains on the whole.
    Source: Microsoft Foundry, `tool_use_quality`; each part is asked by itself rather than all in one call.
    """

    files: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("tool_call_accuracy", "tool_selection", "tool_input_accuracy", "tool_output_utilization", "tool_call_success"),
    )
    needs: ClassVar[tuple[str, ...]] = ("input", "tool_calls", "tool_definitions")
    uses: ClassVar[tuple[str, ...]] = ("response", "history")
    levels: ClassVar[tuple[str, ...]] = ("turn", "case")

    def at_level(self, level: str) -> ToolUseQuality:
        """The same, as it judges turns or whole conversations."""
        return _WholeToolUseQuality() if level == "case" else ToolUseQuality()


@dataclass(frozen=True, kw_only=True)
class _WholeToolUseQuality(ToolUseQuality):
    """Whether it does in a whole conversation."""

    level: ClassVar[str] = "case"
    needs: ClassVar[tuple[str, ...]] = ("conversation", "tool_calls", "tool_definitions")
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("case",)


@dataclass(frozen=True, kw_only=True)
class QualityGrader(_Composite):
    """Whether an answer is good enough to be given: it answers, to the point and whole, and by its context if it has one.

    Measures: 1 when every step passes, else 0. First stage: the answer does not abstain, Relevance is 3 of 5 or more,
    completeness 2 of 3 or more. Second stage, with a `context`: foundry.Groundedness is 3 of 5 or more, and what the
    context has to say is taken up, 2 of 3 or more. `details.parts` has each with grade and reason.
    Needs: an input and a text answer; the run's judge, which is asked once for each step.
    Example: "I have no information on that." -> 0, failed: it abstains.
    Limits: the second stage is not asked when the first failed, so not every weakness is told at once. A judge that
    abstains on one step abstains on the whole.
    Source: Microsoft Foundry, `quality_grader`, with its stages and bounds; the wording of the rubrics is Viva's own.
    """

    files: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("_quality.abstention", "relevance", "_quality.completeness"),
        ("foundry.groundedness", "_quality.coverage"),
    )
    needs: ClassVar[tuple[str, ...]] = ("input", "response")
    uses: ClassVar[tuple[str, ...]] = ("history", "context")
    levels: ClassVar[tuple[str, ...]] = ("turn",)


def _judged(rubric: Rubric, verdict: Verdict) -> dict[str, JSON]:
    """A part as the details show it."""
    return {
        **_named(rubric),
        "status": "pass" if _put.passes(rubric, verdict.value) else "fail",
        "value": verdict.value,
        "label": verdict.label,
        "threshold": rubric.threshold,
        "reason": verdict.reason,
    }


def _skipped(rubric: Rubric, missing: Missing) -> dict[str, JSON]:
    return {**_named(rubric), "status": "skip", "reason": missing.why or f"needs {asked_for(missing.names)}"}


def _named(rubric: Rubric) -> dict[str, JSON]:
    return {"name": rubric.id.rpartition("@")[0].partition("/")[0], "rubric": rubric.id}


def _reason(parts: Sequence[dict[str, JSON]]) -> str:
    failed = [f"{part['name']} {part['label'] or format(part['value'], 'g')}: {part['reason']}" for part in _of(parts, "fail")]
    passed = [part["name"] for part in _of(parts, "pass")]
    skipped = [f"{part['name']} does not apply, it {part['reason']}" for part in _of(parts, "skip")]
    told = failed + ([f"passed: {', '.join(passed)}"] if passed else []) + skipped
    return "; ".join(told)


def _of(parts: Sequence[dict[str, JSON]], status: str) -> list[dict[str, JSON]]:
    return [part for part in parts if part["status"] == status]
