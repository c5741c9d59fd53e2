"""Writing: rows come back as they were, other suites as far as rows can hold them, and runs as evaluated rows."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce import evaluate
from vivavoce.core import plugins
from vivavoce.core.model import Case, Check, Expectation, Persona, Suite, Turn, Use
from vivavoce.core.place import Problems
from vivavoce.core.reply import Citation, Message, Reply, ToolCall
from vivavoce.core.source import Source
from vivavoce.formats.foundry import Foundry

DATA = Path(__file__).resolve().parents[2] / "data" / "foundry"

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
SAID = TEXT.filter(lambda text: text.strip() != "")
SCALARS = st.none() | st.booleans() | st.integers(-(2**80), 2**80) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
ANY = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6)
ARGUMENTS = st.dictionaries(TEXT, ANY, max_size=2)
CALLS = st.one_of(
    st.builds(
        lambda name, given: {"type": "tool_call", "tool_call_id": "c", "name": name, "arguments": given}, SAID, ARGUMENTS
    ),
    st.builds(
        lambda name, given: {"type": "function_call", "call_id": "c", "name": name, "arguments": json.dumps(given)},
        SAID,
        ARGUMENTS,
    ),
    st.builds(
        lambda name, given: {"type": "tool_call", "tool_call": {"id": "c", "function": {"name": name, "arguments": given}}},
        SAID,
        ARGUMENTS,
    ),
)
ITEMS = st.builds(lambda text: {"type": "text", "text": text}, TEXT) | st.builds(
    lambda text: {"type": "output_text", "text": text}, TEXT
)
MESSAGES = st.one_of(
    st.builds(lambda role, text: {"role": role, "content": text}, st.sampled_from(["system", "developer", "user"]), TEXT),
    st.builds(
        lambda role, items: {"role": role, "content": items},
        st.sampled_from(["system", "user"]),
        st.lists(ITEMS, min_size=1, max_size=2),
    ),
    st.builds(
        lambda content: {"role": "assistant", "content": content, "run_id": "r"}, TEXT | st.lists(ITEMS | CALLS, max_size=3)
    ),
    st.builds(
        lambda result: {"role": "tool", "tool_call_id": "c", "content": [{"type": "tool_result", "tool_result": result}]}, ANY
    ),
)
ASKED = st.lists(MESSAGES, max_size=4).map(lambda messages: [{"role": "user", "content": "Open?"}, *messages])
TOOLS = st.lists(st.fixed_dictionaries({"name": SAID}, optional={"parameters": ARGUMENTS, "description": TEXT}), max_size=2)
EXPECTED = st.lists(SAID.map(str.strip), max_size=3)
OTHERS = st.dictionaries(st.sampled_from(["shelf", "a.b", "line-no", "created_at", "", "ünï"]), ANY, max_size=3)
FORMS = st.one_of(
    st.fixed_dictionaries({"messages": ASKED}),
    st.fixed_dictionaries(
        {"query": SAID}, optional={"response": TEXT | st.integers() | ASKED, "tool_calls": st.lists(CALLS, max_size=2)}
    ),
    st.fixed_dictionaries({"query": ASKED}, optional={"response": TEXT | st.lists(MESSAGES, max_size=2)}),
    st.fixed_dictionaries({"response": TEXT}),
    st.fixed_dictionaries({"conversation": st.fixed_dictionaries({"messages": ASKED}, optional={"context": TEXT})}),
    st.fixed_dictionaries(
        {"actions": st.lists(CALLS, max_size=3).map(lambda calls: [{"role": "assistant", "content": calls}])}
    ),
)
MORE = st.fixed_dictionaries(
    {},
    optional={
        "ground_truth": TEXT | st.integers(),
        "context": TEXT | st.lists(TEXT, min_size=1, max_size=2),
        "tool_definitions": TOOLS | TOOLS.map(lambda tools: [{"type": "function", "function": tool} for tool in tools]),
        "expected_actions": EXPECTED | EXPECTED.map(lambda names: [names, {name: {"x": 1} for name in names}]),
        "category": SAID,
        "retrieved_documents": st.lists(st.fixed_dictionaries({"document_id": TEXT}), max_size=2),
    },
)
SEEDS = st.fixed_dictionaries(
    {"test_case_description": SAID},
    optional={
        "desired_num_turns": st.integers(1, 20),
        "test_case_category": SAID,
        "simulation_configuration": st.fixed_dictionaries({}, optional={"max_num_turns": st.integers(20, 30), "other": ANY}),
    },
)
ROWS = (st.tuples(FORMS, MORE, OTHERS).map(lambda parts: parts[0] | parts[1] | parts[2])) | st.tuples(SEEDS, OTHERS).map(
    lambda parts: parts[0] | parts[1]
)


def written(suite: Suite) -> tuple[str, tuple[str, ...]]:
    out = io.StringIO()
    lost = Foundry().write(suite, out)
    return out.getvalue(), lost


def rows_of(text: str) -> list[dict]:
    return [json.loads(line) for line in text.split("\n") if line]


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(row=ROWS, number=st.none() | SAID | st.sampled_from(["#0", "#7"]) | st.integers(0, 99))
def test_any_row_comes_back_as_it_was(tmp_path, row, number):
    row = row if number is None else {**row, "id": number}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    problems = Problems()
    suite = Foundry().read(Source(path), problems)
    (case,) = list(suite.cases)
    assert problems.found() == ()
    text, lost = written(suite)
    assert lost == ()
    wanted = {name: each for name, each in row.items() if each is not None or name not in MORE_NAMES}
    assert rows_of(text) == [wanted]
    path.write_text(text, encoding="utf-8")
    (again,) = list(Foundry().read(Source(path), Problems()).cases)
    assert again == case


MORE_NAMES = ("ground_truth", "context")


@pytest.mark.parametrize(
    "path", sorted(path for path in (DATA / "ok").glob("*.json*") if path.suffix != ".gz"), ids=lambda path: path.name
)
def test_files_come_back_as_they_were(path):
    suite = Foundry().read(Source(path), Problems())
    text, lost = written(suite)
    assert lost == ()
    was = path.read_text(encoding="utf-8")
    if suite.metadata:
        assert json.loads(text) == json.loads(was)
    else:
        whole = was.startswith("[") or path.suffix == ".json"
        values = json.loads(was) if whole else rows_of(was)
        assert rows_of(text) == (values if isinstance(values, list) else [values])


def test_a_turn_of_another_format_becomes_question_and_answer():
    turn = Turn(input="q", expect=Expectation(response="t"), context="c", reply=Reply(text="r"))
    text, lost = written(
        Suite(name="s", cases=[Case(id="a", turns=(turn,), category="kb", metadata={"x": 1})], format="native")
    )
    assert rows_of(text) == [
        {"id": "a", "query": "q", "response": "r", "ground_truth": "t", "context": "c", "category": "kb", "x": 1}
    ]
    assert lost == ()


def test_a_conversation_of_another_format_becomes_messages():
    call = ToolCall(name="find", arguments={"q": 1}, result=[2], id="x")
    turns = (
        Turn(input="a", reply=Reply(text="b")),
        Turn(input={"c": 1}, expect=Expectation(response="t"), reply=Reply(text="d", tool_calls=(call,))),
    )
    case = Case(id="a", turns=turns, history=(Message(role="system", content="S"),))
    text, lost = written(Suite(name="s", cases=[case]))
    assert rows_of(text)[0]["messages"] == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": '{"c":1}'},
        {"role": "assistant", "content": [{"type": "tool_call", "tool_call_id": "x", "name": "find", "arguments": {"q": 1}}]},
        {"role": "tool", "tool_call_id": "x", "content": [{"type": "tool_result", "tool_result": [2]}]},
        {"role": "assistant", "content": "d"},
    ]
    assert len(lost) == 2
    assert "several turns" in lost[0]
    assert "JSON text" in lost[1]


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        (Case(id="a", turns=(Turn(input="q"),), name="n"), "names"),
        (Case(id="a", turns=(Turn(input="q", checks=(Check(evaluator="F1Score"),)),)), "evaluators"),
        (Case(id="a", turns=(Turn(input="q"),), expect=Expectation(assertions=("x",))), "assertions"),
        (Case(id="a", turns=(Turn(input="q", expect=Expectation(intent="X")),)), "an intent"),
        (Case(id="a", turns=(Turn(input="q", expect=Expectation(reference_query="x")),)), "a reference query"),
        (Case(id="a", turns=(Turn(input=" "),)), "left out"),
        (Case(id="a", turns=(Turn(input="q"),), metadata={"grond_truth": 1}), "slip"),
        (Case(id="a", turns=(Turn(input="q"),), metadata={"query": 1}), "standard column"),
        (Case(id="a", turns=(Turn(input="q", reply=Reply(text="r", citations=(Citation(index=1),))),)), "citations"),
        (Case(id="a", persona=Persona(context="c", goal="g")), "the goal alone"),
        (Case(id="a", persona=Persona(context="", goal="g" * 2501)), "left out"),
    ],
)
def test_what_rows_cannot_hold_is_told(tmp_path, case, sentence):
    text, lost = written(Suite(name="s", cases=[case]))
    assert any(sentence in each for each in lost)
    (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
    problems = Problems()
    found = list(Foundry().read(Source(tmp_path / "a.jsonl"), problems).cases)
    assert len(found) == len(text.splitlines())
    assert problems.total == (not text)


def test_what_a_suite_says_of_itself_is_told():
    _, lost = written(Suite(name="s", cases=[], about={"x": 1}, metadata={"y": 2}))
    assert ["about" in lost[0], "y" in lost[1]] == [True, True]


CALL = {"type": "tool_call", "name": "find", "arguments": {}}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(rows: list[dict], **options):
        (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        options = {"evaluators": ["ExactMatch", "mine:PartialMatch", "Relevance"], "judge": "none", **options}
        out = io.StringIO()
        Foundry().report(evaluate("a.jsonl", **options), out)
        return rows_of(out.getvalue())

    return run


def test_evaluated_rows_of_recorded_answers(run):
    first, second = run(
        [{"id": "x", "query": "q", "response": "t", "ground_truth": "t", "big": 2**70}, {"query": "q", "response": "r"}]
    )
    assert {name: each for name, each in first.items() if name.startswith("inputs.")} == {
        "inputs.id": "x",
        "inputs.query": "q",
        "inputs.response": "t",
        "inputs.ground_truth": "t",
        "inputs.big": 2**70,
    }
    told = "outputs.exact_match.exact_match"
    assert [first[f"{told}{each}"] for each in ("", "_score", "_passed", "_result", "_status")] == [
        1,
        1,
        True,
        "pass",
        "completed",
    ]
    assert first["outputs.mine.partial_match_threshold"] == 0.5
    assert first["outputs.relevance.relevance_status"] == "skipped"
    assert "judge" in first["outputs.relevance.relevance_reason"]
    assert (first["case"], first["status"], first["error"]) == ("x", "pass", None)
    assert "outputs.response" not in first
    assert "inputs.id" not in second
    assert [second[f"{told}{each}"] for each in ("", "_passed", "_result", "_status")] == [
        None,
        None,
        "not_applicable",
        "skipped",
    ]
    assert "expected response" in second[f"{told}_reason"]


@pytest.mark.parametrize("column", ["id", "test_case_id"])
@pytest.mark.parametrize("given", [0, "", "#0", "#7", "a"])
@pytest.mark.parametrize("said", [{"query": "q", "response": "x"}, {"messages": [{"role": "user", "content": "q"}]}])
def test_evaluated_rows_hold_the_id_as_it_was_given(run, column, given, said):
    (row,) = run([{column: given, **said}], target=str.upper)
    assert (row[f"inputs.{column}"], row["case"]) == (given, "#0" if given == "" else str(given))
    assert {"id", "test_case_id"} & {name.removeprefix("inputs.") for name in row} == {column}


def test_evaluated_rows_of_an_agent(run):
    def answer(question: str) -> str:
        if question == "b":
            raise ValueError("broken")
        return question.upper()

    rows = run([{"query": each, "response": "old", "ground_truth": each} for each in "abc"], target=answer)
    assert [row.get("outputs.response") for row in rows] == ["A", None, "C"]
    assert [row["inputs.response"] for row in rows] == ["old"] * 3
    assert [row["status"] for row in rows] == ["pass", "error", "pass"]
    assert "broken" in rows[1]["error"]["message"]
    assert rows[1]["outputs.exact_match.exact_match_status"] == "error"


def test_what_was_needed_is_told_by_whatever_name_the_evaluator_has_for_it(run):
    row = {"query": "q", "response": "a b", "ground_truth": "a b", "tool_calls": [CALL], "expected_actions": ["find"]}
    named = ["RougeScore", 'strict:RougeScore={"f1_score_threshold": 0.9}', "TaskNavigationEfficiency", "ExactMatch"]
    (told,) = run([row], evaluators=named)
    assert {name: each for name, each in told.items() if name.endswith("_threshold")} == {
        "outputs.rouge_score.rouge_threshold": 0.5,
        "outputs.strict.rouge_threshold": 0.9,
        "outputs.task_navigation_efficiency.task_navigation_efficiency_threshold": 1,
        "outputs.exact_match.exact_match_threshold": None,
    }


PICTURE = [{"type": "text", "text": "Where?"}, {"type": "input_image", "image_url": "https://a/b.png"}]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("And of France?", "And of France?"),
        ([{"type": "text", "text": "Of France?"}], "Of France?"),
        (PICTURE, PICTURE),
        ({"country": "France"}, '{"country":"France"}'),
    ],
    ids=["text", "items", "picture", "object"],
)
def test_a_question_that_was_fetched_stands_in_its_row_and_is_read_again(tmp_path, read_again, asked, said):
    path = tmp_path / "a.jsonl"
    path.write_text('{"response_id": "resp_0", "response": "Paris"}\n', encoding="utf-8")
    run = evaluate(path, judge="none", store=str(tmp_path / "runs.db"))
    (result,) = run.results
    told = replace(result, turns=(replace(result.turns[0], input=asked),))
    out = io.StringIO()
    Foundry().report(replace(run, results=[told]), out)
    (row,) = rows_of(out.getvalue())
    (found,) = read_again(row)
    (turn,) = found.turns
    assert (turn.input, turn.reply.text, found.history) == (said, "Paris", ())
    assert row["inputs.response_id"] == "resp_0"


def test_a_question_that_nobody_knows_is_none(run):
    (row,) = run([{"response_id": "resp_0", "response": "Paris"}])
    assert "inputs.query" not in row


def test_evaluated_rows_of_repeats_and_of_several_turns(run, tmp_path):
    rows = run([{"query": "a", "response": "a", "ground_truth": "a"}], repeat=2)
    assert [row["repeat"] for row in rows] == [0, 1]
    turn = Turn(input="a", expect=Expectation(response="a"), reply=Reply(text="a"))
    out = io.StringIO()
    suite = Suite(name="s", cases=[Case(id="c", turns=(turn, replace(turn, input="b")))])
    Foundry().report(evaluate(suite, evaluators=["ExactMatch"], judge="none"), out)
    (row,) = rows_of(out.getvalue())
    assert [row["outputs.exact_match.exact_match"], row["outputs.exact_match_2.exact_match"]] == [1, 1]


@pytest.mark.parametrize("column", ["id", "test_case_id"])
def test_rows_of_repeats_are_told_apart_when_they_are_read_again(run, read_again, column):
    rows = run(
        [{column: "a", "query": "a", "response": "a"}, {"query": "b"}, {column: 7, "query": "c"}], repeat=2, target=str.upper
    )
    assert [case.id for case in read_again(*rows)] == ["a", "a, repeat 1", "#1", "#1, repeat 1", "7", "7, repeat 1"]


def test_rows_without_an_id_keep_their_position_when_they_are_read_again(run, read_again):
    rows = run([{"query": "a", "response": "a"}, {"query": "b", "response": "b"}, {"id": "#3", "query": "c", "response": "c"}])
    assert [case.id for case in read_again(*rows)] == ["#0", "#1", "#3"]
    assert [case.id for case in read_again(rows[1], rows[2])] == ["#1", "#3"]


def test_rows_of_several_suites_are_told_apart_when_they_are_read_again(tmp_path, monkeypatch, read_again):
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text('{"id": "a", "query": "q", "response": "r"}\n', encoding="utf-8")
    out = io.StringIO()
    Foundry().report(evaluate(["one.jsonl", "two.jsonl"], judge="none", evaluators=["ExactMatch"]), out)
    assert [case.id for case in read_again(*rows_of(out.getvalue()))] == ["one/a", "two/a"]


CALLED = [{"role": "assistant", "content": [{"type": "tool_call", "tool_call_id": "1", "name": "old", "arguments": {}}]}]
ASKED = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
STORED = {"role": "assistant", "content": "old", "context": "seen", "ground_truth": "C"}
ANSWERED: list[tuple[dict, dict]] = [
    ({"query": "c", "response": "old", "tool_calls": CALLED[0]["content"]}, {}),
    ({"query": "c", "actions": CALLED}, {}),
    ({"query": ASKED, "response": [*CALLED, STORED]}, {}),
    ({"messages": [*ASKED, *CALLED, STORED]}, {}),
    ({"messages": json.dumps([*ASKED, STORED])}, {}),
    ({"conversation": {"messages": [*ASKED, STORED]}}, {}),
    ({"chat": [*ASKED, STORED]}, {"messages": "chat"}),
    ({"asked": "c", "said": "old"}, {"query": "asked", "response": "{{item.said}}"}),
]


@pytest.mark.parametrize("calls", [None, [], ["find"]], ids=str)
@pytest.mark.parametrize(("row", "mapping"), ANSWERED, ids=lambda given: ",".join(given))
def test_evaluated_rows_are_read_again_with_the_answers_of_the_agent(run, tmp_path, row, mapping, calls):
    def answer(question: str):
        told = {} if calls is None else {"tool_calls": [{"name": each, "arguments": {}} for each in calls]}
        return {"text": question.upper(), **told}

    row = {"ground_truth": "C", "expected_actions": ["find"], **row}
    named = ["ExactMatch", "TaskNavigationEfficiency"]
    (first,) = run([row], target=answer, evaluators=named, map=mapping)
    assert first["outputs.response"] == "C"
    path = tmp_path / "b.jsonl"
    path.write_text(json.dumps(first) + "\n", encoding="utf-8")
    out = io.StringIO()
    Foundry().report(evaluate(path, evaluators=named, judge="none", map=mapping), out)
    (again,) = rows_of(out.getvalue())
    told = [name for name in first if name.startswith("outputs.") and name.count(".") == 2]
    assert len(told) == 14
    assert {name: again[name] for name in told} == {name: first[name] for name in told}
    assert "old" not in json.dumps({name: each for name, each in again.items() if name.startswith("inputs.")})


def test_an_older_answer_does_not_stand_for_one_that_failed(read_again):
    (found,) = read_again({"inputs.query": "q", "inputs.response": "old", "outputs.x.y": None, "error": {"code": "timeout"}})
    assert found.turns[0].reply is None
    (found,) = read_again({"inputs.messages": [*ASKED, STORED], "outputs.x.y": None, "error": {"code": "timeout"}})
    assert (found.turns[0].input, found.turns[0].reply) == ("c", None)


def test_a_simulated_conversation_stands_in_its_row_and_is_read_again(run, read_again):
    seed = {"test_case_id": "a", "test_case_description": "The user wants to know when the shop opens.", "desired_num_turns": 2}
    (row,) = run([seed], target=str.upper, evaluators=["ExactMatch"], level="turn")
    said = row["outputs.messages"]
    assert [each["role"] for each in said] == ["user", "assistant"] * (len(said) // 2)
    assert said[-1]["content"] == said[-2]["content"].upper() == row["outputs.response"]
    (found,) = read_again(row)
    assert (found.id, found.turns[0].reply.text, len(found.history)) == ("a", said[-1]["content"], len(said) - 2)


@pytest.fixture
def read_again(tmp_path):
    def read_again(*rows: dict):
        path = tmp_path / "again.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        problems = Problems()
        cases = list(Foundry().read(Source(path), problems).cases)
        assert problems.found() == ()
        return cases

    return read_again


@pytest.mark.parametrize("name", ["native", "m365"])
@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"query": "q", "tool_definitions": [{"name": "find"}]}, "efinitions of tools"),
        ({"query": "q", "expected_actions": [["find"], {"find": {}}]}, "xpected arguments of tools"),
        ({"query": "q", "seen": "s"}, "hat a mapping shows an evaluator"),
    ],
)
def test_other_formats_tell_what_they_lose_of_rows(tmp_path, name, row, sentence):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    suite = Foundry(map={"query": "seen"} if "seen" in row else {}).read(Source(path), Problems())
    lost = plugins.build("formats", Use(name=name)).write(suite, io.StringIO())
    assert any(sentence in each for each in lost)
