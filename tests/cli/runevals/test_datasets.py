"""Which document is asked: discovery, the starter, legacy shapes, typed prompts."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

LEGACY = [{"prompt": "Where is HW-1036?", "expected_response": "Order HW-1036 was cancelled."}]
SKIPPED = 2
"""The exit code of legacy documents here: their evaluators are the system's, and there is no judge."""


def suites(folder):
    (path,) = folder.glob("*.out.json")
    return json.loads(path.read_text(encoding="utf-8"))["metadata"]["name"]


@pytest.mark.parametrize(
    ("there", "found"),
    [
        (["prompts.json", "evals.json", "tests.json", "evals/prompts.json"], "prompts"),
        (["evals.json", "tests.json", "evals/prompts.json"], "evals"),
        (["tests.json", "evals/prompts.json"], "tests"),
        (["evals/tests.json", "evals/evals.json"], "evals"),
        (["evals/tests.json"], "tests"),
        (["evals/prompts.json", "other.json"], "prompts"),
    ],
)
def test_discovery_takes_the_first_here_then_in_evals(runevals, agent, document, folder, there, found):
    for name in there:
        document(name)
    done = runevals("--target", agent, "--output", "x.out.json")
    assert done.code == 0, done.err
    assert suites(folder) == found
    assert f"files    {there[0] if there[0] != 'evals/tests.json' or len(there) == 1 else there[1]}" in done.out


def test_a_file_named_goes_before_discovery(runevals, agent, document, folder):
    document("evals.json")
    document("evals/late.json")
    assert runevals("--target", agent, "--prompts-file", "./evals/late.json", "-o", "x.out.json").code == 0
    assert suites(folder) == "late"


def test_nothing_found_and_nobody_to_ask_is_exit_2_with_the_command(runevals, folder):
    done = runevals("--target", "recorded")
    assert (done.code, done.out) == (2, "")
    assert "prompts.json, evals.json or tests.json" in done.err
    assert "viva init" in done.err
    assert list(folder.iterdir()) == []


def test_a_file_that_is_not_there(runevals):
    done = runevals("--target", "recorded", "--prompts-file", "gone.json")
    assert done.code == 2
    assert "gone.json: there is no such file" in done.err


def test_a_folder_is_not_a_document(runevals, document):
    document("evals/evals.json")
    done = runevals("--target", "recorded", "--prompts-file", "evals")
    assert done.code == 2
    assert "viva run evals" in done.err


def test_an_empty_prompts_json_does_not_hide_behind_another(runevals, document, folder):
    (folder / "prompts.json").write_text("")
    document("evals.json")
    done = runevals("--target", "recorded")
    assert done.code == 2
    assert "prompts.json: is empty" in done.err


@pytest.mark.parametrize(
    "value",
    [
        LEGACY,
        {"items": LEGACY},
        {"prompts": ["Where is HW-1036?"], "expected_responses": ["Order HW-1036 was cancelled."]},
        {"prompts": LEGACY},
    ],
)
def test_a_legacy_document_is_upgraded_with_a_backup_and_told(runevals, agent, folder, value):
    before = json.dumps(value).encode()
    (folder / "evals.json").write_bytes(before)
    done = runevals("--target", agent, "--judge", "none")
    assert done.code == SKIPPED, done.err
    (backup,) = folder.glob("evals.json.bak.*")
    assert re.fullmatch(r"evals\.json\.bak\.\d{14}", backup.name)
    assert backup.read_bytes() == before
    after = json.loads((folder / "evals.json").read_text(encoding="utf-8"))
    assert (after["schemaVersion"], after["items"]) == ("1.0.0", LEGACY)
    assert [line for line in done.err.splitlines() if backup.name in line] == [
        f"evals.json: had no schemaVersion and now is of version 1.0.0; as it was, it is kept in {backup.name}"
    ]
    again = runevals("--target", agent, "--judge", "none")
    assert again.code == SKIPPED
    assert "schemaVersion" not in again.err
    assert len(list(folder.glob("*.bak.*"))) == 1


def test_a_legacy_document_with_problems_is_left_alone(runevals, folder):
    text = '[{"prompt": "Hello", "expeceted_response": "Good day."}]'
    (folder / "evals.json").write_text(text)
    done = runevals("--target", "recorded")
    assert done.code == 2
    assert 'did you mean "expected_response"' in done.err
    assert (folder / "evals.json").read_text() == text
    assert list(folder.iterdir()) == [folder / "evals.json"]


def test_nothing_is_rewritten_before_there_is_an_agent(runevals, folder):
    (folder / "evals.json").write_text(json.dumps(LEGACY))
    done = runevals()
    assert done.code == 2
    assert "--m365-agent-id" in done.err
    assert "M365_AGENT_ID" in done.err
    assert "--target" in done.err
    assert json.loads((folder / "evals.json").read_text()) == LEGACY


@pytest.mark.parametrize("more", [("--target", "python:nowhere:answer"), ("--target", "nothing:x")])
def test_nothing_is_rewritten_for_an_agent_that_is_not_there(runevals, folder, more):
    (folder / "evals.json").write_text(json.dumps(LEGACY))
    assert runevals(*more).code == 2
    assert json.loads((folder / "evals.json").read_text()) == LEGACY
    assert list(folder.glob("*.bak.*")) == []


def test_other_formats_are_read_and_never_rewritten(runevals, agent, folder):
    row = '{"input": "Where is HW-1036?", "expected": "Order HW-1036 was cancelled.", "evaluators": {"ExactMatch": {}}}\n'
    (folder / "cases.jsonl").write_text(row)
    assert runevals("--target", agent, "--prompts-file", "cases.jsonl").code == 0
    assert (folder / "cases.jsonl").read_text() == row


def test_a_document_with_a_byte_order_mark(runevals, agent, document, folder):
    name = document("evals.json")
    (folder / name).write_bytes(b"\xef\xbb\xbf" + (folder / name).read_bytes())
    assert runevals("--target", agent).code == 0


def test_typed_prompts_are_one_suite(runevals, echo, folder):
    (folder / "viva.toml").write_text('evaluator = ["ExactMatch"]\n')
    argv = ["--prompts", "What is tea?", "What is rye?", "--expected", "What is tea?", "a grain"]
    done = runevals("--target", echo, *argv, "-o", "x.out.json")
    assert done.code == 1
    document = json.loads((folder / "x.out.json").read_text(encoding="utf-8"))
    assert document["metadata"]["name"] == "prompts"
    told = [(item["prompt"], item["expected_response"], item["status"]) for item in document["items"]]
    assert told == [("What is tea?", "What is tea?", "pass"), ("What is rye?", "a grain", "fail")]


def test_typed_prompts_without_answers_hoped_for(runevals, echo, folder):
    runevals("--target", echo, "--prompts", "a", "--prompts", "-5 + 3?", "-o", "x.out.json")
    items = json.loads((folder / "x.out.json").read_text(encoding="utf-8"))["items"]
    assert [item["prompt"] for item in items] == ["a", "-5 + 3?"]
    assert not any("expected_response" in item for item in items)
    assert items[0]["response"] == "a"


def test_typed_prompts_are_kept_so_that_their_run_can_be_looked_at(runevals, echo, folder):
    runevals("--target", echo, "--prompts", "Grüße 🌊 \ue200cite\ue202turn1search1\ue201", "--expected", "a")
    (path,) = (folder / ".viva" / "prompts").iterdir()
    assert path.stem == hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    assert (folder / ".viva" / ".gitignore").read_text() == "*\n"
    assert "Grüße 🌊" in path.read_text(encoding="utf-8")
