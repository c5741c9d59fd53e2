"""What is written in the native format reads back the same, or it is said what is lost."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.core.model import Case, Check, Expectation, Persona, Suite, Turn
from vivavoce.core.place import Problems
from vivavoce.core.reply import Citation, Message, Reply, ToolCall
from vivavoce.core.source import Source
from vivavoce.formats._native import build
from vivavoce.formats.native import Native


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("native")


def written(suite: Suite, layout: str = "lines") -> tuple[str, tuple[str, ...]]:
    out = io.StringIO()
    lost = Native(layout=layout).write(suite, out)
    return out.getvalue(), lost


def read(folder, text: str, name: str = "s.jsonl") -> Suite:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    problems = Problems()
    suite = Native().read(Source(path, name), problems)
    cases = tuple(suite.cases)
    assert problems.found() == ()
    return replace(suite, cases=cases)


def bare(case: Case) -> Case:
    """A case without its places."""

    def checks(given):
        return tuple(replace(check, path="") for check in given)

    turns = tuple(replace(turn, path="", checks=checks(turn.checks)) for turn in case.turns)
    return replace(case, line=None, path="", turns=turns, checks=checks(case.checks))


def maybe(inner):
    return st.none() | inner


def tuples(inner):
    return st.lists(inner, max_size=3).map(tuple)


ANY_TEXT = st.text(max_size=8)
TEXT = ANY_TEXT.filter(str.strip)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(ANY_TEXT, JSON, max_size=3)
INPUTS = TEXT | st.dictionaries(ANY_TEXT, JSON, min_size=1, max_size=2)
EVALUATORS = st.sampled_from(["ExactMatch", "PartialMatch", "Citations", "agentcore.Coherence", "my own"])
NEW_KEYS = st.sampled_from(["trace", "seconds", "model", "Text"])


def named_checks(origin):
    """Checks of distinct evaluators."""
    one = st.builds(Check, evaluator=EVALUATORS, options=OBJECTS, origin=st.just(origin))
    return st.lists(one, max_size=3, unique_by=lambda check: check.evaluator).map(tuple)


CALLS = st.builds(ToolCall, name=TEXT, arguments=JSON, result=JSON, error=maybe(ANY_TEXT), id=maybe(ANY_TEXT))
REPLIES = st.builds(
    Reply,
    text=ANY_TEXT,
    tool_calls=maybe(tuples(CALLS)),
    citations=maybe(tuples(st.builds(Citation, index=st.integers(), text=maybe(ANY_TEXT), source=maybe(ANY_TEXT)))),
    retrievals=maybe(tuples(st.fixed_dictionaries({"capability": JSON}, optional={"queries": st.lists(OBJECTS, max_size=2)}))),
    rows=maybe(tuples(OBJECTS)),
    intent=maybe(ANY_TEXT),
    refusal=maybe(ANY_TEXT),
    insight=maybe(ANY_TEXT),
    usage=st.dictionaries(ANY_TEXT, JSON.filter(lambda value: value is not None), max_size=2),
    raw=maybe(st.dictionaries(NEW_KEYS, JSON, min_size=1, max_size=2)),
)
OF_ANSWER = {
    "response": maybe(ANY_TEXT),
    "rows": maybe(tuples(OBJECTS)),
    "intent": maybe(TEXT),
    "refusal": maybe(TEXT),
    "insights": maybe(tuples(TEXT)),
}
OF_CONVERSATION = {"assertions": maybe(tuples(TEXT)), "trajectory": maybe(tuples(TEXT))}


@st.composite
def turns(draw):
    made = Turn(
        input=draw(INPUTS),
        context=draw(maybe(ANY_TEXT)),
        expect=draw(st.builds(Expectation, **OF_ANSWER, **OF_CONVERSATION)),
        reply=draw(maybe(REPLIES)),
        metadata=draw(OBJECTS),
    )
    checks = draw(named_checks("item") | st.none())
    return replace(made, checks=build.defaults(made.expect, made.context) if checks is None else checks)


@st.composite
def cases(draw):
    common = {
        "name": draw(maybe(ANY_TEXT)),
        "category": draw(maybe(ANY_TEXT)),
        "history": draw(tuples(st.builds(Message, role=st.sampled_from(["user", "assistant", "tool"]), content=JSON))),
        "metadata": draw(OBJECTS),
    }
    identity = draw(TEXT)
    kind = draw(st.sampled_from(["question", "turns", "persona"]))
    whole = st.builds(Expectation, **{**OF_ANSWER, "response": st.none()}, **OF_CONVERSATION)
    if kind == "persona":
        persona = st.builds(
            Persona,
            goal=TEXT,
            context=ANY_TEXT,
            traits=OBJECTS,
            input=maybe(INPUTS),
            max_turns=st.integers(1, 50),
            desired_turns=maybe(st.integers(1, 50)),
        )
        checks = draw(named_checks("item") | st.just(build.RELEVANCE))
        return Case(id=identity, persona=draw(persona), expect=draw(whole), checks=checks, **common)
    if kind == "turns":
        return Case(id=identity, turns=tuple(draw(st.lists(turns(), min_size=1, max_size=3))), expect=draw(whole), **common)
    expect = draw(st.builds(Expectation, **OF_ANSWER))
    turn = replace(draw(turns()), expect=expect, metadata={})
    turn = replace(turn, checks=draw(named_checks("item") | st.just(build.defaults(turn.expect, turn.context))))
    return Case(id=identity, turns=(turn,), expect=draw(st.builds(Expectation, **OF_CONVERSATION)), **common)


SUITES = st.lists(cases(), min_size=1, max_size=4, unique_by=lambda case: case.id)


@pytest.mark.parametrize("layout", ["lines", "yaml"])
@settings(max_examples=40)
@given(given=SUITES)
def test_any_suite_reads_back_the_same(folder, layout, given):
    text, lost = written(Suite(name="s", cases=given), layout)
    assert lost == ()
    again = read(folder, text, "s.jsonl" if layout == "lines" else "s.yaml")
    assert [bare(case) for case in again.cases] == given
    assert written(again, layout)[0] == text


@settings(max_examples=40)
@given(
    given=SUITES,
    wide=named_checks("file").filter(bool),
    about=maybe(st.dictionaries(TEXT, JSON, max_size=2)),
    description=maybe(ANY_TEXT),
    name=TEXT,
)
def test_a_document_holds_the_suite_as_well(folder, given, wide, about, description, name):
    def with_wide(checks: tuple[Check, ...]) -> tuple[Check, ...]:
        own = {check.evaluator: check.options for check in checks if check.origin == "item"}
        return build.resolve(wide, own, None, "")

    given = [
        replace(
            case,
            turns=tuple(replace(turn, checks=with_wide(turn.checks)) for turn in case.turns),
            checks=with_wide(case.checks) if case.persona else (),
        )
        for case in given
    ]
    # The first turn shows the suite's own evaluators as they are.
    given = [Case(id="first of all \u00a7", turns=(Turn(input="q", checks=wide),)), *given]
    metadata = {} if description is None else {"description": description}
    text, lost = written(Suite(name=name, cases=given, about=about, metadata=metadata), "yaml")
    assert lost == ()
    again = read(folder, text, "s.yaml")
    assert (again.name, again.about, again.metadata) == (name, about, metadata)
    assert [bare(case) for case in again.cases] == [bare(case) for case in given]


QUESTION = Turn(input="q", checks=build.RELEVANCE)


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        ({"about": {"cube": 1}}, "what the suite is about"),
        ({"metadata": {"description": "d", "owner": "o"}}, "what the suite says of itself (description, owner)"),
    ],
)
def test_lines_say_what_they_cannot_hold_of_a_suite(suite, said):
    text, lost = written(Suite(name="s", cases=[Case(id="a", turns=(QUESTION,))], **suite))
    assert json.loads(text) == {"id": "a", "input": "q"}
    assert len(lost) == 1
    assert said in lost[0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"turns": (replace(QUESTION, checks=(Check(evaluator="E", origin="file"),)),)}, "suite-wide or by default"),
        ({"turns": (replace(QUESTION, checks=(Check(evaluator="F1Score", origin="default"),)),)}, "suite-wide or by default"),
        ({"turns": (replace(QUESTION, checks=(Check(evaluator="E", name="mine"),)),)}, 'the name "mine"'),
        ({"turns": (replace(QUESTION, checks=(Check(evaluator="E"), Check(evaluator="e", name="e"))),)}, "a second e"),
        ({"turns": (replace(QUESTION, expect=Expectation(reference_query={"q": 1})),)}, "a reference query"),
        ({"turns": (replace(QUESTION, reply=Reply(text="x", seconds=1.0)),)}, "how long a recorded answer took"),
        ({"turns": (replace(QUESTION, reply=Reply(text="x", raw=[1])),)}, "the raw form"),
        ({"turns": (replace(QUESTION, reply=Reply(text="x", raw={"rows": 1})),)}, "the raw form"),
        ({"turns": (replace(QUESTION, reply=Reply()),)}, "a recorded answer that says nothing"),
        ({"expect": Expectation(response="r")}, "an expected response of a whole conversation"),
        ({"checks": (Check(evaluator="GoalSuccessRate"),)}, "checks of a whole conversation"),
        ({"turns": ()}, "a case is left out, since it says nothing to the agent"),
        ({"turns": (replace(QUESTION, input=[1]),)}, "a case is left out, since it does not fit"),
        ({"turns": (replace(QUESTION, input=" "),)}, "a case is left out, since it does not fit"),
        ({"history": (Message(role="narrator", content="x"),)}, "a case is left out, since it does not fit"),
    ],
)
@pytest.mark.parametrize("layout", ["lines", "yaml"])
def test_what_a_case_loses_is_said_with_its_id(folder, changes, said, layout):
    if layout == "yaml" and changes.get("turns") and changes["turns"][0].checks[:1] == (Check(evaluator="E", origin="file"),):
        return  # a document holds these
    case = replace(Case(id="a", turns=(QUESTION,)), **changes)
    text, lost = written(Suite(name="s", cases=[case, Case(id="z", turns=(QUESTION,))]), layout)
    assert any(said in sentence and 'case "a"' in sentence for sentence in lost), lost
    again = read(folder, text, "s.jsonl" if layout == "lines" else "s.yaml")
    assert [case.id for case in again.cases] == (["z"] if "left out" in said else ["a", "z"])


def test_a_loss_is_said_once_with_how_often():
    cases = [Case(id=f"c{number}", turns=(replace(QUESTION, reply=Reply(text="x", seconds=1.0)),)) for number in range(3)]
    assert written(Suite(name="s", cases=cases))[1] == ('how long a recorded answer took has no place (case "c0" and 2 more)',)


@pytest.mark.parametrize("layout", ["lines", "yaml"])
def test_checks_of_a_conversation_and_those_of_its_turns_are_both_kept(folder, layout):
    turns = (QUESTION, replace(QUESTION, checks=(Check(evaluator="E"),)), replace(QUESTION, checks=()))
    cases = [
        Case(id="a", turns=turns, checks=(Check(evaluator="Goal"),)),
        Case(id="b", turns=turns[:1], checks=(Check(evaluator="Goal"),)),
    ]
    text, lost = written(Suite(name="s", cases=cases), layout)
    assert lost
    first, second = read(folder, text, "s.jsonl" if layout == "lines" else "s.yaml").cases
    assert [[check.evaluator for check in turn.checks] for turn in (*first.turns, *second.turns)] == [
        ["Goal", "Relevance", "Coherence"],
        ["Goal", "E"],
        ["Goal"],
        ["Goal", "Relevance", "Coherence"],
    ]


def test_ids_that_are_positions_are_left_out():
    cases = [Case(id="#0", turns=(QUESTION,)), Case(id="#7", turns=(QUESTION,)), Case(id="#2", turns=(QUESTION,))]
    text, _ = written(Suite(name="s", cases=cases))
    assert [json.loads(line).get("id") for line in text.splitlines()] == [None, "#7", None]
