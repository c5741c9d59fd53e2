"""What a scenario becomes, and what is told of one that is wrong."""

from __future__ import annotations

import json

import pytest

from vivavoce.core.model import Expectation, Persona
from vivavoce.core.source import Source
from vivavoce.formats.agentcore import AgentCore

HELLO = [{"input": "Hello"}]
PROFILE = {"context": "A customer", "goal": "Buy a mug"}


def names(checks) -> list[tuple[str, str]]:
    return [(check.evaluator.removeprefix("agentcore."), check.origin) for check in checks]


def test_a_scenario_with_turns(case):
    made = case(
        {
            "scenario_description": "Two questions",
            "turns": [{"input": "Where is it?", "expected_response": "Here."}, {"input": {"prompt": "And now?"}}],
            "expected_trajectory": ["find", "find"],
            "assertions": ["It is found"],
            "metadata": {"category": "orders", "owner": "Ines"},
        }
    )
    assert (made.id, made.category, made.persona) == ("a", "orders", None)
    assert [turn.input for turn in made.turns] == ["Where is it?", {"prompt": "And now?"}]
    assert [turn.expect.response for turn in made.turns] == ["Here.", None]
    assert made.expect == Expectation(trajectory=("find", "find"), assertions=("It is found",))
    assert made.metadata == {"category": "orders", "owner": "Ines", "scenario_description": "Two questions"}
    assert [names(turn.checks) for turn in made.turns] == [[("Correctness", "default")], []]
    assert names(made.checks) == [("GoalSuccessRate", "default"), ("TrajectoryInOrderMatch", "default")]


def test_a_scenario_with_a_simulated_user(case):
    made = case({"actor_profile": {**PROFILE, "traits": {"mood": {"now": "good"}}}, "input": {"prompt": "Hi"}, "max_turns": 3})
    assert made.persona == Persona(**PROFILE, traits={"mood": {"now": "good"}}, input={"prompt": "Hi"}, max_turns=3)
    assert (made.turns, names(made.checks)) == ((), [("GoalSuccessRate", "default")])
    assert case({"actor_profile": PROFILE, "input": "Hi"}).persona.max_turns == 10


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"turns": HELLO}, []),
        ({"turns": HELLO, "assertions": []}, []),
        ({"turns": HELLO, "assertions": None, "expected_trajectory": None}, []),
        ({"turns": HELLO, "assertions": ["x"]}, ["GoalSuccessRate"]),
        ({"turns": HELLO, "expected_trajectory": []}, ["TrajectoryInOrderMatch"]),
        ({"actor_profile": PROFILE, "input": "Hi", "assertions": []}, ["GoalSuccessRate"]),
    ],
)
def test_evaluators_when_none_is_named(case, row, expected):
    assert [name for name, _ in names(case(row).checks)] == expected


def test_an_expected_trajectory_that_is_empty_is_not_absent(case):
    assert case({"turns": HELLO, "expected_trajectory": []}).expect.trajectory == ()
    assert case({"turns": HELLO}).expect.trajectory is None


def test_the_forms_of_the_service_are_normalised(case):
    plain = case({"turns": HELLO, "expected_trajectory": ["a", "a", "b"], "assertions": ["x", "y"]})
    wrapped = {"expected_trajectory": {"toolNames": ["a", "a", "b"]}, "assertions": [{"text": "x"}, "y"]}
    assert case({"turns": HELLO, **wrapped}) == plain
    assert case({"turns": HELLO, **wrapped, "exampleId": "e1"}).metadata == {"exampleId": "e1"}


def test_turns_win_over_a_profile_and_what_is_ignored_is_told(read):
    row = {"scenario_id": "a", "turns": HELLO, "actor_profile": PROFILE, "input": "x", "max_turns": 0}
    _, (made,), problems = read({"scenarios": [row]})
    assert (problems.found(), made.persona, len(made.turns)) == ((), None, 1)
    assert [str(each) for each in problems.warnings] == [
        's.json: scenarios[0]: has "turns", so "actor_profile", "input", "max_turns" of a simulated user is ignored'
        " (keep one of the two)"
    ]


def test_turns_that_are_null_leave_the_user_simulated(read, told):
    _, (made,), problems = read({"scenarios": [{"scenario_id": "a", "turns": None, "actor_profile": PROFILE, "input": "Hi"}]})
    assert (made.persona.goal, problems.found()) == ("Buy a mug", ())
    assert [each.message for each in problems.warnings] == ["is null, so that the user is simulated"]
    assert told({"scenario_id": "a", "turns": None})[0].startswith("scenarios[0]: says nothing to the agent")


@pytest.mark.parametrize("value", [0, -1, 2.5, 2.0, None, "abc", "5", True])
def test_most_turns_is_a_whole_number(told, value):
    (message,) = told({"scenario_id": "a", "actor_profile": PROFILE, "input": "Hi", "max_turns": value})
    assert message.startswith("scenarios[0].max_turns: must be a whole number of at least 1")


@pytest.mark.parametrize("value", ["", " ", {}, 5, None, ["Hi"], True])
def test_an_input_says_something(told, value):
    (message,) = told({"scenario_id": "a", "turns": [{"input": value}]})
    assert message.startswith("scenarios[0].turns[0].input: must ")
    (message,) = told({"scenario_id": "a", "actor_profile": PROFILE, "input": value})
    assert message.startswith("scenarios[0].input: must ")


@pytest.mark.parametrize(
    ("row", "path", "near"),
    [
        ({"truns": HELLO}, "truns", "turns"),
        ({"conversation": HELLO}, "conversation", "turns"),
        ({"persona": PROFILE, "input": "Hi"}, "persona", "actor_profile"),
        ({"actor_profile": PROFILE, "first_input": "Hi"}, "first_input", "input"),
        ({"actor_profile": PROFILE, "input": "Hi", "maxTurns": 3}, "maxTurns", "max_turns"),
        ({"turns": [{"input": "Hi", "expectedResponse": "x"}]}, "turns[0].expectedResponse", "expected_response"),
        ({"turns": [{"input": "Hi", "expected": "x"}]}, "turns[0].expected", "expected_response"),
        ({"turns": [{"prompt": "Hi"}]}, "turns[0].prompt", "input"),
        ({"turns": HELLO, "expectedTrajectory": ["a"]}, "expectedTrajectory", "expected_trajectory"),
        ({"turns": HELLO, "trajectory": ["a"]}, "trajectory", "expected_trajectory"),
        ({"turns": HELLO, "assertion": ["a"]}, "assertion", "assertions"),
        ({"actor_profile": {"context": "x", "goals": "y"}, "input": "Hi"}, "actor_profile.goals", "goal"),
    ],
)
def test_a_slip_is_one_error_that_names_the_field(told, row, path, near):
    unknown = path.rpartition(".")[2]
    assert told({"scenario_id": "a", **row}) == [f'scenarios[0].{path}: unknown field "{unknown}" (did you mean "{near}"?)']


def test_a_slip_read_leniently_is_kept(read):
    _, (made,), problems = read(
        {"scenarios": [{"scenario_id": "a", "turns": [{"input": "Hi", "expectedResponse": "x"}]}]}, lenient=True
    )
    assert (made.turns[0].metadata, made.turns[0].expect.response) == ({"expectedResponse": "x"}, None)
    assert len(problems.warnings) == 1


def test_other_fields_are_kept_with_a_warning(case):
    made = case({"turns": [{"input": "Hi", "channel": "web"}], "queue": "evening"}, warnings=2)
    assert (made.metadata["queue"], made.turns[0].metadata) == ("evening", {"channel": "web"})


def test_what_is_of_another_place_is_told(told):
    assert told({"scenario_id": "a", "turns": HELLO, "expected_response": "Hi"}) == [
        'scenarios[0].expected_response: belongs into a turn (move it beside its "input")'
    ]
    assert told({"scenario_id": "a", "turns": [{"input": "x", "expected_trajectory": ["a"]}]}) == [
        'scenarios[0].turns[0].expected_trajectory: is of the whole conversation, and stands in a turn (move it beside "turns")'
    ]


@pytest.mark.parametrize("field", ["expected_response", "expected_trajectory"])
def test_answers_cannot_be_expected_of_a_simulated_conversation(told, field):
    (message,) = told({"scenario_id": "a", "actor_profile": PROFILE, "input": "Hi", field: ["x"]})
    assert message.startswith(f"scenarios[0].{field}: has no place when the user is simulated")


def test_every_duplicate_is_told_with_its_first(told):
    rows = [{"scenario_id": name, "turns": HELLO} for name in "aabb"]
    assert told(*rows) == [
        'scenarios[1].scenario_id: the scenario_id "a" is given twice (first in scenario 0)',
        'scenarios[3].scenario_id: the scenario_id "b" is given twice (first in scenario 2)',
    ]


def test_all_that_is_wrong_is_told_at_once(told):
    messages = told({"scenario_id": "a", "turns": []}, {"scenario_id": "b"}, {"scenario_id": "", "turns": [{}]})
    assert [message.partition(":")[0] for message in messages] == [
        "scenarios[0].turns",
        "scenarios[1]",
        "scenarios[2].scenario_id",
        "scenarios[2].turns[0]",
    ]


def test_an_expected_response_that_is_empty_expects_nothing(case):
    made = case({"turns": [{"input": "Hi", "expected_response": ""}]}, warnings=1)
    assert (made.turns[0].expect.response, made.turns[0].checks) == (None, ())


@pytest.mark.parametrize("name", ['quote " slash / space', "x" * 300, "名前"])
def test_an_id_may_be_any_text(case, name):
    assert case({"scenario_id": name, "turns": HELLO}).id == name


def test_rows_of_the_older_form_are_read_when_named(read):
    content = '{"prompt": "Where is it?", "expected": "Here.", "n": 1}\n{"prompt": "Hello"}\n'
    _, cases, problems = read(content, "s.jsonl")
    assert [(case.id, case.turns[0].input, case.turns[0].expect.response) for case in cases] == [
        ("#0", "Where is it?", "Here."),
        ("#1", "Hello", None),
    ]
    assert cases[0].metadata["n"] == 1
    assert problems.found() == ()


def test_lines_keep_their_numbers_and_places(read):
    content = '{"scenario_id": "a", "turns": [{"input": "x"}]}\n\n7\n{"scenario_id": "a", "turns": [{"input": ""}]}\n'
    _, (made,), problems = read(content, "s.JSONL")
    assert (made.line, made.path, made.turns[0].path) == (1, "", "turns[0]")
    assert [str(each) for each in problems.found()] == [
        "s.JSONL:3: must be a scenario, which is an object, not 7",
        's.JSONL:4: scenario_id: the scenario_id "a" is given twice (first in line 1)',
        "s.JSONL:4: turns[0].input: must not be empty",
    ]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", '{"scenarios": []}', True),
        ("a.json", '{"scenarios": [{"scen', True),
        ("a.jsonl", '{"scenarios": [{"scenario_id": "a"}]}', True),
        ("a.txt", '{\n "version": 1,\n "scenarios": [\n', True),
        ("a.json", '[{"scenario_id": "a"}]', True),
        ("a.jsonl", '{"truns": []}\n{"scenario_id": "a"}\n', True),
        ("a.jsonl", '{"turns": [{"input": "x"}]}\n', False),
        ("a.json", '{"scenarios": {"load": {"executor": "steady"}}}', False),
        ("a.json", '{"suite": "s", "scenarios": []}', False),
        ("a.json", '{"prompt": "x", "expected": "y"}', False),
        ("a.json", '[{"turns": []}]', False),
        ("a.json", '"scenarios"', False),
    ],
)
def test_scenarios_are_told_from_their_content(tmp_path, name, content, expected):
    path = tmp_path / name
    path.write_text(content)
    assert AgentCore().matches(Source(path)) is expected


def test_a_document_keeps_what_stands_beside_its_scenarios(read):
    suite, _, problems = read({"schemaType": "X", "team": "shop", "scenarios": [{"scenario_id": "a", "turns": HELLO}]})
    assert suite.metadata == {"schemaType": "X", "team": "shop"}
    assert [each.path for each in problems.warnings] == ["team"]


def test_a_document_may_be_of_many_lines_or_one(read):
    row = {"scenario_id": "a", "turns": HELLO}
    for content in (json.dumps({"scenarios": [row]}), json.dumps([row], indent=2), json.dumps(row, indent=2), json.dumps(row)):
        _, (made,), problems = read(content, "s.jsonl")
        assert (made.id, problems.found()) == ("a", ())
