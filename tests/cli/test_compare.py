"""`viva compare`: what broke and what was fixed."""

from __future__ import annotations

import json

import pytest


def asked(*replies):
    return [
        {"id": f"c{at}", "input": "How many?", "expected": "one", "reply": reply, "evaluators": {"ExactMatch": {}}}
        for at, reply in enumerate(replies)
    ]


@pytest.fixture
def two_runs(viva, write_cases):
    viva("run", write_cases("cases.jsonl", asked("one", "one", "two", "one")))
    changed = asked("one", "two", "one", "one", "new")
    changed[3]["input"] = "How many, please?"
    viva("run", write_cases("cases.jsonl", changed))


@pytest.mark.usefixtures("two_runs")
def test_what_broke_and_what_was_fixed_is_told_with_its_reason(viva):
    done = viva("compare", "last~1", "last")
    assert done.code == 0
    lines = [line.rstrip() for line in done.out.splitlines()]
    broke = lines.index("Broke (1)")
    assert lines[broke + 1].split() == ["✗", "c1", "cases", "pass", "->", "fail"]
    assert lines[broke + 2].split()[:4] == ["ExactMatch", "pass", "->", "fail"]
    assert "the answer differs from the expected text" in lines[broke + 2]
    fixed = lines.index("Fixed (1)")
    assert lines[fixed + 1].split() == ["✓", "c2", "cases", "fail", "->", "pass"]
    assert "66.7 % of 3 equal cases passed" in lines[0]
    assert "not compared, asked or examined otherwise now: 1 (c3)" in lines
    assert "not compared, only in the later run: 1 (c4)" in lines
    assert "1 broke and 1 fixed, of 3 equal cases; whether that is more than chance is not tested" in " ".join(lines)


@pytest.mark.usefixtures("two_runs")
def test_the_same_as_json(viva):
    told = json.loads(viva("compare", "last~1", "last", "--json").out)
    assert told["format"] == "viva.comparison/1"
    assert [each["case"] for each in told["broke"]] == ["c1"]
    assert told["changed"] == [{"suite": "cases", "case": "c3", "repeat": 0}]
    assert told["evaluators"]["ExactMatch"]["pairs"] == 3


@pytest.mark.usefixtures("two_runs")
def test_a_run_that_is_not_there_is_told(viva):
    done = viva("compare", "last", "nope")
    assert done.code == 2
    assert "nope" in done.err
    assert done.out == ""


def test_hostile_names_command_nothing(viva, write_cases):
    for reply in ("one", "\x1b[31mtwo"):
        case = {"id": "\x1b[2Jcase", "input": "?", "expected": "one", "reply": reply, "evaluators": {"ExactMatch": {}}}
        viva("run", write_cases("cases.jsonl", [case]))
    out = viva("compare", "last~1", "last").out
    assert "␛[2Jcase" in out
    assert "\x1b" not in out
