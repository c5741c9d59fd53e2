"""The clock: when runs are due, one at a time, and nothing made up for what was missed."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime

import pytest

from vivavoce.core.errors import UsageError
from vivavoce.web.refusal import Refusal
from vivavoce.web.schedule import Schedule, holder, keep


@pytest.mark.parametrize(
    ("expression", "due"),
    [
        ("0 6 * * *", datetime(2026, 1, 31, 6)),
        ("*/15 * * * *", datetime(2026, 1, 31, 0, 15)),
        ("30 0 6 * * *", datetime(2026, 1, 31, 6, 0, 30)),
        ("0 0 * * MON", datetime(2026, 2, 2)),
        ("@hourly", datetime(2026, 1, 31, 1)),
    ],
)
def test_the_next_time(expression, due):
    assert Schedule(expression).next(datetime(2026, 1, 31, 0, 1)) == due


@pytest.mark.parametrize("expression", ["", "often", "0 6 * *", "61 * * * *", "* * * * * * *", "0 6 31 2 *"])
def test_what_is_no_time(expression):
    with pytest.raises(UsageError, match="is no cron expression"):
        Schedule(expression)


async def test_what_falls_due_during_a_run_is_left_out(monkeypatch):
    clock = [datetime(2026, 1, 31, 5, 59).timestamp()]
    held: list[datetime] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        clock[0] += seconds
        await real(0)

    async def hold() -> None:
        held.append(datetime.fromtimestamp(clock[0]))
        clock[0] += 3 * 3600 + 60
        if len(held) == 3:
            raise asyncio.CancelledError

    monkeypatch.setattr("vivavoce.web.schedule.asyncio.sleep", sleep)
    with pytest.raises(asyncio.CancelledError):
        await keep(Schedule("0 * * * *"), hold, now=lambda: clock[0])
    assert held == [datetime(2026, 1, 31, hour) for hour in (6, 10, 14)]


async def test_what_keeps_a_run_from_beginning_is_told():
    class Busy:
        async def start(self) -> None:
            raise Refusal(409, "under_way", 'the suite "desk" is in the run r1')

    said: list[str] = []
    await holder(Busy(), said.append)()
    assert said == ['scheduled run: not begun: the suite "desk" is in the run r1']


def test_the_server_runs_all_suites_by_the_clock(serve):
    server = serve(schedule="* * * * * *")
    while len(runs := server.get("/api/suites/shop/runs").data["runs"]) < 2 or runs[0]["state"] == "running":
        time.sleep(0.1)
    later, earlier = runs[-2], runs[-1]
    assert earlier["state"] == "complete"
    assert earlier["finished"] <= later["started"]
    assert server.get("/api/suites/desk/runs").data["runs"][-1]["id"] == earlier["id"]
    assert f"scheduled run {earlier['id']}: complete" in server.said
