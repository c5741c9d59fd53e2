"""Runs from beginning to end, broken off, and taken up again."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core import codec, plugins
from vivavoce.core.model import Case, Check, Expectation, Plan, Selection, Suite, Trial, Turn, Use
from vivavoce.core.reply import Reply, Request, ToolCall
from vivavoce.core.result import Result, Run
from vivavoce.run import runner
from vivavoce.run.calls import Limits
from vivavoce.run.planner import plan
from vivavoce.run.runner import examine


class Agent:
    """Answers by an async function of the case's number."""

    def __init__(self, answer: Callable[[int], Any]) -> None:
        self.answer = answer
        self.asked: list[int] = []
        self.busy = self.most = 0
        self.closed = False

    def session(self, trial: Trial) -> Agent:
        return self

    async def send(self, request: Request) -> Reply:
        self.asked.append(int(request.input))
        self.busy += 1
        self.most = max(self.most, self.busy)
        try:
            return Reply(text=await self.answer(int(request.input)))
        finally:
            self.busy -= 1

    async def close(self) -> None:
        self.closed = True


async def echo(number: int) -> str:
    await asyncio.sleep(0.0005 * (number % 5))
    return str(number)


def suite(count: int) -> Suite:
    def case(number: int) -> Case:
        expected = Expectation(response=str(number if number % 4 else -1))
        return Case(id=f"c{number}", turns=(Turn(input=str(number), expect=expected),))

    return Suite(name="s", cases=[case(number) for number in range(count)])


def make_plan(count: int, **chosen: Any) -> Plan:
    checks = (Check(evaluator="ExactMatch", origin="run"),)
    selection = Selection(target=Use(name="recorded"), evaluators=checks, **chosen)
    return plan(selection, suites=(suite(count),), live=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Any]:
    made = plugins.build("stores", Use(name="sqlite", options={"path": str(tmp_path / "runs.db")}))
    yield made
    made.close()


def clock() -> Callable[[], str]:
    ticks = itertools.count()
    return lambda: f"2026-01-31T12:00:{next(ticks):02}Z"


async def run(made: Plan, store: Any, agent: Agent, **more: Any) -> Run:
    arguments: dict[str, Any] = {"run_id": "r1", "started": "2026-01-31T11:00:00Z", "now": clock(), "nonce": "n"}
    return await examine(made, store, target=agent, **{**arguments, **more})


def without_times(made: Run) -> dict[str, Any]:
    document = codec.document(made)
    for volatile in ("id", "started", "finished"):
        document.pop(volatile)
    document["summary"].pop("seconds")
    for result in document["results"]:
        for turn in result["turns"]:
            turn["reply"].pop("seconds")
    return document


async def test_a_run_is_whole_counted_and_in_dataset_order(store: Any) -> None:
    full = asyncio.Event()

    async def crowd(number: int) -> str:
        # Nobody leaves before every place was taken once.
        if agent.busy == 7:
            full.set()
        await asyncio.wait_for(full.wait(), 60)
        return await echo(number)

    agent = Agent(crowd)
    made = await run(make_plan(40), store, agent, limits=Limits(concurrency=7))
    assert made.state == "complete"
    assert made.finished == "2026-01-31T12:00:00Z"
    assert [result.position for result in made.results] == list(range(40))
    summary = made.summary
    assert (summary.passed, summary.failed, summary.cases, summary.not_run) == (30, 10, 40, 0)
    assert summary.evaluators["ExactMatch"].pass_rate == 0.75
    assert agent.most == 7
    assert agent.closed
    assert sorted(agent.asked) == list(range(40))


async def test_listeners_hear_of_everything_once_it_is_kept(store: Any) -> None:
    heard: list[Any] = []

    class Listener:
        def began(self, plan: Plan, done: int) -> None:
            heard.append(("began", plan.count, done))

        def result(self, result: Result) -> None:
            assert result.key in store.keys("r1")
            heard.append(result.position)

        def finished(self, run: Run) -> None:
            heard.append(run.state)

    await run(make_plan(5), store, Agent(echo), listeners=[Listener()])
    assert heard[0] == ("began", 5, 0)
    assert sorted(heard[1:-1]) == [0, 1, 2, 3, 4]
    assert heard[-1] == "complete"


async def test_stopped_in_the_middle_and_resumed_it_equals_an_uninterrupted_run(store: Any) -> None:
    stop = asyncio.Event()

    async def stops(number: int) -> str:
        if number == 23:
            stop.set()
            await asyncio.sleep(3600)
        return await echo(number)

    before = asyncio.all_tasks()
    first = Agent(stops)
    broken = await run(make_plan(60), store, first, stop=stop, limits=Limits(concurrency=4))
    assert broken.state == "interrupted"
    assert asyncio.all_tasks() == before
    finished = {result.case for result in broken.results}
    assert 0 < len(finished) < 60
    assert broken.summary.not_run == 60 - len(finished)
    assert broken.summary.passed + broken.summary.failed == len(finished)

    second = Agent(echo)
    resumed = await run(make_plan(60), store, second, limits=Limits(concurrency=9))
    assert resumed.state == "complete"
    assert {f"c{number}" for number in second.asked} == {f"c{n}" for n in range(60)} - finished

    whole = await run(make_plan(60), store, Agent(echo), run_id="r2")
    assert without_times(resumed) == without_times(whole)


async def test_a_run_past_its_time_limit_is_stopped_with_what_is_done(store: Any) -> None:
    async def slow(number: int) -> str:
        if number > 5:
            await asyncio.sleep(3600)
        return str(number)

    made = await run(make_plan(20), store, Agent(slow), limits=Limits(concurrency=2, run_timeout=0.3))
    assert made.state == "stopped"
    assert made.summary.not_run == 14


async def test_a_complete_run_asks_nobody_again(store: Any) -> None:
    await run(make_plan(5), store, Agent(echo))
    again = Agent(echo)
    made = await run(make_plan(5), store, again)
    assert again.asked == []
    assert made.summary.trials == 5


async def test_errors_can_be_tried_again_alone(store: Any) -> None:
    async def broken(number: int) -> str:
        if number == 3:
            raise RuntimeError("down")
        return str(number)

    first = await run(make_plan(6), store, Agent(broken))
    assert first.summary.errored == 1
    agent = Agent(echo)
    second = await run(make_plan(6), store, agent, retry_errors=True)
    assert agent.asked == [3]
    assert second.summary.errored == 0
    assert [result.position for result in second.results] == list(range(6))


async def test_cancelling_the_caller_leaves_a_run_that_can_be_resumed(store: Any) -> None:
    async def slow(number: int) -> str:
        if number > 5:
            await asyncio.sleep(3600)
        return str(number)

    task = asyncio.create_task(run(make_plan(20), store, Agent(slow), limits=Limits(concurrency=3)))
    while "r1" not in [each.id for each in store.runs()] or len(store.keys("r1")) < 6:  # noqa: ASYNC110 - the store tells nobody
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    kept = store.run("r1")
    assert kept.state == "interrupted"
    assert kept.summary.not_run == 14


async def test_repeats_of_a_case_are_trials_of_their_own(store: Any) -> None:
    asked = itertools.count()

    async def flaky(number: int) -> str:
        return str(number if next(asked) % 2 else -2)

    made = await run(make_plan(4, repeat=2), store, Agent(flaky), limits=Limits(concurrency=1))
    assert [(result.case, result.repeat) for result in made.results][:4] == [("c0", 0), ("c0", 1), ("c1", 0), ("c1", 1)]
    assert (made.summary.cases, made.summary.trials) == (4, 8)
    assert made.summary.stability is not None
    assert made.summary.stability.unstable == (("s", "c1"), ("s", "c2"), ("s", "c3"))


@pytest.mark.parametrize("secret", ["status", "null", "text", "1234", 'geheim"\u00e999', "pass", "suite"])
async def test_a_secret_of_any_shape_is_kept_out_and_breaks_nothing(store: Any, secret: str) -> None:
    class Tells(Agent):
        async def send(self, request: Request) -> Reply:
            call = ToolCall(name="look", result={"status": [secret, 1234, None]})
            return Reply(
                text=f"it is {secret}", tool_calls=(call,), usage={"input_tokens": 1234}, raw={"more": json.dumps(secret)}
            )

    target = Use(name="recorded", options={"token": secret})
    made = plan(
        Selection(target=target, evaluators=(Check(evaluator="ExactMatch", origin="run"),)), suites=(suite(1),), live=True
    )
    (result,) = (await run(made, store, Tells(echo))).results
    assert (result.status, result.case) == ("fail", "c0")
    reply = result.turns[0].reply
    assert reply is not None
    assert reply.text == "it is ***"
    assert reply.tool_calls == (ToolCall(name="look", result={"status": ["***", 1234, None]}),)
    assert reply.usage == {"input_tokens": 1234}
    assert reply.raw == {"more": '"***"'}
    assert secret not in result.turns[0].scores[0].reason


async def test_a_result_that_cannot_be_stored_is_an_error_of_its_case_alone(store: Any) -> None:
    class Odd(Agent):
        async def send(self, request: Request) -> Reply:
            return Reply(text=request.input, raw=object() if request.input == "2" else None)

    made = await run(make_plan(4), store, Odd(echo))
    assert made.state == "complete"
    assert [result.status for result in made.results] == ["fail", "pass", "error", "pass"]
    odd = list(made.results)[2]
    assert odd.error is not None
    assert odd.error.code == "not_storable"


async def test_work_that_does_not_let_itself_be_cancelled_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_ENDING", 0.05)
    released, refused = asyncio.Event(), asyncio.Event()

    async def stubborn() -> None:
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                refused.set()

    assert await runner._until(stubborn, None, 0.01) == "stopped"
    assert refused.is_set()
    released.set()
    await asyncio.sleep(0)


def recorded(path: Path, count: int) -> Path:
    rows = ({"query": f"q{number}", "response": f"a{number % 5}", "ground_truth": f"a{number % 7}"} for number in range(count))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def planned(path: Path) -> Plan:
    checks = (Check(evaluator="ExactMatch", origin="run"), Check(evaluator="F1Score", origin="run"))
    return plan(Selection(paths=(str(path),), evaluators=checks, judge=Use(name="none")))


async def test_recorded_answers_are_kept_many_at_a_time_in_order(store: Any, tmp_path: Path) -> None:
    heard: list[int] = []

    class Listener:
        def began(self, plan: Plan, done: int) -> None:
            return

        def result(self, result: Result) -> None:
            heard.append(result.position)

        def finished(self, run: Run) -> None:
            return

    made = planned(recorded(tmp_path / "rows.jsonl", 1234))
    assert not made.waits
    ended = await examine(
        made, store, run_id="r1", started="2026-01-31T11:00:00Z", now=clock(), nonce="n", listeners=(Listener(),)
    )
    assert heard == list(range(1234))
    assert ended.summary.scored == 1234
    assert {turn.reply.seconds for result in ended.results for turn in result.turns if turn.reply} == {None}
