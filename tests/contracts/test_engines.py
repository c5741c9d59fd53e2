"""What every engine does with work."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from conftest_contracts import make_result, make_trial

from vivavoce.core import plugins
from vivavoce.core.model import Trial, Use
from vivavoce.core.result import Result


@pytest.fixture(params=plugins.names("engines"))
def engine(request: pytest.FixtureRequest) -> Any:
    return plugins.build("engines", Use(name=request.param))


async def kept(trial: Trial, result: Result) -> None:
    await asyncio.sleep(0)


def trials(count: int) -> Iterator[Trial]:
    return (make_trial(number) for number in range(count))


async def work(trial: Trial) -> Result:
    await asyncio.sleep(0.001 * (trial.position % 3))
    return make_result(trial)


@pytest.mark.parametrize("concurrency", [1, 7, 100])
async def test_every_trial_is_done_once(engine: Any, concurrency: int) -> None:
    results = [result async for result in engine.map(work, kept, trials(50), concurrency)]
    assert sorted(result.position for result in results) == list(range(50))


async def test_no_trials_no_results(engine: Any) -> None:
    assert [result async for result in engine.map(work, kept, trials(0), 3)] == []


async def test_a_place_is_given_on_only_when_the_result_is_kept(engine: Any) -> None:
    busy = most = 0

    async def count(trial: Trial) -> Result:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0.001)
        return make_result(trial)

    async def keep(trial: Trial, result: Result) -> None:
        nonlocal busy
        await asyncio.sleep(0.001)
        busy -= 1

    async for _ in engine.map(count, keep, trials(40), 4):
        pass
    assert most == 4


async def test_a_concurrency_beyond_all_measure_costs_nothing(engine: Any) -> None:
    most = 0

    async def count(trial: Trial) -> Result:
        nonlocal most
        most = max(most, len(asyncio.all_tasks()))
        return await work(trial)

    results = [result async for result in engine.map(count, kept, trials(3), 10_000_000)]
    assert len(results) == 3
    assert most < 10


async def test_trials_are_taken_one_by_one(engine: Any) -> None:
    taken = 0

    def source() -> Iterator[Trial]:
        nonlocal taken
        for trial in trials(1000):
            taken += 1
            yield trial

    results = engine.map(work, kept, source(), 5)
    async for _ in results:
        break
    await results.aclose()
    assert taken <= 20, "an engine holds only what is in flight"


async def test_closing_early_leaves_nothing_running(engine: Any) -> None:
    before = asyncio.all_tasks()
    ended: list[int] = []

    async def hang(trial: Trial) -> Result:
        if trial.position == 0:
            return make_result(trial)
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append(trial.position)
        raise AssertionError

    results = engine.map(hang, kept, trials(10), 4)
    async for result in results:
        assert result.position == 0
        break
    await asyncio.sleep(0)
    await results.aclose()
    assert asyncio.all_tasks() == before
    assert len(ended) >= 3


@pytest.mark.parametrize("where", ["work", "keep", "trials"])
async def test_a_failure_of_the_run_itself_comes_through(engine: Any, where: str) -> None:
    def fail(here: str) -> None:
        if where == here:
            raise RuntimeError("broken")

    def source() -> Iterator[Trial]:
        yield make_trial(0)
        fail("trials")

    async def failing(trial: Trial) -> Result:
        fail("work")
        return make_result(trial)

    async def keep(trial: Trial, result: Result) -> None:
        fail("keep")

    before = asyncio.all_tasks()
    with pytest.raises(RuntimeError, match="broken"):
        async for _ in engine.map(failing, keep, source(), 3):
            pass
    assert asyncio.all_tasks() == before
