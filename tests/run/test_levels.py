"""What a run asks of the formats that leave something open: mappings, levels, and whether an agent answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from vivavoce.core.errors import DatasetError, PluginError, UsageError
from vivavoce.core.model import Case, Check, Selection, Turn, Use
from vivavoce.core.place import Problems
from vivavoce.core.source import Source
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
    with pytest.raises(PluginError, match=r"not whole conversations \(--level turn, or no --level, examines the last"):
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
    case = Case(id="a", checks=(Check(evaluator="NoSuch", origin="default"),))
    found = Problems()
    Checks((EXACT,), ()).validate(None, case, found)
    assert not found.total
    assert Checks((EXACT,), ()).apply(case).checks == ()


SEED = {"test_case_description": "Somebody asks.", "desired_num_turns": 1}
NOT_WHOLE = "ExactMatch examines single turns, not whole conversations"
EVERY_TURN = "(--level turn examines every turn of a simulated conversation)"


def examined(folder: Path, name: str, *evaluators: str, **chosen) -> list[tuple[str, str | None]]:
    """What examines the one case of a file, each check with its level."""
    typed = tuple(Check(evaluator=each, origin="run") for each in evaluators)
    (trial,) = plan(Selection(paths=(name,), evaluators=typed, target=ASKED, **chosen), folder=folder).trials
    assert all(not turn.checks for turn in trial.case.turns)
    return [(check.evaluator, check.level) for check in trial.case.checks]


def test_a_simulated_conversation_is_examined_as_a_whole_unless_turns_are_asked_for(rows):
    folder = rows(SEED)
    assert examined(folder, "a.jsonl") == [("TaskCompletion", "case")]
    assert examined(folder, "a.jsonl", level="turn") == [("TaskCompletion", "turn")]
    assert examined(folder, "a.jsonl", "Coherence") == [("Coherence", "case")]
    assert examined(folder, "a.jsonl", "ExactMatch", "Coherence", level="turn") == [
        ("ExactMatch", "turn"),
        ("Coherence", "turn"),
    ]
    with pytest.raises(PluginError, match=NOT_WHOLE):
        planned(folder, level="conversation", target=ASKED)


def test_what_cannot_examine_a_simulated_conversation_is_told_at_every_seed(rows):
    folder = rows(SEED, {"query": "q"}, SEED)
    assert problems(folder, target=ASKED) == [f"a.jsonl:{line}: {NOT_WHOLE} {EVERY_TURN}" for line in (1, 3)]
    assert planned(folder, target=ASKED, level="turn").count == 3
    with pytest.raises(DatasetError) as caught:
        planned(rows(*[SEED] * 1000, name="a.jsonl"), target=ASKED)
    assert (len(caught.value.problems), caught.value.total) == (100, 1000)


@pytest.fixture
def document(tmp_path: Path):
    """A document with a seed, or another row."""

    def document(*evaluators: str, row: dict = SEED, **more) -> Path:
        named = {"evaluators": list(evaluators)} if evaluators else {}
        (tmp_path / "d.json").write_text(json.dumps({**named, **more, "data": [row]}), encoding="utf-8")
        return tmp_path

    return document


def refused(folder: Path, *evaluators: str, **chosen) -> list[str]:
    with pytest.raises(DatasetError) as caught:
        examined(folder, "d.json", *evaluators, **chosen)
    return [str(problem) for problem in caught.value.problems]


def test_what_a_document_names_examines_a_simulated_conversation_as_a_whole(document):
    assert examined(document("builtin.coherence"), "d.json") == [("Coherence", "case")]
    folder = document("builtin.coherence", "ExactMatch")
    assert refused(folder) == [f"d.json:1: evaluators[1]: {NOT_WHOLE} {EVERY_TURN}"]
    assert examined(folder, "d.json", level="turn") == [("Coherence", "turn"), ("ExactMatch", "turn")]
    folder = document("ExactMatch", evaluation_level="turn")
    assert examined(folder, "d.json", "PartialMatch") == [("PartialMatch", None), ("ExactMatch", "turn")]


def test_what_a_run_adds_to_a_document_follows_the_same_rule(document):
    folder = document("builtin.coherence")
    assert refused(folder, "ExactMatch") == [f"d.json:1: data[0]: {NOT_WHOLE} {EVERY_TURN}"]
    assert examined(folder, "d.json", "TaskCompletion") == [("TaskCompletion", "case"), ("Coherence", "case")]
    folder = document(row={"query": "q"}, evaluation_level="conversation")
    assert examined(folder, "d.json", "Coherence") == [("Coherence", "case")]
    assert refused(folder, "ExactMatch") == [f"d.json:1: data[0]: {NOT_WHOLE} (--level turn examines the last answer)"]
    assert examined(document(evaluation_level="turn"), "d.json", "ExactMatch") == [("ExactMatch", None)]


def test_what_is_left_out_need_not_examine_the_whole(document, rows):
    folder = document("builtin.coherence", "ExactMatch")
    assert examined(folder, "d.json", "F1Score", only=("coherence",)) == [("Coherence", "case")]
    assert refused(folder, only=("exact_match",)) == [f"d.json:1: evaluators[1]: {NOT_WHOLE} {EVERY_TURN}"]
    (problem,) = refused(document("builtin.coherence", "ExactMatsch"), only=("coherence",))
    assert "ExactMatsch" in problem, "which is there at no level"


@pytest.mark.parametrize("chosen", [{"cases": ("row",)}, {"limit": 1}])
def test_cases_that_are_not_selected_need_not_be_such_as_can_be_examined(rows, chosen):
    folder = rows({"id": "row", "query": "q"}, {"id": "seed", **SEED}, {"id": "other", **SEED})
    made = planned(folder, target=ASKED, **chosen)
    assert [trial.case.id for trial in made.trials] == ["row"]
    assert made.header.selection.simulator is None, "nobody is simulated"
    assert problems(folder, target=ASKED, cases=("row", "seed")) == [f"a.jsonl:2: {NOT_WHOLE} {EVERY_TURN}"]
    assert problems(folder, target=ASKED, limit=2) == [f"a.jsonl:2: {NOT_WHOLE} {EVERY_TURN}"]


def test_what_a_file_says_wrongly_is_told_whatever_is_selected(tmp_path):
    wrong = {"prompt": "q", "evaluators": {"ExactMatsch": {}}}
    (tmp_path / "m.json").write_text(json.dumps({"schemaVersion": "1.8.0", "items": [{"prompt": "q"}, wrong]}))
    with pytest.raises(DatasetError, match="ExactMatsch"):
        plan(Selection(paths=("m.json",), target=ASKED, limit=1), folder=tmp_path)


def test_personas_of_other_formats_are_examined_turn_by_turn(tmp_path):
    native = {"id": "a", "persona": {"goal": "Buy a mug."}}
    scenario = {"scenario_id": "a", "actor_profile": {"context": "A guest.", "goal": "Buy a mug."}, "input": "Hello"}
    for name, case in (("n.jsonl", native), ("s.json", {"scenarios": [scenario]})):
        (tmp_path / name).write_text(json.dumps(case), encoding="utf-8")
        assert examined(tmp_path, name, "ExactMatch") == [("ExactMatch", None)]


def test_levels_of_a_run():
    assert [check.level for check in at_level((EXACT,), "conversation")] == ["case"]
    assert [check.level for check in at_level((EXACT,), "turn")] == ["turn"]
    assert at_level((EXACT,), None) == (EXACT,)


def test_a_name_that_the_file_gives_another_evaluator_is_told():
    theirs = Check(evaluator="F1Score", name="two", origin="file", path="evaluators[0]")
    for ours, count in ((replace(EXACT, name="two"), 1), (Check(evaluator="F1Score", name="two", origin="run"), 0)):
        found = Problems()
        Checks((ours,), ()).validate(Source("s.json"), Case(id="a", turns=(Turn(input="q", checks=(theirs,)),)), found)
        assert found.total == count
        assert all("two:F1Score and two:ExactMatch of the command line have one name" in str(each) for each in found.found())
