"""From files to a plan: what is found, what is refused, what is applied."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core.errors import DatasetError, PluginError, UsageError
from vivavoce.core.model import Case, Check, Expectation, Plan, Selection, Suite, Turn, Use
from vivavoce.core.reply import Reply
from vivavoce.run.planner import plan, readings, replan

ANSWERED = {"input": "2 + 2?", "expected": "4", "reply": "4"}


def write(folder: Path, name: str, *cases: dict[str, Any]) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return path


def write_m365(folder: Path, name: str, **document: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps({"schemaVersion": "1.8.0", **document}, indent=2), encoding="utf-8")
    return path


def checks_of(made: Plan) -> list[list[tuple[str, str]]]:
    return [[(check.evaluator, check.origin) for turn in trial.case.turns for check in turn.checks] for trial in made.trials]


def test_a_plan_streams_its_trials_in_dataset_order(tmp_path: Path) -> None:
    write(tmp_path, "b.jsonl", ANSWERED, ANSWERED)
    write(tmp_path, "a.jsonl", ANSWERED)
    made = plan(Selection(paths=("b.jsonl", "a.jsonl"), repeat=2), folder=tmp_path)
    told = [(trial.suite, trial.case.id, trial.repeat, trial.position) for trial in made.trials]
    assert told == [
        ("b", "#0", 0, 0),
        ("b", "#0", 1, 1),
        ("b", "#1", 0, 2),
        ("b", "#1", 1, 3),
        ("a", "#0", 0, 4),
        ("a", "#0", 1, 5),
    ]
    assert made.count == 6
    assert list(made.trials) == list(made.trials)


def test_a_folder_means_its_own_files_and_the_others_are_named(tmp_path: Path) -> None:
    write(tmp_path, "evals/one.jsonl", ANSWERED)
    write(tmp_path, "evals/sub/two.jsonl", ANSWERED)
    (tmp_path / "evals/notes.txt").write_text("not a dataset")
    (tmp_path / "evals/run.json").write_text('{"format": "viva.run/1", "results": []}')
    (tmp_path / "evals/one.jsonl.bak.20260101000000").write_text("{}")
    made = plan(Selection(paths=("evals",)), folder=tmp_path)
    assert [file.path for file in made.header.files] == ["evals/one.jsonl"]
    (warning,) = made.warnings
    for name in ("notes.txt", "run.json", "one.jsonl.bak.20260101000000"):
        assert name in warning


def test_files_are_told_by_content_in_any_dress(tmp_path: Path) -> None:
    line = json.dumps({**ANSWERED, "input": "äöü 你好"}, ensure_ascii=False).encode()
    (tmp_path / "bom.JSONL").write_bytes(b"\xef\xbb\xbf" + line + b"\r\n")
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(line))
    (tmp_path / "misnamed.txt").write_bytes(line)
    paths = ("bom.JSONL", "packed.jsonl.gz", "misnamed.txt")
    made = plan(Selection(paths=paths), folder=tmp_path)
    assert [(trial.suite, trial.case.turns[0].input) for trial in made.trials] == [
        ("bom", "äöü 你好"),
        ("packed", "äöü 你好"),
        ("misnamed", "äöü 你好"),
    ]


def test_one_file_named_twice_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, "evals/one.jsonl", ANSWERED)
    made = plan(Selection(paths=("evals", "evals/one.jsonl", "./evals/one.jsonl")), folder=tmp_path)
    assert made.count == 1


def test_suites_of_one_name_take_their_path(tmp_path: Path) -> None:
    write(tmp_path, "x/same.jsonl", ANSWERED)
    write(tmp_path, "y/same.jsonl", ANSWERED)
    made = plan(Selection(paths=("x/same.jsonl", "y/same.jsonl")), folder=tmp_path)
    assert [trial.suite for trial in made.trials] == ["x/same.jsonl", "y/same.jsonl"]


def test_every_problem_of_every_file_is_told_at_once(tmp_path: Path) -> None:
    write(tmp_path, "bad.jsonl", {"inptu": "x", "expected": "4"}, ANSWERED, {"input": "x", "expeceted": "4"})
    (tmp_path / "what.xyz").write_text("certainly nothing\nknown")
    (tmp_path / "empty.json").write_text("")
    with pytest.raises(DatasetError) as caught:
        plan(Selection(paths=("bad.jsonl", "what.xyz", "empty.json", "gone.json"), format=None), folder=tmp_path)
    told = str(caught.value)
    assert "bad.jsonl:3" in told
    assert 'did you mean "expected"?' in told
    assert "what.xyz: is of no known format" in told
    assert "certainly nothing" in told
    assert "empty.json: is empty" in told
    assert "gone.json: there is no such file" in told


def test_lenient_turns_unknown_fields_into_warnings(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", {**ANSWERED, "expeceted": "4"})
    with pytest.raises(DatasetError):
        plan(Selection(paths=("a.jsonl",), format="native"), folder=tmp_path)
    made = plan(Selection(paths=("a.jsonl",), format="native", lenient=True), folder=tmp_path)
    assert made.count == 1
    assert any("expeceted" in warning for warning in made.warnings)


def test_unknown_evaluators_and_options_are_problems_with_their_place(tmp_path: Path) -> None:
    items = [
        {"prompt": "x", "evaluators": {"ToolCallAccuracy": {}}},
        {"prompt": "x", "evaluators": {"Relevence": {}}},
        {"prompt": "x"},
    ]
    write_m365(tmp_path, "a.json", items=items)
    with pytest.raises(DatasetError) as caught:
        plan(Selection(paths=("a.json",)), folder=tmp_path)
    told = {problem.path: problem for problem in caught.value.problems}
    assert 'unknown evaluator "ToolCallAccuracy"' in told["items[0].evaluators.ToolCallAccuracy"].message
    assert 'did you mean "Relevance"?' in str(told["items[1].evaluators.Relevence"])
    assert told["items[1].evaluators.Relevence"].line == 13


def test_a_mistake_of_the_whole_file_is_told_once(tmp_path: Path) -> None:
    write_m365(tmp_path, "a.json", default_evaluators={"Nothing": {}}, items=[{"prompt": "x"}] * 50)
    with pytest.raises(DatasetError) as caught:
        plan(Selection(paths=("a.json",)), folder=tmp_path)
    assert [problem.path for problem in caught.value.problems] == ["default_evaluators.Nothing"]


RUN = Check(evaluator="ExactMatch", origin="run", options={"case_sensitive": True})


def test_the_command_line_replaces_defaults_and_adds_to_what_the_file_names(tmp_path: Path) -> None:
    item = {"prompt": "x", "response": "4"}
    write_m365(tmp_path, "plain.json", items=[item, {**item, "evaluators": {"Citations": {}}}])
    asked = {"PartialMatch": {}}
    write_m365(tmp_path, "named.json", default_evaluators=asked, items=[item, {**item, "evaluators": {"ExactMatch": {}}}])
    made = plan(Selection(paths=("plain.json", "named.json"), evaluators=(RUN,)), folder=tmp_path)
    assert checks_of(made) == [
        [("ExactMatch", "run")],
        [("ExactMatch", "run"), ("Citations", "item")],
        [("ExactMatch", "run"), ("PartialMatch", "file")],
        [("PartialMatch", "file"), ("ExactMatch", "item")],
    ]
    untouched = plan(Selection(paths=("plain.json",)), folder=tmp_path)
    assert checks_of(untouched)[1] == [("Relevance", "default"), ("Coherence", "default"), ("Citations", "item")]


def test_only_filters_what_was_resolved(tmp_path: Path) -> None:
    evaluators = {"ExactMatch": {}, "PartialMatch": {}}
    write_m365(tmp_path, "a.json", items=[{"prompt": "x", "response": "4", "evaluators": evaluators}])
    made = plan(Selection(paths=("a.json",), only=("partial_match",)), folder=tmp_path)
    assert checks_of(made) == [[("PartialMatch", "item")]]


def test_only_what_is_not_there_leaves_nothing_to_check(tmp_path: Path) -> None:
    write_m365(tmp_path, "a.json", items=[{"prompt": "x", "response": "4", "evaluators": {"ExactMatch": {}}}])
    for look in (plan, readings):
        with pytest.raises(UsageError, match=r'--only ExatcMatch leaves no check.*did you mean "ExactMatch"'):
            look(Selection(paths=("a.json",), only=("ExatcMatch",)), folder=tmp_path)
        with pytest.raises(UsageError, match="--only PartialMatch leaves no check"):
            look(Selection(paths=("a.json",), only=("PartialMatch",)), folder=tmp_path)


def test_cases_are_chosen_by_glob_category_and_limit(tmp_path: Path) -> None:
    cases = [{**ANSWERED, "id": f"kb-{n}" if n % 2 else f"tool-{n}", "category": "odd" if n % 2 else "even"} for n in range(6)]
    write(tmp_path, "a.jsonl", *cases)

    def ids(**chosen: Any) -> list[str]:
        return [trial.case.id for trial in plan(Selection(paths=("a.jsonl",), **chosen), folder=tmp_path).trials]

    assert ids(cases=("kb-*",)) == ["kb-1", "kb-3", "kb-5"]
    assert ids(cases=("kb-1", "tool-4")) == ["kb-1", "tool-4"]
    assert ids(categories=("even",), limit=2) == ["tool-0", "tool-2"]
    with pytest.raises(UsageError, match=r"no case matches --case nope; the files hold 6, such as tool-0, kb-1"):
        ids(cases=("nope",))


def test_without_a_target_recorded_answers_are_examined_and_else_the_ways_are_told(tmp_path: Path) -> None:
    write(tmp_path, "answered.jsonl", ANSWERED)
    write(tmp_path, "asked.jsonl", {"input": "2 + 2?", "expected": "4"})
    assert plan(Selection(paths=("answered.jsonl",)), folder=tmp_path).header.selection.target == Use(name="recorded")
    with pytest.raises(UsageError, match=r"--target, as one of: .*command:ARGV, .*python:MODULE:NAME"):
        plan(Selection(paths=("asked.jsonl",)), folder=tmp_path)


def test_what_files_cannot_give_is_told_before_any_call(tmp_path: Path) -> None:
    item = {"prompt": "x", "response": "4"}
    write_m365(
        tmp_path,
        "a.json",
        default_evaluators={"Similarity": {}},
        items=[item, {**item, "expected_response": "4"}, {**item, "evaluators": {"ExactMatch": {}}}],
    )
    made = plan(Selection(paths=("a.json",)), folder=tmp_path)
    assert sorted(made.warnings) == [
        "ExactMatch needs an expected response (`expected_response`, `expected`, `ground_truth`), which 1 turn has not: "
        "it will be an error, since the item asks for it there",
        "Similarity needs an expected response (`expected_response`, `expected`, `ground_truth`), which 2 turns have not: "
        "it will be skipped there",
    ]


def test_a_plan_is_the_same_run_only_if_nothing_that_matters_changed(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", ANSWERED)
    made = plan(Selection(paths=("a.jsonl",)), folder=tmp_path)
    assert plan(Selection(paths=("a.jsonl",)), folder=tmp_path).header.digest == made.header.digest
    assert plan(Selection(paths=("a.jsonl",), seed=1), folder=tmp_path).header.digest != made.header.digest
    assert replan(made.header, folder=tmp_path).header == made.header
    path.write_text(json.dumps({**ANSWERED, "expected": "5"}))
    with pytest.raises(UsageError, match=r"a\.jsonl: changed"):
        replan(made.header, folder=tmp_path)
    path.unlink()
    with pytest.raises(UsageError, match=r"a\.jsonl: is gone"):
        replan(made.header, folder=tmp_path)


def test_mistakes_of_the_command_line_are_told(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", ANSWERED)
    for chosen, message in (
        ({"evaluators": (Check(evaluator="ExactMacth", origin="run"),)}, 'did you mean "ExactMatch"'),
        ({"evaluators": (Check(evaluator="ExactMatch", options={"case": 1}, origin="run"),)}, 'unknown option "case"'),
        ({"target": Use(name="htpt")}, 'did you mean "http"'),
        ({"format": "m356"}, 'did you mean "m365"'),
    ):
        with pytest.raises(PluginError, match=message):
            plan(Selection(paths=("a.jsonl",), **chosen), folder=tmp_path)


def test_suites_made_in_python_are_planned_too() -> None:
    case = Case(id="a", turns=(Turn(input="x", expect=Expectation(response="4"), reply=Reply(text="4")),))
    made = plan(Selection(target=Use(name="recorded")), suites=(Suite(name="mine", cases=[case]),))
    assert [(trial.suite, trial.case) for trial in made.trials] == [("mine", case)]
    other = plan(Selection(target=Use(name="recorded")), suites=(Suite(name="mine", cases=[Case(id="b", turns=case.turns)]),))
    assert made.header.digest != other.header.digest


def test_readings_tell_what_is_in_each_file(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", {**ANSWERED, "evaluators": {"ExactMatch": {}}}, {"turns": [ANSWERED, ANSWERED]})
    (found,), warnings = readings(Selection(paths=("a.jsonl",)), folder=tmp_path)
    assert (found.format, found.cases, found.turns) == ("native", 2, 3)
    assert found.evaluators["ExactMatch"] == 1
    assert not warnings


def test_standard_input_is_kept_so_that_it_can_be_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(ANSWERED) + "\n"
    for _ in range(2):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        made = plan(Selection(paths=("-",)), folder=tmp_path)
        assert [trial.suite for trial in made.trials] == ["stdin"]
        assert [(tmp_path / file.path).read_text() for file in made.header.files] == [text]
    assert replan(made.header, folder=tmp_path).count == 1
