"""Agent rows of Microsoft Foundry: a tool call is the same call in every shape that it is written in."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import vivavoce
from vivavoce.core.result import Run

from .conftest import Viva, write_cases

Row = dict[str, Any]
ROWS: list[Row] = [
    json.loads(line)
    for line in (files("vivavoce.samples") / "recordings" / "conversations.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Conversations of the sample agent, with flat tool calls."""


def nested(call: Row) -> Row:
    function = {"name": call["name"], "arguments": call["arguments"]}
    item = {"type": "tool_call", "tool_call": {"id": call["tool_call_id"], "type": "function", "function": function}}
    return {"role": "assistant", "content": [item]}


def chat(call: Row) -> Row:
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
    item = {"id": call["tool_call_id"], "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [item]}


def chat_result(said: Row) -> Row:
    (item,) = said["content"]
    return {**said, "content": json.dumps(item["tool_result"])}


def function_call(call: Row) -> Row:
    item = {"type": "function_call", "call_id": call["tool_call_id"], "name": call["name"]}
    return {"role": "assistant", "content": [{**item, "arguments": json.dumps(call["arguments"])}]}


def function_call_output(said: Row) -> Row:
    (item,) = said["content"]
    return {**said, "content": [{"type": "function_call_output", "function_call_output": item["tool_result"]}]}


def item_call(call: Row) -> Row:
    return function_call(call)["content"][0]


def item_output(said: Row) -> Row:
    (item,) = said["content"]
    return {"type": "function_call_output", "call_id": said["tool_call_id"], "output": json.dumps(item["tool_result"])}


SHAPES: dict[str, tuple[Callable[[Row], Row], Callable[[Row], Row]]] = {
    "nested": (nested, lambda said: said),
    "openai-chat": (chat, chat_result),
    "function-call": (function_call, function_call_output),
    "responses-items": (item_call, item_output),
}
"""How a call is written, and how what came back is."""
BY_RULE = (
    "TaskNavigationEfficiency",
    "F1Score",
    "ExactMatch",
    "PartialMatch",
    "BleuScore",
    "GleuScore",
    "RougeScore",
    "MeteorScore",
)


def written_in(shape: str, row: Row) -> Row:
    """A row with its calls in another shape."""
    call, result = SHAPES[shape]

    def again(said: Row) -> Row:
        if said["role"] == "tool":
            return result(said)
        if isinstance(said["content"], list):
            return call(said["content"][0])
        return said

    return {**row, "messages": [again(said) for said in row["messages"]]}


def apart(row: Row) -> Row:
    """A row with question and answer apart."""
    messages = row["messages"]
    last = max(at for at, said in enumerate(messages) if said.get("role") == "user")
    rest = {name: each for name, each in row.items() if name != "messages"}
    return {"query": messages[: last + 1], "response": messages[last + 1 :], **rest}


def scores(run: Run) -> list[Any]:
    return [
        (result.case, result.status, [(s.name, s.status, s.value, s.reason) for turn in result.turns for s in turn.scores]
         + [(s.name, s.status, s.value, s.reason) for s in result.scores])
        for result in run.results
    ]  # fmt: skip


def calls(run: Run) -> list[Any]:
    return [[(each.name, each.arguments, each.id) for each in result.turns[0].reply.tool_calls or ()] for result in run.results]


def examined(rows: list[Row], folder: Path, **options: Any) -> Run:
    path = write_cases(folder / "desk.jsonl", rows)
    return vivavoce.evaluate(path, evaluators=BY_RULE, judge="none", store=str(folder / "runs.db"), **options)


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return examined(ROWS, tmp_path_factory.mktemp("flat"))


def test_recorded_calls_are_scored(flat: Run) -> None:
    by_name = flat.summary.evaluators
    assert set(by_name) == set(BY_RULE)
    assert (by_name["TaskNavigationEfficiency"].passed, by_name["TaskNavigationEfficiency"].failed) == (10, 2)
    assert by_name["F1Score"].passed > by_name["F1Score"].failed > 0
    assert sum(map(len, calls(flat))) >= len(ROWS)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_call_is_a_call_in_whatever_shape(shape: str, flat: Run, tmp_path: Path) -> None:
    run = examined([written_in(shape, row) for row in ROWS], tmp_path)
    assert calls(run) == calls(flat)
    assert scores(run) == scores(flat)


@pytest.mark.parametrize("shape", SHAPES)
def test_so_it_is_where_question_and_answer_are_apart(shape: str, flat: Run, tmp_path: Path) -> None:
    run = examined([apart(written_in(shape, row)) for row in ROWS], tmp_path)
    assert calls(run) == calls(flat)
    assert scores(run) == scores(flat)


def test_the_agent_itself_has_the_scores_of_its_recordings(flat: Run, tmp_path: Path) -> None:
    run = examined(ROWS, tmp_path, target="python:vivavoce.samples.desk:Desk")
    assert run.summary.usage.agent_calls == len(ROWS)
    assert scores(run) == scores(flat)


def test_a_run_written_as_rows_has_the_same_scores_again(flat: Run, viva: Viva, tmp_path: Path) -> None:
    write_cases(tmp_path / "desk.jsonl", ROWS)
    asked = [word for name in BY_RULE for word in ("--evaluator", name)]
    assert viva("run", "desk.jsonl", "--judge", "none", *asked, "--output", "foundry:evaluated.jsonl").returncode == 1
    run = vivavoce.evaluate(tmp_path / "evaluated.jsonl", evaluators=BY_RULE, judge="none", store=str(tmp_path / "again.db"))
    assert scores(run) == scores(flat)


def test_calls_before_the_last_question_count_where_whole_conversations_are_examined(tmp_path: Path) -> None:
    (row,) = (row for row in ROWS if row["id"] == "order-three-questions")
    path, store = write_cases(tmp_path / "rows.jsonl", [row]), str(tmp_path / "runs.db")

    def reason(level: str | None) -> str:
        run = vivavoce.evaluate(path, evaluators=["TaskNavigationEfficiency"], judge="none", store=store, level=level)
        (result,) = run.results
        (score,) = (*result.turns[0].scores, *result.scores)
        return str(score.reason)

    assert reason(None) == reason("turn")
    assert "1 expected call made" in reason(None)
    assert "2 calls more than expected" in reason("conversation")
