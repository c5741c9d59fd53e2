"""Layouts: tables, lists, documents, packed files; what is recognised, and what stays bounded."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import jsonschema
import pytest

from vivavoce.core import plugins
from vivavoce.core.model import Use
from vivavoce.core.place import Problems
from vivavoce.core.reply import Reply
from vivavoce.core.source import Source
from vivavoce.formats.foundry import Foundry

DATA = Path(__file__).resolve().parents[2] / "data" / "foundry"


def test_cells_are_text_verbatim(read):
    content = (
        '\ufeffquery,response,ground_truth,id,n\r\n"a, ""b""",NA,null,007,1e5\r\n"two\nlines",None,  x ,008,\r\n"q",,,,true\r\n'
    )
    _, cases, problems = read(content, "s.CSV")
    assert problems.found() == ()
    assert [(case.id, case.line, case.metadata) for case in cases] == [
        ("007", 2, {"n": "1e5"}),
        ("008", 3, {"n": ""}),
        ("#2", 5, {"n": "true"}),
    ]
    assert [(turn.input, turn.reply.text, turn.expect.response) for case in cases for turn in case.turns] == [
        ('a, "b"', "NA", "null"),
        ("two\nlines", "None", "  x "),
        ("q", "", None),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "s", "s.txt"])
def test_delimiters_are_found(read, delimiter, name):
    content = f"query{delimiter}response\nOpen, or; not?{delimiter}Yes\n".replace("Open, or; not?", '"Open, or; not?"')
    _, (case,), problems = read(content, name)
    assert problems.found() == ()
    assert (case.turns[0].input, case.turns[0].reply) == ("Open, or; not?", Reply(text="Yes"))


def test_structured_cells_are_read(read):
    rows = 'messages,tool_definitions,desired_num_turns\n"[{""role"": ""user"", ""content"": ""q""}]",,\n'
    _, (case,), problems = read(rows, "s.csv")
    assert problems.found() == ()
    assert (case.turns[0].input, case.tools) == ("q", None)
    _, _, problems = read('query,expected_actions\nq,"[1"\n', "s.csv")
    assert str(problems.found()[0]).startswith("s.csv:2: expected_actions: is not valid JSON")
    _, (seed,), _ = read("test_case_description,desired_num_turns\nSomebody asks.,3\n", "s.csv")
    assert seed.persona.desired_turns == 3


def test_an_answer_within_messages_leaves_the_cell_of_answers_empty(read):
    said = json.dumps([{"role": "user", "content": "q"}, {"role": "assistant", "content": "r"}]).replace('"', '""')
    for column, cell in (("messages", said), ("conversation", f'{{""messages"": {said}}}')):
        _, cases, problems = read(f'query,response,{column}\n,,"{cell}"\na,b,\nc,,\n', "s.csv")
        assert problems.found() == ()
        assert [(case.turns[0].input, case.turns[0].reply.text) for case in cases] == [("q", "r"), ("a", "b"), ("c", "")]


def test_one_column_is_a_table_when_it_is_known(read):
    _, cases, _ = read("query\nOpen?\nClosed?\n", "s.csv")
    assert [case.turns[0].input for case in cases] == ["Open?", "Closed?"]


def test_an_unnamed_column_is_kept(read):
    _, (case,), problems = read(",query\n0,Open?\n", "s.csv")
    assert (case.metadata, problems.found()) == ({"": "0"}, ())


def test_a_cell_left_open_is_told(read):
    for text, line in (
        ('query,response\nq,"open\nx,y\n', 2),
        ('query,response\n"a\nb","c\nd\nx,y', 3),
        ('query,"response\nq,r\n', 1),
    ):
        _, _, problems = read(text, "s.csv")
        assert f"s.csv:{line}: opens a quote that is never closed" in [str(each).partition(";")[0] for each in problems.found()]


def test_bytes_that_are_no_text_are_told_with_their_line(read):
    _, cases, problems = read(b"query,response\nq,r\n\xff,r\nq,r\n", "s.csv")
    assert [str(each) for each in problems.found()] == ["s.csv:3: is not UTF-8; save it as UTF-8"]
    assert [case.id for case in cases] == ["#0", "#2"]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (b'query,response\n"a\nb\nc","d"e\n', "s.csv:4: has more behind the quote that closes a cell"),
        (b'query,response\n"a\nb",\xff\n', "s.csv:3: is not UTF-8"),
        (b'query,response\n"a\n\xff",b\n\xff,c\n', "s.csv:3: is not UTF-8"),
        (b"query,response\na\nb\n", "s.csv:2: has 1 cell, and the header names 2 (an empty cell has its delimiter too;"),
        (b"query,response\na,b,c\n", "s.csv:2: has 3 cells, and the header names 2 (put a cell that holds the delimiter"),
        (
            b"query,response,expected_actions\na,b,f\n",
            "s.csv:2: expected_actions: is not valid JSON: f is no value; a text stands in double quotes (write a list",
        ),
        (
            b"query,response,expected_actions\na,b,[NaN]\n",
            "s.csv:2: expected_actions: is not valid JSON: it holds NaN, a number that",
        ),
        (
            b"test_case_id,test_case_description\na,\n",
            's.csv:2: test_case_description: must be text that is not blank, not ""',
        ),
        (
            b"test_case_description,simulation_configuration\na,five\n",
            "s.csv:2: simulation_configuration: is not valid JSON: five is no value; a text stands in double quotes (such as {",
        ),
    ],
)
def test_what_is_wrong_with_a_cell_is_told_at_its_line_with_a_way_out(read, table, told):
    _, _, problems = read(table, "s.csv")
    assert str(problems.found()[0]).startswith(told)


def test_rows_and_seeds_in_one_table_leave_the_cells_of_the_others_empty(read):
    _, cases, problems = read("query,response,test_case_description\na,b,\n,,goal\n", "s.csv")
    assert problems.found() == ()
    assert [case.persona is None for case in cases] == [True, False]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["s.jsonl", "s.json"])
def test_a_list_of_rows(read, indent, name):
    _, cases, problems = read(json.dumps([{"query": "a"}, {"query": "b", "response": 3}], indent=indent), name)
    assert problems.found() == ()
    assert [(case.id, case.path) for case in cases] == [("#0", "[0]"), ("#1", "[1]")]


def test_one_row_over_several_lines(read):
    _, (case,), problems = read({"query": "a"}, "s.jsonl")
    assert (case.turns[0].input, problems.found()) == ("a", ())


@pytest.mark.parametrize("long", [70_000, 1_900_000, 5_000_000])
def test_a_first_row_of_any_length_is_one_of_several(read, long):
    for rows in (
        [{"context": "x" * long, "query": "q"}, {"query": "r"}],
        [{"query": "q", "context": "x" * long}, {"query": "r"}],
        [{"query": "q", "context": "x" * long}],
    ):
        _, cases, problems = read(rows)
        assert problems.found() == ()
        assert [case.turns[0].input for case in cases] == [row["query"] for row in rows]


def test_packed_files(read):
    _, (case,), _ = read(gzip.compress(b"query;response\nq;r\n"), "s.csv.gz")
    assert case.turns[0].reply == Reply(text="r")
    suite, _, _ = read(gzip.compress(b'{"query": "q"}\n'), "s.jsonl.gz")
    assert suite.name == "s"


def test_a_run_of_the_service_as_a_document(read):
    suite, cases, problems = read((DATA / "ok" / "run.json").read_text(encoding="utf-8"), "run.json")
    assert problems.found() == ()
    assert (suite.name, [case.id for case in cases]) == ("nightly", ["a", "b"])
    assert suite.metadata["data_source"] == {"type": "jsonl", "source": {"type": "file_content"}}


@pytest.mark.parametrize(
    ("content", "name", "ours"),
    [
        ('{"query": "q"}\n{"query": "r"}', "s.jsonl", True),
        ('{"question": "q", "answer": "r"}\n', "s.jsonl", True),
        ('{"prompt": "q", "response": "r"}\n', "s.jsonl", True),
        ('{"input": "q", "output": "r"}\n', "s.jsonl", True),
        ('{"input": "q", "expected": "r"}\n', "s.jsonl", False),
        ('{"scenario_id": "a", "query": "q"}\n', "s.jsonl", False),
        ('{"suite": "a", "case": "b", "status": "pass", "turns": []}\n', "s.jsonl", False),
        ('{"schemaVersion": "1.0.0", "query": "q"}', "s.json", False),
        ('{"items": [{"prompt": "q"}]}', "s.json", False),
        ('{"prompt": "q", "expected_response": "r"}', "s.json", False),
        ('{"query": "q", "prompt": "p"}', "s.json", True),
        ('{"suite": "s", "cases": []}', "s.json", False),
        ('{"format": "viva.run/1", "id": "x"}', "s.json", False),
        ('{"openapi": "3.0.0", "info": {}}', "s.json", False),
        ('{"id": "x", "category": "y", "tools": []}', "s.json", False),
        ('[{"query": "q"}]', "s.json", True),
        ('[{"prompt": "q"}]', "s.json", False),
        ('[{"prompt": "q", "query": "r"}]', "s.json", True),
        ('[{"scenario_id": "q"}]', "s.json", False),
        ("[1, 2]", "s.jsonl", False),
        ('{"evaluators": ["x"], "data": [{"query": "q"}]}', "s.json", True),
        ('{"data": [{"query": "q"}]}', "s.json", True),
        ("query,response\n", "s.csv", True),
        ("shade,weight\nred,4\n", "s.csv", True),
        ("shade,weight\nred,4\n", "s.txt", False),
        ("question;truth\na;b\n", "s.txt", True),
        ("suite: x\ncases: []\n", "s.yaml", False),
        ("Some words, and some more.\n", "s.txt", False),
        ("", "s.csv", False),
    ],
)
def test_what_is_recognised(tmp_path, content, name, ours):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert Foundry().matches(Source(path)) is ours
    if ours:
        others = [each for each in plugins.names("formats") if plugins.build("formats", Use(name=each)).matches(Source(path))]
        assert others == ["foundry"]


def test_evaluated_rows_are_results_and_can_be_examined_again(read, tmp_path):
    row = {
        "inputs.id": "a",
        "inputs.query": "q",
        "inputs.response": "old",
        "outputs.response": "new",
        "outputs.x.y": 1,
        "case": "a",
    }
    _, (case,), problems = read([row])
    assert (case.id, case.turns[0].reply, case.metadata) == ("a", Reply(text="new"), {})
    assert problems.warned == 1
    source = Source(tmp_path / "s.jsonl")
    assert Foundry().matches(source)
    assert Foundry().holds_results(source)
    read([{"query": "q"}], "t.jsonl")
    assert not Foundry().holds_results(Source(tmp_path / "t.jsonl"))


@pytest.mark.parametrize(
    ("content", "name", "known"),
    [
        ("frage,antwort\nx,y\n", "s.csv", False),
        ("query,antwort\nx,y\n", "s.csv", True),
        ('{"frage": "x"}\n{"frage": "y"}\n', "s.jsonl", False),
        ('{"question": "x"}\n', "s.jsonl", True),
        ('{"item": {"query": "x"}}\n', "s.jsonl", True),
        ('[{"frage": "x"}]', "s.jsonl", False),
        ('[{"query": "x"}]', "s.jsonl", True),
        ('{"evaluators": [], "data": [{"frage": "x"}]}', "s.json", True),
    ],
)
def test_in_a_folder_only_rows_with_known_or_mapped_columns_are_looked_at(tmp_path, content, name, known):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert Foundry().holds_results(Source(path)) is not known
    assert not Foundry(map={"query": "{{item.frage}}", "response": "antwort"}).holds_results(Source(path))
    assert Foundry().matches(Source(path))


@pytest.mark.parametrize("content", ["query,response\n", "[]", '{"data": [], "evaluators": []}'])
def test_files_without_rows(read, content):
    _, cases, problems = read(content, "s.json")
    assert cases == []
    assert [problem.message for problem in problems.found()] == ["holds no rows"]


LAYOUTS = [
    ("s.jsonl", "", "\n", "\n"),
    ("s.jsonl", "[", ", ", "]"),
    ("s.json", '{"data": [', ",\n", '], "evaluators": ["f1_score"]}'),
]


@pytest.mark.parametrize(("name", "opens", "between", "closes"), LAYOUTS, ids=["lines", "list", "document"])
def test_a_file_of_any_size_takes_little_memory(tmp_path, name, opens, between, closes):
    path = tmp_path / name
    with path.open("w", encoding="utf-8") as out:
        for number in range(30_000):
            row = {"query": f"q{number} " + "x" * 200, "response": "r" * 200, "tag": number}
            out.write((between if number else opens) + json.dumps(row))
        out.write(closes)
    problems = Problems()
    cases = Foundry().read(Source(path), problems).cases
    assert problems.found() == ()
    assert sum(1 for _ in cases) == 30_000
    tracemalloc.start()
    assert sum(1 for _ in cases) == 30_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000_000


@pytest.mark.parametrize("name", ["s.jsonl", "s.json"])
@pytest.mark.parametrize("opens", ["[", '{"evaluators": [{"name": "f1_score"}],\n "data": ['])
def test_what_is_wrong_in_a_list_is_told_at_its_line_and_path(read, opens, name):
    rows = [
        '{"query": "a", "response": "b"}',
        '{"query": "a",\n"response": "b",\n"response": "c"}',
        "7",
        '{"id": "x", "query": "a", "response": "b"}',
        '{"id": "x", "messages": [{"role": "user", "content": "q"},\n{"role": "nobody", "content": "r"}]}',
        '{"query": NaN, "response": "b"}',
        '{"query": "a", "response" "b"}',
        '{"query": "a", "respones": "c"}',
    ]
    path = "" if opens == "[" else "data"
    closes = "]" if opens == "[" else "]}"
    _, cases, problems = read(f"{opens}\n" + ",\n".join(rows) + closes, name)
    first = 2 if opens == "[" else 3
    assert [case.path for case in cases] == [f"{path}[0]", f"{path}[3]"]
    assert [(problem.line - first, problem.path) for problem in problems.found()] == [
        (3, f"{path}[1].response"),
        (4, f"{path}[2]"),
        (6, f"{path}[4].id"),
        (7, f"{path}[4].messages[1].role"),
        (8, f"{path}[5].query"),
        (9, f"{path}[6]"),
        (10, f"{path}[7].respones"),
    ]


@pytest.mark.parametrize("closes", ["]", "", "}", "]]", "] x"])
def test_damage_to_a_list_hides_nothing_before_it(read, closes):
    _, cases, problems = read('[{"query": "a", "response": "b"},\n{"query": "a", "respones": "b"}\n{"query": "c"}' + closes)
    assert len(cases) == 1
    assert [problem.line for problem in problems.found()] == [2, 3]
    assert [problem.path for problem in problems.found()] == ["[1].respones", "[2]"]


def test_fields_are_missed_only_where_rows_were_read(read):
    row = '{"query": "q", "response": "r"}'
    for rows, told in (
        ('[{"a": }]', []),
        (f'[{row}, {{"a": }}]', ['--map context=x: no row that can be read has the field "x"']),
    ):
        _, _, problems = read(rows, map={"context": "x"})
        assert [problem.message for problem in problems.found() if "JSON" not in problem.message] == told


def test_rows_in_two_places_are_refused(read):
    row = {"query": "a", "response": "b"}
    _, _, problems = read({"data": [row], "data_source": {"source": {"content": [row, row]}}}, "s.json")
    (problem,) = problems.found()
    assert str(problem) == 's.json:10: data_source.source.content: holds rows, as "data" does (keep one of the two)'


def test_what_is_no_row_in_a_list_is_told_as_that(tmp_path):
    path = tmp_path / "s.json"
    path.write_text('[{"query": "q", "response": "r"}, 5, null, "x", []]')
    assert Foundry().matches(Source(path))
    problems = Problems()
    assert len(list(Foundry().read(Source(path, "s.json"), problems).cases)) == 1
    assert [problem.path for problem in problems.found()] == ["[1]", "[2]", "[3]", "[4]"]
    assert all("must be a row" in problem.message for problem in problems.found())


@pytest.mark.parametrize("item", [True, False])
def test_rows_in_wrappers_are_the_same_cases(read, item):
    rows = [{"query": "q", "response": "r", "ground_truth": "t", "tag": 1}, {"query": "q", "messages": 5}]
    _, (case,), problems = read(json.dumps([{"item": row} if item else row for row in rows]), "s.json")
    assert (case.turns[0].expect.response, case.metadata, case.path) == ("t", {"tag": 1}, "[0]")
    assert {problem.path for problem in problems.found()} == {"[1].item.messages" if item else "[1].messages"}


@pytest.mark.parametrize("name", ["s.jsonl", "s.jsonl.gz", "s.json"])
def test_a_long_list_on_one_line_is_known_by_its_first_entries(tmp_path, name):
    row = json.dumps({"query": "q" * 300, "response": "r"})
    text = f"[{', '.join([row] * 1000)}]".encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    ours = [each for each in plugins.names("formats") if plugins.build("formats", Use(name=each)).matches(Source(path))]
    assert ours == ["foundry"]


@pytest.mark.parametrize("path", sorted((DATA / "ok").glob("*.json*")), ids=lambda path: path.name)
def test_the_schema_allows_what_is_read(path):
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")
    values = (
        [json.loads(text)]
        if text.startswith("[") or path.suffix == ".json"
        else [json.loads(line) for line in text.split("\n") if line]
    )
    for value in values:
        if "data_source" not in value:
            jsonschema.validate(value, Foundry().schema())
