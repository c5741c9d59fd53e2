"""Conversations as they are held, and the table of verdicts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core.errors import CallError
from vivavoce.core.model import Case, Check, Expectation, Trial, Turn, Use
from vivavoce.core.reply import Message, Reply, Request, ToolCall
from vivavoce.core.result import Failure, Result
from vivavoce.run.calls import Calls, Limits
from vivavoce.run.checks import Checks
from vivavoce.run.judging import Bench
from vivavoce.run.room import Room
from vivavoce.run.trial import run_trial

Answer = Callable[[Request], Any]


class Agent:
    """A target that answers by a function, and remembers what it was sent."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.opened = self.closed = 0

    def session(self, trial: Trial) -> Agent:
        self.opened += 1
        return self

    async def send(self, request: Request) -> Reply:
        self.requests.append(request)
        answer = self.answer(request)
        if isinstance(answer, Failure):
            raise CallError(answer)
        if isinstance(answer, BaseException):
            raise answer
        if asyncio.iscoroutine(answer):
            answer = await answer
        return answer if isinstance(answer, Reply) else Reply(text=answer)

    async def close(self) -> None:
        self.closed += 1


def turn(text: str, expected: str | None = None, *evaluators: str, origin: Any = "item", **options: Any) -> Turn:
    checks = tuple(Check(evaluator=name, origin=origin, options=options) for name in evaluators)
    return Turn(input=text, expect=Expectation(response=expected), checks=checks)


async def hold(
    agent: Agent, *turns: Turn, case_timeout: float | None = None, timeout: float = 5, waits: bool = True, **case: Any
) -> Result:
    checks = Checks((), (), folder=Path())
    limits = Limits(retries=0, timeout=timeout)
    room = Room(
        target=agent,
        calls=Calls(limits, phase="target", timeout=None, idempotent=False, waits=waits),
        checks=checks,
        bench=Bench(
            checks=checks,
            use=Use(name="none"),
            calls=Calls(limits, phase="judge", timeout=None, idempotent=True),
        ),
        nonce="n",
        case_timeout=case_timeout,
    )
    trial = Trial(suite="s", case=Case(id="c", turns=turns, **case), repeat=0, position=0, digest="b2:0")
    return await run_trial(trial, room)


def statuses(result: Result) -> list[list[str]]:
    return [[score.status for score in each.scores] for each in result.turns]


async def test_turns_are_said_in_order_in_one_session_with_what_was_said_before() -> None:
    agent = Agent(lambda request: f"answer {request.turn}")
    start = (Message(role="system", content="be brief"),)
    result = await hold(agent, turn("one"), turn("two"), turn("three"), history=start)
    assert [request.input for request in agent.requests] == ["one", "two", "three"]
    assert len({request.session_id for request in agent.requests}) == 1
    assert [(message.role, message.content) for message in agent.requests[2].history] == [
        ("system", "be brief"),
        ("user", "one"),
        ("assistant", "answer 0"),
        ("user", "two"),
        ("assistant", "answer 1"),
    ]
    assert (agent.opened, agent.closed) == (1, 1)
    assert [each.reply.text for each in result.turns if each.reply] == ["answer 0", "answer 1", "answer 2"]
    assert all(each.reply and each.reply.seconds is not None for each in result.turns)


async def test_an_answer_in_other_than_words_says_nothing_in_what_was_said_before() -> None:
    agent = Agent(lambda request: Reply(rows=({"year": "2025", "sales": 1},), intent="QUERY"))
    await hold(agent, turn("sales by year"), turn("only 2025"))
    assert agent.requests[1].history == (Message(role="user", content="sales by year"),)


async def test_after_a_turn_that_failed_none_is_sent() -> None:
    failure = Failure(code="http_500", message="HTTP 500")
    agent = Agent(lambda request: failure if request.turn == 1 else "4")
    result = await hold(agent, *(turn(str(n), "4", "ExactMatch") for n in range(4)))
    assert [request.turn for request in agent.requests] == [0, 1]
    assert result.status == "error"
    assert result.error is not None
    assert result.error.code == "http_500"
    assert statuses(result) == [["pass"], ["error"], [], []]
    assert [each.error.code if each.error else None for each in result.turns] == [None, "http_500", "not_sent", "not_sent"]
    assert result.turns[2].reply is None
    assert agent.closed == 1


async def test_a_check_of_a_turn_that_failed_is_an_error_whatever_else_it_lacks() -> None:
    agent = Agent(lambda request: Failure(code="connection", message="refused", sent=False))
    result = await hold(agent, turn("x", None, "ExactMatch", "Relevance", origin="default"))
    assert statuses(result) == [["error", "error"]]
    assert "refused" in result.turns[0].scores[0].reason


@pytest.mark.parametrize(("origin", "status"), [("item", "error"), ("file", "skip"), ("run", "skip"), ("default", "skip")])
async def test_what_is_missing_is_an_error_only_where_it_was_asked_for(origin: str, status: str) -> None:
    result = await hold(Agent(lambda request: "4"), turn("x", None, "ExactMatch", origin=origin))
    (score,) = result.turns[0].scores
    assert (score.status, result.status) == (status, status)
    assert "expected response" in score.reason
    assert score.value is None


async def test_without_a_judge_a_judged_check_skips_with_the_way_out() -> None:
    result = await hold(Agent(lambda request: "4"), turn("x", None, "Relevance"))
    (score,) = result.turns[0].scores
    assert (score.status, score.rubric) == ("skip", "Relevance@1")
    assert "--judge" in score.reason


@pytest.mark.parametrize(
    ("expected", "status"),
    [(["4", "5"], "fail"), (["4", "4"], "pass"), (["4", None], "error")],
)
async def test_error_outweighs_fail_outweighs_pass(expected: list[str | None], status: str) -> None:
    result = await hold(Agent(lambda request: "4"), *(turn("x", each, "ExactMatch") for each in expected))
    assert result.status == status


async def test_passes_and_skips_pass_and_nothing_skips() -> None:
    agent = Agent(lambda request: "4")
    mixed = await hold(agent, turn("x", "4", "ExactMatch", "Relevance"))
    assert mixed.status == "pass"
    assert (await hold(agent, turn("x"))).status == "skip"


async def test_an_agent_that_never_answers_harms_its_case_alone() -> None:
    async def never() -> str:
        await asyncio.sleep(3600)
        return ""

    result = await hold(Agent(lambda request: never()), turn("x", "4", "ExactMatch"), timeout=0.05)
    assert result.error is not None
    assert result.error.code == "timeout"


async def test_a_target_with_a_mistake_of_its_own_is_an_error_too() -> None:
    result = await hold(Agent(lambda request: ZeroDivisionError("oops")), turn("x", "4", "ExactMatch"))
    assert result.error is not None
    assert result.error.code == "crashed"
    assert "ZeroDivisionError: oops" in result.error.message


MISTAKES = [ZeroDivisionError("oops"), asyncio.CancelledError("oops"), SystemExit("oops"), TimeoutError("oops")]


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: type(each).__name__)
async def test_whatever_a_target_lets_out_is_an_error_of_its_case(mistake: BaseException, waits: bool) -> None:
    result = await hold(Agent(lambda request: mistake), turn("x", "4", "ExactMatch"), turn("y"), waits=waits)
    assert statuses(result) == [["error"], []]
    assert result.error is not None
    assert result.error.code == "crashed"


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize(
    "mistake", [ValueError("no session"), SystemExit(3), CallError(Failure(code="down", message="no session"))]
)
async def test_a_conversation_that_cannot_begin_is_an_error_of_its_case(mistake: BaseException, waits: bool) -> None:
    class Closed(Agent):
        def session(self, trial: Trial) -> Agent:
            raise mistake

    result = await hold(Closed(lambda request: "4"), turn("x", "4", "ExactMatch"), turn("y"), waits=waits)
    assert statuses(result) == [["error"], []]
    assert result.error is not None
    assert result.error.code == ("down" if isinstance(mistake, CallError) else "crashed")


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize(("given", "what"), [("4", "str"), (None, "NoneType")])
async def test_what_is_no_reply_is_an_error_of_its_case(given: Any, what: str, waits: bool) -> None:
    class Plain(Agent):
        async def send(self, request: Request) -> Any:
            return given

    result = await hold(Plain(lambda request: ""), turn("x", "4", "ExactMatch"), waits=waits)
    assert result.error is not None
    assert (result.error.code, result.error.message) == (
        "bad_payload",
        f"the target gave a value of type {what}, which is no Reply",
    )


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: type(each).__name__)
async def test_an_answer_counts_though_its_conversation_closes_badly(mistake: BaseException, waits: bool) -> None:
    class Slamming(Agent):
        async def close(self) -> None:
            raise mistake

    assert (await hold(Slamming(lambda request: "4"), turn("x", "4", "ExactMatch"), waits=waits)).status == "pass"


async def test_the_time_limit_of_a_case_keeps_what_was_answered() -> None:
    async def slow() -> str:
        await asyncio.sleep(3600)
        return ""

    agent = Agent(lambda request: "4" if request.turn == 0 else slow())
    result = await hold(agent, turn("a", "4", "ExactMatch"), turn("b", "4", "ExactMatch"), turn("c"), case_timeout=0.1)
    assert statuses(result) == [["pass"], ["error"], []]
    assert [each.error.code if each.error else None for each in result.turns] == [None, "case_timeout", "not_sent"]
    assert agent.closed == 1


async def test_the_time_limit_may_strike_while_the_session_closes() -> None:
    class Slow(Agent):
        async def close(self) -> None:
            await asyncio.sleep(3600)

    result = await hold(Slow(lambda request: "4"), turn("a", "4", "ExactMatch"), turn("b", "4", "ExactMatch"), case_timeout=0.1)
    assert statuses(result) == [["pass"], ["pass"]]
    assert result.status == "pass"


async def test_an_empty_text_is_an_answer() -> None:
    result = await hold(Agent(lambda request: ""), turn("x", "4", "ExactMatch"))
    assert statuses(result) == [["fail"]]


async def test_sessions_of_two_trials_differ_and_depend_on_nothing_but_what_they_are() -> None:
    agent = Agent(lambda request: "")
    await hold(agent, turn("x"))
    await hold(agent, turn("x"))
    first, second = (request.session_id for request in agent.requests)
    assert first == second


class Source(Agent):
    """An agent whose sessions also run queries."""

    def __init__(self, answer: Answer, rows: Callable[[Any], Any]) -> None:
        super().__init__(answer)
        self.run = rows
        self.asked: list[Any] = []

    async def rows(self, query: Any) -> Any:
        self.asked.append(query)
        given = self.run(query)
        if isinstance(given, Failure):
            raise CallError(given)
        return given


def of_rows(*rows: Any) -> Callable[[Any], Any]:
    return lambda _: list(rows)


def querying(query: Any, *evaluators: str, rows: Any = None, **expect: Any) -> Turn:
    checks = tuple(Check(evaluator=name) for name in evaluators)
    return Turn(input="q", expect=Expectation(rows=rows, reference_query=query, **expect), checks=checks)


ROWS = Reply(rows=({"n": 1},), intent="QUERY")


async def test_the_rows_of_a_reference_query_are_the_truth_and_win_over_the_files() -> None:
    agent = Source(lambda request: ROWS, of_rows({"n": 1}))
    result = await hold(agent, querying({"measures": []}, "RowComparison", rows=({"n": 5},)))
    assert (result.status, agent.asked) == ("pass", [{"measures": []}])
    other = await hold(Source(lambda request: ROWS, of_rows({"n": 2})), querying({}, "RowComparison", rows=({"n": 1},)))
    assert other.status == "fail"


async def test_a_reference_query_that_gives_nothing_expects_nothing() -> None:
    result = await hold(Source(lambda request: ROWS, of_rows()), querying({}, "RowComparison"))
    assert result.status == "fail"
    empty = Reply(rows=(), intent="QUERY")
    assert (await hold(Source(lambda request: empty, of_rows()), querying({}, "RowComparison"))).status == "pass"


@pytest.mark.parametrize("rows", [lambda _: Failure(code="http_500", message="HTTP 500"), lambda _: 5, lambda _: 1 / 0])
async def test_a_reference_query_that_fails_is_an_error_and_no_fault_of_the_answer(rows: Callable[[Any], Any]) -> None:
    turn = querying({}, "RowComparison", "Intent", intent="QUERY")
    result = await hold(Source(lambda request: ROWS, rows), turn)
    assert statuses(result) == [["error", "pass"]]
    assert result.status == "error"
    assert result.error is None
    assert result.turns[0].reply == replace(ROWS, seconds=result.turns[0].reply.seconds)  # type: ignore[union-attr] # there is one
    assert result.turns[0].scores[0].reason.startswith("the reference query failed: ")


async def test_a_target_that_runs_no_queries_says_so() -> None:
    result = await hold(Agent(lambda request: ROWS), querying({}, "RowComparison", rows=({"n": 1},)))
    assert result.status == "error"
    assert "runs no queries" in result.turns[0].scores[0].reason


async def test_a_reference_query_that_no_check_needs_is_not_run() -> None:
    agent = Source(lambda request: ROWS, of_rows({"n": 1}))
    assert (await hold(agent, querying({}, "Intent", intent="QUERY"))).status == "pass"
    assert agent.asked == []


async def test_an_answer_outlives_a_reference_query_that_takes_too_long() -> None:
    class Slow(Source):
        async def rows(self, query: Any) -> Any:
            await asyncio.sleep(30)

    result = await hold(Slow(lambda request: ROWS, of_rows()), querying({}, "RowComparison"), case_timeout=0.2)
    assert result.turns[0].reply is not None
    assert (result.status, result.error) == ("error", None)
    assert "not run" in result.turns[0].scores[0].reason


async def test_a_check_that_decides_ends_the_others_of_its_case() -> None:
    turns = [
        querying(None, "RowComparison", "Intent", "InsightContains", rows=(), intent="REFUSED", insights=("x",)),
        querying(None, "Intent", intent="QUERY"),
    ]
    result = await hold(Agent(lambda request: ROWS), *turns, checks=(Check(evaluator="TaskNavigationEfficiency"),))
    assert statuses(result) == [["skip", "fail", "skip"], ["skip"]]
    assert [score.status for score in result.scores] == ["skip"]
    assert result.status == "fail"
    assert result.turns[0].scores[0].reason == "not examined, since Intent failed: intent: expected REFUSED, got QUERY"


async def test_a_check_that_decides_and_passes_or_cannot_tell_ends_nothing() -> None:
    turn = querying(None, "RowComparison", "Intent", rows=({"n": 1},), intent="query")
    assert statuses(await hold(Agent(lambda request: ROWS), turn)) == [["pass", "pass"]]
    assert statuses(await hold(Agent(lambda request: Reply(rows=({"n": 1},))), turn)) == [["pass", "error"]]


class TestToolCalls:
    """Checks of single tool calls, as they reach the turns."""

    CALLS = (ToolCall(name="search", arguments={"seen": True}), ToolCall(name="book", arguments={"seen": 1}))
    OTHERS = (ToolCall(name="other", arguments={"seen": False}), ToolCall(name="odd", arguments={}))

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        own = tmp_path / "custom-evaluators" / "named"
        own.mkdir(parents=True)
        (own / "named.py").write_text(
            "from vivavoce import Verdict\n\n\n"
            "class Named:\n"
            '    """Whether a tool has a long name."""\n'
            '    levels = ("call",)\n'
            '    needs = ("call",)\n'
            "    uses = ()\n"
            "    scale = (0, 1)\n\n"
            "    def score(self, evidence):\n"
            "        name = evidence.call.name\n"
            "        return Verdict(value=len(name), passed=len(name) > 4, reason=name)\n\n"
            "    def examines(self, call):\n"
            "        return call.arguments['seen']\n",
            encoding="utf-8",
        )
        return tmp_path

    async def held(self, folder: Path, case: Case, agent: Agent) -> Result:
        checks = Checks((Check(evaluator="Named", origin="run"),) if not case.checks else (), (), folder=folder)
        limits = Limits(retries=0, timeout=5)
        calls = Calls(limits, phase="target", timeout=None, idempotent=False)
        bench = Bench(checks=checks, use=Use(name="none"), calls=calls)
        room = Room(target=agent, calls=calls, checks=checks, bench=bench, nonce="n", case_timeout=None)
        trial = Trial(suite="s", case=checks.apply(case), repeat=0, position=0, digest="b2:0")
        return await run_trial(trial, room)

    @pytest.mark.parametrize("asked", ["run", "case"])
    async def test_each_call_is_scored_in_its_turn(self, folder: Path, asked: str) -> None:
        replies = [Reply(text=str(calls), tool_calls=calls) for calls in (self.CALLS, (), None, self.OTHERS)]
        checks = (Check(evaluator="Named", origin="file"),) if asked == "case" else ()
        case = Case(id="c", turns=tuple(Turn(input=text) for text in "1234"), checks=checks)
        result = await self.held(folder, case, Agent(lambda request: replies[request.turn]))
        assert result.scores == ()
        assert [[(score.name, score.call, score.status) for score in each.scores] for each in result.turns] == [
            [("named", 0, "pass"), ("named", 1, "fail")],
            [("named", None, "skip")],
            [("named", None, "skip")],
            [("named", 1, "error")],
        ]
        assert "KeyError: 'seen' (named.py" in result.turns[3].scores[0].reason
        assert [score.reason for score in result.turns[0].scores] == ["search", "book"]

    async def test_a_turn_without_an_answer_has_one_error(self, folder: Path) -> None:
        case = Case(id="c", turns=(Turn(input="1"), Turn(input="2")))
        result = await self.held(folder, case, Agent(lambda request: Failure(code="timeout", message="late")))
        assert [[(score.status, score.call) for score in each.scores] for each in result.turns] == [[("error", None)], []]
