import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.reply import Reply, ToolCall
from vivavoce.core.result import Fault, Score
from vivavoce.core.visible import visible
from vivavoce.reports._text import answered, cut, encoded, failure, line, said, skipped

ANYTHING = st.text(st.characters(codec=None, categories=None), max_size=200)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, ünïcode 日本", "plain, ünïcode 日本"),
        ("\x1b[31mred", "␛[31mred"),
        ("a\r\nb\tc\n", "a\nb\tc\n"),
        ("over\rwritten", "over␍written"),
        ("\x00\x7f\x9b", "␀␡<U+009B>"),
        ("a\u202eb\u2066c\ufeff", "a<U+202E>b<U+2066>c<U+FEFF>"),
        ("\ud83d", "<U+D83D>"),
        ("\U000e0041", "<U+E0041>"),
        ("👩‍👩‍👧 e\u0301", "👩‍👩‍👧 e\u0301"),
    ],
)
def test_what_would_act_is_made_visible(text, shown):
    assert visible(text) == shown


@given(ANYTHING)
def test_visible_text_can_be_written_and_does_not_change_again(text):
    shown = visible(text)
    assert visible(shown) == shown
    shown.encode("utf-8")
    assert not any(ord(character) < 32 and character not in "\n\t" for character in shown)


@given(st.text(), st.integers(1, 200))
def test_a_cut_text_keeps_to_its_limit(text, limit):
    assert len(cut(text, limit)) <= limit
    assert cut(text, limit) == text or cut(text, limit).endswith(("…", "characters]"))


def test_a_cut_text_says_how_long_it_was():
    assert cut("x" * 1_048_576, 80).endswith("x… [1,048,576 characters]")
    assert cut("x" * 50, 10) == "x" * 9 + "…"


@given(ANYTHING, st.integers(1, 80))
def test_a_line_is_one_line_within_its_limit(text, limit):
    shown = line(text, limit)
    assert len(shown) <= limit
    assert len(shown.splitlines()) <= 1


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("Relevance: too few words", "too few words"),
        ("Relevance needs a judge", "needs a judge"),
        ("Relevances are many", "Relevances are many"),
        ("needs a judge", "needs a judge"),
        ("Relevance", "Relevance"),
    ],
)
def test_why_a_check_was_skipped_stands_beside_its_name_and_does_not_repeat_it(reason, told):
    assert skipped(Score(name="Relevance", evaluator="Relevance", status="skip", reason=reason)) == told


def test_a_line_looks_at_no_more_than_it_shows():
    assert line("ab " * 1_000_000, 10) == "ab ab ab …"


def test_what_was_said_and_answered():
    assert said("Hi") == "Hi"
    assert said({"a": [1, "ü"]}) == '{"a":[1,"ü"]}'
    assert answered(Reply(text="")) == ""
    assert answered(Reply(text="yes", rows=())) == "yes"
    assert answered(Reply()) == ""
    assert json.loads(answered(Reply(intent="QUERY", rows=(), tool_calls=(ToolCall(name="f"),)))) == {
        "intent": "QUERY",
        "rows": [],
        "tool_calls": [{"name": "f", "arguments": None, "result": None, "error": None, "id": None}],
    }
    assert failure(Fault(code="timeout", message="too late")) == "timeout: too late"


@given(ANYTHING)
def test_encoded_text_survives_but_for_halves_of_characters(text):
    whole = "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
    written = encoded({"k": [text], text: None})
    assert json.loads(written) == {"k": [whole], whole: None}
    assert "\n" not in written
    assert visible(written) == written


def test_what_is_no_number_becomes_null():
    assert encoded([float("nan"), float("-inf"), 1.5]) == "[null,null,1.5]"
