"""Evaluators of a run and of files by name: the same one twice is one, and two of one name are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import vivavoce
from vivavoce.core.errors import BadOptions, DatasetError, UsageError
from vivavoce.core.model import Case, Check, Selection, Suite, Turn, Use
from vivavoce.core.reply import Reply
from vivavoce.run import asking
from vivavoce.run.checks import distinct
from vivavoce.run.planner import plan

DOCUMENT = {"data": [{"query": "q", "response": "b d", "ground_truth": "b c"}]}
ASKED = Use(name="python", options={"spec": "json:dumps"})
NATIVE = {"input": "q", "expected": "b c", "reply": "b d"}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    (tmp_path / "a.jsonl").write_text('{"query": "q", "response": "a", "ground_truth": "a"}\n')
    return tmp_path


def asked(*texts: str) -> tuple[Check, ...]:
    return tuple(asking.check(text) for text in texts)


def test_one_that_is_named_again_in_the_same_way_is_one() -> None:
    spelt = asked("f1_score", "F1Score", "F1ScoreEvaluator", "builtin.f1_score", "f1-score={}")
    assert [check.evaluator for check in distinct(spelt)] == ["F1Score"]
    assert len(distinct(asked('a:F1Score={"threshold": 1}', 'A:f1_score={"threshold":1}'))) == 1
    assert distinct((Check(evaluator="f1_score", origin="run"), *spelt))[0].evaluator == "f1_score"


def test_names_of_their_own_keep_two_apart() -> None:
    both = asked("F1Score", 'all:F1Score={"threshold": 1}')
    assert distinct(both) == both


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            ("f1_score", 'F1Score={"threshold": 1}'),
            'F1Score and F1Score={"threshold":1} are two checks of one name, F1Score; keep one, or give one a name of its own, '
            'as NAME:F1Score={"threshold":1}',
        ),
        (
            ("a:ExactMatch", "A:F1Score"),
            "a:ExactMatch and A:F1Score are two checks of one name, a; keep one, or give one a name of its own, as "
            "NAME:F1Score",
        ),
        (("ExactMatch", "exact_match:F1Score"), "are two checks of one name, ExactMatch"),
    ],
)
def test_two_of_one_name_are_refused_before_anything_is_read(rows: Path, texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        plan(Selection(paths=("a.jsonl",), evaluators=asked(*texts)), folder=rows)
    assert message in str(caught.value)


def test_long_options_are_cut_in_the_message() -> None:
    with pytest.raises(UsageError, match=r"\.\.\.") as caught:
        distinct(asked("RegexMatch", f'RegexMatch={{"patterns": ["{"x" * 1000}"]}}'))
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("RegexMatch", '{"patterns": ["..."]}'),
        ("LabelModel", '{"labels": ["..."], "passing_labels": ["..."]}'),
        ("RetrievalQuery", '{"selector": "..."}'),
        ("Rubric", '{"dimensions": [{"id": "...", "description": "..."}]}'),
    ],
)
def test_options_that_are_missing_are_shown_as_they_are_written(rows: Path, name: str, options: str) -> None:
    with pytest.raises(BadOptions) as caught:
        plan(Selection(paths=("a.jsonl",), evaluators=asked(name)), folder=rows)
    assert str(caught.value).endswith(f"is missing (such as --evaluator '{name}={options}')")
    made = plan(Selection(paths=("a.jsonl",), evaluators=asked(f"{name}={options}")), folder=rows)
    assert made.count == 1, "which can be taken as it is"
    (rows / "a.json").write_text(json.dumps({"evaluators": [name], **DOCUMENT}))
    with pytest.raises(DatasetError) as told:
        plan(Selection(paths=("a.json",)), folder=rows)
    assert str(told.value).splitlines()[0].endswith(f"is missing (such as {options})")


@pytest.mark.parametrize("text", ["", " ", "x:", ":F1Score", "=1"])
def test_a_name_is_needed(text: str) -> None:
    with pytest.raises(UsageError, match=r"say \[NAME:\]EVALUATOR\[=JSON\]"):
        asked(text)


def test_a_name_of_several_vendors_is_told_as_the_list_has_it() -> None:
    with pytest.raises(UsageError, match=r"say m365.Coherence or agentcore.Coherence .* m365.Coherence as Coherence"):
        asked("Coherence")


@pytest.mark.parametrize("given", [{"F1Score": {}, "f1_score": {"threshold": 1}}, ["F1Score", 'F1Score={"threshold": 1}']])
async def test_python_refuses_them_too(rows: Path, given: Any) -> None:
    with pytest.raises(UsageError, match="two checks of one name"):
        await vivavoce.evaluate_async(rows / "a.jsonl", evaluators=given, store=rows / "runs.db")


async def test_one_named_twice_is_counted_once(rows: Path) -> None:
    run = await vivavoce.evaluate_async(
        rows / "a.jsonl", evaluators=["f1_score", "F1ScoreEvaluator"], only="F1ScoreEvaluator", store=rows / "runs.db"
    )
    assert list(run.summary.evaluators) == ["F1Score"]
    assert [score.name for result in run.results for turn in result.turns for score in turn.scores] == ["F1Score"]


def test_options_of_a_file_go_before_those_of_the_run_however_the_name_is_spelt(tmp_path: Path) -> None:
    case = {"input": "q", "expected": "a", "reply": "a", "evaluators": {"F1ScoreEvaluator": {"threshold": 1}}}
    (tmp_path / "a.jsonl").write_text(json.dumps(case) + "\n")
    (trial,) = plan(Selection(paths=("a.jsonl",), evaluators=asked("f1_score")), folder=tmp_path).trials
    assert [(check.evaluator, check.options) for check in trial.case.turns[0].checks] == [
        ("F1ScoreEvaluator", {"threshold": 1})
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", {"evaluators": ["builtin.f1_score"], **DOCUMENT}),
        ("a.json", {"evaluators": ["builtin.f1_score"], "data_mapping": {"f1_score": {"response": "response"}}, **DOCUMENT}),
        ("a.json", {"schemaVersion": "1.8.0", "default_evaluators": {"F1Score": {}}, "items": [{"prompt": "q"}]}),
        ("a.jsonl", {**NATIVE, "evaluators": {"F1Score": {}}}),
    ],
)
def test_options_of_the_run_hold_where_a_file_names_the_evaluator_without_them(tmp_path: Path, name: str, content: Any) -> None:
    (tmp_path / name).write_text(json.dumps(content))
    chosen = Selection(paths=(name,), evaluators=asked('F1Score={"threshold": 0.9}'), target=ASKED)
    (trial,) = plan(chosen, folder=tmp_path).trials
    assert [check.options for check in trial.case.turns[0].checks] == [{"threshold": 0.9}]


def test_options_add_up_one_by_one(tmp_path: Path) -> None:
    case = {**NATIVE, "evaluators": {"PartialMatch": {"threshold": 0.1}}}
    (tmp_path / "a.jsonl").write_text(json.dumps(case))
    of_run = asked('PartialMatch={"threshold": 0.9, "case_sensitive": true}')
    (trial,) = plan(Selection(paths=("a.jsonl",), evaluators=of_run), folder=tmp_path).trials
    assert [check.options for check in trial.case.turns[0].checks] == [{"threshold": 0.1, "case_sensitive": True}]


def test_a_check_of_whole_cases_takes_options_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"evaluators": ["coherence"], "evaluation_level": "conversation", **DOCUMENT}))
    (trial,) = plan(Selection(paths=("a.json",), evaluators=asked('m365.Coherence={"threshold": 5}')), folder=tmp_path).trials
    assert [(check.options, check.level) for check in trial.case.checks] == [({"threshold": 5}, "case")]


def test_a_name_of_its_own_makes_it_another(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"evaluators": [{"name": "mine", "evaluator_name": "f1_score"}], **DOCUMENT}))
    chosen = Selection(paths=("a.json",), evaluators=asked('F1Score={"threshold": 1}', 'mine:F1Score={"threshold": 0.9}'))
    (trial,) = plan(chosen, folder=tmp_path).trials
    found = {check.name or check.evaluator: check.options for check in trial.case.turns[0].checks}
    assert found == {"F1Score": {"threshold": 1}, "mine": {"threshold": 0.9}}


def test_a_vendors_evaluator_is_the_same_however_its_file_calls_it(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"evaluators": ["groundedness"], **DOCUMENT}))
    of_run = asked('foundry.Groundedness={"threshold": 4}')
    (trial,) = plan(Selection(paths=("a.json",), evaluators=of_run), folder=tmp_path).trials
    assert [(check.name, check.options) for check in trial.case.turns[0].checks] == [("groundedness", {"threshold": 4})]


def test_an_item_of_a_document_goes_before_its_file_however_the_name_is_spelt(tmp_path: Path) -> None:
    item = {"prompt": "q", "response": "a", "evaluators": {"f1_score": {"threshold": 1}}}
    document = {"schemaVersion": "1.8.0", "default_evaluators": {"F1Score": {}}, "items": [item]}
    (tmp_path / "a.json").write_text(json.dumps(document))
    (trial,) = plan(Selection(paths=("a.json",)), folder=tmp_path).trials
    assert [(check.evaluator, check.options) for check in trial.case.turns[0].checks] == [("f1_score", {"threshold": 1})]


def test_a_document_that_names_one_twice_is_refused_at_the_second_place(tmp_path: Path) -> None:
    item = {"prompt": "q", "response": "a", "evaluators": {"F1Score": {}, "f1_score": {"threshold": 1}}}
    (tmp_path / "a.json").write_text(json.dumps({"schemaVersion": "1.8.0", "items": [item]}))
    with pytest.raises(DatasetError, match=r'evaluators.f1_score: names the same evaluator as "F1Score" \(keep one\)'):
        plan(Selection(paths=("a.json",)), folder=tmp_path)


def test_a_suite_made_in_python_names_one_once() -> None:
    checks = (Check(evaluator="F1Score"), Check(evaluator="f1_score", options={"threshold": 1}))
    suite = Suite(name="s", cases=(Case(id="a", turns=(Turn(input="q", reply=Reply(text="a"), checks=checks),)),))
    with pytest.raises(DatasetError, match=r'f1_score=\{"threshold":1\} has the name of another check of the same, F1Score'):
        plan(Selection(), suites=(suite,))
