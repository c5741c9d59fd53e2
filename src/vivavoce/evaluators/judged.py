"""Evaluators that only a judge can answer: every text file in rubrics/ is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass
from functools import cache
from types import MappingProxyType
from typing import ClassVar

from vivavoce.core.evidence import Evidence
from vivavoce.core.kinds import Ask
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.evaluators import _rubrics
from vivavoce.evaluators._options import within


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What every judged evaluator does; each rubric makes a class of its own from it."""

    rubric: ClassVar[Rubric]
    """What the judge is asked."""
    needs: ClassVar[tuple[str, ...]]
    uses: ClassVar[tuple[str, ...]]
    levels: ClassVar[tuple[str, ...]]
    scale: ClassVar[tuple[float, float | None]]

    threshold: float
    """Lowest value that passes, on the rubric's scale."""

    def __post_init__(self) -> None:
        within("threshold", self.threshold, *self.rubric.span)

    async def score(self, evidence: Evidence, ask: Ask) -> Verdict:
        """The judge's verdict on the rubric."""
        # Read first: what is missing is told as such, whether or not there is a judge.
        for names in self.rubric.fields:
            evidence.first(*names)
        return await ask(self.rubric)


def plugins() -> Mapping[str, type[Judged]]:
    """An evaluator for each rubric, by the rubric's name."""
    return _made()


def evaluator(rubric: Rubric) -> type[Judged]:
    """The evaluator that a rubric is."""
    low, high = rubric.span
    threshold = rubric.threshold if rubric.threshold is not None else (low + high) / 2
    # Earlier messages are always known, if only to be none.
    needs = tuple("|".join(names) for names in rubric.fields if names != ("history",))
    body = {
        "__doc__": _manual(rubric, threshold),
        "__module__": __name__,
        "rubric": rubric,
        "needs": needs,
        "uses": ("history",) if ("history",) in rubric.fields else (),
        "levels": (rubric.level,),
        "scale": (low, high),
    }
    return make_dataclass(
        rubric.name,
        [("threshold", float, field(default=threshold))],
        bases=(Judged,),
        namespace=body,
        frozen=True,
        kw_only=True,
    )


@cache
def _made() -> Mapping[str, type[Judged]]:
    rubrics = [_rubrics.load(stem) for stem in _rubrics.names()]
    return MappingProxyType({rubric.name: evaluator(rubric) for rubric in rubrics})


def _manual(rubric: Rubric, threshold: float) -> str:
    low, high = rubric.span
    if rubric.labels:
        grades = "one of " + ", ".join(f"{label} ({value:g})" for label, value in rubric.labels.items())
    else:
        grades = f"a grade from {low:g} (worst) to {high:g} (best)"
    parts = {"Measures": f"{grades}, given by the run's judge; passed from {threshold:g}.", **rubric.manual}
    return "\n".join([rubric.measures, "", *(f"{title}: {text}" for title, text in parts.items())])
