"""Core types to JSON and back, canonical JSON, and digests that mean something."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core import codec
from vivavoce.core.model import Case, Check, Expectation, File, Header, Persona, Selection, Trial, Turn, Use
from vivavoce.core.reply import Citation, Message, Reply, Request, ToolCall
from vivavoce.core.result import (
    EvaluatorSummary,
    Exchange,
    Fault,
    GroupSummary,
    Result,
    Run,
    Score,
    Stability,
    Summary,
    Usage,
    Verdict,
)

WORDS = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(WORDS, JSON, max_size=3)


def tuples(inner):
    return st.lists(inner, max_size=3).map(tuple)


def maybe(inner):
    return st.none() | inner


REPLIES = st.builds(
    Reply,
    text=maybe(WORDS),
    tool_calls=maybe(tuples(st.builds(ToolCall, name=WORDS, arguments=JSON, result=JSON, error=maybe(WORDS), id=maybe(WORDS)))),
    citations=maybe(tuples(st.builds(Citation, index=st.integers(1, 9), text=maybe(WORDS), source=maybe(WORDS)))),
    retrievals=maybe(tuples(OBJECTS)),
    rows=maybe(tuples(OBJECTS)),
    intent=maybe(WORDS),
    refusal=maybe(WORDS),
    insight=maybe(WORDS),
    usage=OBJECTS,
    seconds=maybe(st.floats(0, 1e6)),
    raw=JSON,
)
EXPECTATIONS = st.builds(
    Expectation,
    response=maybe(WORDS),
    assertions=maybe(tuples(WORDS)),
    trajectory=maybe(tuples(WORDS)),
    rows=maybe(tuples(OBJECTS)),
    reference_query=JSON,
    intent=maybe(WORDS),
    refusal=maybe(WORDS),
    insights=maybe(tuples(WORDS)),
)
CHECKS = st.builds(
    Check, evaluator=WORDS, name=WORDS, options=OBJECTS, origin=st.sampled_from(["item", "file", "run", "default"]), path=WORDS
)
TURNS = st.builds(
    Turn,
    input=JSON,
    context=maybe(WORDS),
    expect=EXPECTATIONS,
    checks=tuples(CHECKS),
    reply=maybe(REPLIES),
    metadata=OBJECTS,
    path=WORDS,
)
CASES = st.builds(
    Case,
    id=WORDS,
    name=maybe(WORDS),
    category=maybe(WORDS),
    turns=tuples(TURNS),
    persona=maybe(
        st.builds(Persona, context=WORDS, goal=WORDS, traits=OBJECTS, input=JSON, desired_turns=maybe(st.integers(1, 9)))
    ),
    history=tuples(st.builds(Message, role=WORDS, content=JSON)),
    expect=EXPECTATIONS,
    checks=tuples(CHECKS),
    metadata=OBJECTS,
    line=maybe(st.integers(1, 99)),
    path=WORDS,
)
SCORES = st.builds(
    Score,
    name=WORDS,
    evaluator=WORDS,
    status=st.sampled_from(["pass", "fail", "skip", "error"]),
    reason=WORDS,
    value=maybe(st.floats(0, 5)),
    call=maybe(st.integers(0, 3)),
    details=OBJECTS,
)
RESULTS = st.builds(
    Result,
    suite=WORDS,
    case=WORDS,
    status=st.sampled_from(["pass", "fail", "skip", "error"]),
    metadata=OBJECTS,
    turns=tuples(
        st.builds(
            Exchange,
            input=JSON,
            expected=maybe(WORDS),
            error=maybe(st.builds(Fault, code=WORDS, message=WORDS)),
            reply=maybe(REPLIES),
            scores=tuples(SCORES),
        )
    ),
    scores=tuples(SCORES),
    stop=st.sampled_from([None, "goal_completed", "max_turns", "gave_up", "error"]),
)


@given(st.one_of(CASES, RESULTS, REPLIES))
def test_what_is_encoded_decodes_to_the_same(value):
    data = codec.encode(value)
    assert codec.decode(data, type(value)) == value
    assert codec.decode(data.decode(), type(value)) == value
    assert codec.convert(codec.plain(value), type(value)) == value
    assert json.loads(data) == json.loads(json.dumps(codec.plain(value)))


@given(JSON)
def test_canonical_does_not_depend_on_the_order_of_names(value):
    def turned(each):
        if isinstance(each, dict):
            return {name: turned(each[name]) for name in reversed(each)}
        return [turned(one) for one in each] if isinstance(each, list) else each

    assert codec.canonical(value) == codec.canonical(turned(value))
    assert codec.digest(value) == codec.digest(turned(value))
    assert json.loads(codec.canonical(value)) == value


def test_a_digest_is_tagged_and_stays_what_it_is():
    assert codec.digest({"a": [1, None, "é"], "b": 2.5}) == codec.digest({"b": 2.5, "a": [1, None, "é"]})
    assert codec.digest({}) == "b2:" + codec.digest({})[3:]
    assert len(codec.digest({})) == 3 + 32
    code = "from vivavoce.core import codec; print(codec.digest({'a': [1, None, 'é']}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env={"PYTHONHASHSEED": "77"}
    )
    assert done.stdout.strip() == codec.digest({"a": [1, None, "é"]}), done.stderr


def test_nothing_that_is_no_number_is_written():
    assert codec.encode([float("nan"), float("inf"), -float("inf"), 1.5]) == b"[null,null,null,1.5]"


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"text": 3}', b'{"tool_calls": [{}]}', b'{"citations": [{"index": "1"}]}']
)
def test_what_does_not_decode_is_a_value_error(data):
    with pytest.raises(ValueError, match=r"."):
        codec.decode(data, Reply)


def test_a_decoding_error_has_the_path():
    with pytest.raises(ValueError, match=r"\$\.tool_calls\[1\]"):
        codec.decode(b'{"tool_calls": [{"name": "a"}, {"name": 1}]}', Reply)


def test_lax_conversion_reads_text_as_what_is_wanted():
    assert codec.convert({"index": "3"}, Citation, lax=True) == Citation(index=3)
    assert codec.convert("true", bool, lax=True) is True
    assert codec.convert("0.5", float, lax=True) == 0.5
    with pytest.raises(ValueError, match="int"):
        codec.convert({"index": "3"}, Citation)
    with pytest.raises(ValueError, match=r"."):
        codec.convert({"index": "three"}, Citation, lax=True)


CASE = Case(
    id="a",
    turns=(Turn(input={"q": 1}, context="c", expect=Expectation(response="r"), checks=(Check(evaluator="E"),)),),
    history=(Message(role="user", content="h"),),
    metadata={"m": 1},
)


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "b"},
        {"name": "n"},
        {"category": "c"},
        {"metadata": {}},
        {"line": 3, "path": "items[0]"},
        {"checks": (Check(evaluator="F"),)},
        {"turns": (replace(CASE.turns[0], checks=(), path="p", reply=Reply(text="x"), metadata={"x": 1}),)},
    ],
)
def test_a_case_is_the_same_while_inputs_and_expectations_are(changes):
    assert codec.case_digest(replace(CASE, **changes)) == codec.case_digest(CASE)


@pytest.mark.parametrize(
    "changes",
    [
        {"turns": ()},
        {"turns": (replace(CASE.turns[0], input="q"),)},
        {"turns": (replace(CASE.turns[0], context=None),)},
        {"turns": (replace(CASE.turns[0], expect=Expectation(response="")),)},
        {"turns": (replace(CASE.turns[0], expect=Expectation(response="r", trajectory=())),)},
        {"turns": CASE.turns * 2},
        {"history": ()},
        {"persona": Persona(context="", goal="g")},
        {"expect": Expectation(trajectory=())},
        {"expect": Expectation(rows=())},
    ],
)
def test_a_case_is_another_when_inputs_or_expectations_are(changes):
    assert codec.case_digest(replace(CASE, **changes)) != codec.case_digest(CASE)


def test_every_part_of_an_expectation_is_in_the_digest():
    for each in fields(Expectation):
        value = "x" if each.name in ("response", "intent", "refusal", "reference_query") else ()
        changed = replace(CASE, expect=Expectation(**{each.name: value}))
        assert codec.case_digest(changed) != codec.case_digest(CASE), each.name


def test_a_summary_reads_back_and_is_worded_as_the_run_document_has_it():
    summary = Summary(
        cases=3,
        trials=6,
        passed=4,
        failed=1,
        errored=1,
        pass_rate=0.8,
        scored=5,
        evaluated=True,
        evaluators={
            "E": EvaluatorSummary(passed=4, failed=1, pass_rate=0.8, mean=0.8, ci95=(0.3, 0.99)),
            "F": EvaluatorSummary(),
        },
        categories={"kb": GroupSummary(cases=3, passed=4)},
        suites={"s": GroupSummary(cases=3, failed=1, pass_rate=0.8)},
        usage=Usage(agent_calls=6, cost_usd=0.25),
        seconds=1.5,
        stability=Stability(repeat=2, mean=0.5, ci95=None, pass_at_k=1.0, pass_pow_k=0.0, unstable=(("s", "a"),)),
    )
    document = codec.summary(summary)
    assert document["pass"] == 4
    assert document["evaluators"]["E"]["ci95"] == (0.3, 0.99)
    assert codec.read_summary(json.loads(codec.encode(document))) == summary
    assert codec.read_summary(json.loads(codec.encode(codec.summary(Summary())))) == Summary()
    assert "stability" not in codec.summary(Summary())


def test_a_run_document_is_plain_json_and_names_its_format():
    header = Header(
        digest="b2:0",
        selection=Selection(paths=("a.jsonl",), target=Use(name="recorded"), judge=Use(name="none")),
        files=(File(path="a.jsonl", sha256="00"),),
        version="1",
    )
    result = Result(suite="s", case="a", status="pass", turns=(Exchange(input={"q": 1}, reply=Reply(text="x", rows=())),))
    run = Run(
        id="r",
        started="2026-01-01T00:00:00Z",
        finished=None,
        state="running",
        header=header,
        summary=Summary(),
        results=(result,),
    )
    document = json.loads(codec.encode(codec.document(run)))
    assert document == json.loads(json.dumps(run.to_dict()))
    assert document["format"] == "viva.run/1"
    assert document["plan"]["files"] == [{"path": "a.jsonl", "sha256": "00"}]
    assert document["results"][0]["turns"][0]["reply"]["rows"] == []
    assert document["results"][0]["turns"][0]["reply"]["citations"] is None


def test_what_an_agent_is_told_encodes_in_full():
    request = Request(
        input="q", session_id="s", case="c", turn=0, about={"cube": 1}, history=(Message(role="user", content="h"),)
    )
    assert json.loads(codec.encode(request)) == {
        "input": "q",
        "session_id": "s",
        "case": "c",
        "turn": 0,
        "about": {"cube": 1},
        "history": [{"role": "user", "content": "h"}],
    }
    trial = Trial(suite="s", case=CASE, repeat=1, position=2, digest="d")
    assert codec.decode(codec.encode(trial), Trial) == trial
    assert trial.key == ("s", "a", 1)
    assert codec.plain(Verdict(reason="r"))["value"] is None
