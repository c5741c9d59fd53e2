"""A judge for tests of single evaluators, which keeps what it was asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vivavoce.core.evidence import Evidence
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric


class Oracle:
    """A judge that answers each rubric as it is told, and the best there is where it is told nothing."""

    def __init__(self, evidence: Evidence, **answers: Any) -> None:
        self.evidence = evidence
        self.answers = answers
        self.asked: list[Rubric] = []
        self.prompts: list[str] = []

    async def __call__(self, rubric: Rubric, /, **fields: str) -> Verdict:
        self.asked.append(rubric)
        read = {"|".join(names): _first(names, fields, self.evidence) for names in rubric.fields}
        self.prompts.append(rubric.fill(read))
        answer = self.answers.get(rubric.name, min(rubric.span) if rubric.lower_is_better else max(rubric.span))
        if isinstance(answer, Exception):
            raise answer
        label = next((each for each, value in (rubric.labels or {}).items() if value == answer), None)
        return rubric.check(Verdict(value=answer, label=label, reason=f"{rubric.name} it is"))


def _first(names: tuple[str, ...], fields: Mapping[str, str], evidence: Evidence) -> str:
    return next((fields[name] for name in names if name in fields), None) or evidence.first(*names)
