"""Simulated conversations from end to end: the same for the same seed, ended for each of the four reasons."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import vivavoce
from vivavoce.core.errors import DatasetError, UsageError
from vivavoce.core.model import Selection, Use
from vivavoce.core.reply import Message
from vivavoce.core.result import Run
from vivavoce.run.planner import plan

from .conftest import Viva, write_cases

DESK = "python:vivavoce.samples.desk:Desk"
POLITE = {"tone": "polite"}
PERSONAS: list[dict[str, Any]] = [
    {"goal": "Find out when order HW-1042 arrives and what is in it.", "context": "You are a regular of the shop."},
    {"goal": "The customer wants to know the price of the blue Tarn mug and whether it is in stock.", "traits": POLITE},
    {"goal": "Find out where your order is.", "context": "You are in a hurry. Your order number is HW-1042."},
    {"goal": "Get a recipe for pancakes.", "context": "An impatient visitor."},
    {
        "goal": "Ask whether the shop is open on Saturday.",
        "context": "You live in Skerrow.",
        "input": "Are you open on Saturday?",
    },
    {"goal": "Open a ticket about a broken handle.", "traits": {"mood": "annoyed"}},
    {"goal": "Find out which colours the Firefly lantern comes in.", "max_turns": 2, "desired_turns": 4},
    {
        "goal": "You want to find out what sold best in March. Then ask how long gift cards are valid.",
        "context": "You are a buyer.",
    },
    {"goal": "A refund for a broken lantern.", "traits": {"tone": "casual"}},
    {"goal": "Savoir si le magasin est ouvert le samedi.", "context": "Une cliente de passage.", "max_turns": 1},
]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    cases = [{"id": f"user-{at}", "persona": each, "evaluators": {"ExactMatch": {}}} for at, each in enumerate(PERSONAS)]
    return write_cases(tmp_path / "users.jsonl", cases)


def held(suite: Path, **options: Any) -> Run:
    return vivavoce.evaluate(suite, **{"target": DESK, "judge": "none", "store": str(suite.parent / "runs.db"), **options})


def transcripts(run: Run) -> dict[tuple[str, int], list[Any]]:
    return {
        (result.case, result.repeat): [(turn.input, turn.reply.text if turn.reply else None) for turn in result.turns]
        for result in run.results
    }


def test_ten_conversations_are_the_same_for_a_seed_and_others_for_another(suite: Path) -> None:
    first = held(suite, seed=7)
    assert len(transcripts(first)) == 10
    assert transcripts(held(suite, seed=7, concurrency=1)) == transcripts(first), "in whatever order they are held"
    other = transcripts(held(suite, seed=8))
    differ = [case for case, said in transcripts(first).items() if said != other[case]]
    assert len(differ) >= 7, "but for those who say next to nothing of their own"
    assert transcripts(held(suite, seed=7, repeat=2)).items() >= transcripts(first).items()
    ends = Counter(result.stop for result in first.results)
    assert ends.keys() == {"goal_completed", "gave_up", "max_turns"}
    assert ends["goal_completed"] >= 5


def test_the_users_are_plausible(suite: Path) -> None:
    for (case, _), said in transcripts(held(suite)).items():
        for text, _ in said:
            assert 0 < len(text) < 250, case
            assert text.count("?") <= 1, "one thing at a time"
            assert not {"simulated", "persona", "goal"} & set(text.lower().split())
            if case != "user-9":
                assert not {"customer", "your", "you want"} & set(text.lower().replace(".", "").split()) - {"your"}


def fails_later(request: Any) -> str:
    """An agent that breaks at the second turn."""
    if request["turn"]:
        raise RuntimeError("out of order")
    return "Which order do you mean?"


def stubborn(request: Any) -> str:
    return "Please hold the line."


def helpful(request: Any) -> str:
    return f"You asked: {request['input']} Done."


def test_each_of_the_four_reasons_to_stop(tmp_path: Path) -> None:
    persona = {"goal": "Find out when order HW-1042 arrives.", "max_turns": 5}
    suite = write_cases(tmp_path / "one.jsonl", [{"id": "a", "persona": persona}])
    stops = {}
    for agent in (helpful, stubborn, fails_later):
        (result,) = held(suite, target=agent).results
        stops[agent.__name__] = (result.stop, len(result.turns))
        assert result.simulation is not None
        assert len(result.simulation.reasoning) > 20
    assert stops == {"helpful": ("goal_completed", 1), "stubborn": ("gave_up", 2), "fails_later": ("error", 2)}
    short = write_cases(tmp_path / "short.jsonl", [{"id": "a", "persona": {**persona, "max_turns": 1}}])
    (result,) = held(short, target=stubborn).results
    assert (result.stop, len(result.turns)) == ("max_turns", 1)


def test_a_turn_that_fails_keeps_the_transcript_and_harms_no_other_case(tmp_path: Path) -> None:
    def agent(request: Any) -> str:
        return fails_later(request) if request["case"] == "bad" else helpful(request)

    persona = {"goal": "Find out when order HW-1042 arrives.", "context": "Your order number is HW-1042."}
    suite = write_cases(tmp_path / "two.jsonl", [{"id": "bad", "persona": persona}, {"id": "good", "persona": persona}])
    bad, good = held(suite, target=agent).results
    assert (bad.status, bad.stop, len(bad.turns)) == ("error", "error", 2), "and no third is sent"
    assert bad.turns[0].reply is not None
    assert bad.turns[1].error is not None
    assert (good.stop, good.error) == ("goal_completed", None)


def test_scripted_scenarios_stop_likewise(tmp_path: Path) -> None:
    turns = [{"input": each} for each in ("one", "two", "three")]
    (result,) = held(write_cases(tmp_path / "s.jsonl", [{"id": "a", "turns": turns}]), target=fails_later).results
    assert [turn.error.code if turn.error else None for turn in result.turns] == [None, "crashed", "not_sent"]
    assert (result.status, result.stop, result.simulation) == ("error", None, None)


def test_seeds_of_foundry_are_simulated(tmp_path: Path) -> None:
    rows = [
        {"test_case_description": "A customer wants to know when order HW-1042 arrives.", "desired_num_turns": 2},
        {"test_case_id": "b", "test_case_description": "Get a recipe.", "simulation_configuration": {"max_num_turns": 1}},
    ]
    run = held(write_cases(tmp_path / "seeds.jsonl", rows))
    first, second = run.results
    assert (first.stop, len(first.turns), second.stop, len(second.turns)) == ("goal_completed", 2, "max_turns", 1)
    assert [score.name for score in first.scores] == ["TaskCompletion"]
    assert first.turns[0].scores == ()
    assert {case.persona.max_turns for case in run.cases if case.persona is not None} == {20, 1}


def test_what_examines_turns_examines_those_of_a_seed_when_asked_to(viva: Viva, tmp_path: Path) -> None:
    seed = {"test_case_description": "A customer wants to know when order HW-1042 arrives.", "desired_num_turns": 2}
    write_cases(tmp_path / "seeds.jsonl", [seed])
    asked = ["run", "seeds.jsonl", "--target", DESK, "--judge", "none", "--evaluator", 'RegexMatch={"patterns": ["."]}']
    refused = viva(*asked)
    assert refused.returncode == 2
    assert "seeds.jsonl:1: RegexMatch examines single turns, not whole conversations (--level turn" in refused.stderr
    done = viva(*asked, "--level", "turn", "--output", "run.json")
    assert done.returncode == 0, done.stderr
    (result,) = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["results"]
    assert [[score["name"] for score in turn["scores"]] for turn in result["turns"]] == [["RegexMatch"]] * 2
    assert viva(*asked, "--level", "conversation").returncode == 2


def test_nobody_answers_a_simulated_user_from_a_record(tmp_path: Path) -> None:
    persona = {"id": "p", "persona": {"goal": "Buy a mug."}}
    mixed = write_cases(tmp_path / "mixed.jsonl", [{"id": "r", "input": "Hi", "reply": "Hi"}, persona])
    with pytest.raises(DatasetError, match=r"mixed.jsonl:2: .*no agent answers the simulated user.*--target"):
        plan(Selection(paths=(str(mixed),)))
    alone = write_cases(tmp_path / "alone.jsonl", [persona])
    with pytest.raises(DatasetError, match="no agent answers the simulated user"):
        plan(Selection(paths=(str(alone),), target=Use(name="recorded")))
    with pytest.raises(UsageError, match="no target"):
        plan(Selection(paths=(str(alone),)))


def test_an_object_whose_words_cannot_be_told_is_refused_before_anything_is_called(tmp_path: Path) -> None:
    persona = {"goal": "Buy a mug.", "input": {"a": "x", "b": "y"}}
    path = write_cases(tmp_path / "objects.jsonl", [{"id": "p", "persona": persona}])
    with pytest.raises(DatasetError, match=r"objects.jsonl:1: .*in which of its fields later messages belong cannot be told"):
        plan(Selection(paths=(str(path),), target=Use(name="python", options={"spec": "a:b"})))


def test_the_simulator_is_part_of_a_plan_only_where_somebody_is_simulated(suite: Path) -> None:
    def digest(path: Path, simulator: str | None) -> tuple[str, Any]:
        target = Use(name="python", options={"spec": "vivavoce.samples.desk:Desk"})
        use = None if simulator is None else Use(name="openai", options={"model": simulator, "api_key": "k"})
        header = plan(Selection(paths=(str(path),), target=target, judge=Use(name="none"), simulator=use)).header
        return header.digest, header.selection.simulator

    assert digest(suite, None) != digest(suite, "a")
    assert digest(suite, None)[1] == Use(name="scripted")
    assert len({digest(suite, each)[0] for each in ("a", "b", "b")}) == 2
    scripted = write_cases(suite.parent / "scripted.jsonl", [{"id": "a", "input": "Hi", "expected": "Hi"}])
    assert digest(scripted, "a") == digest(scripted, None) == (digest(scripted, "b")[0], None)


def test_from_the_command_line(viva: Viva, suite: Path) -> None:
    (suite.parent / "viva.toml").write_text('[simulator]\nspec = "scripted"\n', encoding="utf-8")
    done = viva("run", "users.jsonl", "--target", DESK, "--judge", "none", "--output", "run.json", "--output", "s.csv")
    assert done.returncode == 1, done.stderr
    assert "Simulated  10 conversations" in done.stdout
    document = json.loads((suite.parent / "run.json").read_text(encoding="utf-8"))
    assert document["plan"]["simulator"] == {"name": "scripted", "options": {}}
    assert {result["stop"] for result in document["results"]} == {"goal_completed", "gave_up", "max_turns"}
    assert all(result["simulation"]["simulator"] == "scripted" for result in document["results"])
    table = (suite.parent / "s.csv").read_text(encoding="utf-8-sig")
    assert table.splitlines()[0].endswith(",stop")
    assert ",goal_completed" in table
    shown = viva("run", "--print-config").stdout
    assert [line.split() for line in shown.splitlines() if line.startswith("simulator")] == [
        ["simulator", '"scripted"', "viva.toml:2"]
    ]
    wrong = viva("run", "users.jsonl", "--target", DESK, "--simulator", "scripped")
    assert wrong.returncode == 2
    assert "scripted" in wrong.stderr
    assert viva("resume", "last", "--retry-errors").returncode == 1


def test_history_of_a_case_is_no_turn_of_the_user(tmp_path: Path) -> None:
    history = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello, what can I do?"}]
    case = {"id": "a", "history": history, "persona": {"goal": "Find out when order HW-1042 arrives."}}
    seen: list[Any] = []

    def agent(request: Any) -> str:
        seen.append(request["history"])
        return helpful(request)

    (result,) = held(write_cases(tmp_path / "h.jsonl", [case]), target=agent).results
    assert (result.stop, len(result.turns), [len(each) for each in seen]) == ("goal_completed", 1, [2])
    assert Message(**seen[0][0]) == Message(role="user", content="Hi")
