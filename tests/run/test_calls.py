"""When a call is repeated, how long it is waited for, and what comes of it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from vivavoce.core.errors import CallError
from vivavoce.core.result import Failure
from vivavoce.run import calls, pace
from vivavoce.run.calls import Calls, Limits

REFUSED = Failure(code="connection", message="refused", retriable=True, sent=False)
BUSY = Failure(code="http_429", message="busy", retriable=True, answered=True)
RESET = Failure(code="connection", message="reset", retriable=True)
BROKEN = Failure(code="http_500", message="broken", answered=True)


class Scripted:
    """Fails as told, then answers."""

    def __init__(self, *failures: Failure) -> None:
        self.failures = list(failures)
        self.times: list[float] = []

    async def __call__(self) -> str:
        self.times.append(time.monotonic())
        if self.failures:
            raise CallError(self.failures.pop(0))
        return "answer"


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (calls, pace):
        monkeypatch.setattr(module, "FIRST_WAIT", 0.001)


def make(*, idempotent: bool = False, retries: int = 3, timeout: float = 5, rate: float | None = None) -> Calls:
    limits = Limits(retries=retries, timeout=timeout, rate=rate)
    return Calls(limits, phase="target", timeout=None, idempotent=idempotent)


@pytest.mark.parametrize(
    ("failure", "idempotent", "repeated"),
    [
        (REFUSED, False, True),
        (BUSY, False, True),
        (RESET, False, False),
        (RESET, True, True),
        (BROKEN, False, False),
        (BROKEN, True, False),
    ],
)
async def test_only_a_safe_call_is_repeated(failure: Failure, idempotent: bool, repeated: bool) -> None:
    call = Scripted(failure)
    outcome = await make(idempotent=idempotent).make(call)
    assert outcome == ("answer" if repeated else failure)
    assert len(call.times) == (2 if repeated else 1)


async def test_it_gives_up_after_the_retries_and_tells_the_last_failure() -> None:
    last = Failure(code="http_503", message="last", retriable=True, answered=True)
    call = Scripted(BUSY, BUSY, BUSY, last)
    assert await make(retries=3).make(call) == last
    assert len(call.times) == 4


async def test_no_retries_means_one_call() -> None:
    call = Scripted(BUSY)
    assert await make(retries=0).make(call) == BUSY
    assert len(call.times) == 1


async def test_retry_after_is_waited_for() -> None:
    call = Scripted(Failure(code="http_429", message="busy", retriable=True, answered=True, retry_after=0.2))
    assert await make().make(call) == "answer"
    assert call.times[1] - call.times[0] >= 0.2


async def test_all_who_call_wait_when_one_is_refused() -> None:
    side = make()
    first = Scripted(Failure(code="http_429", message="busy", retriable=True, answered=True, retry_after=0.2))
    others = [Scripted() for _ in range(5)]
    refused = asyncio.create_task(side.make(first))
    await asyncio.sleep(0)
    assert first.times
    await asyncio.gather(refused, *(side.make(call) for call in others))
    assert len(first.times) == 2
    assert all(call.times[0] >= first.times[1] >= first.times[0] + 0.2 for call in others)


async def test_a_retry_after_beyond_patience_fails_at_once() -> None:
    asked = Failure(code="http_429", message="busy", retriable=True, answered=True, retry_after=calls.PATIENCE + 1)
    call = Scripted(asked)
    outcome = await make().make(call)
    assert isinstance(outcome, Failure)
    assert replace(outcome, message=asked.message) == asked
    assert outcome.message == "busy; it asks to wait 601 s, and no more than 600 s are waited"
    assert len(call.times) == 1


async def test_a_call_that_hangs_is_a_timeout_and_not_repeated() -> None:
    started = 0

    async def hang() -> str:
        nonlocal started
        started += 1
        await asyncio.sleep(3600)
        return "never"

    outcome = await make(timeout=0.05).make(hang)
    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.message) == ("timeout", "no answer within 0.05 s")
    assert started == 1


async def test_a_hanging_call_to_an_idempotent_target_is_repeated() -> None:
    started = 0

    async def hang_once() -> str:
        nonlocal started
        started += 1
        if started == 1:
            await asyncio.sleep(3600)
        return "answer"

    assert await make(timeout=0.05, idempotent=True).make(hang_once) == "answer"


async def test_a_cancellation_that_nobody_asked_for_is_a_failure() -> None:
    async def cancelled() -> str:
        raise asyncio.CancelledError

    outcome = await make().make(cancelled)
    assert isinstance(outcome, Failure)
    assert (outcome.code, outcome.phase) == ("crashed", "target")


async def test_cancelling_is_not_a_failure() -> None:
    task = asyncio.create_task(make().make(lambda: asyncio.sleep(3600)))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_rate_spaces_the_calls() -> None:
    limited = make(rate=50)
    calls_made = [Scripted() for _ in range(6)]
    began = time.monotonic()
    await asyncio.gather(*(limited.make(call) for call in calls_made))
    assert time.monotonic() - began >= 5 / 50 * 0.9
