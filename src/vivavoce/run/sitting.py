"""The checks of one case, applied one by one; one that decides, and fails, ends them."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Check
from vivavoce.core.result import Score
from vivavoce.run.checks import Checks
from vivavoce.run.judging import Bench


class Sitting:
    """Examines the turns of one case and the whole of it, until a check that decides has failed; what is left then skips."""

    def __init__(self, bench: Bench, checks: Checks, deadline: float | None) -> None:
        self._bench = bench
        self._checks = checks
        self._deadline = deadline
        self._ended = ""
        """Why nothing is examined any more."""

    async def scores(self, checks: Sequence[Check], evidence: Evidence) -> tuple[Score, ...]:
        """A score of each check, in their order; those that decide are applied first."""
        made: dict[int, Score] = {}
        for place in sorted(range(len(checks)), key=lambda at: not self._checks.examiner(checks[at]).decides):
            made[place] = await self._score(checks[place], evidence)
        return tuple(made[place] for place in range(len(checks)))

    async def _score(self, check: Check, evidence: Evidence) -> Score:
        if self._ended:
            return self._bench.skip(check, self._ended)
        score = await self._bench.score(check, evidence, self._deadline)
        if score.status == "fail" and self._checks.examiner(check).decides:
            self._ended = f"not examined, since {score.name} failed: {score.reason}"
        return score
