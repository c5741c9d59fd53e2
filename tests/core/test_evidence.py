"""Evidence gives what is there and names what is not; unknown is not empty."""

from __future__ import annotations

import pytest

from vivavoce.core.errors import Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.reply import Citation, Message, Reply, ToolCall
from vivavoce.core.result import Exchange
from vivavoce.core.wording import WORDS, asked_for

CASE = Case(id="a", expect=Expectation(response="of the case"))
EMPTY = Evidence(case=Case(id="a"))
PARTS = (
    "input",
    "response",
    "expected",
    "context",
    "retrievals",
    "extracts",
    "citations",
    "tool_calls",
    "trajectory",
    "tool_definitions",
    "retrieved_documents",
)


def of(turn: Turn | None = None, reply: Reply | None = None, **more) -> Evidence:
    return Evidence(case=CASE, turn=turn or Turn(input="q"), reply=reply, **more)


@pytest.mark.parametrize("name", PARTS)
def test_what_is_not_there_is_missing_by_its_name(name):
    for evidence in (EMPTY, of(Turn(input="q")) if name != "input" else EMPTY):
        with pytest.raises(Missing) as raised:
            getattr(evidence, name)
        assert raised.value.names == (name,)
        with pytest.raises(Missing):
            evidence.text(name)


@pytest.mark.parametrize("name", ["retrievals", "citations", "tool_calls"])
def test_reported_none_is_there(name):
    evidence = of(reply=Reply(text="x", **{name: ()}))
    assert getattr(evidence, name) == ()
    assert evidence.text(name) == "[]"


def test_empty_texts_are_there():
    evidence = of(Turn(input="q", context="", expect=Expectation(response="")), Reply(text=""))
    assert (evidence.response, evidence.context, evidence.expected) == ("", "", "")
    assert evidence.first("context", "expected") == ""


def test_a_structured_input_is_shown_as_json():
    assert of(Turn(input={"größe": [1, None]})).input == '{"größe": [1, null]}'


def test_expected_is_the_turns_or_without_a_turn_the_cases():
    assert of(Turn(input="q", expect=Expectation(response="of the turn"))).expected == "of the turn"
    assert Evidence(case=CASE).expected == "of the case"
    with pytest.raises(Missing):
        _ = of(Turn(input="q")).expected


def test_the_first_of_several_or_all_their_names():
    turn = Turn(input="q", expect=Expectation(response="e"))
    assert of(turn).first("context", "expected") == "e"
    assert of(Turn(input="q", context="c", expect=Expectation(response="e"))).first("context", "expected") == "c"
    with pytest.raises(Missing, match="context or extracts") as raised:
        of().first("context", "extracts")
    assert raised.value.names == ("context", "extracts")


def test_history_is_text_with_roles():
    history = (Message(role="user", content="Hello"), Message(role="tool", content={"größe": 1}))
    assert of(history=history).history == history
    assert of(history=history).text("history") == 'user: Hello\ntool: {"größe": 1}'
    assert EMPTY.history == ()
    assert EMPTY.text("history") == ""


def test_parts_of_a_reply_as_text_are_json():
    evidence = of(reply=Reply(tool_calls=(ToolCall(name="t"),), citations=(Citation(index=1, source="s"),)))
    assert evidence.tool_calls[0].name == "t"
    assert '"name":"t"' in evidence.text("tool_calls")
    assert '"source":"s"' in evidence.text("citations")


def test_extracts_are_all_texts_of_all_hits():
    retrievals = (
        {"retrievalHits": [{"extracts": [{"text": "one"}, {"text": "two"}, {"text": ""}, {}]}, {"extracts": None}, {}]},
        {"retrievalHits": None},
        {},
        {"retrievalHits": [{"extracts": [{"text": "three"}]}]},
    )
    assert of(reply=Reply(retrievals=retrievals)).extracts == "one\n\ntwo\n\nthree"


@pytest.mark.parametrize(
    "retrievals",
    [
        (),
        ({"retrievalHits": []},),
        ({"retrievalHits": "text"},),
        ({"retrievalHits": [3, "x", None, {"extracts": "y"}, {"extracts": [4, {"text": 5}]}]},),
        ("not an object",),
    ],
)
def test_extracts_of_nothing_or_of_another_shape_are_missing(retrievals):
    with pytest.raises(Missing, match="extracts"):
        _ = of(reply=Reply(retrievals=retrievals)).extracts


def test_names_are_told_in_words():
    assert asked_for(("context", "expected")) == f"{WORDS['context']} or {WORDS['expected']}"
    assert asked_for(("other",)) == "`other`"
    assert {*PARTS, "history"} <= WORDS.keys()


def test_evidence_of_a_conversation_is_that_of_all_its_answers():
    first, second = ToolCall(name="look", arguments={"id": 1}, result="found"), ToolCall(name="book", error="full")
    exchanges = [
        Exchange(input="one", reply=Reply(text="a", tool_calls=(first,))),
        Exchange(input="two", reply=Reply(text="b", tool_calls=(second,))),
    ]
    case = Case(id="c", history=(Message(role="system", content="be kind"),), expect=Expectation(trajectory=("look",)))
    whole = Evidence(case=case, exchanges=exchanges)
    assert whole.tool_calls == (first, second)
    assert whole.trajectory == ("look",)
    assert whole.conversation.split("\n\n") == [
        "system: be kind",
        "user: one",
        'tool: {"name": "look", "arguments": {"id": 1}, "result": "found"}',
        "assistant: a",
        "user: two",
        'tool: {"name": "book", "arguments": null, "error": "full"}',
        "assistant: b",
    ]
    unknown = Evidence(case=case, exchanges=[*exchanges, Exchange(input="three", reply=Reply(text="c"))])
    with pytest.raises(Missing):
        _ = unknown.tool_calls


def test_limited_evidence_shows_what_was_given_and_nothing_else():
    turn = Turn(input="q", expect=Expectation(response="truth"), context="ctx")
    whole = Evidence(case=Case(id="c", turns=(turn,)), turn=turn, reply=Reply(text="r"))
    limited = whole.limited({"expected": "another"}, ("response",))
    assert (limited.expected, limited.response, limited.history) == ("another", "r", ())
    assert limited.first("context", "expected") == "another"
    for name in ("input", "context", "tool_calls", "conversation"):
        with pytest.raises(Missing, match=name):
            getattr(limited, name)
