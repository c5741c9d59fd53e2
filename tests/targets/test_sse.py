from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import CallError
from vivavoce.core.reply import Citation, Reply, ToolCall
from vivavoce.targets._paths import Paths
from vivavoce.targets._sse import Event, Events, Stream


def events(*pieces: bytes) -> list[Event]:
    parser = Events()
    return [event for piece in pieces for event in parser.feed(piece)] + list(parser.end())


def joined(*data: str, paths: dict[str, str] | None = None) -> Reply:
    stream = Stream(Paths(paths or {}))
    for each in data:
        if stream.take(Event("", each)):
            break
    return stream.reply()


def refused(*data: str, paths: dict[str, str] | None = None) -> str:
    with pytest.raises(CallError) as raised:
        joined(*data, paths=paths)
    assert raised.value.failure.code == "bad_payload"
    return raised.value.failure.message


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"data: a\n\ndata: b\n\n", [("", "a"), ("", "b")]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", [("", "a"), ("", "b")]),
        (b"data: a\r\rdata: b\r\r", [("", "a"), ("", "b")]),
        (b"data: one\ndata: two\ndata\n\n", [("", "one\ntwo\n")]),
        (b"data:tight\n\ndata:  wide\n\n", [("", "tight"), ("", " wide")]),
        (b": a comment\n:\ndata: a\n: another\n\n", [("", "a")]),
        (b"event: delta\nid: 7\nretry: 10\nfoo: bar\ndata: a\n\ndata: b\n\n", [("delta", "a"), ("", "b")]),
        (b"event: empty\n\ndata: b\n\n", [("", "b")]),
        (b"data:\n\n", [("", "")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("", "a")]),
        ("data: 東京 🐦\n\n".encode(), [("", "東京 🐦")]),
        (b"data: a: b\n\n", [("", "a: b")]),
        (b"data: no blank line\n", [("", "no blank line")]),
        (b"data: a\n\ndata: [DONE]", [("", "a"), ("", "[DONE]")]),
        (b"data: a\n\n: half a comm", [("", "a")]),
        (b"", []),
        (b"\n\n\n", []),
    ],
)
def test_events_whatever_the_pieces(text, found):
    expected = [Event(*each) for each in found]
    assert events(text) == expected
    assert events(*(text[index : index + 1] for index in range(len(text)))) == expected


@given(st.data())
def test_the_pieces_do_not_matter(data):
    text = data.draw(st.text(alphabet=list("da:t e\r\n\u00e9"), max_size=60)).encode() + b"\n\n"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert events(*pieces) == events(text)


@pytest.mark.parametrize("text", [b"data: a\n\ndata: half", b"da", b'data: {"text": "a'])
def test_a_stream_cut_within_a_line_is_refused(text):
    with pytest.raises(CallError, match="cut within an event"):
        events(text)


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(CallError, match="not UTF-8"):
        events(b"data: \xff\n\n")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (["Hel", "lo ", "world"], "Hello world"),
        (['"Hel"', '"lo\\n"'], "Hello\n"),
        (["say ", '"hi"'], 'say "hi"'),
        (["{", "}"], "{}"),
        (["4", "2"], "42"),
        ([""], ""),
        (["a", "[DONE]", "b"], "a"),
    ],
)
def test_parts_of_a_text_are_joined(data, text):
    assert joined(*data) == Reply(text=text)


def test_of_answers_the_last_counts():
    assert joined('{"text": "Hel"}', '{"text": "Hello", "intent": "GREET"}') == Reply(text="Hello", intent="GREET")


def test_the_last_answer_may_leave_the_text_to_the_parts():
    reply = joined("Hel", "lo", '{"tool_calls": [{"name": "greet"}]}', "[DONE]")
    assert reply == Reply(text="Hello", tool_calls=(ToolCall(name="greet"),))


def test_a_path_joins_the_texts_it_leads_to():
    paths = {"text": "choices[0].delta.content", "citations": "sources", "usage": "usage"}
    reply = joined(
        '{"choices": [{"delta": {"role": "assistant"}}]}',
        '{"choices": [{"delta": {"content": "Hel"}}]}',
        '{"choices": [{"delta": {"content": "lo"}}], "sources": ["a"]}',
        '{"choices": [], "usage": {"input_tokens": 3}}',
        "[DONE]",
        paths=paths,
    )
    assert reply == Reply(text="Hello", citations=(Citation(index=1, source="a"),), usage={"input_tokens": 3})


def test_a_stream_without_anything_in_it_is_refused():
    assert refused() == refused("[DONE]") == "the stream ended without any data"
    assert "leads to nothing" in refused('{"type": "start"}', paths={"text": "delta"})


def test_what_does_not_fit_the_paths_is_refused():
    assert "an event of the stream is not JSON" in refused("plain", paths={"text": "delta"})
    assert "leads to what is no text: 5" in refused('{"delta": 5}', paths={"text": "delta"})


def test_signs_of_life_are_no_data():
    stream = Stream(Paths({}))
    for kind in ("ping", "heartbeat", "keepalive"):
        assert not stream.take(Event(kind, '{"type": "ping"}'))
    stream.take(Event("message", "Hello"))
    assert stream.reply() == Reply(text="Hello")


def test_an_error_in_the_stream_is_a_failure():
    with pytest.raises(CallError) as raised:
        Stream(Paths({})).take(Event("error", '{"message": "overloaded"}'))
    assert raised.value.failure.code == "agent_error"
    assert "overloaded" in raised.value.failure.message


@pytest.mark.parametrize("paths", [{}, {"text": "delta"}])
def test_an_event_that_says_nothing_but_an_error_is_a_failure_whatever_came_before(paths):
    stream = Stream(Paths(paths))
    stream.take(Event("", '{"delta": "We"}' if paths else "We"))
    with pytest.raises(CallError) as raised:
        stream.take(Event("", '{"error": {"code": 500, "message": "no model"}}'))
    assert (raised.value.failure.code, raised.value.failure.answered) == ("agent_error", True)
    assert "no model" in raised.value.failure.message


def test_an_error_that_is_none_or_stands_beside_an_answer_is_no_failure():
    assert joined("We", '{"error": null, "done": true}') == Reply(text="We", raw={"error": None, "done": True})
    assert joined('{"text": "We", "error": "late"}').text == "We"


def test_a_session_id_is_kept():
    stream = Stream(Paths({"session_id": "conversation"}))
    for data in ('{"conversation": "c-7"}', '{"text": "a"}'):
        stream.take(Event("", data))
    assert (stream.session, stream.reply()) == ("c-7", Reply(text="a"))
