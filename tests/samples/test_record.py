"""Recorded conversations are what the agent says and does today, and what Foundry's own rules allow."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from vivavoce.samples import record
from vivavoce.samples.desk import Desk

RECORDINGS = files("vivavoce.samples").joinpath("recordings", "conversations.jsonl")
ROWS = [json.loads(line) for line in RECORDINGS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_it_is_what_the_agent_says_and_does_today(row):
    assert record.again(row) == row, "record it again: python -m vivavoce.samples.record FILE"


def test_the_file_is_written_as_it_stands(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(RECORDINGS.read_bytes())
    record.main([str(path)])
    assert path.read_bytes() == RECORDINGS.read_bytes()


def test_a_row_of_questions_alone_is_filled():
    asked = {"messages": [{"role": "user", "content": "Where is order HW-1042?"}], "ground_truth": "On its way."}
    made = record.again(asked)
    assert [said["role"] for said in made["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert made["messages"][-1]["content"] == Desk().reply("Where is order HW-1042?").text
    assert made["ground_truth"] == "On its way."


def test_every_call_has_its_result_and_its_definition():
    for row in ROWS:
        items = [item for said in row["messages"] if isinstance(said["content"], list) for item in said["content"]]
        called = [item["tool_call_id"] for item in items if item["type"] == "tool_call"]
        answered = [said["tool_call_id"] for said in row["messages"] if said["role"] == "tool"]
        defined = {each["name"]: each["parameters"]["properties"].keys() for each in row["tool_definitions"]}
        assert called == answered
        for item in items:
            if item["type"] == "tool_call":
                assert item["arguments"].keys() == defined[item["name"]]


def test_definitions_tell_names_types_and_what_a_tool_is_for():
    found = {each["name"]: each for each in record.definitions()}
    assert found["find_product"]["parameters"]["properties"] == {
        "name": {"type": "string"},
        "colour": {"type": ["string", "null"]},
    }
    assert found["quote"]["parameters"]["properties"]["quantity"] == {"type": "integer"}
    assert all(each["description"] for each in found.values())
    assert "call" not in found


def test_they_show_what_rows_can():
    assert len(ROWS) >= 12
    assert sum("expected_actions" in row for row in ROWS) >= 10
    assert any(isinstance(row.get("expected_actions", [""])[0], list) for row in ROWS)
    assert any(sum(said["role"] == "user" for said in row["messages"]) > 1 for row in ROWS)
    assert all("ground_truth" in row for row in ROWS)
