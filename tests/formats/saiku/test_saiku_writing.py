"""Suites written as YAML: nothing is lost unsaid, and what is written is sound."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.model import Case, Check, Expectation, Persona, Suite, Turn
from vivavoce.core.place import Problems
from vivavoce.core.reply import Message, Reply
from vivavoce.core.source import Source
from vivavoce.formats.saiku import Saiku
from vivavoce.wire import yaml_text

DATA = Path(__file__).resolve().parents[2] / "data" / "saiku" / "ok"
CUBE = {"connectionName": "c", "catalog": "c", "schema": "s", "cubeName": "n"}


def written(suite: Suite) -> tuple[str, tuple[str, ...]]:
    out = io.StringIO()
    lost = Saiku().write(suite, out)
    return out.getvalue(), lost


def of(*cases: Case, **more: Any) -> Suite:
    return Suite(**{"name": "s", "about": CUBE, **more, "cases": cases})


@pytest.mark.parametrize("path", sorted(DATA.glob("*")), ids=lambda path: path.name)
def test_what_is_written_fits_the_schema_and_loses_nothing(path):
    suite = Saiku().read(Source(path), Problems())
    text, lost = written(suite)
    assert lost == ()
    value = yaml_text.parse(Source(path), text, Problems())
    jsonschema.Draft202012Validator.check_schema(Saiku().schema())
    jsonschema.validate(value, Saiku().schema())


def test_what_another_format_holds_and_this_one_does_not_is_told():
    turn = Turn(
        input={"q": 1},
        context="c",
        expect=Expectation(response="r", rows=({"a": 1},), intent="QUERY"),
        checks=(Check(evaluator="Relevance"), Check(evaluator="Coherence", origin="default")),
        reply=Reply(text="x"),
        metadata={"rows": 1, "ticket": 2},
    )
    case = Case(id="one", name="First", category="k", turns=(turn,), expect=Expectation(assertions=("a",), trajectory=()))
    several = Case(id="two", turns=(turn, turn))
    played = Case(id="three", persona=Persona(context="", goal="g"))
    text, lost = written(of(case, several, played, about=None, metadata={"description": "d", "cases": 1}))
    told = "\n".join(lost)
    for what in (
        *('under "cases"', "connectionName, catalog", "structured question", "expected response", "assertions", "trajectory"),
        *(
            "name beside",
            "category",
            "context",
            "recorded answer",
            "Relevance",
            'under "rows"',
            "has 2 turns",
            "simulated user",
        ),
    ):
        assert what in told
    assert "Coherence" not in told
    problems = Problems()
    value = yaml_text.parse(Source("x"), text, problems)
    assert problems.found() == ()
    assert value["cases"] == [
        {"name": "one", "question": '{"q": 1}', "expectedIntent": "QUERY", "expectedRows": [{"a": 1}], "ticket": 2}
    ]


def test_names_stay_unique_and_blank_ones_are_filled():
    turn = Turn(input="q")
    text, _ = written(of(Case(id=" ", turns=(turn,)), Case(id="a", turns=(turn,)), name=" "))
    assert "name: suite" in text
    assert yaml_text.parse(Source("x"), text, Problems())["cases"][0]["name"].strip()


TEXTS = st.text(min_size=1).filter(str.strip)
CELLS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
EXPECTED = st.builds(
    Expectation,
    intent=st.none() | st.sampled_from(["QUERY", "refused"]),
    refusal=st.none() | TEXTS,
    rows=st.none() | st.lists(st.dictionaries(st.text(), CELLS, max_size=3), max_size=3).map(tuple),
    insights=st.none() | st.lists(TEXTS, max_size=2).map(tuple),
)
HISTORY = st.lists(st.builds(Message, role=st.sampled_from(["user", "assistant"]), content=TEXTS), max_size=2).map(tuple)


@given(TEXTS, TEXTS, EXPECTED, HISTORY)
def test_whatever_is_written_reads_back(tmp_path_factory, name, question, expect, history):
    text, lost = written(of(Case(id=name, turns=(Turn(input=question, expect=expect),), history=history)))
    assert lost == ()
    path = tmp_path_factory.getbasetemp() / "written.eval.yaml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    problems = Problems()
    (case,) = Saiku().read(Source(path), problems).cases
    assert problems.found() == ()
    assert (case.id, case.turns[0].input, case.history, case.turns[0].expect) == (name, question, history, expect)
