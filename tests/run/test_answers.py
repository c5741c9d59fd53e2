"""Answers that must be there before a run: what is told when they are not, and the column that names those to fetch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core.errors import DatasetError, PluginError, UsageError
from vivavoce.core.model import Case, Selection, Suite, Turn, Use
from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.run.answers import ways_out
from vivavoce.run.planner import plan, readings

WAY_OUT = (
    'warning: a.jsonl:{line}: answer: column "answer" is kept and not examined (if it is response: '
    "--map response={{{{item.answer}}}})"
)


def write(folder: Path, *rows: dict[str, Any], name: str = "a.jsonl") -> Path:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def fetching(column: object, target: str = "openai") -> Use:
    return Use(name=target, options={"model": "m", "base_url": "http://127.0.0.1:9/v1", "api_key": "k", "fetch": column})


def test_a_run_refused_for_want_of_answers_tells_where_they_may_stand(tmp_path: Path) -> None:
    folder = write(tmp_path, {"query": "q", "answer": "a", "ground_truth": "a"})
    with pytest.raises(UsageError) as caught:
        plan(Selection(paths=("a.jsonl",)), folder=folder)
    first, *rest = str(caught.value).split("\n")
    assert first.startswith("no target: the files hold no answers")
    assert rest == [WAY_OUT.format(line=1)]
    assert plan(Selection(paths=("a.jsonl",), map={"response": "{{item.answer}}"}), folder=folder).count == 1


@pytest.mark.parametrize("target", [None, Use(name="recorded")])
def test_so_does_one_of_which_some_rows_hold_none(tmp_path: Path, target: Use | None) -> None:
    folder = write(tmp_path, {"query": "q", "response": "a"}, {"query": "q", "answer": "a"})
    with pytest.raises(DatasetError) as caught:
        plan(Selection(paths=("a.jsonl",), target=target), folder=folder)
    problem, warning, end = str(caught.value).split("\n")
    assert problem.startswith("a.jsonl:2: holds no ")
    assert (warning, end) == (WAY_OUT.format(line=2), "1 problem found; nothing was run")


def test_other_problems_are_told_without_warnings(tmp_path: Path) -> None:
    folder = write(tmp_path, {"query": "q", "response": "a", "tools": []}, {"query": 3, "response": "a"})
    with pytest.raises(DatasetError) as caught:
        plan(Selection(paths=("a.jsonl",)), folder=folder)
    assert "warning" not in str(caught.value)


def test_of_many_ways_out_some_are_told() -> None:
    problems, source = Problems(), Source(Path("a"), "a")
    for line in range(12):
        problems.warn(source, "m", line=line, fix="f")
    problems.warn(source, "without a way out")
    told = list(ways_out(problems))
    assert len(told) == 11
    assert told[-1] == "... and 2 more warnings; `viva validate` tells them"


@pytest.mark.parametrize(
    ("column", "way_out"),
    [("respons_id", 'did you mean "response_id"?'), ("zzz", "known here: response_id, run"), ("query", "known here: ")],
)
def test_a_column_to_fetch_by_that_no_row_has_is_an_error_before_any_call(tmp_path: Path, column: str, way_out: str) -> None:
    rows = ({"query": "q", "response_id": "resp_0"}, {"query": "r", "response_id": "resp_1", "run": 1})
    selection = Selection(paths=("a.jsonl",), target=fetching(column))
    for first_pass in (plan, readings):
        with pytest.raises(DatasetError) as caught:
            first_pass(selection, folder=write(tmp_path, *rows))
        (problem,) = caught.value.problems
        said = f'a.jsonl: --target-option fetch={column}: no row has the field "{column}" that could name an answer ('
        assert str(problem).startswith(said + way_out)


def test_each_file_is_told_of(tmp_path: Path) -> None:
    write(tmp_path, {"query": "q", "response_id": "resp_0"})
    write(tmp_path, {"query": "q", "response": "a", "ground_truth": "a"}, name="b.jsonl")
    with pytest.raises(DatasetError) as caught:
        plan(Selection(paths=("a.jsonl", "b.jsonl"), target=fetching("response_id", "openai")), folder=tmp_path)
    (problem,) = caught.value.problems
    assert (problem.file, problem.fix) == ("b.jsonl", "such ids stand in a column of their own")


def test_one_row_that_has_the_column_is_enough(tmp_path: Path) -> None:
    folder = write(tmp_path, {"query": "q", "mine": "resp_0"}, {"query": "q", "mine": None}, {"query": "q"})
    assert plan(Selection(paths=("a.jsonl",), target=fetching("mine")), folder=folder).count == 3


def test_a_turn_may_name_its_own() -> None:
    turns = (Turn(input="q", metadata={"mine": "resp_0"}), Turn(input="r"))
    suite = Suite(name="s", cases=(Case(id="a", turns=turns),))
    assert plan(Selection(target=fetching("mine")), suites=(suite,)).count == 1
    whole = Suite(name="s", cases=(Case(id="a", turns=turns, metadata={"other": "resp_0"}),))
    with pytest.raises(DatasetError, match='no row has the field "other"'):
        plan(Selection(target=fetching("other")), suites=(whole,))


def test_a_target_that_fetches_nothing_says_so_itself(tmp_path: Path) -> None:
    use = Use(name="http", options={"url": "http://127.0.0.1:9", "fetch": "zzz"})
    with pytest.raises(PluginError, match='unknown option "fetch"'):
        plan(Selection(paths=("a.jsonl",), target=use), folder=write(tmp_path, {"query": "q"}))
