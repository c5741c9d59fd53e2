"""What a judge is asked: a text file with front matter, and nothing else."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from vivavoce.core.errors import CallError
from vivavoce.core.result import Failure, Verdict

_PLACEHOLDER = re.compile(r"\{\{\s*([a-z_]+(?:\s*\|\s*[a-z_]+)*)\s*\}\}")
_FENCE = re.compile(r"</?([a-z_]+)>")


@dataclass(frozen=True, kw_only=True, slots=True)
class Rubric:
    """How one judged evaluator measures.

    The prompt's placeholders name evidence: `{{response}}`, or the first there is of several, `{{context|expected}}`. What is
    named is what the evaluator needs.
    """

    name: str
    version: int
    measures: str
    """One sentence."""
    level: str = "turn"
    scale: tuple[float, float] | None = None
    """Lowest and highest grade; `None` when there are labels."""
    labels: Mapping[str, float] | None = None
    """Each label with its value."""
    bands: Mapping[str, float] | None = None
    """What grades of a scale are called: each name with the lowest grade it is for."""
    fractions: bool = False
    """Whether what lies between whole numbers is a grade as well, on a scale of several steps."""
    threshold: float | None = None
    lower_is_better: bool = False
    """Whether the threshold is the highest value that passes, because what is measured is bad."""
    uses: tuple[str, ...] = ()
    """Names the prompt reads without needing them; what is not known is told as such."""
    construct: str | None = None
    """What a judge that is no language model may know this as: `relevance`, `coherence`, `groundedness`, `similarity` ..."""
    vendor: str | None = None
    prompt: str
    manual: Mapping[str, str] = field(default_factory=dict)
    """Needs, Example, Limits, Source: the parts of its documentation."""

    @property
    def fields(self) -> tuple[tuple[str, ...], ...]:
        """What the prompt reads: one tuple for each placeholder, of names in order of preference."""
        found = (tuple(name.strip() for name in each.split("|")) for each in _PLACEHOLDER.findall(self.prompt))
        return tuple(dict.fromkeys(found))

    @property
    def id(self) -> str:
        """Name and version, as scores carry it: `Relevance@1`, and of whole conversations `Coherence/case@1`."""
        name = f"{self.vendor}.{self.name}" if self.vendor else self.name
        return f"{name}@{self.version}" if self.level == "turn" else f"{name}/{self.level}@{self.version}"

    @property
    def span(self) -> tuple[float, float]:
        """Lowest and highest value: the ends of the scale, or those of the labels' values."""
        if self.labels:
            return (min(self.labels.values()), max(self.labels.values()))
        return self.scale or (0.0, 1.0)

    @property
    def whole(self) -> bool:
        """Whether only whole numbers are grades: on a scale of several steps, such as 1..5, but not from 0 to 1."""
        if self.labels is not None or self.fractions:
            return False
        return all(end == int(end) for end in self.span) and self.span[1] - self.span[0] > 1

    def fill(self, values: Mapping[str, str]) -> str:
        """The prompt with every placeholder replaced; `values` is keyed by the placeholder's names joined by `|`.

        A tag that the prompt itself puts around data, such as `</answer>`, loses its brackets inside the data: an answer
        cannot end its own fence and go on as if it were the rubric. Nor can it with what a model might take for that tag:
        one with attributes, without its end, or in other brackets.
        """
        fences = "|".join(sorted({re.escape(name) for name in _FENCE.findall(self.prompt)}))
        tag = re.compile(rf"<(\s*/?\s*(?:{fences})\s*)>", re.IGNORECASE) if fences else None
        like = re.compile(rf"[<\uff1c\u2039\ufe64](?=\W{{0,9}}(?:{fences})\b)", re.IGNORECASE) if fences else None

        def value(match: re.Match[str]) -> str:
            text = values["|".join(name.strip() for name in match[1].split("|"))]
            return like.sub("(", tag.sub(r"(\1)", text)) if tag and like else text

        return _PLACEHOLDER.sub(value, self.prompt)

    def check(self, verdict: Verdict) -> Verdict:
        """A judge's verdict, its label in the rubric's spelling and with that label's value.

        Raises:
            CallError: there is no grade, it is outside the scale, or no label of the rubric.
        """
        if self.labels is not None:
            spelled = {label.casefold(): label for label in self.labels}
            label = spelled.get((verdict.label or "").strip().casefold())
            if label is None:
                raise self._off_scale(verdict.label, "none of " + ", ".join(self.labels))
            return replace(verdict, label=label, value=float(self.labels[label]))
        low, high = self.span
        value = verdict.value
        if value is None or isinstance(value, bool) or not math.isfinite(value) or not low <= value <= high:
            raise self._off_scale(value, f"not a number from {low:g} to {high:g}")
        label = None if self.bands is None else max((low, band) for band, low in self.bands.items() if low <= value)[1]
        return replace(verdict, value=float(value), label=label or verdict.label)

    def _off_scale(self, answer: object, why: str) -> CallError:
        given = "nothing" if answer is None else str(answer)[:80]
        message = f"the judge answered {given} to {self.id}, which is {why}"
        return CallError(Failure(code="off_scale", message=message, phase="judge"))
