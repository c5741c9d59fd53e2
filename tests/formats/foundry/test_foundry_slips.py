"""Slips within messages, calls and settings: told at their place, and never where a name is one that vendors write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.formats.foundry import Foundry

DATA = Path(__file__).resolve().parents[2] / "data" / "foundry" / "ok"
USER = {"role": "user", "content": "Open?"}
ANSWER = {"role": "assistant", "content": "Yes."}


def said(*messages: dict) -> dict:
    return {"messages": [USER, *messages]}


def done(*items: dict) -> dict:
    return said({"role": "assistant", "content": list(items)})


CALL = {"type": "tool_call", "tool_call_id": "1", "name": "f"}
FUNCTION = {"id": "1", "function": {"name": "f", "argument": "{}"}}
SLIPS = [
    (done({**CALL, "argumnts": {"a": 1}}), "messages[1].content[0].argumnts", "arguments"),
    (
        done({"type": "function_call", "callid": "1", "name": "f", "arguments": "{}"}),
        "messages[1].content[0].callid",
        "call_id",
    ),
    (done({"type": "tool_call", "tool_call": FUNCTION}), "messages[1].content[0].tool_call.function.argument", "arguments"),
    (said({"role": "assistant", "toolcalls": [CALL]}), "messages[1].toolcalls", "tool_calls"),
    (said({"role": "assistant", "content": None, "tool_call": [CALL]}), "messages[1].tool_call", "tool_calls"),
    (said({"role": "assistant", "tool_calls": [FUNCTION]}), "messages[1].tool_calls[0].function.argument", "arguments"),
    (said({"role": "assistant", "contents": "x"}), "messages[1].contents", "content"),
    (
        said(*done(CALL)["messages"][1:], {"role": "tool", "tool_calls_id": "1", "content": "x"}),
        "messages[2].tool_calls_id",
        "tool_call_id",
    ),
    (
        said(*done(CALL)["messages"][1:], {"role": "tool", "content": [{"type": "tool_result", "toolresult": 3}]}),
        "messages[2].content[0].toolresult",
        "tool_result",
    ),
    (
        said(*done(CALL)["messages"][1:], {"role": "tool", "content": [{"tool_reslt": 3}]}),
        "messages[2].content[0].tool_reslt",
        "tool_result",
    ),
    (said({"type": "function_call", "call_id": "1", "name": "f", "Arguments": "{}"}), "messages[1].Arguments", "arguments"),
    ({"query": "q", "tool_calls": [{**CALL, "argumets": {}}]}, "tool_calls[0].argumets", "arguments"),
    ({"query": "q", "tool_calls": {**CALL, "argumets": {}}}, "tool_calls.argumets", "arguments"),
    ({"query": [USER], "response": [{"role": "assistant", "contnet": "x"}]}, "response[0].contnet", "content"),
    ({"query": "q", "actions": [{"role": "assistant", "toolCalls": [CALL]}]}, "actions[0].toolCalls", "tool_calls"),
    ({"messages": json.dumps(said({"role": "assistant", "contens": "x"})["messages"])}, "messages[1].contens", "content"),
    ({"conversation": {"messages": [USER, ANSWER], "contxt": "c"}}, "conversation.contxt", "context"),
    (
        {"conversation": {"messages": [USER, {**ANSWER, "groundtruth": "t"}]}},
        "conversation.messages[1].groundtruth",
        "ground_truth",
    ),
    (
        {"test_case_description": "d", "simulation_configuration": {"max_num_turn": 3, "desired_num_turns": 2}},
        "simulation_configuration.max_num_turn",
        "max_num_turns",
    ),
]


@pytest.mark.parametrize(("row", "path", "meant"), SLIPS, ids=[path for _, path, _ in SLIPS])
def test_a_slip_within_a_row_is_an_error_at_its_place_and_a_warning_when_lenient(told, read, row, path, meant):
    name = path.rpartition(".")[2]
    way_out = f'did you mean "{meant}"? If it is another, read with --lenient'
    assert f'1: {path}: unknown field "{name}" ({way_out})' in told(row)
    _, _, problems = read([row], lenient=True)
    assert path in [each.path for each in problems.warnings]


OF_VENDORS = {
    **{"createdAt": "x", "created_at": 1, "run_id": "r", "assistant_id": "a", "status": "completed", "name": "n", "id": "i"},
    **{"annotations": [], "audio": {}, "logprobs": [], "agent": {}, "metadata": {}, "attachments": [], "thread_id": "t"},
    **{"object": "o", "response_id": "r", "phase": "p", "reasoning_content": "r", "usage": {}, "model": "m", "index": 0},
}
NO_SLIPS = [
    said({**ANSWER, **OF_VENDORS, "refusal": None, "function_call": None, "tool_calls": None, "context": "c"}),
    {"messages": [{**USER, **OF_VENDORS}, {**ANSWER, "contents": "both", "toolcalls": None}]},
    done({"type": "text", "text": "x", **OF_VENDORS}, {**CALL, "arguments": {"argumnts": 1}, **OF_VENDORS}),
    said({"role": "assistant", "content": None, "tool_calls": [{**FUNCTION, "arguments": "{}"}], "context": "c"}),
    done({"type": "file_search_call", "id": "1", "queries": ["q"], "results": [{}], "status": "completed"}),
    done({"type": "code_interpreter_call", "id": "1", "code": "1", "container_id": "c", "outputs": []}),
    done({"type": "web_search_call", "id": "1", "action": {"query": "q", "sources": []}}),
    done({"type": "mcp_call", "id": "1", "name": "f", "arguments": "{}", "server_label": "s", "error": None, "output": "x"}),
    done(
        {"type": "reasoning", "summary": [], "encrypted_content": "e"}, {"type": "custom_tool_call", "name": "f", "input": "{}"}
    ),
    said(
        *done({**CALL, "arguments": {}})["messages"][1:],
        {
            "role": "tool",
            "tool_call_id": "1",
            **OF_VENDORS,
            "content": [{"type": "tool_result", "tool_result": {"outputs": 1}}],
        },
    ),
    {"test_case_description": "d", "simulation_configuration": {"max_num_turns": 3, "conversation_repetitions": 2, "seed": 1}},
]


@pytest.mark.parametrize("row", NO_SLIPS)
def test_names_that_vendors_write_or_that_are_near_nothing_are_no_slips(read, row):
    _, (case,), problems = read([row])
    assert problems.found() == ()
    assert problems.warnings == []
    assert case.id == "#0"


@pytest.mark.parametrize("path", sorted(DATA.iterdir()), ids=lambda path: path.name)
def test_files_of_vendors_hold_no_slips(path):
    problems = Problems()
    assert list(Foundry().read(Source(path), problems).cases)
    assert problems.found() == ()


@pytest.mark.parametrize(
    ("row", "ignored"),
    [
        ({"query": "q", "response": "r"}, '"test_case_description"'),
        (said(ANSWER) | {"desired_num_turns": 3}, '"test_case_description", "desired_num_turns"'),
    ],
)
def test_a_row_that_is_also_a_seed_tells_what_is_ignored(read, row, ignored):
    _, (case,), problems = read([{**row, "test_case_description": "Somebody asks."}])
    assert case.persona is None
    said = next(iter(row))
    wanted = f's.jsonl:1: has "{said}", so {ignored} of a simulated user is ignored (keep one of the two)'
    assert [str(each) for each in problems.warnings] == [wanted]


def test_a_description_that_is_mapped_is_not_ignored(read):
    _, (case,), problems = read([{"test_case_description": "x", "response": "r"}], map={"query": "test_case_description"})
    assert (case.turns[0].input, problems.warnings) == ("x", [])


def test_a_conversation_that_was_held_with_a_simulated_user_is_no_second_form(read):
    seed = {"inputs.test_case_description": "d", "outputs.response": "x", "outputs.messages": [USER, ANSWER]}
    _, (case,), problems = read([seed])
    assert (case.persona, len(problems.warnings)) == (None, 1)
    assert "evaluated rows" in problems.warnings[0].message


def test_slips_in_what_only_an_evaluator_is_shown_are_told_there_once(tmp_path):
    mapping = {"query": "{{item.asked}}", "response": "{{item.said.all}}"}
    row = {
        "query": "q",
        "response": "r",
        "asked": [{"role": "user", "contents": "x"}],
        "said": {"all": [{**CALL, "argumnts": {}}]},
    }
    checks = [{"name": name, "evaluator_name": "relevance", "data_mapping": mapping} for name in ("a", "b")]
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"evaluators": checks, "data": [row]}))
    problems = Problems()
    list(Foundry().read(Source(path), problems).cases)
    told = {problem.path: problem.fix.partition("?")[0] for problem in problems.found()}
    assert told["data[0].asked[0].contents"] == 'did you mean "content"'
    assert told["data[0].said.all[0].argumnts"] == 'did you mean "arguments"'


@pytest.mark.parametrize(
    ("text", "arguments"),
    [("print(1)", {"input": "print(1)"}), ("{no json", {"input": "{no json"}), ('{"a": 1}', {"a": 1}), ("", {})],
)
@pytest.mark.parametrize("form", ["custom", "custom_tool_call"])
def test_a_custom_tool_takes_any_text(read, form, text, arguments):
    call = (
        {"type": form, "custom": {"name": "f", "input": text}}
        if form == "custom"
        else {"type": form, "name": "f", "input": text}
    )
    row = said({**ANSWER, "tool_calls": [call]}) if form == "custom" else {"query": "q", "response": [call]}
    _, (case,), problems = read([row])
    assert problems.total == 0
    (made,) = case.turns[0].reply.tool_calls
    assert (made.name, made.arguments) == ("f", arguments)
