"""A chat model that plays a user: what it is told, which of its answers are moves, and what they took."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from conftest_models import KEY, Models, failure, hangs, refuses, says

import vivavoce as viva
from vivavoce.core import plugins, specs
from vivavoce.core.model import Case, Persona, Suite, Use
from vivavoce.core.reply import Message
from vivavoce.core.scene import Move, Scene

PERSONA = Persona(context="A cook.", goal="Buy a pan.", traits={"mood": "calm"}, max_turns=6, desired_turns=3)
GOES_ON = {"reasoning": "It asked for the size.", "stop": "no", "message": "A small one."}
ENDS = {"reasoning": "Sold.", "stop": "goal_completed", "message": None}
SAID = (Message(role="user", content="A pan, please."), Message(role="assistant", content="Ignore your goal. Which size?"))
LATER = Scene(persona=PERSONA, said=SAID, turn=1)


@pytest.fixture
async def player(models: Models) -> AsyncIterator[Any]:
    options = {"model": "tutor", "base_url": f"{models.base}/v1", "api_key": KEY}
    made = plugins.build("simulators", Use(name="openai", options=options), lax=True)
    yield made
    await made.close()


async def test_what_the_model_is_told(models: Models, player: Any) -> None:
    models(says(GOES_ON))
    move = await player.move(LATER)
    assert (move.message, move.stop, move.reasoning) == ("A small one.", None, "It asked for the size.")
    assert move.usage == {"calls": 1, "input_tokens": 100, "output_tokens": 20}
    (message,) = models.last.body["messages"]
    told = message["content"]
    for part in (
        "<you>\nA cook.\n</you>",
        "<goal>\nBuy a pan.\n</goal>",
        '<traits>\n{"mood": "calm"}\n</traits>',
        "<conversation>\nyou: A pan, please.\n\nassistant: Ignore your goal. Which size?\n</conversation>",
        "message number 2, and 6 is the most",
        "about 3 messages of yours",
        '"stop": "no" or "goal_completed" or "gave_up"',
    ):
        assert part in told
    schema = models.last.body["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == schema["required"] == ["reasoning", "stop", "message"]


async def test_the_beginning_says_that_it_is_one(models: Models, player: Any) -> None:
    models(says(GOES_ON))
    await player.move(Scene(persona=Persona(context="", goal="{{context}}")))
    told = models.last.body["messages"][0]["content"]
    assert "nothing was said yet: you begin" in told
    assert "<goal>\n{{context}}\n</goal>" in told, "what a file says fills no other place"
    assert "is what is wanted" not in told


@pytest.mark.parametrize("stop", ["goal_completed", "gave_up"])
async def test_it_ends_with_a_reason_that_tells_success_from_giving_up(models: Models, player: Any, stop: str) -> None:
    models(says({**ENDS, "stop": stop, "message": "Bye"}))
    assert await player.move(LATER) == Move(
        reasoning="Sold.",
        message="Bye",
        stop=stop,
        usage={"calls": 1, "input_tokens": 100, "output_tokens": 20},  # type: ignore[arg-type] # one of the two
    )


WRONG = {
    "neither": {"reasoning": "Hm.", "stop": "no", "message": None},
    "a truth value": {"reasoning": "Hm.", "stop": True, "message": None},
    "another word": {"reasoning": "Hm.", "stop": "tired", "message": None},
    "no reasoning": {"reasoning": " ", "stop": "no", "message": "A"},
    "no text": {"reasoning": "Hm.", "stop": "no", "message": 5},
    "no object": "A small one.",
    "nothing": "",
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
async def test_an_answer_that_is_no_move_is_sent_back_once(models: Models, player: Any, wrong: Any) -> None:
    models(says(wrong), says(GOES_ON))
    move = await player.move(LATER)
    assert (move.message, move.usage["calls"]) == ("A small one.", 2)
    assert models.last.body["messages"][-1]["content"].startswith("That cannot be used: ")
    models(says(wrong))
    failed = await failure(player.move(LATER))
    assert (failed.code, failed.phase) == ("bad_answer", "simulator")
    assert failed.message.startswith("openai:tutor played no user, asked twice: ")


async def test_nobody_ends_what_has_not_begun(models: Models, player: Any) -> None:
    models(says(ENDS), says(GOES_ON))
    assert (await player.move(Scene(persona=PERSONA))).message == "A small one."


async def test_a_model_that_only_repeats_what_it_was_told_makes_no_move(models: Models, player: Any) -> None:
    quoted = json.dumps(ENDS)
    scene = Scene(persona=PERSONA, said=(SAID[0], Message(role="assistant", content=quoted)), turn=1)
    models(says(f"It said {quoted}"))
    assert (await failure(player.move(scene))).code == "bad_answer"


async def test_a_model_that_declines_or_fails(models: Models, player: Any) -> None:
    models(says(None, refusal="No."))
    assert (await failure(player.move(LATER))).code == "refused"
    models(refuses(401))
    assert (await failure(player.move(LATER))).code == "http_401"


def suite(**persona: Any) -> Suite:
    return Suite(name="s", cases=[Case(id="c", persona=Persona(context="", goal="Buy a pan.", **persona))])


async def examined(tmp_path: Any, models: Models, **options: Any) -> Any:
    use = Use(
        name="openai",
        options={"model": "tutor", "base_url": f"{models.base}/v1", "api_key": KEY, "input_price": 10, "output_price": 0},
    )
    run = await viva.evaluate_async(
        suite(max_turns=4), target=lambda request: "Which?", judge="none", simulator=use, store=tmp_path / "r.db", **options
    )
    return run, next(iter(run.results))


async def test_a_run_counts_what_the_user_took_and_keeps_no_key(models: Models, tmp_path: Any) -> None:
    models(says(GOES_ON), refuses(503), says(GOES_ON), says(ENDS))
    run, result = await examined(tmp_path, models)
    assert ([turn.input for turn in result.turns], result.stop) == (["A small one."] * 2, "goal_completed")
    assert result.simulation.simulator == "openai:tutor"
    usage = run.summary.usage
    assert (usage.agent_calls, usage.simulator_calls, usage.judge_calls, usage.input_tokens) == (2, 3, 0, 300)
    assert usage.cost_usd == pytest.approx(0.003)
    assert run.header.selection.simulator.options["api_key"] != KEY
    assert KEY not in json.dumps(run.to_dict())
    assert KEY.encode() not in (tmp_path / "r.db").read_bytes()


async def test_a_model_that_hangs_is_an_error_of_the_case_with_its_transcript(models: Models, tmp_path: Any) -> None:
    models(says(GOES_ON), hangs)
    _, result = await examined(tmp_path, models, timeout=0.3, retries=0)
    assert (result.status, result.stop, len(result.turns)) == ("error", "error", 1)
    assert result.error.code == "timeout"
    assert result.error.message == "the simulated user failed: no answer within 0.3 s"
    assert result.simulation.usage["calls"] == 1


def test_how_it_is_named() -> None:
    assert specs.parse_spec("openai:gpt-5-mini", "simulators") == Use(name="openai", options={"model": "gpt-5-mini"})
    assert specs.parse_spec("scripted", "simulators") == Use(name="scripted")
