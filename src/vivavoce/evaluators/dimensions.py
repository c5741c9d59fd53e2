"""A rubric of the dataset's own: several dimensions, each graded by the judge, and weighed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar

from vivavoce.core.errors import Abstain
from vivavoce.core.evidence import Evidence
from vivavoce.core.kinds import Ask
from vivavoce.core.reply import JSON
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric as Asked
from vivavoce.evaluators import _put, _rubrics
from vivavoce.evaluators._options import telling, within

__all__ = ["Rubric"]

_LOWEST, _HIGHEST = 1, 5
_NOT_AT_ALL = re.compile(r'^does not apply - .*\n| or "does not apply"', re.MULTILINE)
"""What the prompt says of the label for what does not apply."""


@dataclass(frozen=True, kw_only=True)
class Dimension:
    """One thing that a rubric looks at."""

    id: str
    """Its name in reasons and details."""
    description: str
    """The criterion, in words."""
    weight: float = 1
    """How much it counts beside the others."""
    always_applicable: bool = False
    """Whether it is graded whatever was asked; else the judge may find that it does not apply."""


@dataclass(frozen=True, kw_only=True)
class Rubric:
    """How well an answer, or a conversation, does by weighed dimensions of your own.

    Measures: the mean of the dimensions' grades from 1 to 5, by weight, of those that apply, put on a scale from 0 to 1; passed
    from `threshold`, unless a dimension has the grade 1, which always fails. `details.dimensions` has each with its grade.
    Needs: an input and a text answer, or a conversation; the run's judge, which is asked once for each dimension.
    Example: "names the price" (weight 8) graded 4 and "is polite" (weight 2) graded 2 -> mean 3.6 -> 0.65, passed.
    Limits: a rubric that is kept in the service is not fetched; write its dimensions into the options. A judge that abstains on
    one dimension abstains on the whole.
    Source: Microsoft Foundry, evaluators by rubric, with their scale and rule; each dimension is asked by itself.
    """

    needs: ClassVar[tuple[str, ...]] = ("input", "response")
    uses: ClassVar[tuple[str, ...]] = ("history", "tool_calls")
    levels: ClassVar[tuple[str, ...]] = ("turn", "case")
    scale: ClassVar[tuple[float, float | None]] = (0, 1)
    level: ClassVar[str] = "turn"

    dimensions: tuple[Dimension, ...]
    """What is looked at, each with `id`, `description` and, if you like, `weight` (1) and `always_applicable` (false)."""
    threshold: float = 0.5
    """Lowest value that passes, from 0 to 1; 0.5 is a mean of 3."""

    def __post_init__(self) -> None:
        within("threshold", self.threshold, 0, 1)
        if not self.dimensions:
            raise ValueError("dimensions is empty; give at least one")
        named = [each.id for each in self.dimensions]
        telling("dimensions: id", named)
        telling("dimensions: description", [each.description for each in self.dimensions])
        for index, each in enumerate(self.dimensions):
            if each.id in named[:index]:
                raise ValueError(f'dimensions[{index}]: the id "{each.id}" is given twice')
            if not 0 < each.weight < float("inf"):
                raise ValueError(f"dimensions[{index}].weight is {each.weight:g}; it is greater than 0")

    def at_level(self, level: str) -> Rubric:
        """The same, as it judges turns or whole conversations."""
        kind = _WholeRubric if level == "case" else Rubric
        return kind(dimensions=self.dimensions, threshold=self.threshold)

    @property
    def rubrics(self) -> tuple[Asked, ...]:
        """What the judge is asked of a dimension: of one that may not apply, and of one that always does."""
        rubric = _rubrics.load("_rubric.dimension", self.level)
        grades = {label: grade for label, grade in (rubric.labels or {}).items() if grade}
        return rubric, replace(rubric, labels=grades, prompt=_NOT_AT_ALL.sub("", rubric.prompt))

    async def score(self, evidence: Evidence, ask: Ask) -> Verdict:
        """The weighed mean of the judge's grades."""
        for need in self.needs:
            evidence.first(need)
        perhaps, always = self.rubrics
        unknown = _put.unknown(perhaps, evidence)
        parts: list[dict[str, JSON]] = []
        total = weight = 0.0
        for each in self.dimensions:
            rubric = always if each.always_applicable else perhaps
            verdict = await ask(rubric, criterion=each.description, **unknown)
            grade = verdict.value or None
            parts.append({"id": each.id, "weight": each.weight, "value": grade, "reason": verdict.reason})
            if grade is not None:
                total, weight = total + each.weight * grade, weight + each.weight
        if not weight:
            raise Abstain("the judge finds that none of the dimensions applies")
        value = (total / weight - _LOWEST) / (_HIGHEST - _LOWEST)
        passed = value >= self.threshold and all(part["value"] != _LOWEST for part in parts)
        return Verdict(value=value, passed=passed, reason=_reason(parts), details={"dimensions": parts})


@dataclass(frozen=True, kw_only=True)
class _WholeRubric(Rubric):
    """How well a whole conversation does."""

    level: ClassVar[str] = "case"
    needs: ClassVar[tuple[str, ...]] = ("conversation",)
    uses: ClassVar[tuple[str, ...]] = ("tool_calls",)
    levels: ClassVar[tuple[str, ...]] = ("case",)


def _reason(parts: list[dict[str, JSON]]) -> str:
    """The grades, and why the lowest of them is no better."""
    graded = [part for part in parts if part["value"] is not None]
    told = ", ".join(f"{part['id']} {part['value']:g}" for part in graded)
    others = [part["id"] for part in parts if part["value"] is None]
    lowest = min(graded, key=lambda part: part["value"])
    told += f"; does not apply: {', '.join(others)}" if others else ""
    return f"{told}; {lowest['id']}: {lowest['reason']}"
