"""A simulated user's words in the shape the first message had."""

from __future__ import annotations

import pytest

from vivavoce.core.model import Persona
from vivavoce.core.reply import Reply
from vivavoce.run import saying


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (None, "Next?"),
        ("First?", "Next?"),
        ({"prompt": "First?", "account_id": 1}, {"prompt": "Next?", "account_id": 1}),
        ({"locale": "en", "message": "First?"}, {"locale": "en", "message": "Next?"}),
        ({"text": "note", "query": "First?"}, {"text": "note", "query": "Next?"}),
        ({"a": {"b": {"c": "First?"}, "n": [1]}, "x": None}, {"a": {"b": {"c": "Next?"}, "n": [1]}, "x": None}),
    ],
)
def test_one_shape_for_the_whole_conversation(first: object, then: object) -> None:
    assert saying.put(first, "Next?") == then
    assert first is None or saying.words(first) == "First?"
    assert saying.words(then) == "Next?"


@pytest.mark.parametrize("first", [{"a": "x", "b": "y"}, {"a": 1}, {}, {"a": ["x"]}])
def test_what_cannot_be_told_is_refused_unless_nothing_follows(first: object) -> None:
    persona = Persona(context="", goal="g", input=first)
    why = saying.unsayable(persona)
    assert why is not None
    assert "name the one that is said 'message'" in why
    assert saying.unsayable(Persona(context="", goal="g", input=first, max_turns=1)) is None
    assert saying.words(first).startswith("{"), "it is shown as JSON"


def test_what_a_user_hears() -> None:
    assert saying.heard(Reply(text="Yes.")) == "Yes."
    assert saying.heard(Reply(text="", rows=({"a": 1},))) == ""
    assert saying.heard(Reply(rows=({"a": 1},))) == '[{"a":1}]'
    assert saying.heard(Reply(refusal="off topic")) == "off topic"
    assert saying.heard(Reply()) == ""
