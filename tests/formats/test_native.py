"""The native format: what each key becomes, which evaluators apply, and what stays bounded."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import jsonschema
import pytest

from vivavoce.core.model import Check, Expectation, Persona, Turn
from vivavoce.core.place import Problems
from vivavoce.core.reply import Citation, Message, Reply, ToolCall
from vivavoce.core.source import Source
from vivavoce.formats.native import Native


@pytest.fixture
def read(tmp_path):
    def read(content: str | bytes | list, name: str = "s.jsonl", *, lenient: bool = False):
        if isinstance(content, list):
            content = "".join(json.dumps(row) + "\n" for row in content)
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        problems = Problems(lenient=lenient)
        suite = Native().read(Source(path, name), problems)
        return suite, list(suite.cases), problems

    return read


@pytest.fixture
def case(read):
    def case(row: dict):
        _, cases, problems = read([row])
        assert problems.found() == ()
        return cases[0]

    return case


def names(checks: tuple[Check, ...]) -> list[str]:
    return [check.evaluator for check in checks]


def asked(checks: tuple[Check, ...]) -> list[tuple]:
    return [(check.evaluator, dict(check.options), check.origin) for check in checks]


def test_a_question_is_a_case_of_one_turn(case):
    made = case(
        {"id": "a", "name": "n", "category": "c", "input": "q", "expected": "e", "context": "x", "metadata": {"m": [1]}}
    )
    assert (made.id, made.name, made.category, made.metadata, made.line, made.path) == ("a", "n", "c", {"m": [1]}, 1, "")
    (turn,) = made.turns
    assert (turn.input, turn.context, turn.expect, turn.reply, turn.metadata) == ("q", "x", Expectation(response="e"), None, {})


def test_what_is_expected_of_an_answer_is_the_turns_and_of_a_conversation_the_cases(case):
    made = case(
        {
            "input": {"prompt": "q"},
            "expected": "e",
            "rows": [{"a": None}],
            "intent": "QUERY",
            "refusal": "r",
            "insights": ["i"],
            "assertions": ["a"],
            "trajectory": [],
        }
    )
    assert made.turns[0].input == {"prompt": "q"}
    assert made.turns[0].expect == Expectation(response="e", rows=({"a": None},), intent="QUERY", refusal="r", insights=("i",))
    assert made.expect == Expectation(assertions=("a",), trajectory=())


def test_turns_have_their_own_keys(case):
    made = case(
        {
            "turns": [
                {"input": "one", "expected": "1", "context": "c", "reply": "r", "metadata": {"m": 1}},
                {"input": {"two": 2}, "assertions": ["b"], "trajectory": ["t"], "rows": []},
            ],
            "assertions": ["a"],
            "intent": "QUERY",
        }
    )
    assert made.turns[0].reply == Reply(text="r")
    assert made.turns[0].metadata == {"m": 1}
    assert made.turns[1].expect == Expectation(assertions=("b",), trajectory=("t",), rows=())
    assert made.expect == Expectation(assertions=("a",), intent="QUERY")
    assert [turn.path for turn in made.turns] == ["turns[0]", "turns[1]"]


def test_a_persona_is_read_with_its_defaults(case):
    made = case({"persona": {"goal": "buy"}, "assertions": ["sold"]})
    assert made.persona == Persona(context="", goal="buy")
    assert (made.turns, names(made.checks)) == ((), ["Relevance", "Coherence"])
    full = {"goal": "g", "context": "c", "traits": {"t": 1}, "input": "hi", "max_turns": 3, "desired_turns": 2}
    assert case({"persona": full}).persona == Persona(**full)


def test_a_recorded_answer_is_text_or_an_object(case):
    assert case({"input": "q", "reply": ""}).turns[0].reply == Reply(text="")
    reply = (
        case(
            {
                "input": "q",
                "reply": {
                    "text": "t",
                    "tool_calls": [{"name": "a", "arguments": {"x": 1}, "result": [2], "error": "e", "id": "i"}, "b"],
                    "citations": [{"text": "x", "source": "y"}, "z", {"index": 7}],
                    "retrievals": [
                        {"capability": "files", "odd": 1, "retrievalHits": [{"rank": 1, "extracts": [{"text": "p"}]}]}
                    ],
                    "rows": [{"r": 1}],
                    "intent": "QUERY",
                    "refusal": "no",
                    "insight": "i",
                    "usage": {"input_tokens": 1, "output_tokens": None},
                    "odd": [1],
                    "seconds": 3,
                },
            }
        )
        .turns[0]
        .reply
    )
    assert reply == Reply(
        text="t",
        tool_calls=(ToolCall(name="a", arguments={"x": 1}, result=[2], error="e", id="i"), ToolCall(name="b")),
        citations=(Citation(index=1, text="x", source="y"), Citation(index=2, source="z"), Citation(index=7)),
        retrievals=({"capability": "files", "odd": 1, "retrievalHits": [{"rank": 1, "extracts": [{"text": "p"}]}]},),
        rows=({"r": 1},),
        intent="QUERY",
        refusal="no",
        insight="i",
        usage={"input_tokens": 1},
        raw={"odd": [1], "seconds": 3},
    )


def test_unknown_is_not_empty_in_a_recorded_answer(case):
    assert case({"input": "q", "reply": {"tool_calls": []}}).turns[0].reply == Reply(tool_calls=())
    assert case({"input": "q", "reply": {"text": "x", "rows": None}}).turns[0].reply == Reply(text="x")


def test_history_comes_before(case):
    rows = [{"role": "system", "content": "s"}, {"role": "tool", "content": {"a": 1}}]
    assert case({"input": "q", "history": rows}).history == (
        Message(role="system", content="s"),
        Message(role="tool", content={"a": 1}),
    )


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({}, ["Relevance", "Coherence"]),
        ({"expected": "e"}, ["Relevance", "Coherence", "Similarity"]),
        ({"context": "c"}, ["Relevance", "Coherence", "Groundedness"]),
        ({"expected": "", "context": ""}, ["Relevance", "Coherence", "Similarity", "Groundedness"]),
        ({"evaluators": {}}, ["Relevance", "Coherence"]),
        ({"evaluators": {}, "evaluators_mode": "replace"}, []),
        ({"evaluators": {"ExactMatch": None}}, ["ExactMatch"]),
        ({"evaluators": {"B": {}, "A": {}}}, ["B", "A"]),
    ],
)
def test_evaluators_when_the_case_names_some_or_none(case, row, expected):
    turn = case({"input": "q", **row}).turns[0]
    assert names(turn.checks) == expected
    assert {check.origin for check in turn.checks} <= {"item" if row.get("evaluators") else "default"}
    assert names(case({"turns": [{"input": "q", **row}]}).turns[0].checks) == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"rows": []}, ["RowComparison"]),
        ({"rows": [{"a": 1}], "intent": "QUERY"}, ["Intent", "RowComparison"]),
        ({"refusal": "cube", "insights": ["up"]}, ["RefusalContains", "InsightContains"]),
        ({"rows": [{"a": 1}], "expected": "One."}, ["RowComparison", "Relevance", "Coherence", "Similarity"]),
        ({"rows": [{"a": 1}], "evaluators": {"Intent": {}}}, ["Intent"]),
    ],
)
def test_what_only_one_evaluator_can_examine_is_examined_by_it(case, row, expected):
    checks = case({"input": "q", **row}).turns[0].checks
    assert names(checks) == expected
    asked = {check.evaluator for check in checks if check.origin == "item"}
    assert asked == set(expected) - {"Relevance", "Coherence", "Similarity"}
    assert case({"turns": [{"input": "q", **row}]}).turns[0].checks == checks or "evaluators" in row


def test_evaluators_of_a_case_apply_to_each_of_its_turns(case):
    made = case(
        {
            "evaluators": {"A": {"x": 1}, "B": {}},
            "turns": [
                {"input": "1"},
                {"input": "2", "evaluators": {"b": {"y": 2}, "C": {}}},
                {"input": "3", "evaluators": {"C": {}}, "evaluators_mode": "replace"},
                {"input": "4", "evaluators": {}, "evaluators_mode": "replace"},
            ],
        }
    )
    assert [asked(turn.checks) for turn in made.turns] == [
        [("A", {"x": 1}, "item"), ("B", {}, "item")],
        [("A", {"x": 1}, "item"), ("b", {"y": 2}, "item"), ("C", {}, "item")],
        [("C", {}, "item")],
        [],
    ]
    assert [check.path for check in made.turns[1].checks] == ["evaluators.A", "turns[1].evaluators.b", "turns[1].evaluators.C"]


DOCUMENT = {
    "suite": "s",
    "description": "d",
    "about": {"cube": "c"},
    "evaluators": {"ExactMatch": {"case_sensitive": True}, "Similarity": {"threshold": 4}},
    "cases": [
        {"input": "1"},
        {"input": "2", "evaluators": {"exact_match": {}, "Citations": {}}},
        {"input": "3", "evaluators": {"Citations": {}}, "evaluators_mode": "replace"},
        {"persona": {"goal": "g"}},
    ],
}


@pytest.mark.parametrize("name", ["s.json", "s.yaml"])
def test_a_document_speaks_for_its_cases(read, name):
    suite, cases, problems = read(json.dumps(DOCUMENT, indent=1 if name == "s.json" else None), name)
    assert problems.found() == ()
    assert (suite.name, suite.about, suite.metadata, suite.format, suite.source) == (
        "s",
        {"cube": "c"},
        {"description": "d"},
        "native",
        name,
    )
    first, second = ("ExactMatch", {"case_sensitive": True}, "file"), ("Similarity", {"threshold": 4}, "file")
    assert [asked(case.turns[0].checks) for case in cases[:3]] == [
        [first, second],
        [("exact_match", {}, "item"), second, ("Citations", {}, "item")],
        [("Citations", {}, "item")],
    ]
    assert asked(cases[3].checks) == [first, second]
    assert [case.id for case in cases] == ["#0", "#1", "#2", "#3"]
    assert cases[1].path == "cases[1]"
    assert cases[1].turns[0].checks[0].path == "cases[1].evaluators.exact_match"
    assert cases[0].turns[0].checks[0].path == "evaluators.ExactMatch"
    assert cases[0].turns[0].checks is cases[3].checks


def test_a_suite_is_named_by_its_file_unless_it_says(read):
    assert read([{"input": "q"}], "My Suite.jsonl")[0].name == "My Suite"
    assert read("cases: [{input: q}]", "other.yaml")[0].name == "other"


def test_defaults_are_shared(read):
    _, cases, _ = read([{"input": "1"}, {"input": "2"}])
    assert cases[0].turns[0].checks is cases[1].turns[0].checks


def test_ids_are_given_or_the_position_and_unique(read):
    _, cases, problems = read([{"input": "1"}, {"id": "a", "input": "2"}, {"input": "3"}])
    assert [case.id for case in cases] == ["#0", "a", "#2"]
    _, cases, problems = read(
        [{"id": "#1", "input": "1"}, {"input": "2"}, {"id": "x", "input": "3"}, {"id": "x", "input": "4"}]
    )
    assert [str(problem) for problem in problems.found()] == [
        's.jsonl:2: id: the id "#1" is given twice (first in line 1)',
        's.jsonl:4: id: the id "x" is given twice (first in line 3)',
    ]
    assert [case.id for case in cases] == ["#1", "x"]


def test_a_wrong_row_keeps_its_place(read):
    _, cases, problems = read('{"input": "1"}\nbroken\n\n{"inptu": "3"}\n{"input": "4"}\n')
    assert [(case.id, case.line) for case in cases] == [("#0", 1), ("#3", 5)]
    assert [problem.line for problem in problems.found()] == [2, 4]


def test_every_problem_of_every_row_is_reported_at_once(read):
    rows = [{"input": "", "expcted": 1, "category": 2}] * 3
    _, cases, problems = read(rows)
    assert cases == []
    assert [(problem.line, problem.path) for problem in problems.found()] == [
        (line, path) for line in (1, 2, 3) for path in ("input", "expcted", "category")
    ]


def test_lenient_makes_unknown_keys_warnings_and_reads_on(read):
    _, cases, problems = read([{"input": "q", "colour": "red", "turn": 1}, {"input": ""}], lenient=True)
    assert [case.turns[0] for case in cases] == [
        Turn(input="q", checks=cases[0].turns[0].checks),
    ]
    assert [str(problem) for problem in problems.warnings][1] == 's.jsonl:1: turn: unknown key "turn" (did you mean "turns"?)'
    assert [problem.path for problem in problems.found()] == ["input"]


@pytest.mark.parametrize(
    ("name", "text", "native"),
    [
        ("a.json", '{"suite": "s", "cases": []}', True),
        ("a.json", '{"cases": [{"input": "x"}]}', True),
        ("a.json", '{"suite": "s", "case": []}', True),
        ("a.json", '{"cases": [{"question": "x"}]}', False),
        ("a.json", '{"name": "s", "cube": {}, "cases": []}', False),
        ("a.json", '{"schemaVersion": "1.8.0", "items": []}', False),
        ("a.json", '{"items": [{"prompt": "x"}]}', False),
        ("a.json", '[{"prompt": "x"}]', False),
        ("a.json", '{"prompt": "x"}', False),
        ("a.json", '{"scenarios": []}', False),
        ("a.json", '{"format": "viva.run/1", "id": "x", "plan": {}, "summary": {}, "results": []}', False),
        (
            "a.jsonl",
            '{"suite": "s", "case": "a", "name": null, "repeat": 0, "position": 0, "status": "pass", "turns": []}',
            False,
        ),
        ("a.jsonl", '{"query": "x", "response": "y"}', False),
        ("a.jsonl", '{"scenario_id": "x", "turns": [{"input": "y"}]}', False),
        ("a.jsonl", '{"test_case_description": "x", "desired_num_turns": 3}', False),
        ("a.csv", "input,expected\nx,y\n", False),
        ("a.yaml", "suite: s\ncases:\n  - input: x\n", True),
        ("a.yaml", "# hello\n---\ncases:\n  - input: x\n", True),
        ("a.yaml", "name: s\ncube: {cubeName: x}\ncases:\n  - name: a\n    question: q\n", False),
        ("a.yaml", "description: d\ncases:\n  - name: a\n    question: q\n", False),
        ("a.yaml", "jobs:\n  build: x\n", False),
        ("a.txt", "Dear suite: nothing here", False),
        ("a.txt", "", False),
    ],
)
def test_it_is_told_from_other_formats(tmp_path, name, text, native):
    path = tmp_path / name
    path.write_text(text)
    assert Native().matches(Source(path)) is native


def test_a_case_over_several_lines_is_one_clear_problem(read):
    _, cases, problems = read('{\n "input": "x",\n "expected": "y"\n}\n')
    assert cases == []
    assert [str(problem) for problem in problems.found()] == [
        "s.jsonl:1: a case goes over several lines (write each case on a line of its own, or give the file `cases`)"
    ]


def test_places_in_yaml_are_found_for_whoever_asks_later(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("suite: s\nevaluators:\n  Exact: {}\ncases:\n  - input: x\n    evaluators:\n      Similar: {}\n")
    source, problems = Source(path, "s.yaml"), Problems()
    (case,) = Native().read(source, problems).cases
    for check in case.turns[0].checks:
        problems.add(source, "unknown", path=check.path, line=case.line)
    assert [str(problem) for problem in problems.found()] == [
        "s.yaml:3: evaluators.Exact: unknown",
        "s.yaml:7: cases[0].evaluators.Similar: unknown",
    ]


def rows(count: int) -> bytes:
    return b"".join(b'{"id": "case-%d", "input": "What is %d?", "expected": "a thing"}\n' % (n, n) for n in range(count))


def test_memory_does_not_grow_with_the_file(tmp_path):
    def peak(count: int) -> int:
        path = tmp_path / f"{count}.jsonl"
        path.write_bytes(rows(count))
        suite = Native().read(Source(path), Problems())
        tracemalloc.start()
        try:
            assert sum(1 for _ in suite.cases) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)
    assert peak(12_000) - peak(1_000) < 1_000_000


def test_a_file_is_read_again_each_time(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(rows(3))
    suite = Native().read(Source(path), Problems())
    first, second = iter(suite.cases), iter(suite.cases)
    assert [next(first).id, next(second).id, next(first).id] == ["case-0", "case-0", "case-1"]
    path.write_bytes(rows(5))
    assert len(list(suite.cases)) == 5


DATA = Path(__file__).resolve().parents[1] / "data" / "native"


def instances(folder: str) -> list[tuple[str, object]]:
    """Every document and row of the JSON files of a folder."""
    found = []
    for path in sorted((DATA / folder).glob("*.json*")):
        if path.suffix == ".jsonl":
            lines = path.read_text(encoding="utf-8-sig").splitlines()
            found += [(f"{path.name}:{number}", json.loads(line)) for number, line in enumerate(lines, 1) if line.strip()]
        elif path.suffix == ".json":
            found.append((path.name, json.loads(path.read_text())))
    return found


def test_the_schema_admits_what_is_read():
    schema = jsonschema.Draft202012Validator(Native().schema())
    for name, instance in instances("ok"):
        if "nulls" not in str(instance):  # an editor may well object to a key that says nothing
            assert list(schema.iter_errors(instance)) == [], name


@pytest.mark.parametrize("name", ["misspelt.jsonl", "types.jsonl", "kinds.jsonl", "misspelt.json"])
def test_the_schema_refuses_what_is_refused(name):
    schema = jsonschema.Draft202012Validator(Native().schema())
    path = DATA / "bad" / name
    texts = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    wrong = {problem.line for problem in _problems(path)} if path.suffix == ".jsonl" else {1}
    assert {number for number, text in enumerate(texts, 1) if not schema.is_valid(json.loads(text))} <= wrong
    assert any(not schema.is_valid(json.loads(text)) for text in texts)


def _problems(path: Path):
    problems = Problems()
    list(Native().read(Source(path), problems).cases)
    return problems.found()


def test_a_file_without_a_row_is_no_dataset(read):
    _, cases, problems = read(" \n\n")
    assert cases == []
    assert [str(each) for each in problems.found()] == ["s.jsonl:1: holds no rows (a dataset holds at least one case)"]
