"""What a judge is asked: a text file with front matter, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from vivavoce.core.errors import CallError
from vivavoce.core.result import Failure, Verdict

_PLACEHOLDER = re.compile(r"\{\{\s*([a-z_]+(?:\s*\|\s*[a-z_]+)*)\s*\}\}")


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
    threshold: float | None = None
    construct: str | None = None
    """What a judge that is no language model may know this as: `relevance`, `coherence`, `groundedness`, `similarity` ..."""
    vendor: str | None = None
    prompt: str
    manual: Mapping[str, str] = field(default_factory=dict)
    """Needs, Example, Limits, Source: the parts of its documentation."""

    @property
    def fields(self) -> tuple[tuple[str, ...], ...]:
        """What the prompt reads: one tuple for each placeholder, of names in order of preference."""
        found = dict.fromkeys(_PLACEHOLDER.findall(self.prompt))
        return tuple(tuple(name.strip() for name in each.split("|")) for each in found)

    @property
    def id(self) -> str:
        """Name and version, as scores carry it: `Relevance@1`."""
        return f"{self.name}@{self.version}"

    def fill(self, values: Mapping[str, str]) -> str:
        """The prompt with every placeholder replaced; `values` is keyed by the placeholder's names joined by `|`."""
        return _PLACEHOLDER.sub(lambda match: values["|".join(n.strip() for n in match[1].split("|"))], self.prompt)

    def check(self, verdict: Verdict) -> Verdict:
        """The verdict, if it lies on the scale or is one of the labels.

        A label brings its value.

        Raises:
            CallError: it does not; a judge that answers outside its scale has failed.
        """
        if self.labels is not None and verdict.label is not None and verdict.label in self.labels:
            return replace(verdict, value=self.labels[verdict.label])
        if self.scale is not None and verdict.value is not None and self.scale[0] <= verdict.value <= self.scale[1]:
            return verdict
        said = verdict.label if verdict.value is None else f"{verdict.value:g}"
        allowed = ", ".join(self.labels) if self.labels is not None else f"{self.scale}"
        raise CallError(Failure(code="off_scale", message=f"answered {said}, which is not of {allowed}", phase="judge"))
