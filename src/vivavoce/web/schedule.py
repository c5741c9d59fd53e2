"""Runs at times that a cron expression tells: one after another, and none made up for that was missed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from vivavoce.core.errors import UsageError, VivaError
from vivavoce.web.refusal import Refusal
from vivavoce.web.runs import Runs

_NAP = 30.0
"""Seconds slept at most, so that a clock that is set, or a machine that slept, is noticed."""


class Schedule:
    """A cron expression of five fields; of six, when the first are seconds. In the time of this machine."""

    def __init__(self, expression: str) -> None:
        """Understand it.

        Raises:
            UsageError: it cannot be understood.
        """
        from croniter import croniter

        self.expression = expression
        self._cron: Any = croniter  # without types
        fields = len(expression.split())
        try:
            if fields not in (1, 5, 6):
                raise ValueError(f"it has {fields} fields")
            self.next(datetime.now())
        except (ValueError, KeyError, AttributeError) as error:
            way_out = 'such as "0 6 * * *", every day at six'
            raise UsageError(
                f"--schedule {expression!r}: is no cron expression ({error}); give five fields, {way_out}"
            ) from None

    def next(self, after: datetime) -> datetime:
        """The first time after this one."""
        found: datetime = self._cron(self.expression, after, second_at_beginning=True).get_next(datetime)
        return found


async def keep(schedule: Schedule, hold: Callable[[], Awaitable[None]], *, now: Callable[[], float] = time.time) -> None:
    """Hold a run at every time of the schedule, for ever. The next time is looked up when a run is over: what fell due
    meanwhile is left out."""
    while True:
        due = schedule.next(datetime.fromtimestamp(now())).timestamp()
        while (left := due - now()) > 0:  # noqa: ASYNC110 # the clock may be set meanwhile
            await asyncio.sleep(min(left, _NAP))
        await hold()


def holder(runs: Runs, say: Callable[[str], None]) -> Callable[[], Awaitable[None]]:
    """Runs all suites once; what keeps it from that is told, and the next time comes all the same."""

    async def hold() -> None:
        try:
            live = await runs.start()
        except (Refusal, VivaError) as error:
            say(f"scheduled run: not begun: {error}")
            return
        say(f"scheduled run {live.run_id}: begun")
        await runs.ended(live)
        say(f"scheduled run {live.run_id}: {live.fault or live.state}")

    return hold
