"""What a document says of its evaluators and of itself: which of two places holds, and where a problem of it is told."""

from __future__ import annotations

import json

import pytest

from vivavoce.core.errors import DatasetError, UsageError
from vivavoce.core.model import Selection
from vivavoce.run.planner import readings
from vivavoce.wire import json_entries

ROW = {"query": "q", "response": "b d", "ground_truth": "b c"}
SEED = {"test_case_description": "Somebody asks."}
X = {"name": "x", "evaluator_name": "f1_score"}
GRADER = {"input": "{{item.response}}", "reference": "{{item.ground_truth}}"}


def document(*evaluators, **more):
    return {"evaluators": list(evaluators), "data": [ROW], **more}


@pytest.fixture
def refused(tmp_path):
    """What a run is told of a document: path, and the text of the line that the problem is told at."""

    def refused(made: dict) -> list[tuple[str, str]]:
        text = json.dumps(made, indent=1)
        (tmp_path / "d.json").write_text(text)
        with pytest.raises(DatasetError) as caught:
            readings(Selection(paths=("d.json",)), folder=tmp_path)
        lines = text.splitlines()
        return [(each.path, lines[(each.line or 1) - 1].strip().rstrip(",")) for each in caught.value.problems]

    return refused


def test_what_is_said_of_an_evaluator_by_its_own_name_goes_before_what_is_said_of_its_kind(read):
    said = {"f1_score": {"threshold": 0.1, "other": 1}, "x": {"threshold": 0.9}}
    for parameters in (said, dict(reversed(said.items()))):
        _, (case,), _ = read(document(X, "f1_score", evaluator_parameters=parameters), "s.json")
        options = {check.name: check.options for check in case.turns[0].checks}
        assert options == {"x": {"threshold": 0.9, "other": 1}, "f1_score": {"threshold": 0.1, "other": 1}}


def test_so_does_its_mapping(read):
    mapping = {"f1_score": {"response": "{{item.query}}"}, "x": {"response": "{{item.ground_truth}}"}}
    _, (case,), _ = read(document(X, data_mapping=mapping), "s.json")
    assert case.turns[0].checks[0].given == {"response": "b c"}


@pytest.mark.parametrize(
    ("made", "path", "line"),
    [
        (
            document("string_check", openai_graders={"string_check": {**GRADER, "operation": "zz"}}),
            "openai_graders.string_check.operation",
            '"operation": "zz"',
        ),
        (
            document("f1_score", evaluator_parameters={"f1_score": {"threshold": "high"}}),
            "evaluator_parameters.f1_score.threshold",
            '"threshold": "high"',
        ),
        (
            document("f1_score", evaluator_parameters={"f1_score": {"thresold": 1}}),
            "evaluator_parameters.f1_score.thresold",
            '"thresold": 1',
        ),
        (
            {"testing_criteria": [{**X, "initialization_parameters": {"pass_threshold": "high"}}], "data": [ROW]},
            "testing_criteria[0].initialization_parameters.pass_threshold",
            '"pass_threshold": "high"',
        ),
        (
            {"testing_criteria": [{"type": "string_check", "name": "z", **GRADER, "operation": "zz"}], "data": [ROW]},
            "testing_criteria[0].operation",
            '"operation": "zz"',
        ),
        (document("regex_match"), "evaluators[0]", '"regex_match"'),
    ],
)
def test_what_is_wrong_with_an_option_is_told_where_it_stands(refused, made, path, line):
    assert refused(made) == [(path, line)]


@pytest.mark.parametrize("text", ["{{item.response", "{{ item.response }", "${data.response", "so: {{sample.output_text"])
def test_braces_that_are_left_open_are_no_text(read, text):
    for grader in ({"type": "string_check", "operation": "eq"}, {"type": "score_model"}):
        (problem,) = read(document({"name": "g", "reference": "r", **grader, "input": text}), "s.json")[2].found()
        assert (problem.path, problem.line is not None) == ("evaluators[0].input", True)
        assert problem.message == f"{text.removeprefix('so: ').rstrip(' }')} does not close its braces"


@pytest.mark.parametrize("text", ["{{item.response}}", "{{item.response}} }", "a {{b", "{{ {item.response} }}", "${x}"])
def test_other_braces_are(read, text):
    grader = {"type": "string_check", "name": "g", "operation": "eq", "reference": "r", "input": text}
    assert read(document(grader), "s.json")[2].found() == ()


def test_one_cause_is_told_once(refused):
    assert refused(document("f1_score", "F1Score")) == [("evaluators[1]", '"F1Score"')]
    assert refused({"evaluators": ["f1_score"], "evaluation_level": "conversaton", "data": [SEED]}) == [
        ("evaluation_level", '"evaluation_level": "conversaton"')
    ]


@pytest.mark.parametrize(
    ("made", "path", "message"),
    [
        (document("f1_score", name=5), "name", "must be text, not 5"),
        (document("f1_score", description=[]), "description", "must be text, not []"),
        (document("f1_score", data_source=5), "data_source", "must be an object, not 5"),
        ({"data": 5}, "data", "must be a list of rows, not 5"),
        ({"evaluators": ["f1_score"], "data": {"query": "q"}}, "data", 'must be a list of rows, not {"query":"q"}'),
    ],
)
def test_what_is_of_another_type_is_told_where_it_stands(read, made, path, message):
    (problem,) = read(made, "s.json")[2].found()
    assert (problem.path, problem.message, problem.line is not None) == (path, message, True)


def simulated(defaults, *rows):
    source = {"type": "azure_ai_user_conversation_simulation", "default_simulation_configuration": defaults}
    return {"data_source": {**source, "source": {"type": "file_content", "content": list(rows)}}}


def test_seeds_have_what_the_document_says_of_all(read):
    rows = (
        SEED,
        {"item": {**SEED, "simulation_configuration": {"max_num_turns": 9}}},
        {**SEED, "desired_num_turns": 3},
        {"query": "q"},
    )
    _, cases, problems = read(simulated({"max_num_turns": 5, "desired_num_turns": 2}, *rows), "s.json")
    assert problems.found() == ()
    told = [(case.persona.max_turns, case.persona.desired_turns) for case in cases if case.persona is not None]
    assert told == [(5, 2), (9, 2), (5, 3)]
    assert problems.warnings == []


def test_what_is_wrong_with_that_is_told_once(read):
    at = "data_source.default_simulation_configuration"
    _, _, problems = read(
        simulated({"max_num_turns": "many", "conversation_repetitions": 3, "max_turns": 1}, SEED, SEED), "s.json"
    )
    assert {problem.path: problem.fix for problem in problems.found()} == {
        f"{at}.max_num_turns": "",
        f"{at}.max_turns": 'did you mean "max_num_turns"?',
    }
    assert {warning.path: warning.fix for warning in problems.warnings} == {
        f"{at}.conversation_repetitions": "--repeat plays each conversation several times",
    }
    (problem,) = read(simulated({"desired_num_turns": 30}, SEED, SEED), "s.json")[2].found()
    assert problem.path == f"{at}.desired_num_turns"
    (problem,) = read(simulated(5, SEED), "s.json")[2].found()
    assert problem.path == at


def test_a_rows_own_bound_holds_for_what_is_desired_of_all(read):
    seed = {**SEED, "simulation_configuration": {"max_num_turns": 2}}
    _, (case,), problems = read(simulated({"desired_num_turns": 4}, seed), "s.json")
    assert problems.total == 0
    assert (case.persona.desired_turns, case.persona.max_turns) == (2, 2)


def test_what_says_that_it_is_a_grader_is_no_option_of_it(read):
    grader = {"type": "text_similarity", "id": "t", "name": "T", "evaluation_metric": "fuzzy_match"}
    head = {"evaluators": ["text_similarity"], "openai_graders": {"text_similarity": grader}}
    _, (case,), problems = read({**head, "data": [{"query": "q", "response": "r", "ground_truth": "r"}]}, "s.json")
    assert problems.total == 0
    assert case.turns[0].checks[0].options == {"evaluation_metric": "fuzzy_match"}


def test_evaluators_by_name_have_their_options_there(read):
    head = {"evaluators": {"builtin.f1_score": {"threshold": 0.2}, "bleu_score": None, "rouge_score": 5}}
    _, (case,), problems = read({**head, "data": [ROW]}, "s.json")
    assert [(check.name, check.options, check.path) for check in case.turns[0].checks] == [
        ("f1_score", {"threshold": 0.2}, "evaluators.builtin.f1_score"),
        ("bleu_score", {}, "evaluators.bleu_score"),
    ]
    assert case.turns[0].checks[0].places == {"threshold": "evaluators.builtin.f1_score.threshold"}
    (problem,) = problems.found()
    assert problem.path == "evaluators.rouge_score"


def test_slips_of_an_evaluators_own_keys_are_told_each(read):
    mistaken = {"evaluator_name": "f1_score", "data_maping": {}, "initialization_parametrs": {}, "threshold": 0.2}
    _, _, problems = read({"evaluators": [mistaken], "data": [ROW]}, "s.json")
    assert {problem.path: problem.fix.partition("?")[0] for problem in problems.found()} == {
        "evaluators[0].data_maping": 'did you mean "data_mapping"',
        "evaluators[0].initialization_parametrs": 'did you mean "initialization_parameters"',
    }


ROWS = '{"query": "a", "response": "b"},\n {"query": "c", "response": "d"}'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            f'{{"data": [\n {ROWS}\n',
            "s.json:1: data: is not valid JSON: the [ that opens here is never closed by ]",
        ),
        (
            f'{{"data": [\n {ROWS},\n]}}',
            "s.json:3: data[1]: is not valid JSON: a comma stands before ], and nothing follows it",
        ),
        (f'{{"data": [\n {ROWS}]]', "s.json:3: is not valid JSON: } is missing before ] (column 34)"),
        (f'{{"data": [\n {ROWS}],\n "evaluators": [1, }}', "s.json:4: is not valid JSON: a comma stands before }"),
        (f'{{"evaluators": "x,\n "data": [\n {ROWS}]}}', "s.json:1: is not valid JSON: a text ends with its line"),
        (f'{{"data": [\n {ROWS}],\n "data": []}}', 's.json:4: data: "data" is given twice in one object (keep one)'),
    ],
)
def test_a_damaged_document_is_told_where_it_is_damaged(read, text, told):
    _, cases, problems = read(text, "s.json")
    (problem,) = problems.found()
    assert cases == []
    assert str(problem).startswith(told)


def test_damage_beside_very_many_rows_has_a_way_out(read, monkeypatch):
    monkeypatch.setattr(json_entries, "LINE_LIMIT", 40)
    text = f'{{"data": [{ROWS}{" " * 50}],\n "evaluators": }}'
    with pytest.raises(UsageError) as caught:
        read(text, "s.json")
    assert str(caught.value) == (
        "s.json: is not valid JSON beside its rows, and these are too many to tell where; write them as JSON lines"
    )


def test_all_that_is_no_json_in_a_document_is_told_at_once(read):
    rows = '{"query": "a" "response": "b"},\n{"query": NaN},\n{"query": "c", "response": "d"}'
    _, _, problems = read(f'{{"data": [\n{rows}\n], "name": "x",\n "evaluators": ["f1_score",]}}', "s.json")
    assert [(problem.line, problem.path) for problem in problems.found()] == [(2, "data[0]"), (3, "data[1].query"), (6, "")]
    assert problems.found()[2].message.endswith("(column 27)")
    _, _, problems = read(f'{{"data": [\n{rows}\n{{"query": "e"}}\n], "name": "x"}}', "s.json")
    assert [(problem.line, problem.path) for problem in problems.found()] == [
        (2, "data[0]"),
        (3, "data[1].query"),
        (5, "data[3]"),
    ]


@pytest.mark.parametrize(("data", "content"), [([ROW], []), ([], [ROW])])
def test_an_empty_list_holds_no_rows(read, data, content):
    _, cases, problems = read({"data": data, "data_source": {"source": {"content": content}}}, "s.json")
    assert problems.found() == ()
    assert len(cases) == 1


INNER = '{"query": "inner", "response": "r"}'


@pytest.mark.parametrize("name", ["s.json", "s.jsonl"])
@pytest.mark.parametrize("between", ["", "\n"])
@pytest.mark.parametrize("rest", ["", ', "evaluation": 1', ', "ground_truth": null'])
def test_a_row_may_have_a_column_that_is_called_data(read, between, rest, name):
    _, (case,), problems = read(f'{{"query": "q", "response": "r",{between} "data": [{between}{INNER}]{rest}}}', name)
    assert problems.found() == ()
    assert (case.turns[0].input, case.metadata["data"]) == ("q", [json.loads(INNER)])


@pytest.mark.parametrize("beside", ['"query": null', '"response": ""', '"messages": []', '"name": "x"'])
@pytest.mark.parametrize("between", ["", "\n"])
@pytest.mark.parametrize("name", ["s.json", "s.jsonl"])
def test_what_is_empty_beside_rows_makes_no_row_of_a_document(read, beside, between, name):
    for text in (
        f'{{{beside}, "data": [{between}{INNER},{between}{INNER}]}}',
        f'{{"data": [{between}{INNER}, {INNER}], {beside}}}',
    ):
        _, cases, problems = read(text, name)
        assert problems.found() == ()
        assert [case.path for case in cases] == ["data[0]", "data[1]"]


@pytest.mark.parametrize("asks", ['"evaluators": ["f1_score"]', '"evaluators": []', '"evaluator": ["f1_score"]'])
@pytest.mark.parametrize("gap", ["", " " * 70_000])
def test_an_answer_beside_rows_that_are_examined_is_told(read, asks, gap):
    _, _, problems = read(f'{{"response": "y", "data": [{INNER}, {gap}{INNER}], {asks}}}', "s.json")
    assert any(str(problem).startswith("s.json:1: response: stands beside the rows") for problem in problems.found())


@pytest.mark.parametrize("name", ["", '"name": "x", '])
def test_a_bracket_too_many_in_a_row_is_told_once(read, name):
    rows = ",\n".join([INNER] * 3 + [INNER + "}"] + [INNER] * 3)
    _, _, problems = read(f'{{{name}"data": [\n{rows}],\n"evaluators": ["f1_score"]}}', "s.json")
    (problem,) = problems.found()
    assert str(problem).startswith("s.json:5: data[3]: is not valid JSON: ] is missing before }")


def test_a_damaged_head_is_told_beside_a_damaged_list(read):
    _, _, problems = read(f'{{"evaluators": ["f1_score",],\n"data": [\n{INNER}\n{INNER}]}}', "s.json")
    assert [(problem.line, problem.path) for problem in problems.found()] == [(1, ""), (4, "data[1]")]


def test_what_stands_beside_the_rows_as_a_column_is_told(read):
    _, _, problems = read(document("f1_score", query="q"), "s.json")
    (problem,) = problems.found()
    assert str(problem).endswith("query: stands beside the rows, and is in none of them (put it into a row)")


@pytest.mark.parametrize("block", ["evaluator_parameters", "evaluator_config", "data_mapping"])
def test_one_evaluator_in_two_spellings_is_told(refused, block):
    (found,) = refused(document("f1_score", **{block: {"f1_score": {}, "builtin.F1Score": {}}}))
    assert found == (f"{block}.builtin.F1Score", '"builtin.F1Score": {}')


@pytest.mark.parametrize("none", [[], {}, None])
def test_a_document_that_names_no_evaluator_has_those_that_apply_by_default(read, none):
    _, (row, seed), problems = read({"evaluators": none, "data": [ROW, SEED]}, "s.json")
    assert problems.found() == ()
    assert [check.evaluator for check in row.turns[0].checks] == ["Relevance", "Coherence", "Similarity", "F1Score"]
    assert [(check.evaluator, check.level) for check in seed.checks] == [("TaskCompletion", "case")]
