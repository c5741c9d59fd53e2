"""What a run asks of the formats that leave something open: mappings, levels, and whether an agent answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vivavoce.core.errors import DatasetError, PluginError, UsageError
from vivavoce.core.model import Case, Check, Selection, Use
from vivavoce.core.place import Problems
from vivavoce.run.checks import Checks, at_level
from vivavoce.run.planner import plan, readings

EXACT = Check(evaluator="ExactMatch", origin="run")
ASKED = Use(name="python", options={"spec": "json:dumps"})


@pytest.fixture
def rows(tmp_path: Path):
    def rows(*given: dict, name: str = "a.jsonl") -> Path:
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
        return tmp_path

    return rows


def planned(folder: Path, **chosen):
    return plan(Selection(paths=("a.jsonl",), evaluators=(EXACT,), **chosen), folder=folder)


def problems(folder: Path, **chosen) -> list[str]:
    with pytest.raises(DatasetError) as caught:
        planned(folder, **chosen)
    return [str(problem) for problem in caught.value.problems]


def test_a_mapping_reaches_the_format(rows):
    folder = rows({"question": "q", "answer": "a", "truth": "t"})
    places = {"query": "{{item.question}}", "response": "answer", "ground_truth": "${data.truth}"}
    (trial,) = planned(folder, map=places).trials
    (turn,) = trial.case.turns
    assert (turn.input, turn.reply.text, turn.expect.response) == ("q", "a", "t")


def test_a_mapping_and_a_level_change_the_plan(rows):
    folder = rows({"query": "q", "response": "a", "other": "b"})
    digests = {
        plan(
            Selection(paths=("a.jsonl",), evaluators=(Check(evaluator="Coherence", origin="run"),), **chosen), folder=folder
        ).header.digest
        for chosen in ({}, {"map": {"response": "other"}}, {"level": "conversation"})
    }
    assert len(digests) == 3


@pytest.mark.parametrize("chosen", [{"map": {"query": "x"}}, {"level": "turn"}])
def test_what_no_file_can_do_is_a_usage_error(rows, chosen):
    folder = rows({"input": "q", "reply": "a"})
    with pytest.raises(UsageError, match=f"--{next(iter(chosen))} means nothing .* native"):
        planned(folder, **chosen)


def test_a_level_there_is_not(rows):
    with pytest.raises(UsageError, match=r'"turns" is no level .did you mean "turn"'):
        planned(rows({"query": "q", "response": "a"}), level="turns")


def test_an_evaluator_that_cannot_examine_the_whole_is_told_before_anything_is_read(rows):
    with pytest.raises(PluginError, match="ExactMatch examines single turns, not whole conversations"):
        planned(rows({"query": "q", "response": "a"}), level="conversation")


def test_an_evaluator_of_the_run_takes_the_place_of_defaults_at_the_level_named(rows):
    folder = rows({"query": "q", "response": "a"})
    (trial,) = plan(
        Selection(paths=("a.jsonl",), level="conversation", evaluators=(Check(evaluator="Coherence", name="c", origin="run"),)),
        folder=folder,
    ).trials
    assert [(check.name, check.level) for check in trial.case.checks] == [("c", "case")]
    assert trial.case.turns[0].checks == ()


def test_rows_without_an_answer_are_told_when_nobody_answers(rows):
    folder = rows({"query": "q", "response": "a"}, {"query": "r"}, {"messages": [{"role": "user", "content": "s"}]})
    wanted = [f"a.jsonl:{line}: holds no answer, and no target was named (name an agent with --target)" for line in (2, 3)]
    assert problems(folder) == wanted
    assert [text.replace("recorded ", "") for text in problems(folder, target=Use(name="recorded"))] == [
        text.replace(", and no target was named", "") for text in wanted
    ]
    assert planned(folder, target=ASKED).count == 3
    assert planned(folder, limit=1).count == 1
    assert planned(folder, cases=("#0",)).count == 1
    assert len(readings(Selection(paths=("a.jsonl",)), folder=folder)[0]) == 1


def test_without_any_answer_a_target_is_asked_for(rows):
    with pytest.raises(UsageError, match="no target: the files hold no answers"):
        planned(rows({"query": "q"}))


def test_rows_that_say_nothing_cannot_be_put_to_an_agent(rows):
    folder = rows({"response": "a", "ground_truth": "a"})
    assert planned(folder).count == 1
    assert problems(folder, target=ASKED) == [
        "a.jsonl:1: says nothing to the agent "
        "(fetch the answer, if a column names one that a service keeps: --target-option fetch=COLUMN)"
    ]


def test_a_part_of_an_answer_needs_somebody_who_answers(rows):
    folder = rows({"query": "q", "response": "a"})
    (problem,) = problems(folder, map={"response": "{{sample.output_text}}"})
    assert problem == (
        "a.jsonl: --map response={{sample.output_text}} stands for what a target answers, and no target was named "
        "(name one with --target, or map a column)"
    )
    assert planned(folder, map={"response": "{{sample.output_text}}"}, target=ASKED).count == 1


def test_defaults_that_are_replaced_need_not_exist():
    case = Case(id="a", checks=(Check(evaluator="NoSuch", origin="default", level="case"),))
    found = Problems()
    Checks((EXACT,), ()).validate(None, case, found)
    assert not found.total
    assert Checks((EXACT,), ()).apply(case).checks == ()


def test_levels_of_a_run():
    assert [check.level for check in at_level((EXACT,), "conversation")] == ["case"]
    assert [check.level for check in at_level((EXACT,), "turn")] == ["turn"]
    assert at_level((EXACT,), None) == (EXACT,)
