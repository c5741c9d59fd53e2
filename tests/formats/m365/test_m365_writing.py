"""What is written is strict, and reads back as what it was."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from vivavoce.core.model import Case, Check, Expectation, Persona, Suite, Turn
from vivavoce.core.reply import Citation, Message, Reply, ToolCall

OURS = "dev.vivavoce"
OK = sorted(Path(__file__).resolve().parents[2].joinpath("data/m365/ok").iterdir())


def told(case: Case) -> Case:
    """A case without its places in a file."""
    turns = tuple(replace(turn, path="", checks=tuple(replace(check, path="") for check in turn.checks)) for turn in case.turns)
    return replace(case, path="", turns=turns)


def suite(*cases: Case, **fields: object) -> Suite:
    return Suite(name="suite", cases=cases, source="suite.json", **fields)


def asked(case_id: str = "#0", *checks: Check, **fields: object) -> Case:
    return Case(id=case_id, turns=(Turn(input="Is there a lift?", checks=checks),), **fields)


SYSTEM = (Check(evaluator="Relevance", origin="default"), Check(evaluator="Coherence", origin="default"))


@pytest.mark.parametrize("path", OK, ids=lambda path: path.name)
def test_reading_writing_and_reading_loses_nothing(path, read, write, strict):
    first = read(path)
    document, _ = write(first.suite)
    assert strict(document) == []
    again = read(document, name=f"{first.suite.name}.json")
    assert again.errors == []
    assert [told(case) for case in again.cases] == [told(case) for case in first.cases]
    assert again.suite.name == first.suite.name
    for name in ("description", "$schema"):
        assert again.suite.metadata.get(name) == first.suite.metadata.get(name)
    assert write(again.suite)[0] == document


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("smallest.json", "1.0.0"),
        ("legacy_array.json", "1.0.0"),
        ("relevance.json", "1.1.0"),
        ("thread.json", "1.2.0"),
        ("similarity.json", "1.3.0"),
        ("retrieval_query.json", "1.5.0"),
        ("additions.json", "1.0.0"),
        ("scored.json", "1.6.0"),
        ("bounds.json", "1.8.0"),
    ],
)
def test_the_version_is_the_lowest_that_has_everything(name, version, data, read, write):
    assert write(read(data / "ok" / name).suite)[0]["schemaVersion"] == version


def test_what_the_schema_has_no_field_for_is_kept_under_extensions(write, strict):
    case = replace(asked("L-1", *SYSTEM), name="The lift", category="access", metadata={"notes": "daily", "team": 7})
    document, sentences = write(suite(case))
    assert document["items"] == [
        {
            "prompt": "Is there a lift?",
            "extensions": {
                OURS: {
                    "testId": "L-1",
                    "name": "The lift",
                    "category": "access",
                    "notes": "daily",
                    "metadata": {"team": 7},
                }
            },
        }
    ]
    assert (strict(document), sentences) == ([], ())


def test_other_tools_extensions_stay(read, write):
    item = {"prompt": "Hi", "testId": "a", "extensions": {"com.example": {"x": 1}}}
    document, _ = write(read({"schemaVersion": "1.0.0", "items": [item]}).suite)
    assert document["items"][0]["extensions"] == {"com.example": {"x": 1}, OURS: {"testId": "a"}}


def test_checks_of_the_file_become_its_defaults(write, strict):
    base = (
        Check(evaluator="exact_match", origin="file"),
        Check(evaluator="Citations", options={"threshold": 2}, origin="file"),
    )
    own = Check(evaluator="PartialMatch", origin="item")
    changed = Check(evaluator="Citations", options={"threshold": 1}, origin="item")
    document, sentences = write(
        suite(asked("#0", *base), asked("#1", *base, own), asked("#2", base[0], changed), asked("#3", own), asked("#4"))
    )
    assert document["default_evaluators"] == {"ExactMatch": {}, "Citations": {"threshold": 2}}
    fields = [{name: item[name] for name in ("evaluators", "evaluators_mode") if name in item} for item in document["items"]]
    assert fields == [
        {},
        {"evaluators": {"PartialMatch": {}}},
        {"evaluators": {"Citations": {"threshold": 1}}},
        {"evaluators": {"PartialMatch": {}}, "evaluators_mode": "replace"},
        {"evaluators": {}, "evaluators_mode": "replace"},
    ]
    assert (strict(document), sentences) == ([], ())


def test_without_any_of_the_file_there_are_no_defaults(write):
    document, _ = write(suite(asked("#0", *SYSTEM), asked("#1", Check(evaluator="ExactMatch"))))
    assert "default_evaluators" not in document
    assert document["items"][1] == {
        "prompt": "Is there a lift?",
        "evaluators": {"ExactMatch": {}},
        "evaluators_mode": "replace",
    }


def test_options_only_viva_knows_are_kept_apart_and_told(read, write, strict):
    checks = (Check(evaluator="ExactMatch", options={"match": "contains"}, origin="file"), Check(evaluator="Similarity"))
    document, sentences = write(suite(asked("#0", *checks)))
    assert strict(document) == []
    assert document["default_evaluators"] == {}
    assert document["metadata"]["extensions"][OURS] == {"default_evaluators": {"ExactMatch": {"match": "contains"}}}
    again = read(document)
    assert [(each.evaluator, each.options, each.origin) for each in again.cases[0].turns[0].checks] == [
        ("ExactMatch", {"match": "contains"}, "file"),
        ("Similarity", {}, "item"),
    ]
    assert sentences == ()
    (sentence,) = write(suite(asked("#0", Check(evaluator="RetrievalQuery", options={"selector": "x"}))))[1]
    assert sentence == "RetrievalQuery, asked for in a way only Viva knows, is kept under extensions (#0)."


def test_everything_that_cannot_be_held_is_told(write, strict):
    whole = Expectation(response="all", assertions=("polite",), trajectory=())
    reply = Reply(text="Yes", tool_calls=(ToolCall(name="search"),), citations=(Citation(index=1),))
    turn = Turn(input={"question": "lift?"}, expect=Expectation(rows=({"a": 1},), intent="QUERY"), reply=reply)
    cases = (
        Case(
            id="rich",
            turns=(turn,),
            history=(Message(role="user", content="Hello"),),
            expect=whole,
            checks=(Check(evaluator="GoalSuccessRate"),),
        ),
        Case(id="simulated", persona=Persona(context="a tourist", goal="find the pier")),
        Case(id="long", turns=(Turn(input="Hi"),) * 21),
        asked("named", Check(evaluator="ExactMatch", name="strictly"), Check(evaluator="foundry.groundedness")),
    )
    document, sentences = write(suite(*cases, about={"cube": "sales"}))
    assert strict(document) == []
    assert [item["prompt"] for item in document["items"]] == ['{"question": "lift?"}', "Is there a lift?"]
    for word in (
        "is about",
        "Earlier messages",
        "as a whole have no place",
        "expected response to a conversation",
        "Assertions",
        "trajectories",
        "rows have",
        "intents",
        "JSON text",
        "recorded answers",
        "Simulated conversations",
        "more than 20 turns",
        "strictly cannot be named",
        "foundry.groundedness cannot be named",
    ):
        assert [sentence for sentence in sentences if word in sentence], word
    assert len(sentences) == 14
    assert all(sentence.endswith(").") for sentence in sentences)


def test_many_cases_are_told_by_the_first_three(write):
    cases = [Case(id=f"c{n}", turns=(Turn(input="Hi"),), history=(Message(role="user", content="a"),)) for n in range(9)]
    assert write(suite(*cases))[1] == ("Earlier messages have no place and are left out (c0, c1, c2 and 6 more).",)


def test_positions_are_ids_only_where_they_are_right(read, write):
    document, _ = write(suite(asked("#1"), asked("x"), asked("#2")))
    assert [item.get("extensions") for item in document["items"]] == [
        {OURS: {"testId": "#1"}},
        {OURS: {"testId": "x"}},
        None,
    ]
    assert [case.id for case in read(document).cases] == ["#1", "x", "#2"]


def test_a_foreign_suite_keeps_its_name_and_words(read, write, strict):
    given = Suite(
        name="night lines",
        cases=(asked(),),
        metadata={"description": "d", "version": 3, "owner": "me", "metadata": "odd"},
        format="native",
        source="evals/ferries.yaml",
    )
    document, _ = write(given)
    assert strict(document) == []
    again = read(document)
    assert (again.errors, again.suite.name) == ([], "night lines")
    assert {name: again.suite.metadata[name] for name in ("description", "version", "owner")} == {
        "description": "d",
        "version": 3,
        "owner": "me",
    }


def test_non_ascii_is_written_as_it_is(read):
    import io

    from vivavoce.formats.m365 import M365

    out = io.StringIO()
    M365().write(read({"items": [{"prompt": "Grüße 你好 \ue200cite\ue202a\ue201 \u2028"}]}).suite, out)
    assert "Grüße 你好 \ue200cite\ue202a\ue201 \u2028" in out.getvalue()
    assert out.getvalue().endswith("}\n")
    assert json.loads(out.getvalue())


@pytest.mark.parametrize("error", [{"message": "m", "kind": "of another tool's"}, {"code": "", "message": "m"}])
def test_what_a_failed_turn_left_does_not_become_an_answer(error, read, write, strict):
    left = {"citations": [{"index": 1, "text": "t"}], "error": error}
    first = read({"schemaVersion": "1.8.0", "items": [{"prompt": "a", **left}]}, lenient=True)
    document, _ = write(first.suite)
    assert strict(document) == []
    (again,) = read(document).cases
    assert [told(again)] == [told(case) for case in first.cases]
    assert again.turns[0].reply is None
    assert again.turns[0].metadata == left
