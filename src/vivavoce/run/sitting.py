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
        """The scores of each check, in their order; those that decide are applied first."""
        made: dict[int, tuple[Score, ...]] = {}
        for place in sorted(range(len(checks)), key=lambda at: not self._checks.examiner(checks[at]).decides):
            made[place] = await self._scores(checks[place], evidence)
        return tuple(score for place in range(len(checks)) for score in made[place])

    async def _scores(self, check: Check, evidence: Evidence) -> tuple[Score, ...]:
        if self._ended:
            return (self._bench.skip(check, self._ended),)
        made = await self._bench.scores(check, evidence, self._deadline)
        failed = next((score for score in made if score.status == "fail"), None)
        if failed is not None and self._checks.examiner(check).decides:
            self._ended = f"not examined, since {failed.name} failed: {failed.reason}"
        return made
