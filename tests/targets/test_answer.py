from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core import codec
from vivavoce.core.errors import CallError
from vivavoce.core.reply import Citation, Reply, ToolCall
from vivavoce.targets import _answer


def refused(payload: object) -> str:
    with pytest.raises(CallError) as raised:
        _answer.read(payload)
    failure = raised.value.failure
    assert (failure.code, failure.retriable, failure.answered) == ("bad_payload", False, True)
    return failure.message


def attempt(read):
    """What reading gives, or the code of its failure."""
    try:
        return read(), None
    except CallError as error:
        return None, error.failure.code if error.failure.message.isprintable() else "unprintable"


@pytest.mark.parametrize("text", ["Paris", "", " ", "naïve 東京 🐦", "42", "null"])
def test_text_is_an_answer(text):
    assert _answer.read(text) == Reply(text=text)
    assert _answer.read({"text": text}) == Reply(text=text)


def test_every_part_of_an_answer_is_read():
    hits = [{"rank": 1, "webUrl": None, "extracts": [{"text": "open until 9"}]}]
    reply = _answer.read(
        {
            "text": "9 pm",
            "tool_calls": [{"name": "find", "arguments": {"q": "hours"}, "result": [1], "error": None, "id": "t1"}],
            "citations": [{"index": 3, "text": "hours", "source": "https://a.example"}, {"source": "b"}],
            "retrievals": [{"queries": [{"queryString": "hours"}], "retrievalHits": hits}],
            "rows": [{"a": 1}, {"a": None}],
            "intent": "QUERY",
            "refusal": "off",
            "insight": "up",
            "usage": {"input_tokens": 3, "output_tokens": 4, "cost_usd": 0.5, "details": {"cached": 1}, "none": None},
            "model": "m-1",
        }
    )
    assert reply == Reply(
        text="9 pm",
        tool_calls=(ToolCall(name="find", arguments={"q": "hours"}, result=[1], id="t1"),),
        citations=(Citation(index=3, text="hours", source="https://a.example"), Citation(index=2, source="b")),
        retrievals=({"queries": [{"queryString": "hours"}], "retrievalHits": hits},),
        rows=({"a": 1}, {"a": None}),
        intent="QUERY",
        refusal="off",
        insight="up",
        usage={"input_tokens": 3, "output_tokens": 4, "cost_usd": 0.5, "details": {"cached": 1}},
        raw={"model": "m-1"},
    )


def test_unknown_is_not_empty():
    told = _answer.read({"text": "a", "tool_calls": [], "citations": [], "retrievals": [], "rows": []})
    assert (told.tool_calls, told.citations, told.retrievals, told.rows) == ((), (), (), ())
    untold = _answer.read({"text": "a", "tool_calls": None, "citations": None, "usage": None})
    assert untold == Reply(text="a")


def test_an_answer_may_do_without_text():
    assert _answer.read({"rows": [{"a": 1}]}).text is None
    assert _answer.read({"text": None, "refusal": "not mine"}).refusal == "not mine"
    assert _answer.read({"tool_calls": []}).tool_calls == ()


def test_short_forms_of_tool_calls_and_citations():
    assert _answer.read({"text": "", "tool_calls": ["a", "b"]}).tool_calls == (ToolCall(name="a"), ToolCall(name="b"))
    assert _answer.read({"text": "", "citations": ["x"]}).citations == (Citation(index=1, source="x"),)


def test_an_error_of_a_tool_that_is_no_text_is_kept_as_json():
    (call,) = _answer.read({"text": "", "tool_calls": [{"name": "a", "error": {"code": 7}}]}).tool_calls
    assert call.error == '{"code":7}'


@pytest.mark.parametrize(
    ("payload", "kind"), [(None, "null"), (7, "a number"), (7.5, "a number"), (True, "a truth value"), ([1], "a list")]
)
def test_what_is_neither_text_nor_object_is_refused(payload, kind):
    assert refused(payload) == f'the answer is {kind}; it must be text, or an object with "text"'


@pytest.mark.parametrize("payload", [{"text": None}, {"usage": {"input_tokens": 1}}, {"error": "no model"}])
def test_an_object_without_answer_is_refused_and_shown(payload):
    message = refused(payload)
    assert message.startswith('the answer has neither "text" nor another part of an answer')
    assert message.endswith(codec.encode(payload).decode())


def test_an_empty_object_is_refused():
    assert "an empty object" in refused({})


def test_a_misspelt_key_is_named():
    assert 'did you mean "text"?' in refused({"texts": "a"})


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        ({"text": 5}, '"text" of the answer must be text or null, not a number'),
        ({"text": ["a"]}, '"text" of the answer must be text or null, not a list'),
        ({"text": "", "tool_calls": {}}, '"tool_calls" of the answer must be a list or null, not an object'),
        ({"text": "", "tool_calls": [4]}, '"tool_calls[0]" of the answer must be an object, not a number'),
        ({"text": "", "tool_calls": ["a", {}]}, '"tool_calls[1].name" of the answer must be the name of a tool, not null'),
        ({"text": "", "citations": "x"}, '"citations" of the answer must be a list or null, not text'),
        ({"text": "", "citations": [{"index": "1"}]}, '"citations[0].index" of the answer must be a whole number, not text'),
        (
            {"text": "", "citations": [{"index": True}]},
            '"citations[0].index" of the answer must be a whole number, not a truth value',
        ),
        ({"text": "", "citations": [{"source": 1}]}, '"citations[0].source" of the answer must be text or null, not a number'),
        ({"text": "", "retrievals": ["x"]}, '"retrievals[0]" of the answer must be an object, not text'),
        (
            {"text": "", "retrievals": [{"retrievalHits": [{"extracts": ["x"]}]}]},
            '"retrievals[0].retrievalHits[0].extracts[0]" of the answer must be an object, not text',
        ),
        (
            {"text": "", "retrievals": [{"queries": "x"}]},
            '"retrievals[0].queries" of the answer must be a list or null, not text',
        ),
        ({"rows": [[1]]}, '"rows[0]" of the answer must be an object, not a list'),
        ({"text": "", "intent": 1}, '"intent" of the answer must be text or null, not a number'),
        ({"text": "", "usage": []}, '"usage" of the answer must be an object, not a list'),
        (
            {"text": "", "usage": {"input_tokens": "3"}},
            '"usage.input_tokens" of the answer must be a number from 0 to 10^12, not text',
        ),
        (
            {"text": "", "usage": {"cost_usd": -1}},
            '"usage.cost_usd" of the answer must be a number from 0 to 10^12, not a number',
        ),
        (
            {"text": "", "usage": {"input_tokens": 10**400}},
            '"usage.input_tokens" of the answer must be a number from 0 to 10^12, not a number',
        ),
    ],
)
def test_a_wrong_type_is_named_with_its_place(payload, says):
    assert refused(payload) == says


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | st.sampled_from(_answer.KEYS), inner),
    max_leaves=20,
)


@given(JSON)
def test_any_json_is_a_reply_that_can_be_stored_or_a_failure(value):
    reply, code = attempt(lambda: _answer.read(_answer.decode(codec.encode(value))))
    assert code == "bad_payload" if reply is None else codec.decode(codec.encode(reply), Reply) == reply


@given(st.binary(max_size=60))
def test_any_bytes_are_json_or_a_failure(body):
    value, code = attempt(lambda: _answer.decode(body))
    assert code == "bad_payload" if code is not None else codec.decode(codec.encode(value), object) == value


def test_half_a_character_pair_is_replaced_and_a_whole_one_kept():
    assert _answer.decode(rb'{"text": "cut \ud83d"}') == {"text": "cut \ufffd"}
    assert _answer.decode(rb'{"text": "\ud83d\ude00 \ud83d"}') == {"text": "\U0001f600 \ufffd"}
    assert _answer.read("half \ud83d").text == "half \ufffd"
    assert _answer.storable({"text": ["half \ud83d"]}) == {"text": ["half \ufffd"]}


@pytest.mark.parametrize("body", [b'{"text": "hal', b"", b"hello", b'{"a": NaN}', b'"\\ud83d', b"\xff"])
def test_what_is_no_json_is_refused(body):
    with pytest.raises(CallError, match="the answer is not JSON"):
        _answer.decode(body)


@pytest.mark.parametrize("depth", [250, 900, 100_000])
def test_deep_nesting_is_refused(depth):
    with pytest.raises(CallError, match="nested deeper than 200 levels"):
        _answer.decode(b'{"text": "a", "x": ' + b"[" * depth + b"]" * depth + b"}")


def test_deep_or_endless_python_data_is_refused():
    deep: list[object] = []
    for _ in range(300):
        deep = [deep]
    endless: dict[str, object] = {"text": "a"}
    endless["self"] = endless
    for value in (deep, endless):
        with pytest.raises(CallError, match="nested deeper"):
            _answer.storable(value)


def test_many_brackets_are_not_depth():
    wide = {"rows": [{"a": [number]} for number in range(1000)]}
    assert _answer.decode(json.dumps(wide).encode()) == wide
    assert _answer.storable(wide) == wide


class Text(str):
    def __str__(self):
        return "not what it holds"


class Number(float):
    pass


class Whole(int):
    pass


class Scalar:
    """As libraries for numbers have them."""

    shape = ()

    def item(self):
        return 0.5


class Other:
    def __str__(self):
        return "something else"


@dataclass
class Part:
    said: object


def types(value):
    if isinstance(value, dict):
        return {dict, str}.union(*map(types, value), *map(types, value.values()))
    return {list}.union(*map(types, value)) if isinstance(value, list) else {type(value)}


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Text("a"), "a"),
        ({Text("a"): Text("b")}, {"a": "b"}),
        (Number(1.5), 1.5),
        (Whole(3), 3),
        (Scalar(), 0.5),
        (Other(), "something else"),
        ({4}, [4]),
        ((1, [2]), [1, [2]]),
        (Part(said=[Text("c")]), {"said": ["c"]}),
        ({1: None, None: 2, (1, 2): 3}, {"1": None, "null": 2, "[1,2]": 3}),
        (2**64 - 1, 2**64 - 1),
        (2**64, "18446744073709551616"),
        (-(2**63) - 1, "-9223372036854775809"),
        (date(2026, 1, 31), "2026-01-31"),
    ],
)
def test_what_an_agent_gives_becomes_plain(value, plain):
    made = _answer.storable({"raw": value})
    assert made == {"raw": plain}
    assert types(made) <= {dict, list, str, int, float, bool, type(None)}
    assert codec.decode(codec.encode(made), object) == made


def test_the_text_of_a_type_of_its_own_is_plain():
    assert type(_answer.read(Text("a")).text) is str
    assert _answer.read(Text("a")).text == "a"


def test_a_number_of_any_length_can_be_stored():
    made = _answer.storable([10**5000])
    assert made == [hex(10**5000)]


def test_numbers_that_are_too_long_are_kept_as_text():
    assert _answer.decode(b'{"id": 123456789012345678901234567890, "n": 1234567890123456789}') == {
        "id": "123456789012345678901234567890",
        "n": 1234567890123456789,
    }


def test_what_cannot_even_be_told_is_a_failure_of_the_agent():
    class Hostile:
        def __str__(self):
            raise LookupError("no")

    with pytest.raises(CallError, match="LookupError: no"):
        _answer.storable({"raw": Hostile()})
