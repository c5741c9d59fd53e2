"""No judge at all: what a run without one is given, so that checks which need one are skipped and say so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from vivavoce.core.errors import Abstain
from vivavoce.core.evidence import Evidence
from vivavoce.core.reply import Object
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric


@dataclass(frozen=True, kw_only=True)
class Nobody:
    """The judge that never says anything, so every judged check is skipped.

    Speaks: to nobody; nothing is called and nothing is paid.
    Options: none.
    Example: `viva run evals.json --judge none` scores what needs no judge, and skips the rest.
    Limits: a run in which every check needs a judge evaluates nothing, and exits with 2.
    Source: Viva's own.
    """

    async def judge(self, rubric: Rubric, evidence: Evidence, fields: Object) -> Verdict:
        """Abstain, with the way out."""
        raise Abstain(
            f"{rubric.name} needs a judge and there is none: add --judge SPEC (`viva list judges` shows which there are)"
        )


def plugins() -> Mapping[str, Callable[[], type[Nobody]]]:
    """Under the name it is typed by, which no class can have."""
    return MappingProxyType({"none": lambda: Nobody})
