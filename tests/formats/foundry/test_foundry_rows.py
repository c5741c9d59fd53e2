"""Rows: what each column becomes, which evaluators apply, and what is refused."""

from __future__ import annotations

import json

import pytest

from vivavoce.core.evidence import Evidence
from vivavoce.core.model import NOTHING, Expectation
from vivavoce.core.reply import Message, Reply, ToolCall
from vivavoce.core.result import Exchange
from vivavoce.formats._foundry.rebuild import row_of

USER, ANSWER = {"role": "user", "content": "Open?"}, {"role": "assistant", "content": "Yes."}
FLAT = {"type": "tool_call", "tool_call_id": "c1", "name": "stock", "arguments": {"item": "bell"}}
CALL = ToolCall(name="stock", arguments={"item": "bell"}, result={"left": 2}, id="c1")


def names(checks) -> list[str]:
    return [(check.name or check.evaluator).rpartition(".")[2] for check in checks]


def test_question_and_answer(case):
    made = case({"id": "a", "query": "q", "response": "r", "ground_truth": "t", "context": "c", "shelf": [4], "category": "kb"})
    assert (made.id, made.category, made.metadata, made.line, made.history) == ("a", "kb", {"shelf": [4]}, 1, ())
    (turn,) = made.turns
    assert (turn.input, turn.reply, turn.expect, turn.context) == ("q", Reply(text="r"), Expectation(response="t"), "c")
    assert made.expect == NOTHING


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ({}, ["Relevance", "Coherence"]),
        ({"ground_truth": "t"}, ["Relevance", "Coherence", "Similarity", "F1Score"]),
        ({"context": "c"}, ["Relevance", "Coherence", "Groundedness"]),
        ({"context": "c", "ground_truth": "t"}, ["Relevance", "Coherence", "Similarity", "F1Score", "Groundedness"]),
        ({"expected_actions": ["buy"]}, ["Relevance", "Coherence", "TaskNavigationEfficiency"]),
    ],
)
def test_defaults_follow_from_what_a_row_has(case, row, wanted):
    (turn,) = case({"query": "q", "response": "r", **row}).turns
    assert names(turn.checks) == wanted
    assert {check.origin for check in turn.checks} == {"default"}


def test_ids_are_the_rows_own_or_its_position(read):
    rows = [
        {"query": "a"},
        {"query": "b", "id": "x"},
        {"query": "c", "test_case_id": "y"},
        {"query": "d", "id": 7},
        {"query": "e"},
        {"query": "f", "id": 0},
        {"query": "g", "id": "", "test_case_id": "z"},
    ]
    _, cases, _ = read(rows)
    assert [case.id for case in cases] == ["#0", "x", "y", "7", "#4", "0", "z"]


@pytest.mark.parametrize("given", [False, {}, [], 1.5, 0.0, True])
def test_an_id_is_text_or_a_whole_number(told, given):
    (problem,) = told({"query": "q", "id": given})
    assert problem.startswith("1: id: must be text or a whole number, not ")


def test_an_id_that_is_anothers_position_is_taken(told):
    assert told({"query": "a"}, {"query": "b", "id": "#0"}) == ['2: id: the id "#0" is given twice (first in line 1)']


@pytest.mark.parametrize(
    "said",
    [
        [{"role": "assistant", "content": [FLAT]}],
        [
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool_call",
                        "tool_call": {"id": "c1", "function": {"name": "stock", "arguments": {"item": "bell"}}},
                    }
                ],
            }
        ],
        [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "stock", "arguments": '{"item": "bell"}'}}
                ],
            }
        ],
        [{"role": "assistant", "content": [{**FLAT, "arguments": '{"item": "bell"}'}]}],
        [
            {
                "role": "assistant",
                "content": [{"type": "function_call", "call_id": "c1", "name": "stock", "arguments": '{"item": "bell"}'}],
            }
        ],
        [
            {
                "role": "assistant",
                "content": [{"type": "openapi_call", "tool_call_id": "c1", "name": "stock", "arguments": {"item": "bell"}}],
            }
        ],
        [{"type": "function_call", "call_id": "c1", "name": "stock", "arguments": '{"item": "bell"}'}],
    ],
    ids=["flat", "nested", "chat", "text", "function_call", "openapi", "item"],
)
@pytest.mark.parametrize(
    "came_back",
    [
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "tool_result", "tool_result": {"left": 2}}]},
        {"role": "tool", "content": [{"type": "tool_result", "tool_call_id": "c1", "tool_result": {"left": 2}}]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"left": 2}'},
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": [{"type": "function_call_output", "function_call_output": {"left": 2}}],
        },
        {"role": "tool", "content": [{"type": "openapi_call_output", "openapi_call_output": {"left": 2}}]},
        {"type": "function_call_output", "call_id": "c1", "output": {"left": 2}},
    ],
    ids=["flat", "id in item", "text", "function_call_output", "openapi", "item"],
)
def test_every_shape_of_a_call_is_one_call(case, said, came_back):
    (turn,) = case({"messages": [USER, *said, came_back, {"role": "assistant", "content": "Two."}]}).turns
    assert turn.reply == Reply(text="Two.", tool_calls=(CALL,))


def test_results_find_their_calls_by_id(case):
    calls = [{**FLAT, "tool_call_id": "a"}, {**FLAT, "tool_call_id": "b"}]
    results = [
        {"role": "tool", "tool_call_id": number, "content": [{"type": "tool_result", "tool_result": number}]} for number in "ba"
    ]
    (turn,) = case({"messages": [USER, {"role": "assistant", "content": calls}, *results]}).turns
    assert [(call.id, call.result) for call in turn.reply.tool_calls] == [("a", "a"), ("b", "b")]
    assert turn.reply.text is None


def test_ids_may_be_numbers(case):
    calls = [{**FLAT, "tool_call_id": number} for number in (0, 1)]
    results = [{"role": "tool", "tool_call_id": number, "content": str(number)} for number in (1, 0)]
    (turn,) = case({"messages": [USER, {"role": "assistant", "content": calls}, *results]}).turns
    assert [(call.id, call.result) for call in turn.reply.tool_calls] == [("0", "0"), ("1", "1")]


@pytest.mark.parametrize("given", [{"id": "c1"}, "stock", 1], ids=str)
def test_calls_that_are_no_list_are_not_lost(told, given):
    (problem,) = told({"messages": [USER, {"role": "assistant", "content": "Yes.", "tool_calls": given}]})
    assert "messages[1].tool_calls: must be a list of tool calls" in problem


def test_approvals_are_results_of_no_call(case, read):
    asked = {"type": "mcp_approval_request", "id": "a1", "name": "stock"}
    given = {"type": "mcp_approval_response", "approval_request_id": "a1", "approve": True}
    messages = [
        USER,
        {"role": "assistant", "content": [FLAT, asked]},
        {"role": "tool", "content": [given]},
        {"role": "tool", "tool_call_id": "c1", "content": "2"},
        ANSWER,
    ]
    _, cases, problems = read([{"messages": messages}])
    assert (problems.found(), problems.warnings) == ((), [])
    assert [call.result for call in cases[0].turns[0].reply.tool_calls] == ["2"]


def test_arguments_of_a_tool_that_is_not_expected_are_a_slip(told):
    (problem,) = told({"query": "q", "response": "r", "expected_actions": [["stock"], {"stocks": {"item": 1}}]})
    assert problem == (
        '1: expected_actions[1].stocks: are arguments of "stocks", which is not expected (did you mean "stock"?)'
    )


def test_a_result_of_no_call_is_told_and_stops_nothing(read):
    _, cases, problems = read([{"messages": [USER, {"role": "tool", "tool_call_id": "z", "content": "x"}, ANSWER]}])
    assert cases[0].turns[0].reply == Reply(text="Yes.", tool_calls=())
    assert [str(each) for each in problems.warnings] == [
        's.jsonl:1: messages[1]: is the result of no call: no call before it has the id "z"'
    ]
    given = {"role": "tool", "tool_call_id": "c1", "content": "x"}
    _, _, problems = read([{"messages": [USER, {"role": "assistant", "content": [FLAT]}, given, given, ANSWER]}])
    assert [each.message for each in problems.warnings] == ['is the result of no call: the call "c1" has one already']


@pytest.mark.parametrize(
    "given",
    [
        [{"name": "stock", "parameters": {}}],
        {"name": "stock", "parameters": {}},
        [{"type": "function", "function": {"name": "stock", "parameters": {}}}],
        [{"type": "openapi", "functions": [{"name": "stock", "parameters": {}}]}],
        [{"type": "openapi", "openapi": {"name": "x", "functions": [{"name": "stock", "parameters": {}}]}}],
        {"stock": {"parameters": {}}},
        '[{"name": "stock", "parameters": {}}]',
    ],
)
def test_every_shape_of_a_definition_is_one(case, given):
    assert case({"query": "q", "tool_definitions": given}).tools == ({"name": "stock", "parameters": {}},)


def test_definitions_in_a_text_are_told_where_they_are_no_json(told, read):
    way = '(definitions are a list such as [{"name": "find", "parameters": {...}}], or its JSON text)'
    (broken,) = told({"query": "q"}, {"query": "q", "tool_definitions": '[{"name": "stock"'})
    assert broken.startswith("2: tool_definitions: is not valid JSON: ")
    assert broken.endswith(way)
    _, _, problems = read([{"query": "q", "tool_definitions": "nope"}])
    assert problems.total == 0, "the vendor takes texts"
    (warning,) = map(str, problems.warnings)
    told = "is plain text, which judges read as the description of every tool it names"
    assert warning == f's.jsonl:1: tool_definitions: {told}: "nope" {way}'


def test_definitions_that_are_plain_text_or_of_the_services_own(case):
    assert case({"query": "q", "tool_definitions": "It can search."}).tools == ({"description": "It can search."},)
    assert case({"query": "q", "tool_definitions": [{"type": "code_interpreter"}]}).tools == (
        {"name": "code_interpreter", "type": "code_interpreter"},
    )


def test_no_calls_are_known_only_where_the_row_speaks_of_tools(case):
    assert case({"messages": [USER, ANSWER]}).turns[0].reply.tool_calls is None
    assert case({"messages": [USER, ANSWER], "tool_definitions": []}).turns[0].reply.tool_calls == ()
    assert case({"query": "q", "response": "r"}).turns[0].reply.tool_calls is None


def test_system_and_developer_are_kept_in_order_and_a_greeting_belongs_to_no_question(case):
    made = case(
        {
            "messages": [
                {"role": "system", "content": "S"},
                {"role": "developer", "content": [{"type": "input_text", "text": "D"}, {"type": "text", "text": "E"}]},
                {"role": "assistant", "content": "Welcome."},
                {"role": "user", "content": "one"},
                {"role": "assistant", "content": [FLAT]},
                {"role": "tool", "tool_call_id": "c1", "content": [{"type": "tool_result", "tool_result": {"left": 2}}]},
                {"role": "assistant", "content": "first"},
                {"role": "user", "content": "two"},
                {"role": "assistant", "content": [{"type": "output_text", "text": "second"}]},
            ]
        }
    )
    assert made.history == (
        Message(role="system", content="S"),
        Message(role="developer", content="D\nE"),
        Message(role="assistant", content="Welcome."),
        Message(role="user", content="one"),
        Message(role="tool", content={"name": "stock", "arguments": {"item": "bell"}, "result": {"left": 2}}),
        Message(role="assistant", content="first"),
    )
    (turn,) = made.turns
    assert (turn.input, turn.reply.text, turn.reply.tool_calls) == ("two", "second", ())


def test_a_whole_conversation_is_examined_as_one(case):
    row = {"messages": [USER, ANSWER, {"role": "user", "content": "Really?"}, {"role": "assistant", "content": "Really."}]}
    made = case({**row, "ground_truth": "t", "context": "c"}, level="conversation")
    assert made.turns[0].checks == ()
    assert names(made.checks) == ["Coherence", "Groundedness"]
    assert {check.level for check in made.checks} == {"case"}
    assert made.expect.response == "t"
    turn = made.turns[0]
    evidence = Evidence(case=made, exchanges=[Exchange(input=turn.input, reply=turn.reply)])
    assert evidence.conversation == "user: Open?\n\nassistant: Yes.\n\nuser: Really?\n\nassistant: Really."


def test_what_follows_may_be_missing_and_may_have_several_parts(case):
    assert case({"messages": [USER]}).turns[0].reply is None
    assert (
        case({"messages": [USER, ANSWER, {"role": "assistant", "content": "Till six."}]}).turns[0].reply.text
        == "Yes.\n\nTill six."
    )
    assert case({"messages": [USER, {"role": "assistant", "content": ""}]}).turns[0].reply.text == ""


def test_pictures_stay_content(case):
    content = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": "x"}}]
    assert case({"messages": [{"role": "user", "content": content}, ANSWER]}).turns[0].input == content


def test_queries_and_responses_of_messages(case):
    made = case({"query": [{"role": "system", "content": "S"}, USER], "response": [ANSWER]})
    assert (made.history, made.turns[0].input, made.turns[0].reply) == (
        (Message(role="system", content="S"),),
        "Open?",
        Reply(text="Yes."),
    )
    assert case({"query": [USER], "response": "Yes."}).turns[0].reply == Reply(text="Yes.")
    assert case({"query": "Open?", "response": [ANSWER]}).turns[0].reply == Reply(text="Yes.")


def test_calls_and_actions_in_columns_of_their_own(case):
    flat = {name: value for name, value in FLAT.items() if name != "type"}
    for given in ([FLAT], FLAT, [flat], json.dumps([FLAT])):
        assert case({"query": "q", "tool_calls": given}).turns[0].reply == Reply(
            tool_calls=(ToolCall(name="stock", arguments={"item": "bell"}, id="c1"),)
        )
    assert case({"query": "q", "response": "r", "tool_calls": ["stock"]}).turns[0].reply == Reply(
        text="r", tool_calls=(ToolCall(name="stock"),)
    )
    made = case(
        {"actions": [{"role": "assistant", "content": [FLAT]}], "expected_actions": [["stock"], {"stock": {"item": 1}}]}
    )
    assert [call.name for call in made.turns[0].reply.tool_calls] == ["stock"]
    assert (made.expect.trajectory, made.expect.arguments, made.turns[0].input) == (("stock",), {"stock": {"item": 1}}, None)
    assert case(
        {"query": "q", "response": [{"role": "assistant", "content": [FLAT]}], "ground_truth": ["stock"]}
    ).expect.trajectory == ("stock",)


def test_the_older_form(case):
    messages = [
        {**USER, "context": "no"},
        ANSWER,
        {"role": "user", "content": "b"},
        {**ANSWER, "context": "c", "ground_truth": "t"},
    ]
    (turn,) = case({"conversation": {"messages": messages, "context": "outer"}}).turns
    assert (turn.input, turn.context, turn.expect.response) == ("b", "c", "t")
    (turn,) = case({"conversation": {"messages": [USER, ANSWER], "context": "outer"}, "ground_truth": "T"}).turns
    assert (turn.context, turn.expect.response) == ("outer", "T")


def test_two_forms_in_one_row_must_agree(case, told):
    both = {"messages": [USER, ANSWER], "query": "Open?", "response": "Yes."}
    assert case(both).turns[0].input == "Open?"
    assert told({**both, "response": "No."}) == [
        '1: messages: "messages" and "query" or "response" say different things (keep one of the two)'
    ]


def test_evidence_columns_are_beside(case):
    documents = [{"document_id": "1", "relevance_score": 2.5}]
    for given in (documents, json.dumps(documents)):
        made = case({"query": "q", "response": "r", "retrieved_documents": given})
        assert Evidence(case=made).retrieved_documents == tuple(documents)


def test_numbers_and_lists_as_text(case):
    made = case({"query": "q", "response": 4, "ground_truth": 12345678901234567890123, "context": ["a", "b"]})
    (turn,) = made.turns
    assert (turn.reply.text, turn.expect.response, turn.context) == ("4", "12345678901234567890123", "a\n\nb")


def test_null_is_absent(case):
    made = case({"query": "q", "response": None, "ground_truth": None, "context": None, "tool_definitions": None, "id": None})
    assert (made.id, made.turns[0].reply, made.turns[0].expect, made.turns[0].context, made.tools) == (
        "#0",
        None,
        NOTHING,
        None,
        None,
    )


def test_dates_and_large_numbers_stay_as_they_are(case):
    row = {"query": "q", "date": "2026-01-31", "created_at": "1700000000", "id2": 12345678901234567890, "x": 1.5}
    assert case(row).metadata == {name: value for name, value in row.items() if name != "query"}


def test_seeds_in_both_forms(case, told):
    old = case({"id": "a", "test_case_description": "Somebody asks.", "desired_num_turns": 5})
    new = case(
        {"test_case_id": "a", "test_case_description": "Somebody asks.", "simulation_configuration": {"desired_num_turns": 5}}
    )
    assert old.persona == new.persona
    assert (old.id, new.id, old.persona.goal, old.persona.max_turns, old.persona.desired_turns) == (
        "a",
        "a",
        "Somebody asks.",
        20,
        5,
    )
    assert names(old.checks) == ["TaskCompletion"]
    assert old.checks[0].level == "case"
    seed = {"test_case_description": "x"}
    assert told({**seed, "test_case_description": ""}) == ['1: test_case_description: must be text that is not blank, not ""']
    assert "at most 2500" in told({"test_case_description": "x" * 2501})[0]
    assert (
        "8 turns are desired, and at most 3"
        in told({**seed, "simulation_configuration": {"max_num_turns": 3, "desired_num_turns": 8}})[0]
    )
    assert "says 3" in told({**seed, "desired_num_turns": 2, "simulation_configuration": {"desired_num_turns": 3}})[0]
    assert "at least 1" in told({**seed, "desired_num_turns": 0})[0]


def test_a_slip_of_a_column_is_an_error_and_a_warning_when_lenient(told, read):
    assert told({"query": "q", "groundTruth": "t"}) == [
        '1: groundTruth: unknown column "groundTruth" '
        '(did you mean "ground_truth"? If it is another, map it or read with --lenient)'
    ]
    assert told({"query": "q", "ground_trut": "t"}, {"query": "r", "ground_trut": "t"})[0].startswith("1: ground_trut")
    _, cases, problems = read([{"query": "q", "respones": "t"}], lenient=True)
    assert (cases[0].metadata, problems.total, problems.warned) == ({"respones": "t"}, 0, 1)
    assert told({"query": "q", "responses": "x"}, map={"context": "{{item.responses}}"}) == []


@pytest.mark.parametrize("name", ["qury", "quer", "quey", "uery", "queyr", "qeury", "Query", "querry", "quary"])
def test_a_slip_of_a_short_column_is_one_too(told, name):
    (problem,) = told({name: "a", "response": "x", "ground_truth": "x"})
    assert problem.startswith(f'1: {name}: unknown column "{name}" (did you mean "query"?')


LAST = {"query": "r", "response": "y"}


@pytest.mark.parametrize("more", [{}, {"messages": [{"role": "user", "content": "r"}]}], ids=["texts", "messages"])
@pytest.mark.parametrize("name", ["groundtruth", "groundTruth", "ground_thruth"])
def test_a_slip_beside_its_column_is_looked_for_in_every_later_row(told, name, more):
    beside = {"query": "q", "response": "x", "ground_truth": "x", name: "alt"}
    last = {**(more or LAST), name: "zzz"}
    assert told(*[beside] * 3) == []
    (problem,) = told(beside, beside, last, beside, last)
    assert problem.startswith(f'3: {name}: unknown column "{name}" (did you mean "ground_truth"?')
    (problem,) = told(beside, {**last, "ground_truth": None})
    assert problem.startswith("2: ")
    assert told(beside, last, map={"context": name}) == []


def test_an_empty_column_beside_a_known_one_loses_nothing(told, read):
    beside = {"query": "q", "ground_truth": "x", "groundtruth": "alt"}
    assert told(beside, {**LAST, "groundtruth": None}, {**LAST, "groundtruth": ""}, beside) == []
    table = "query,response,ground_truth,groundtruth\nq,x,x,alt\nq,x,,\n"
    assert read(table, name="s.csv")[2].found() == ()
    assert [problem.line for problem in read(f"{table}q,x,,lost\n", name="s.csv")[2].found()] == [4]


@pytest.mark.parametrize(
    ("header", "told"),
    [("query,respones", "unknown column"), ("query,truth", "is kept and not examined"), ("question,answer", "has neither")],
)
def test_what_is_wrong_with_a_header_is_told_at_its_line(read, header, told):
    _, _, problems = read(f"\n{header}\nq,r\nq,s\n", name="s.csv")
    (problem,) = (*problems.found(), *problems.warnings)
    assert problem.line == 2
    assert told in problem.message
    assert "more like it" not in problem.message


def test_a_slip_in_a_later_row_is_one_warning_when_lenient(read):
    beside = {"query": "q", "ground_truth": "x", "groundtruth": "alt"}
    last = {**LAST, "groundtruth": "zzz"}
    _, cases, problems = read([beside, last, beside, last], lenient=True)
    assert [case.metadata["groundtruth"] for case in cases] == ["alt", "zzz", "alt", "zzz"]
    assert [problem.line for problem in problems.warnings] == [2]


def test_a_column_met_in_the_wild_is_told_in_the_row_where_it_stands_alone(read):
    beside = {"query": "q", "response": "r", "ground_truth": "t", "truth": "u"}
    _, cases, problems = read([beside, beside, {**LAST, "truth": "v"}, {**LAST, "truth": "w"}])
    assert len(cases) == 4
    assert [(problem.line, problem.path) for problem in problems.warnings] == [(3, "truth")]


def test_columns_that_real_files_have_are_no_slips(read):
    names = ["date", "category", "queries", "context_id", "created_at", "contents", "expected_output", "target", "qualifier"]
    row = {"query": "q", "response": "r", **dict.fromkeys(names, "x")}
    _, cases, problems = read([row, {**row, "responses": "s", "contexts": "t", "context": "u"}])
    assert (problems.found(), len(cases)) == ((), 2)


def test_columns_of_other_names_are_kept(case):
    for name in ("query_id", "response_time", "message_count", "contextual", "notes", "a.b", "line-number"):
        assert case({"query": "q", name: 1}).metadata == {name: 1}


def test_columns_met_in_the_wild_are_told_with_the_mapping_that_reads_them(read):
    _, cases, problems = read([{"query": "q", "response": "r", "truth": "t"}, {"query": "q", "response": "r", "truth": "t"}])
    assert len(cases) == 2
    assert [str(each) for each in problems.warnings] == [
        's.jsonl:1: truth: column "truth" is kept and not examined (if it is ground_truth: --map ground_truth={{item.truth}})'
    ]


def test_a_broken_line_hides_no_other(read):
    lines = [json.dumps({"query": f"q{number}", "response": "r"}) for number in range(10_000)]
    lines[4_999] = '{"query": "cut'
    lines[7_000] = '{"query": 3}'
    _, cases, problems = read("\n".join(lines))
    assert [str(each) for each in problems.found()] == [
        "s.jsonl:5000: is not valid JSON: the text that begins here has no closing quote (column 11)",
        "s.jsonl:7001: query: must be text, or a list of messages, not 3",
    ]
    assert (len(cases), cases[-1].id) == (9_998, "#9999")


def test_marks_breaks_and_separators_of_lines(read):
    content = b"\xef\xbb\xbf" + '{"query": "a\u2028b"}\r\n\r\n   \r\n{"query": "c", "response": "\u00e9"}\r\n'.encode()
    _, cases, problems = read(content)
    assert problems.found() == ()
    assert [(case.turns[0].input, case.line) for case in cases] == [("a\u2028b", 1), ("c", 4)]


def test_rows_within_item(read):
    _, cases, _ = read([{"item": {"query": "q", "id": "a"}}])
    assert (cases[0].id, cases[0].turns[0].input) == ("a", "q")
    _, _, problems = read([{"item": {"query": 3}}])
    assert str(problems.found()[0]).startswith("s.jsonl:1: item.query: must be")


def test_columns_of_lists_are_read_from_text_and_written_as_they_were(case, told):
    row = {"query": "q", "response": "r", "instruction_id_list": '["a:b"]', "instruction_kwargs": "[{}]"}
    made = case(row)
    assert made.metadata == {"instruction_id_list": ["a:b"], "instruction_kwargs": [{}]}
    assert row_of(made, 0) == row
    assert told({**row, "instruction_kwargs": '{"a": 1}'}) == ['1: instruction_kwargs: must be a list, not {"a":1}']


def test_a_conversation_tells_all_its_calls(case):
    called = [{"role": "assistant", "content": [FLAT]}]
    row = {"messages": [USER, *called, ANSWER, USER, *called, ANSWER]}
    made = case(row, level="conversation")
    turn = made.turns[0]
    evidence = Evidence(case=made, exchanges=[Exchange(input=turn.input, reply=turn.reply)])
    assert [call.name for call in evidence.tool_calls] == ["stock", "stock"]
    assert len(Evidence(case=made, turn=turn, reply=turn.reply).tool_calls) == 1


def test_an_answer_whose_question_is_unknown(case):
    made = case({"response": "r"})
    turn = made.turns[0]
    assert Evidence(case=made, turn=turn, reply=turn.reply).conversation == "assistant: r"
