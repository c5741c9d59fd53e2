"""Scenarios are written as they were read; of other suites it is told what scenarios cannot hold."""

from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.core import codec
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Case, Check, Expectation, Persona, Suite, Turn
from vivavoce.core.place import Problems
from vivavoce.core.reply import Message, Reply
from vivavoce.core.source import Source
from vivavoce.formats._agentcore.words import PROFILE, SCENARIO, TURN
from vivavoce.formats.agentcore import AgentCore

DATA = Path(__file__).resolve().parents[2] / "data" / "agentcore"


def written(suite: Suite, **options) -> tuple[str, tuple[str, ...]]:
    out = io.StringIO()
    lost = AgentCore(**options).write(suite, out)
    return out.getvalue(), lost


def bare(value):
    """A document without its null members, and with texts out of the wrapping that the service has around them."""
    if isinstance(value, dict):
        value = {name: bare(each) for name, each in value.items() if each is not None}
        return value["toolNames"] if value.keys() == {"toolNames"} else value["text"] if value.keys() == {"text"} else value
    return [bare(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["single.json", "turns.json", "service.json", "simulated.json", "both.json"])
def test_a_document_comes_out_as_it_went_in(read, name):
    content = (DATA / "ok" / name).read_text(encoding="utf-8")
    text, lost = written(read(content)[0])
    assert lost == ()
    assert bare(json.loads(text)) == bare(json.loads(content))


def test_lines_come_out_as_they_went_in(read):
    content = (DATA / "ok" / "rows.jsonl").read_text(encoding="utf-8")
    text, lost = written(read(content, "s.jsonl")[0], layout="lines")
    assert lost == ()
    assert [bare(json.loads(row)) for row in text.splitlines()] == [
        bare(json.loads(row)) for row in content.splitlines() if row
    ]
    assert "Zofia Wrońska" in written(read((DATA / "ok" / "turns.json").read_bytes())[0])[0]


def test_lines_tell_that_they_hold_nothing_of_the_whole(read):
    suite, _, _ = read((DATA / "ok" / "turns.json").read_bytes())
    _, lost = written(suite, layout="lines")
    assert lost == ("what the suite says of itself (schemaType, version) has no place in scenarios",)


@pytest.mark.parametrize("path", sorted((DATA / "ok").glob("*.json")), ids=lambda path: path.name)
def test_what_is_read_fits_the_schema(path):
    jsonschema.validate(
        json.loads(path.read_text(encoding="utf-8")), AgentCore().schema()
    ) if path.name != "both.json" else None


def test_cases_of_others_tell_what_is_lost(read):
    asked = Check(evaluator="ExactMatch")
    cases = (
        Case(
            id="a",
            name="A name",
            category="kb",
            history=(Message(role="user", content="Hi"),),
            tools=({"name": "t"},),
            turns=(
                Turn(
                    input="x",
                    context="c",
                    checks=(asked,),
                    reply=Reply(text="y"),
                    metadata={"m": 1},
                    expect=Expectation(response="y", rows=(), assertions=("q",)),
                ),
            ),
            metadata={"scenario_description": "told", "agentcore": {"turns": 1}, "turns": 3},
        ),
        Case(id="b", persona=Persona(context="", goal="Buy", desired_turns=2), expect=Expectation(trajectory=("t",))),
        Case(id="c", persona=Persona(context="", goal=" ")),
        Case(id="d", turns=(Turn(input=None),)),
        Case(id="e", turns=(Turn(input="plain", expect=Expectation(response="z")),)),
    )
    text, lost = written(Suite(name="s", cases=cases, about={"shop": 1}, metadata={"description": "d"}, format="native"))
    assert len(lost) == 16
    assert any("left out" in each for each in lost)
    assert all(each.endswith(")") or "suite" in each for each in lost)
    _, again, problems = read(text)
    assert problems.found() == ()
    assert [case.id for case in again] == ["a", "b", "e"]
    assert again[0].metadata["scenario_description"] == "A name"
    assert again[1].persona.input == "Buy"


def test_many_lines_take_little_memory(tmp_path):
    path = tmp_path / "many.jsonl"
    with path.open("w") as out:
        for number in range(20_000):
            row = {"scenario_id": f"s{number}", "turns": [{"input": "Hello", "expected_response": "Hi"}], "assertions": ["x"]}
            out.write(json.dumps(row) + "\n")
    problems = Problems()
    suite = AgentCore().read(Source(path), problems)
    tracemalloc.start()
    try:
        assert sum(1 for _ in suite.cases) == 20_000
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


NAMES = st.sampled_from(sorted({*SCENARIO, *TURN, *PROFILE, "agentcore", "beside", "truns", "owner", "toolNames", "text"}))
SCALARS = st.none() | st.booleans() | st.integers() | st.sampled_from(["", " ", "a", "Hello"]) | st.text(max_size=4)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)
RIGHT_TURN = st.fixed_dictionaries(
    {"input": st.just("Hello") | st.just({"prompt": "Hi"})},
    optional={"expected_response": st.sampled_from(["x", "", None]), "owner": VALUES},
)
RIGHT = st.fixed_dictionaries(
    {"turns": st.lists(RIGHT_TURN, min_size=1, max_size=2)},
    optional={
        "metadata": st.dictionaries(NAMES, VALUES, max_size=3) | st.none(),
        "assertions": st.lists(st.just("x") | st.fixed_dictionaries({"text": st.just("y")}), max_size=2),
        "expected_trajectory": st.just({"toolNames": ["a"]}) | st.lists(st.just("b"), max_size=2),
        "owner": VALUES,
        "description": VALUES,
        "scenario_description": VALUES,
        "actor_profile": VALUES,
        "max_turns": VALUES,
    },
)
QUIET = settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUIET
@given(rows=st.lists(st.dictionaries(NAMES, VALUES, max_size=5), min_size=1, max_size=3), wrapped=st.booleans())
def test_any_content_gives_problems_or_cases(tmp_path, rows, wrapped):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"scenarios": rows} if wrapped else rows), encoding="utf-8")
    problems = Problems()
    try:
        suite = AgentCore().read(Source(path), problems)
        cases = list(suite.cases)
    except UsageError:
        return
    assert len(cases) == len(rows) or problems.total
    for case in cases:
        assert codec.decode(codec.encode(case), Case) == case


@QUIET
@given(row=RIGHT)
def test_a_right_scenario_loses_nothing(tmp_path, row):
    row = {"scenario_id": "a", **row}
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"scenarios": [row]}), encoding="utf-8")
    problems = Problems()
    suite = AgentCore().read(Source(path), problems)
    text, lost = written(suite)
    assert (problems.found(), lost) == ((), ())
    (again,) = json.loads(text)["scenarios"]
    for name in {*row, *again}:
        before, after = row.get(name), again.get(name)
        if name in ("expected_trajectory", "assertions", "turns"):
            before, after = bare(before), bare(after)
        assert after == before, name
