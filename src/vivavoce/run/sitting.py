"""The checks of one case, applied one by one; one that decides, and fails, ends them."""

from __future__ import annotations

from itertools import chain

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

    async def scores(self, checks: tuple[Check, ...], evidence: Evidence) -> tuple[Score, ...]:
        """The scores of each check, in their order; those that decide are applied first."""
        made: list[tuple[Score, ...]] = [()] * len(checks)
        for place, check, examiner in self._checks.by_turns(checks):
            if self._ended:
                made[place] = (self._bench.skip(check, self._ended),)
                continue
            scores: tuple[Score, ...]
            if examiner.at_once and check.given is None:
                scores = (self._bench.now(examiner, check, evidence),)
            else:
                scores = await self._bench.scores(check, evidence, self._deadline)
            made[place] = scores
            if examiner.decides and (failed := next((score for score in scores if score.status == "fail"), None)):
                self._ended = f"not examined, since {failed.name} failed: {failed.reason}"
        return tuple(chain.from_iterable(made))
