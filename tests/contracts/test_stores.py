"""What every store keeps and gives back."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from conftest_contracts import HEADER, make_error, make_result, make_trial

from vivavoce.core.errors import StoreError, Taken
from vivavoce.core.kept import keep
from vivavoce.core.result import Summary, Usage

MakeStore = Callable[[], Any]


async def fill(store: Any, run_id: str, numbers: range) -> list[Any]:
    store.begin(run_id, "2026-01-31T12:00:00Z", HEADER)
    results = [make_result(make_trial(number)) for number in numbers]
    await asyncio.gather(
        *(store.append(run_id, [keep(result, make_trial(at).case)]) for at, result in zip(numbers, results, strict=True))
    )
    return results


async def test_results_come_back_whole_and_in_dataset_order(open_store: MakeStore) -> None:
    store = open_store()
    store.begin("r1", "2026-01-31T12:00:00Z", HEADER)
    trials = [make_trial(number) for number in range(20)]
    for trial in reversed(trials):
        await store.append("r1", [keep(make_result(trial), trial.case)])
    run = open_store().run("r1")
    assert list(run.results) == [make_result(trial) for trial in trials]
    assert list(run.results) == list(run.results), "results can be read again"
    assert list(run.cases) == [trial.case for trial in trials]
    assert run.header == HEADER
    assert run.state == "running"
    assert run.finished is None


async def test_a_result_is_there_for_others_once_it_was_awaited(open_store: MakeStore) -> None:
    store = open_store()
    store.begin("r1", "2026-01-31T12:00:00Z", HEADER)
    await store.append("r1", [keep(make_result(make_trial(0)), make_trial(0).case)])
    assert open_store().keys("r1") == {("a", "case-0", 0)}


async def test_finishing_keeps_state_and_summary(open_store: MakeStore) -> None:
    store = open_store()
    await fill(store, "r1", range(3))
    summary = Summary(
        cases=3, trials=3, passed=3, pass_rate=1.0, scored=3, evaluated=True, usage=Usage(agent_calls=3), seconds=1.5
    )
    store.finish("r1", "2026-01-31T12:00:01Z", "complete", summary)
    run = open_store().run("r1")
    assert (run.state, run.finished, run.summary) == ("complete", "2026-01-31T12:00:01Z", summary)


async def test_a_run_under_way_tells_what_it_has_come_to(open_store: MakeStore) -> None:
    await fill(open_store(), "r1", range(3))
    summary = open_store().run("r1").summary
    assert (summary.trials, summary.passed, summary.not_run) == (HEADER.trials, 3, HEADER.trials - 3)
    assert summary.evaluated


async def test_a_run_can_be_reopened(open_store: MakeStore) -> None:
    store = open_store()
    await fill(store, "r1", range(3))
    store.finish("r1", "2026-01-31T12:00:01Z", "interrupted", Summary())
    store.begin("r1", "2027-01-01T00:00:00Z", HEADER)
    await store.append("r1", [keep(make_result(make_trial(3)), make_trial(3).case)])
    run = store.run("r1")
    assert run.state == "running"
    assert run.started == "2026-01-31T12:00:00Z", "it began when it began"
    assert [result.position for result in run.results] == [0, 1, 2, 3]


async def test_a_run_that_grew_has_its_new_plan(open_store: MakeStore) -> None:
    store = open_store()
    await fill(store, "r1", range(1))
    grown = replace(HEADER, digest="b2:grown", version="9.9.9")
    store.begin("r1", "2026-01-31T13:00:00Z", grown)
    run = open_store().run("r1")
    assert (run.header, run.started, len(list(run.results))) == (grown, "2026-01-31T12:00:00Z", 1)


async def test_forgotten_results_can_be_made_again(open_store: MakeStore) -> None:
    store = open_store()
    store.begin("r1", "2026-01-31T12:00:00Z", HEADER)
    for number in range(3):
        trial = make_trial(number)
        await store.append("r1", [keep(make_error(trial) if number == 1 else make_result(trial), trial.case)])
    store.forget("r1", {("a", "case-1", 0)})
    assert store.keys("r1") == {("a", "case-0", 0), ("a", "case-2", 0)}
    await store.append("r1", [keep(make_result(make_trial(1)), make_trial(1).case)])
    assert [result.status for result in store.run("r1").results] == ["pass", "pass", "pass"]


async def test_one_trial_is_never_kept_twice(open_store: MakeStore) -> None:
    store = open_store()
    await fill(store, "r1", range(2))
    with pytest.raises(StoreError):
        await store.append("r1", [keep(make_result(make_trial(1)), make_trial(1).case)])
    assert len(list(store.run("r1").results)) == 2


async def test_runs_are_found_by_id_prefix_and_age(open_store: MakeStore) -> None:
    store = open_store()
    for run_id in ("abc1", "abd2", "xyz3"):
        store.begin(run_id, "2026-01-31T12:00:00Z", HEADER)
    assert [run.id for run in store.runs()] == ["xyz3", "abd2", "abc1"]
    assert [run.id for run in store.runs(limit=1)] == ["xyz3"]
    assert store.run("last").id == "xyz3"
    assert store.run("last~2").id == "abc1"
    assert store.run("abd").id == "abd2"
    with pytest.raises(StoreError, match="several runs: abd2, abc1"):
        store.run("ab")
    for wrong in ("nope", "last~3", "last~x", "", "%", "a_c1"):
        with pytest.raises(StoreError):
            store.run(wrong)


async def test_a_run_whose_id_begins_many_others_is_found_all_the_same(open_store: MakeStore) -> None:
    store = open_store()
    for run_id in ("run1", *(f"run1{n}" for n in range(12))):
        store.begin(run_id, "2026-01-31T12:00:00Z", HEADER)
    assert store.run("run1").id == "run1"


async def test_two_writers_lose_nothing(open_store: MakeStore) -> None:
    first, second = open_store(), open_store()
    await asyncio.gather(fill(first, "r1", range(200)), fill(second, "r2", range(200)))
    for run_id, store in itertools.product(("r1", "r2"), (first, second)):
        assert len(store.keys(run_id)) == 200


async def test_results_that_are_added_together_are_kept_together(open_store: MakeStore) -> None:
    store = open_store()
    await fill(store, "r1", range(1))
    both = [keep(make_result(make_trial(number)), make_trial(number).case) for number in (1, 0)]
    with pytest.raises(StoreError):
        await store.append("r1", both)
    assert [result.position for result in store.run("r1").results] == [0]
    await store.append("r1", [both[0]])
    assert [result.position for result in store.run("r1").results] == [0, 1]


async def test_what_is_asked_again_is_told_of_every_run(open_store: MakeStore) -> None:
    store = open_store()
    await fill(store, "r1", range(3))
    store.begin("r2", "2026-01-31T13:00:00Z", HEADER)
    trials = [make_trial(number) for number in range(4)]
    trials[1] = replace(trials[1], case=replace(trials[1].case, metadata={"note": "changed"}))
    for trial in trials:
        await store.append("r2", [keep(make_result(trial), trial.case)])
    store.forget("r1", {("a", "case-2", 0)})
    assert list(store.run("r2").cases) == [trial.case for trial in trials]
    assert list(store.run("r1").cases) == [make_trial(number).case for number in range(2)]


def test_what_is_no_data_cannot_be_kept() -> None:
    trial = make_trial(0)
    with pytest.raises(TypeError):
        keep(replace(make_result(trial), metadata={"odd": object()}), trial.case)


async def test_a_run_that_is_dropped_takes_with_it_what_no_other_shares(open_store: MakeStore) -> None:
    store = open_store()
    for run_id in ("r1", "r2", "r3"):
        await fill(store, run_id, range(3))
        store.finish(run_id, "2026-01-31T12:00:01Z", "complete", Summary())
    cases = [make_trial(number).case for number in range(3)]
    open_store().drop("r1")
    assert [head.id for head in store.heads()] == ["r3", "r2"]
    assert [list(store.run(run_id).cases) for run_id in ("r2", "r3")] == [cases, cases]
    await fill(store, "r4", range(3))
    store.finish("r4", "2026-01-31T12:00:01Z", "complete", Summary())
    for run_id in ("r2", "r3"):
        store.drop(run_id)
    assert list(store.run("r4").cases) == cases
    assert [point.run.id for point in store.history("a")] == ["r4"]
    store.drop("r4")
    store.shrink()
    assert list(store.runs()) == list(store.suites()) == []
    with store._database.reading() as connection:
        for table in ("runs", "suites", "results", "transcripts", "cases"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0, table
    with pytest.raises(StoreError, match="no run r4"):
        store.drop("r4")


async def test_a_run_that_is_carried_out_is_not_dropped(open_store: MakeStore) -> None:
    first, second = open_store(), open_store()
    await fill(first, "r1", range(2))
    assert first.under_way("r1")
    for store in (first, second):
        with pytest.raises(Taken, match="run r1 is being carried out by"):
            store.drop("r1")
    with pytest.raises(Taken):
        second.begin("r1", "2026-01-31T12:00:00Z", HEADER)
    first.close()
    assert not second.under_way("r1")
    second.drop("r1")
    assert second.heads() == []
