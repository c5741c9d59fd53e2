"""How refusals slow calls down for everybody, and answers speed them up again."""

from __future__ import annotations

import asyncio

import pytest

from vivavoce.core.result import Failure
from vivavoce.run import pace
from vivavoce.run.pace import Pace

BROKEN = Failure(code="http_500", message="broken", answered=True)
RESET = Failure(code="connection", message="reset", retriable=True)


def busy(wait: float | None = None, code: str = "http_429") -> Failure:
    return Failure(code=code, message="busy", retriable=True, answered=True, retry_after=wait)


async def refused(paced: Pace, failure: Failure) -> float:
    """A call that is begun and refused; gives when it was begun."""
    begun = await paced.turn()
    paced.heard(begun, failure)
    return begun


async def stays_away(paced: Pace) -> bool:
    """Whether somebody new is held back."""
    waiting = asyncio.create_task(paced.turn())
    done, _ = await asyncio.wait({waiting}, timeout=0.02)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    return not done


async def test_who_was_refused_waits_as_long_as_asked_and_comes_before_the_others() -> None:
    paced, order = Pace(), []
    begun = await refused(paced, busy(0.2))

    async def come(name: str, *, again: bool) -> None:
        assert await paced.turn(again=again) - begun >= 0.2
        order.append(name)

    await asyncio.gather(come("new", again=False), come("newer", again=False), come("refused", again=True))
    assert order[0] == "refused"


@pytest.mark.parametrize("failure", [busy(600), busy(), busy(code="http_503"), busy(600, "throttled")])
async def test_a_refusal_holds_everybody_back(failure: Failure) -> None:
    paced = Pace()
    await refused(paced, failure)
    assert await stays_away(paced)


@pytest.mark.parametrize("failure", [BROKEN, RESET, busy(0)])
async def test_other_failures_hold_nobody_back(failure: Failure) -> None:
    paced = Pace()
    await refused(paced, failure)
    assert not await stays_away(paced)


async def test_an_answer_to_a_call_that_was_begun_later_ends_the_wait() -> None:
    paced = Pace()
    early = await paced.turn()
    await asyncio.sleep(0.001)
    begun = await paced.turn()
    await asyncio.sleep(0.001)
    late = await paced.turn()
    paced.heard(begun, busy(600))
    paced.heard(early, "answer")
    assert await stays_away(paced)
    waiting = [asyncio.create_task(paced.turn(again=again)) for again in (False, True)]
    await asyncio.sleep(0)
    paced.heard(late, "answer")
    await asyncio.gather(*waiting)


async def test_calls_are_spaced_where_too_many_are_refused_and_closer_again_once_they_are_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pace, "_DOUBLED", 0.001)
    paced = Pace()
    begun = await paced.turn()
    for _ in range(10):
        paced.heard(begun, "answer")
    for _ in range(10):
        paced.heard(begun, busy(0.9))
    assert paced.rate is not None
    assert 5 < paced.rate <= 10 / 0.9, "as many as were answered, by the time of the next"
    while paced.rate is not None:
        before = paced.rate
        await asyncio.sleep(0.001)
        paced.heard(begun, "answer")
        assert paced.rate is None or paced.rate > before


async def test_one_refusal_in_ten_slows_nobody_down() -> None:
    paced = Pace()
    begun = await paced.turn()
    for number in range(1000):
        paced.heard(begun, busy(0) if number % 10 == 0 else "answer")
    assert paced.rate is None


async def test_it_slows_down_to_no_standstill_and_speeds_up_to_no_more_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "_DOUBLED", 0.0001)
    paced = Pace(50)
    paced.heard(await paced.turn(), "answer")
    for _ in range(300):
        paced.heard(asyncio.get_running_loop().time(), busy(0))
    assert paced.rate == pytest.approx(1 / pace.LONGEST_WAIT)
    for _ in range(100):
        await asyncio.sleep(0.001)
        paced.heard(asyncio.get_running_loop().time(), "answer")
    assert paced.rate == 50


async def test_who_answers_nothing_any_more_is_not_asked_ever_more_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "FIRST_WAIT", 0.001)
    monkeypatch.setattr(pace, "_WINDOW", 0.01)
    paced = Pace()
    paced.heard(await paced.turn(), "answer")
    for _ in range(100):
        paced.heard(await paced.turn(again=True), busy())
    assert paced.rate is None
