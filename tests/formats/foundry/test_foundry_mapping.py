"""Mappings: where they are read from, what they find, and what an evaluator with one sees."""

from __future__ import annotations

import io
import json

import pytest

from vivavoce.core.errors import Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.reply import Message, Reply, ToolCall
from vivavoce.formats.foundry import Foundry

ROW = {
    "question": "q",
    "answer": "a",
    "truth": "t",
    "deep": {"a": {"b": "B"}, "list": [{"x": "X"}]},
    "a.b": "dotted",
    "a-b": "hyphen",
}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{{item.truth}}", "t"),
        ("{{ item.truth }}", "t"),
        ("{{data.truth}}", "t"),
        ("${data.truth}", "t"),
        ("truth", "t"),
        ("{{item.deep.a.b}}", "B"),
        ("${data.deep.a.b}", "B"),
        ("deep.a.b", "B"),
        ("{{item.deep.list[0].x}}", "X"),
        ("{{item.deep.list.0.x}}", "X"),
        ("{{item.a.b}}", "dotted"),
        ("{{item.a-b}}", "hyphen"),
        ("{{item.deep.a}}", '{"b":"B"}'),
    ],
)
def test_every_way_to_write_a_field(read, text, wanted):
    _, cases, problems = read([ROW], map={"query": "question", "ground_truth": text})
    if wanted.startswith("{"):
        assert "ground_truth: must be text" in str(problems.found()[0])
    else:
        assert problems.found() == ()
        assert cases[0].turns[0].expect.response == wanted


def test_a_field_of_no_row_is_an_error_and_one_of_some_rows_is_none(told, read):
    rows = [{"query": "q", "response": "r"}, {"query": "q", "response": "r", "right": "t"}]
    _, cases, problems = read(rows, map={"ground_truth": "{{item.right}}"})
    assert problems.found() == ()
    assert [case.turns[0].expect.response for case in cases] == [None, "t"]
    (problem,) = read(rows, map={"ground_truth": "{{item.wrong}}"})[2].found()
    assert str(problem) == (
        's.jsonl: --map ground_truth={{item.wrong}}: no row has the field "wrong" (known here: query, response, right)'
    )
    (problem,) = read(rows, map={"ground_truth": "rihgt"})[2].found()
    assert 'did you mean "right"?' in str(problem)


@pytest.mark.parametrize(
    ("param", "text", "message"),
    [
        ("query", "{{item.a}} and {{item.b}}", "is no single field"),
        ("query", "{{itme.a}}", 'begins with "itme" (did you mean "item"?)'),
        ("query", "{{item}}", "names no field"),
        ("query", "", "is no single field"),
        ("response", "{{sample.output_txt}}", 'did you mean "output_text"?'),
        ("query", "{{sample.output_text}}", "is part of an answer, and query is not"),
        ("query", "{{item." + "a." * 9999 + "b}}", "has 20,008 characters, and at most 1,000 are allowed"),
        ("qurey", "{{item.a}}", 'no evaluator has the parameter "qurey" (did you mean "query"?)'),
    ],
)
def test_what_is_no_mapping(read, param, text, message):
    problems = read([{"query": "q"}], map={param: text})[2]
    assert any(message in str(problem) for problem in problems.found())
    assert all(len(str(problem)) < 500 for problem in problems.found())


def test_a_place_in_a_list_that_no_list_has(read):
    (problem,) = read([{"query": "q", "a": ["x"]}], map={"ground_truth": f"{{{{item.a[{'9' * 900}]}}}}"})[2].found()
    assert "no row has the field" in problem.message


def test_a_parameter_that_only_evaluators_of_ones_own_have_is_told(read):
    problems = read([{**ROW, "query": "q", "response": "a"}], map={"expected": "{{item.truth}}"})[2]
    assert problems.total == 0
    warning = (
        's.jsonl: --map expected={{item.truth}}: no evaluator here has the parameter "expected", only one of your own may '
        "(if it is ground_truth: --map ground_truth={{item.truth}})"
    )
    assert warning in [str(each) for each in problems.warnings]


def test_a_mapping_shows_evaluators_another_question_and_leaves_the_agents_own(case):
    made = case({"query": "told", "response": "r", "seen": "shown", "ground_truth": "t"}, map={"query": "seen"})
    (turn,) = made.turns
    assert turn.input == "told"
    evidence = Evidence(case=made, turn=turn, reply=turn.reply).limited(turn.checks[0].given, turn.checks[0].sees)
    assert (evidence.input, evidence.response, evidence.expected) == ("shown", "r", "t")


def test_a_mapping_goes_before_a_standard_column_that_the_agent_is_not_told(case):
    made = case({"query": "q", "response": "old", "answer": "new"}, map={"response": "answer"})
    assert made.turns[0].reply == Reply(text="new")


def document(*evaluators, rows=({"query": "q", "response": "r", "ground_truth": "t", "other": "o"},), **more):
    return {"name": "n", "evaluators": list(evaluators), **more, "data": list(rows)}


def checks_of(read, made, **options):
    _, cases, problems = read(made, "s.json", **options)
    assert problems.found() == ()
    return cases[0].turns[0].checks or cases[0].checks


def test_evaluators_of_a_document(read):
    checks = checks_of(
        read,
        document(
            "builtin.f1_score",
            "CoherenceEvaluator",
            {
                "name": "mine",
                "evaluator_name": "builtin.bleu_score",
                "initialization_parameters": {"threshold": 0.2, "model": "x"},
            },
            "custom_one",
            "rouge_score_evaluator",
            evaluator_parameters={"builtin.f1_score": {"threshold": 0.9}},
        ),
    )
    assert [(each.evaluator, each.name, each.options, each.path) for each in checks] == [
        ("F1Score", "f1_score", {"threshold": 0.9}, "evaluators[0]"),
        ("Coherence", "Coherence", {}, "evaluators[1]"),
        ("BleuScore", "mine", {"threshold": 0.2}, "evaluators[2]"),
        ("custom_one", "custom_one", {}, "evaluators[3]"),
        ("RougeScore", "rouge_score", {}, "evaluators[4]"),
    ]
    assert {(each.origin, each.given, each.level) for each in checks} == {("file", None, None)}


def test_a_rubric_of_ones_own_stands_in_the_document(read):
    dimensions = [{"id": "price", "description": "Names the price.", "weight": 8}]
    parameters = {"dimensions": dimensions, "pass_threshold": 0.6}
    (check,) = checks_of(read, document({"evaluator_name": "builtin.rubric", "initialization_parameters": parameters}))
    assert (check.evaluator, check.options) == ("Rubric", {"dimensions": dimensions, "threshold": 0.6})


def test_evaluators_as_an_object(read):
    checks = checks_of(read, {**document(), "evaluators": {"f1_score": {"threshold": 0.1}, "coherence": None}})
    assert [(each.evaluator, each.options) for each in checks] == [("F1Score", {"threshold": 0.1}), ("Coherence", {})]


@pytest.mark.parametrize(
    "more",
    [
        {"evaluators": [{"evaluator_name": "f1_score", "data_mapping": {"response": "{{item.other}}"}}]},
        {"evaluators": ["f1_score"], "data_mapping": {"f1_score": {"response": "{{item.other}}"}}},
        {"evaluators": ["f1_score"], "evaluator_config": {"f1_score": {"column_mapping": {"response": "${data.other}"}}}},
        {
            "testing_criteria": [
                {"type": "azure_ai_evaluator", "evaluator_name": "builtin.f1_score", "data_mapping": {"response": "other"}}
            ]
        },
    ],
)
def test_a_mapping_of_one_evaluator_filters_what_it_sees(read, more):
    made = {name: each for name, each in document(**more).items() if each != []}
    (check,) = checks_of(read, {**made, **more})
    assert (check.given, check.sees) == ({"response": "o"}, ())
    _, cases, _ = read({**made, **more}, "s.json")
    turn = cases[0].turns[0]
    evidence = Evidence(case=cases[0], turn=turn, reply=turn.reply).limited(check.given, check.sees)
    assert evidence.response == "o"
    for hidden in ("input", "expected", "context", "conversation"):
        with pytest.raises(Missing):
            getattr(evidence, hidden)


def test_a_default_mapping_is_for_evaluators_without_one_of_their_own(read):
    own = {"bleu_score": {"column_mapping": {"response": "${data.response}"}}}
    config = {"default": {"column_mapping": {"response": "${data.other}"}}, **own}
    one, two = checks_of(read, document("f1_score", "bleu_score", evaluator_config=config))
    assert (one.given, two.given) == ({"response": "o"}, {"response": "r"})
    made = {name: each for name, each in document(evaluator_config=config).items() if name != "evaluators"}
    made["data"] = [{"query": "q", "other": "o"}]
    _, (case,), _ = read({**made, "evaluator_config": {"default": config["default"]}}, "s.json")
    assert case.turns[0].reply.text == "o"


@pytest.mark.parametrize(
    ("more", "path", "message"),
    [
        ({"evaluation_levle": "turn"}, "evaluation_levle", 'did you mean "evaluation_level"?'),
        ({"evaluator_parameters": {"builtin.f1_scor": {}}}, "evaluator_parameters.builtin.f1_scor", 'did you mean "f1_score"?'),
        ({"data_mapping": {"f1score1": {}}}, "data_mapping.f1score1", 'did you mean "f1_score"?'),
        ({"openai_graders": {"f2_score": {}}}, "openai_graders.f2_score", 'did you mean "f1_score"?'),
        ({"evaluator_parameters": 3}, "evaluator_parameters", "must be an object, not 3"),
        ({"evaluator_parameters": {"f1_score": 3}}, "evaluator_parameters.f1_score", "must be an object, not 3"),
        ({"evaluator_config": ["f1_score"]}, "evaluator_config", "must be an object"),
        (
            {"evaluator_config": {"f1_score": {"column_mapping": "${data.x}"}}},
            "evaluator_config.f1_score.column_mapping",
            "must be an object of parameters",
        ),
        ({"data_mapping": "{{item.x}}"}, "data_mapping", "must be an object"),
        (
            {"evaluators": [{"evaluator_name": "f1_score", "data_mapping": "{{item.x}}"}]},
            "evaluators[0].data_mapping",
            "must be an object of parameters",
        ),
        (
            {"evaluators": [{"evaluator_name": "f1_score", "initialization_parameters": ["threshold"]}]},
            "evaluators[0].initialization_parameters",
            "must be an object",
        ),
    ],
    ids=lambda given: ",".join(given) if isinstance(given, dict) else "",
)
def test_nothing_that_a_document_says_is_lost_unsaid(read, more, path, message):
    (problem,) = read({**document("f1_score"), **more}, "s.json")[2].found()
    assert problem.path == path
    assert message in str(problem)


def test_what_is_said_of_other_evaluators_is_passed_over_with_a_word(read):
    made = document("f1_score", evaluator_parameters={"rouge_score": {"rouge_type": "rouge1"}}, evaluation_name="x")
    _, _, problems = read(made, "s.json")
    assert problems.found() == ()
    assert {warning.path: warning.message for warning in problems.warnings} == {
        "evaluator_parameters.rouge_score": "is of no evaluator that is named here, and is passed over",
        "evaluation_name": "is kept and not looked at",
    }


def template(*said):
    made = [{"type": "message", "role": role, "content": {"type": "input_text", "text": text}} for role, text in said]
    return {"input_messages": {"type": "template", "template": made}}


@pytest.mark.parametrize(
    ("said", "warned"),
    [
        ([("user", "{{item.q}}")], 0),
        ([("user", "Translate: {{item.q}}")], 1),
        ([("developer", "Be short."), ("user", "{{item.q}}")], 1),
        ([("user", "${data.q}")], 1),
        ([("user", "{{sample.other}}")], 1),
    ],
)
def test_messages_to_a_target_are_carried_out_or_told(read, said, warned):
    source = {"source": {"content": [{"item": {"q": "a?"} if not warned else {"query": "a?", "q": "b?"}}]}, **template(*said)}
    _, (case,), problems = read({"evaluators": ["fluency"], "data_source": source}, "s.json", live=True)
    assert problems.found() == ()
    assert case.turns[0].input == "a?"
    assert [warning.path for warning in problems.warnings] == ["data_source.input_messages.template"] * warned


def test_a_document_whose_rows_are_elsewhere(read):
    source = {"type": "jsonl", "source": {"type": "file_id", "id": "file-7"}}
    for more, way in (({"data_source": source}, '"file-7"'), ({"data_source": {"source": {}}}, 'into "data"')):
        (problem,) = read({"testing_criteria": [{"evaluator_name": "f1_score"}], **more}, "s.json")[2].found()
        assert (problem.message, problem.line) == ("says how rows are examined, and holds none", 1)
        assert way in problem.fix


def test_what_was_said_may_stand_where_evaluators_are_told_to_look(read):
    mapping = {"query": "{{item.asked}}", "response": "{{item.said}}"}
    evaluators = [{"evaluator_name": "f1_score", "data_mapping": {**mapping, "ground_truth": "{{item.truth}}"}}]
    rows = [{"asked": "a?", "said": "yes", "truth": "yes"}, {"query": "own?", "asked": "b?", "response": "own", "said": "no"}]
    suite, cases, problems = read({"evaluators": evaluators, "data": rows}, "s.json", live=False)
    assert problems.found() == ()
    assert [(case.turns[0].input, case.turns[0].reply.text) for case in cases] == [("a?", "yes"), ("own?", "own")]
    assert [case.turns[0].checks[0].given["response"] for case in cases] == ["yes", "no"]
    out = io.StringIO()
    Foundry().write(suite, out)
    assert json.loads(out.getvalue())["data"] == rows


@pytest.mark.parametrize("own", [{}, {"query": "U", "response": "A"}])
def test_what_was_said_is_read_in_one_form_though_evaluators_look_at_several(read, own):
    said = [{"role": "user", "content": "U"}, {"role": "assistant", "content": "A"}]
    evaluators = [
        {"name": "one", "evaluator_name": "x", "data_mapping": {"query": "q", "response": "r"}},
        {"name": "two", "evaluator_name": "x", "data_mapping": {"messages": "all"}},
    ]
    row = {"q": "shorter", "r": "other", "all": said, **own}
    _, cases, problems = read({"evaluators": evaluators, "data": [row]}, "s.json", live=False)
    assert problems.found() == ()
    assert (cases[0].turns[0].input, cases[0].turns[0].reply.text) == ("U", "A")


def test_parts_of_an_answer(read):
    def sees(text: str, param: str = "response"):
        mapping = {"query": "{{item.query}}", param: text}
        (check,) = checks_of(read, document({"evaluator_name": "coherence", "data_mapping": mapping}), live=True)
        assert check.given == {"input": "q"}
        return check.sees

    assert sees("{{sample.output_text}}") == ("response",)
    assert sees("{{sample.output_items}}") == ("response", "tool_calls", "conversation")
    assert sees("{{sample.tool_calls}}", "tool_calls") == ("tool_calls",)
    assert sees("{{sample.output_items}}", "actions") == ("tool_calls",)
    assert sees("${target.response}") == ("response", "tool_calls", "conversation")
    assert sees("${outputs.output_text}") == ("response",)
    assert sees("${target.context}", "context") == ("extracts",)


def test_a_part_of_an_answer_without_anybody_to_answer(read):
    made = document({"evaluator_name": "coherence", "data_mapping": {"response": "{{sample.output_text}}"}})
    assert read(made, "s.json")[2].found() == ()
    (problem,) = read(made, "s.json", live=False)[2].found()
    assert "data_mapping.response: {{sample.output_text}} stands for what a target answers, and no target was named" in str(
        problem
    )


def test_values_of_mappings_are_evidence(read):
    call = {"type": "tool_call", "tool_call_id": "1", "name": "find", "arguments": {"q": 1}}
    row = {
        "query": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}],
        "response": [{"role": "assistant", "content": [call]}, {"role": "assistant", "content": "A"}],
        "steps": [["find"], {"find": {"q": 1}}],
        "can": [{"type": "function", "function": {"name": "find"}}],
        "all": [{"role": "user", "content": "U"}, {"role": "assistant", "content": "A"}],
    }
    mapping = {
        "query": "query",
        "response": "response",
        "expected_actions": "steps",
        "tool_definitions": "can",
        "topic": "{{item.steps[0][0]}}",
    }
    (check,) = checks_of(read, document({"evaluator_name": "x", "data_mapping": mapping}, rows=[row]))
    assert check.given["input"] == "U"
    assert check.given["topic"] == "find"
    _, cases, _ = read(document(rows=[row]), "s.json")
    evidence = Evidence(case=cases[0]).limited(check.given, check.sees)
    assert evidence.history == (Message(role="system", content="S"),)
    assert evidence.response == "A"
    assert evidence.tool_calls == (ToolCall(name="find", arguments={"q": 1}, id="1"),)
    assert evidence.trajectory == ("find",)
    assert evidence.arguments == {"find": {"q": 1}}
    assert list(evidence.tool_definitions) == [{"name": "find"}]
    (check,) = checks_of(read, document({"evaluator_name": "x", "data_mapping": {"messages": "all"}}, rows=[row]))
    assert check.given == {"input": "U", "response": "A", "conversation": "user: U\n\nassistant: A"}


def test_graders_compare_what_their_parameters_name(read):
    made = document(
        "builtin.string_check",
        openai_graders={
            "builtin.string_check": {"input": "{{item.response}}", "operation": "like", "reference": "{{item.other}}"}
        },
    )
    (check,) = checks_of(read, made)
    assert (check.evaluator.rpartition(".")[2], check.options, check.given) == (
        "StringCheck",
        {"operation": "like"},
        {"response": "r", "expected": "o"},
    )


@pytest.mark.parametrize("reference", ["Paris", "ground_truth", "It is {{item.other}}.", "{{expected}}"])
def test_any_other_text_of_a_grader_is_its_own(read, reference):
    made = document({"type": "string_check", "name": "s", "input": "{{item.response}}", "reference": reference})
    (check,) = checks_of(read, made)
    assert (check.options, check.given) == ({"reference": reference}, {"response": "r"})


def test_what_is_put_to_a_judge_stays_as_it_is(read):
    for given in ("{{item.response}}", [{"role": "user", "content": "Is {{item.other}} polite?"}]):
        options = {"input": given, "labels": ["a"], "passing_labels": ["a"]}
        (check,) = checks_of(read, document({"type": "label_model", "name": "l", **options}))
        assert (check.options, check.given) == (options, None)


@pytest.mark.parametrize(
    "grader",
    [
        {"type": "label_model", "input": [{"role": "user", "content": [{"text": "{{item.query}} {{ item.wrong }}"}]}]},
        {"type": "score_model", "input": "{{item.wrong}}"},
        {"type": "string_check", "input": "It is {{item.wrong}}."},
        {"type": "text_similarity", "reference": "{{item.wrong}}"},
    ],
    ids=lambda grader: grader["type"],
)
def test_a_field_that_a_grader_names_is_looked_for(read, grader):
    (problem,) = read(document({"name": "g", **grader}), "s.json")[2].found()
    assert 'no row has the field "wrong"' in problem.message
    assert problem.path.startswith("evaluators[0].")
    assert problem.line is not None
    assert read(document({"name": "g", **grader}, rows=[{"query": "q", "wrong": "w"}]), "s.json")[2].found() == ()


@pytest.mark.parametrize("key", ["input", "reference"])
def test_what_is_wrong_with_a_grader_is_told_by_the_name_it_has_in_the_file(read, key):
    wrong = {key: "{{item.wrong}}"}
    named = {"type": "string_check", "name": "check"}
    for made, path in (
        (document({**named, **wrong}), f"evaluators[0].{key}"),
        (document({**named, "initialization_parameters": wrong}), f"evaluators[0].initialization_parameters.{key}"),
        (document("string_check", evaluator_parameters={"string_check": wrong}), f"evaluator_parameters.string_check.{key}"),
        (document("string_check", openai_graders={"string_check": wrong}), f"openai_graders.string_check.{key}"),
    ):
        (problem,) = read(made, "s.json")[2].found()
        assert problem.path == path
        assert f'"{key}"' in json.dumps(made, indent=1).splitlines()[(problem.line or 0) - 1]


def test_a_part_of_an_answer_in_a_graders_text_is_a_targets(read):
    made = document({"type": "score_model", "name": "s", "input": "Rate {{sample.output_text}}"})
    assert read(made, "s.json", live=True)[2].found() == ()
    (problem,) = read(made, "s.json", live=False)[2].found()
    assert "evaluators[0].input: {{sample.output_text}} stands for what a target answers" in str(problem)


def test_a_grader_that_is_code_has_two_names(read):
    checks = checks_of(read, document({"type": "python", "name": "mine", "source": "x"}, "builtin.python_grader"))
    assert [(check.evaluator, check.name) for check in checks] == [("PythonGrader", "mine"), ("PythonGrader", "python_grader")]


def test_the_mapping_and_level_typed_go_before_those_of_a_document(read):
    made = document("coherence", data_mapping={"ground_truth": "other", "query": "query"}, evaluation_level="conversation")
    _, (case,), _ = read(made, "s.json", map={"ground_truth": "response"}, level="turn")
    assert case.turns[0].expect.response == "r"
    assert [check.level for check in case.turns[0].checks] == ["turn"]
    _, (case,), _ = read(made, "s.json")
    assert case.turns[0].expect.response == "o"
    assert [check.level for check in case.checks] == ["case"]


def test_cells_that_hold_json_are_read_where_they_are_mapped(read):
    _, (case,), problems = read(
        'query,response,tools\nq,r,"[{""name"": ""find""}]"\n', "s.csv", map={"tool_definitions": "tools"}
    )
    assert problems.found() == ()
    assert case.tools == ({"name": "find"},)


@pytest.mark.parametrize("shown", ["{{item.test_case_description}}", "test_case_description"])
def test_an_evaluator_that_is_shown_the_description_leaves_a_seed_a_seed(read, shown):
    mapping = {"query": shown, "response": "{{sample.output_text}}"}
    seed = {"id": "a", "test_case_description": "The user wants paint.", "desired_num_turns": 2}
    made = document({"evaluator_name": "x", "data_mapping": mapping}, rows=[seed])
    _, (case,), _ = read(made, "s.json", live=True)
    assert (case.persona.goal, case.turns) == ("The user wants paint.", ())
    assert case.checks[0].given == {"input": "The user wants paint."}


@pytest.mark.parametrize("order", [("query", "response"), ("response", "query")])
def test_a_question_that_is_mapped_goes_before_one_that_stands_with_the_answer(read, order):
    row = {"query": "q", "response": "r", "asked": "MAPPED"}
    row["said"] = [{"role": "user", "content": "other"}, {"role": "assistant", "content": "A"}]
    mapping = {name: {"query": "{{item.asked}}", "response": "{{item.said}}"}[name] for name in order}
    (check,) = checks_of(read, document({"evaluator_name": "x", "data_mapping": mapping}, rows=[row]))
    assert (check.given["input"], check.given["response"]) == ("MAPPED", "A")
