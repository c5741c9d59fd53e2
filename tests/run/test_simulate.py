"""Simulated conversations as they are held: who is asked when, why they end, and what of them is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core.errors import CallError
from vivavoce.core.model import Case, Check, Persona, Trial, Use
from vivavoce.core.reply import Message, Reply, Request, ToolCall
from vivavoce.core.result import Failure, Result
from vivavoce.core.scene import Move, Scene
from vivavoce.run.calls import Calls, Limits
from vivavoce.run.checks import Checks
from vivavoce.run.judging import Bench
from vivavoce.run.room import Room
from vivavoce.run.simulate import Stage
from vivavoce.run.trial import run_trial

Answer = Callable[[Request], Any]
GOAL = Persona(context="", goal="Find out when the shop opens, then ask where it is.")


class Agent:
    """A target that answers by a function, and remembers what it was sent."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.closed = 0

    def session(self, trial: Trial) -> Agent:
        return self

    async def send(self, request: Request) -> Reply:
        self.requests.append(request)
        answer = self.answer(request)
        if isinstance(answer, Failure):
            raise CallError(answer)
        if asyncio.iscoroutine(answer):
            answer = await answer
        return answer if isinstance(answer, Reply) else Reply(text=answer)

    async def close(self) -> None:
        self.closed += 1


class Puppet:
    """A simulator that makes the moves it is told to."""

    def __init__(self, *moves: Any) -> None:
        self.moves = list(moves)
        self.scenes: list[Scene] = []

    async def move(self, scene: Scene) -> Move:
        self.scenes.append(scene)
        move = self.moves.pop(0)
        if isinstance(move, BaseException):
            raise move
        if asyncio.iscoroutine(move):
            move = await move
        return Move(reasoning="so it is told", message=move) if isinstance(move, str) else move


def echo(request: Request) -> str:
    return f"answer {request.turn}"


async def hold(
    agent: Agent,
    puppet: Puppet | None = None,
    *,
    persona: Persona = GOAL,
    evaluators: tuple[Check, ...] = (),
    case_timeout: float | None = None,
    seed: int = 0,
    repeat: int = 0,
    **case: Any,
) -> Result:
    checks = Checks(evaluators, (), folder=Path())
    limits = Limits(retries=0, timeout=5)
    stage = Stage(use=Use(name="scripted"), calls=Calls(limits, phase="simulator", timeout=None, idempotent=True))
    if puppet is not None:
        stage._simulator = puppet
        stage.name = "puppet"
    room = Room(
        target=agent,
        calls=Calls(limits, phase="target", timeout=None, idempotent=False),
        checks=checks,
        bench=Bench(checks=checks, use=Use(name="none"), calls=Calls(limits, phase="judge", timeout=None, idempotent=True)),
        stage=stage,
        nonce="n",
        case_timeout=case_timeout,
    )
    made = checks.apply(Case(id="c", persona=persona, **case))
    return await run_trial(Trial(suite="s", case=made, repeat=repeat, position=0, digest="b2:0", seed=seed), room)


def said(result: Result) -> list[Any]:
    return [turn.input for turn in result.turns]


async def test_a_conversation_until_the_goal_is_met() -> None:
    agent, puppet = Agent(echo), Puppet("When?", "Where?", Move(reasoning="told both", stop="goal_completed", message="Bye"))
    result = await hold(agent, puppet, history=(Message(role="user", content={"text": "Hm"}),))
    assert said(result) == ["When?", "Where?"], "what is said at the end is not sent"
    assert (result.stop, result.error, agent.closed) == ("goal_completed", None, 1)
    assert result.simulation is not None
    assert (result.simulation.simulator, result.simulation.reasoning) == ("puppet", "told both")
    assert [scene.turn for scene in puppet.scenes] == [0, 1, 2]
    assert [message.content for message in puppet.scenes[-1].said] == ["Hm", "When?", "answer 0", "Where?", "answer 1"]
    assert [message.content for message in agent.requests[1].history] == [{"text": "Hm"}, "When?", "answer 0"]
    assert len({request.session_id for request in agent.requests}) == 1


async def test_tool_calls_are_examined_in_the_turn_they_were_made_in() -> None:
    replies = [Reply(text="a", tool_calls=(ToolCall(name="look"), ToolCall(name="book"))), Reply(text="b", tool_calls=())]
    agent = Agent(lambda request: replies[request.turn])
    puppet = Puppet("When?", "Where?", Move(reasoning="told both", stop="goal_completed"))
    result = await hold(agent, puppet, evaluators=(Check(evaluator="ToolSelectionAccuracy", origin="run"),))
    assert [[score.call for score in turn.scores] for turn in result.turns] == [[0, 1], [None]]
    assert "needs a judge" in result.turns[0].scores[1].reason
    assert result.scores == ()


async def test_the_first_message_is_the_files_and_costs_no_call() -> None:
    puppet = Puppet(Move(reasoning="done", stop="goal_completed"))
    result = await hold(Agent(echo), puppet, persona=Persona(context="", goal="g", input="Open?"))
    assert said(result) == ["Open?"]
    assert len(puppet.scenes) == 1


@pytest.mark.parametrize(("most", "asked"), [(1, 0), (2, 1), (5, 4)])
async def test_at_the_limit_nobody_is_asked_for_a_message_that_is_not_sent(most: int, asked: int) -> None:
    agent, puppet = Agent(echo), Puppet(*"bcdefgh")
    result = await hold(agent, puppet, persona=Persona(context="", goal="g", input="a", max_turns=most))
    assert (len(agent.requests), len(puppet.scenes), result.stop) == (most, asked, "max_turns")
    assert result.simulation is not None
    assert f"the limit of {most} turn" in result.simulation.reasoning


async def test_one_shape_of_input_for_the_whole_conversation() -> None:
    first = {"prompt": "Open?", "account": 7}
    agent, puppet = Agent(echo), Puppet("Where?", Move(reasoning="done", stop="goal_completed"))
    result = await hold(agent, puppet, persona=Persona(context="", goal="g", input=first))
    assert said(result) == [first, {"prompt": "Where?", "account": 7}]
    assert [request.input for request in agent.requests] == said(result)
    assert [message.content for message in puppet.scenes[-1].said] == ["Open?", "answer 0", "Where?", "answer 1"]


async def test_an_answer_that_fails_ends_it_and_the_transcript_is_kept() -> None:
    def second_fails(request: Request) -> Any:
        return "fine" if request.turn == 0 else Failure(code="http_500", message="broken")

    checks = (Check(evaluator="ExactMatch", origin="run"), Check(evaluator="TaskCompletion", origin="run", level="case"))
    agent, puppet = Agent(second_fails), Puppet("a", "b", "c")
    result = await hold(agent, puppet, evaluators=checks)
    assert (result.status, result.stop, len(agent.requests), len(puppet.scenes)) == ("error", "error", 2, 2)
    first, second = result.turns
    assert first.reply is not None
    assert (first.reply.text, second.reply) == ("fine", None)
    assert second.error is not None
    assert second.error.code == "http_500"
    assert [score.status for score in first.scores] == ["skip"], "what was answered is examined"
    assert [score.status for score in second.scores] == [score.status for score in result.scores] == ["error"]


@pytest.mark.parametrize(
    ("move", "code", "why"),
    [
        (CallError(Failure(code="timeout", message="no answer", phase="judge")), "timeout", "no answer"),
        (ValueError("oops"), "crashed", "ValueError: oops"),
        (Move(reasoning="r"), "bad_answer", "neither said anything nor ended"),
        (Move(reasoning="r", stop="tired"), "bad_answer", "a reason there is not: 'tired'"),  # type: ignore[arg-type] # it is wrong
    ],
)
async def test_a_simulator_that_fails_is_an_error_of_its_case(move: Any, code: str, why: str) -> None:
    checks = (
        Check(
            evaluator="ExactMatch",
            options={"match": "contains"},
            origin="run",
            given={"expected": "answer"},
            sees=("response",),
        ),
        Check(evaluator="TaskCompletion", origin="run", level="case"),
    )
    result = await hold(Agent(echo), Puppet("a", move), evaluators=checks)
    assert (result.status, result.stop, said(result)) == ("error", "error", ["a"])
    assert result.error is not None
    assert result.error.code == code
    assert result.error.message.startswith("the simulated user failed: ")
    assert why in result.error.message
    assert [score.status for score in result.turns[0].scores] == ["pass"]
    assert [(score.status, score.reason) for score in result.scores] == [("error", result.error.message)]


@pytest.mark.parametrize("move", ["", "  ", Move(reasoning="r", stop="goal_completed"), ValueError("no")])
async def test_a_user_that_never_says_anything_is_an_error(move: Any) -> None:
    result = await hold(Agent(echo), Puppet(move))
    assert (result.status, result.stop, result.turns) == ("error", "error", ())


async def test_an_empty_message_is_the_end_with_a_warning() -> None:
    result = await hold(Agent(echo), Puppet("a", " \n"))
    assert (result.stop, len(result.turns), result.error) == ("gave_up", 1, None)
    assert result.simulation is not None
    assert result.simulation.warnings == (
        "the simulated user sent an empty message, which was taken for the end of the conversation",
    )


async def test_half_a_character_harms_nothing() -> None:
    result = await hold(Agent(echo), Puppet("a\ud800b", Move(reasoning="\udfff", stop="gave_up")))
    assert said(result) == ["a?b"]


async def test_what_the_calls_took_is_added_up_also_of_one_that_failed() -> None:
    failed = CallError(Failure(code="bad_answer", message="no", phase="simulator"), {"calls": 2, "input_tokens": 30})
    result = await hold(Agent(echo), Puppet(Move(reasoning="r", message="a", usage={"calls": 1, "input_tokens": 5}), failed))
    assert result.simulation is not None
    assert result.simulation.usage == {"calls": 3, "input_tokens": 35}


async def test_the_time_of_a_case_runs_out_while_the_user_thinks_or_the_agent_does() -> None:
    async def forever() -> Any:
        await asyncio.Event().wait()

    slow = await hold(Agent(echo), Puppet("a", forever()), case_timeout=0.05)
    assert (slow.status, slow.stop, said(slow)) == ("error", "error", ["a"])
    assert slow.error is not None
    assert slow.error.code == "case_timeout"
    hung = await hold(Agent(lambda request: forever()), Puppet("a"), case_timeout=0.05)
    assert (hung.status, said(hung)) == ("error", ["a"])
    assert hung.turns[0].error is not None


async def test_checks_of_turns_examine_each_turn_and_those_of_the_whole_see_all() -> None:
    checks = (
        Check(evaluator="ExactMatch", options={"match": "contains"}, given={"expected": "answer"}, sees=("response",)),
        Check(evaluator="TaskCompletion", level="case", origin="file"),
    )
    result = await hold(Agent(echo), Puppet("a", "b", Move(reasoning="r", stop="gave_up")), checks=checks)
    assert [[score.name for score in turn.scores] for turn in result.turns] == [["ExactMatch"], ["ExactMatch"]]
    assert [score.name for score in result.scores] == ["TaskCompletion"]
    assert (result.stop, result.status) == ("gave_up", "pass"), "how a conversation ended is no verdict"


async def test_a_runs_evaluators_replace_defaults_and_take_their_level() -> None:
    default = Check(evaluator="TaskCompletion", level="case", origin="default")
    puppet = Puppet("a", Move(reasoning="r", stop="gave_up"))
    result = await hold(Agent(echo), puppet, checks=(default,), evaluators=(Check(evaluator="Coherence", origin="run"),))
    assert [score.name for score in result.scores] == ["Coherence"]
    assert result.turns[0].scores == ()


async def test_the_same_seed_says_the_same_and_another_repeat_does_not() -> None:
    def answers(request: Request) -> str:
        return "The shop opens at nine." if request.turn == 0 else "The shop is by the harbour."

    first = await hold(Agent(answers))
    assert (first.stop, len(first.turns)) == ("goal_completed", 2)
    assert said(await hold(Agent(answers))) == said(first)
    others = [said(await hold(Agent(answers), seed=seed)) for seed in range(1, 5)]
    repeats = [said(await hold(Agent(answers), repeat=repeat)) for repeat in range(1, 5)]
    assert all(each != said(first) for each in [*others[:1], *repeats[:1]])
    assert len({str(each) for each in [*others, *repeats]}) > 4
