"""Evaluators that only a judge can answer: every text file in rubrics/ is one, or a level of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from functools import partial
from types import MappingProxyType
from typing import ClassVar

from vivavoce.core.evidence import Evidence
from vivavoce.core.kinds import Ask
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.evaluators import _put, _rubrics
from vivavoce.evaluators._options import within


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What every judged evaluator does; the rubrics of one name make a class of their own from it."""

    rubric: ClassVar[Rubric]
    """What the judge is asked."""
    kinds: ClassVar[Mapping[str, type[Judged]]]
    """The class that stands for this one at each level."""
    needs: ClassVar[tuple[str, ...]]
    uses: ClassVar[tuple[str, ...]]
    levels: ClassVar[tuple[str, ...]]
    scale: ClassVar[tuple[float, float | None]]
    lower_is_better: ClassVar[bool]

    threshold: float
    """Where passing ends, on the rubric's scale: the lowest value that passes, or the highest where lower is better."""

    def __post_init__(self) -> None:
        within("threshold", self.threshold, *self.rubric.span)

    def at_level(self, level: str) -> Judged:
        """The same, as it judges turns or whole conversations."""
        return self.kinds[level](threshold=self.threshold)

    async def score(self, evidence: Evidence, ask: Ask) -> Verdict:
        """The judge's verdict on the rubric."""
        return await _put.put(self.rubric, evidence, ask)


def plugins() -> Mapping[str, Callable[[], type[Judged]]]:
    """An evaluator for each name a rubric has; one that a vendor means otherwise than others has the vendor's before it."""
    found: dict[str, list[str]] = {}
    for stem in _rubrics.names():
        found.setdefault(_rubrics.title(stem), []).append(stem)
    return MappingProxyType({name: partial(_made, stems) for name, stems in found.items()})


def evaluator(*rubrics: Rubric) -> type[Judged]:
    """The evaluator that rubrics of one name are, each for a level; the first is where it is applied unless told."""
    kinds: dict[str, type[Judged]] = {}
    told = MappingProxyType(kinds)
    for rubric in rubrics:
        kinds[rubric.level] = _kind(rubric, (rubric.level,), told)
    return _kind(rubrics[0], tuple(rubric.level for rubric in rubrics), told)


def _kind(rubric: Rubric, levels: tuple[str, ...], kinds: Mapping[str, type[Judged]]) -> type[Judged]:
    low, high = rubric.span
    threshold = rubric.threshold if rubric.threshold is not None else (low + high) / 2
    body = {
        "__doc__": _manual(rubric, threshold),
        "__module__": __name__,
        "rubric": rubric,
        "kinds": kinds,
        "needs": _put.needs(rubric),
        "uses": _put.uses(rubric),
        "levels": levels,
        "scale": (low, high),
        "lower_is_better": rubric.lower_is_better,
    }
    return make_dataclass(
        rubric.name,
        [("threshold", float, field(default=threshold))],
        bases=(Judged,),
        namespace=body,
        frozen=True,
        kw_only=True,
    )


def _made(stems: Sequence[str]) -> type[Judged]:
    rubrics = [_rubrics.load(stem, level) for stem in stems for level in _rubrics.levels(stem)]
    return evaluator(*sorted(rubrics, key=lambda rubric: rubric.level, reverse=True))  # turns first


def _manual(rubric: Rubric, threshold: float) -> str:
    parts = {"Measures": f"{_grades(rubric)}, given by the run's judge; passed {_side(rubric, threshold)}.", **rubric.manual}
    return "\n".join([rubric.measures, "", *(f"{title}: {text}" for title, text in parts.items())])


def _grades(rubric: Rubric) -> str:
    if rubric.labels:
        return "one of " + ", ".join(f"{label} ({value:g})" for label, value in rubric.labels.items())
    low, high = rubric.span
    worst, best = ("best", "worst") if rubric.lower_is_better else ("worst", "best")
    bands = ", ".join(f"{band} from {start:g}" for band, start in (rubric.bands or {}).items())
    return f"a grade from {low:g} ({worst}) to {high:g} ({best})" + (f": {bands}" if bands else "")


def _side(rubric: Rubric, threshold: float) -> str:
    return f"up to {threshold:g}, since lower is better" if rubric.lower_is_better else f"from {threshold:g}"
