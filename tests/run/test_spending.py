"""A budget of tokens or money: what counts, where the run stops, and how it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from conftest_models import KEY, says

from vivavoce.core import codec, plugins, prices
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Case, Check, Expectation, Plan, Selection, Suite, Trial, Turn, Use
from vivavoce.core.reply import Reply, Request
from vivavoce.core.result import Run
from vivavoce.run.calls import Limits
from vivavoce.run.planner import plan
from vivavoce.run.runner import examine

GRADE = {"reason": "It says what it should, and says it plainly.", "score": 4}
PRICED = {"input_price": 1000.0, "output_price": 0.0}
"""With 100 tokens read, a call costs 0.1 USD."""


class Agent:
    """Takes 10 tokens and 1 USD for each answer."""

    waits = True

    def __init__(self) -> None:
        self.asked: list[str] = []

    def session(self, trial: Trial) -> Agent:
        return self

    async def send(self, request: Request) -> Reply:
        self.asked.append(f"{request.case}.{request.turn}")
        await asyncio.sleep(0)
        return Reply(text="fine", usage={"input_tokens": 6, "output_tokens": 4, "cost_usd": 1.0})

    async def close(self) -> None:
        """Nothing is held."""


def suite(count: int, *, turns: int = 1, evaluator: str = "ExactMatch") -> Suite:
    check = Check(evaluator=evaluator)
    turn = Turn(input="How?", expect=Expectation(response="fine"), checks=(check,))
    return Suite(name="s", cases=tuple(Case(id=f"c{number}", turns=(turn,) * turns) for number in range(count)))


def planned(made: Suite, judge: Use | None = None) -> Plan:
    return plan(Selection(target=Use(name="python"), judge=judge or Use(name="none")), suites=(made,), live=True)


@pytest.fixture
def store(tmp_path: Any) -> Iterator[Any]:
    made = plugins.build("stores", Use(name="sqlite", options={"path": str(tmp_path / "runs.db")}))
    yield made
    made.close()


async def run(made: Plan, store: Any, agent: Agent, **limits: Any) -> Run:
    return await examine(
        made, store, run_id="r", started="s", now=lambda: "e", nonce="n", target=agent, limits=Limits(**limits)
    )


@pytest.mark.parametrize("budget", [{"money_budget": 5.0}, {"token_budget": 50}])
async def test_a_run_stops_within_a_call_for_each_worker_and_goes_on_under_a_larger_budget(store, budget):
    agent, workers = Agent(), 3
    made = await run(planned(suite(40)), store, agent, concurrency=workers, **budget)
    assert made.state == "stopped"
    assert 5 <= len(agent.asked) < 5 + workers
    assert made.summary.passed == len(agent.asked)
    assert made.summary.not_run == 40 - len(agent.asked)
    asked = list(agent.asked)

    again = await run(planned(suite(40)), store, agent, concurrency=workers, **budget)
    assert (again.state, agent.asked) == ("stopped", asked)

    more = {name: 4 * amount for name, amount in budget.items()}
    await run(planned(suite(40)), store, agent, concurrency=workers, **more)
    assert 20 <= len(agent.asked) < 20 + workers

    last = await run(
        planned(suite(40)), store, agent, concurrency=workers, **{name: 50 * each for name, each in budget.items()}
    )
    assert (last.state, last.summary.passed, last.summary.usage.cost_usd) == ("complete", 40, 40)
    assert len(set(agent.asked)) == len(agent.asked) == 40


async def test_a_budget_that_is_reached_by_the_last_case_leaves_nothing_undone(store):
    made = await run(planned(suite(4)), store, Agent(), concurrency=1, money_budget=4.0)
    assert (made.state, made.summary.not_run) == ("complete", 0)


async def test_a_conversation_that_is_broken_off_is_no_result(store):
    agent = Agent()
    made = await run(planned(suite(3, turns=3)), store, agent, concurrency=1, money_budget=4.0, case_timeout=60)
    assert (made.state, len(agent.asked), made.summary.passed, made.summary.errored) == ("stopped", 4, 1, 0)
    made = await run(planned(suite(3, turns=3)), store, agent, concurrency=1, money_budget=50.0)
    assert (made.state, made.summary.passed, made.summary.usage.cost_usd) == ("complete", 3, 9)


async def test_calls_of_the_judge_count_by_their_price(models, store):
    options = {"model": "tutor", "base_url": models(says(GRADE)), "api_key": KEY, **PRICED}
    made = planned(suite(30, evaluator="Relevance"), Use(name="openai", options=options))

    class Free(Agent):
        async def send(self, request: Request) -> Reply:
            return Reply(text="fine")

    done = await run(made, store, Free(), concurrency=4, money_budget=1.0)
    assert done.state == "stopped"
    assert 10 <= len(models.asked) < 14
    assert done.summary.usage.cost_usd == pytest.approx(0.1 * len(models.asked))
    done = await run(made, store, Free(), concurrency=4, money_budget=10.0)
    assert (done.state, len(models.asked)) == ("complete", 30)


async def test_a_price_that_nobody_knows_is_told_before_anything_is_asked(models, store):
    options = {"model": "tutor", "base_url": models(says(GRADE)), "api_key": KEY}
    made = planned(suite(2, evaluator="Relevance"), Use(name="openai", options=options))
    agent = Agent()
    with pytest.raises(UsageError, match=r"the judge openai:tutor costs is not known.*\[prices\].*\"tutor\" ="):
        await run(made, store, agent, money_budget=1.0)
    assert (agent.asked, store.runs()) == ([], [])
    with prices.known({"tutor": {"input": 1.0, "output": 2.0}}):
        done = await run(made, store, agent, money_budget=100.0)
    assert (done.state, done.summary.usage.cost_usd) == ("complete", pytest.approx(2 + 2 * 140e-6))


async def test_a_run_without_a_cap_is_the_same_as_under_one_that_is_never_reached(store, tmp_path):
    whole = await run(planned(suite(5)), store, Agent())
    other = plugins.build("stores", Use(name="sqlite", options={"path": str(tmp_path / "other.db")}))
    capped = await run(planned(suite(5)), other, Agent(), money_budget=1000.0, token_budget=10**6)
    other.close()
    assert [codec.encode(each.scores) for each in capped.results] == [codec.encode(each.scores) for each in whole.results]
    assert capped.state == whole.state == "complete"
