"""What documents of every version and shape become, and what is said of wrong ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from vivavoce.core import codec
from vivavoce.core.errors import UsageError
from vivavoce.core.place import Problems
from vivavoce.core.reply import Citation
from vivavoce.core.source import Source
from vivavoce.formats.m365 import M365, STARTER

OK = sorted(Path(__file__).resolve().parents[2].joinpath("data/m365/ok").iterdir())
BAD = sorted(Path(__file__).resolve().parents[2].joinpath("data/m365/bad").iterdir())


def one(item: dict, **root: object) -> dict:
    return {"schemaVersion": "1.8.0", **root, "items": [item]}


def asked(**fields: object) -> dict:
    return one({"prompt": "Is there a lift?", **fields})


def checks(turn: object) -> list[tuple[str, dict, str]]:
    return [(check.evaluator, dict(check.options), check.origin) for check in turn.checks]


@pytest.mark.parametrize("path", OK, ids=lambda path: path.name)
def test_good_files_read(path, read):
    found = read(path)
    assert M365().matches(found.source)
    assert found.errors == []
    assert found.cases
    assert all(case.turns for case in found.cases)
    codec.encode(found.cases)


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.name)
def test_bad_files_are_told_with_their_place(path, read):
    found = read(path)
    assert M365().matches(found.source)
    assert found.problems
    for problem in found.problems:
        assert problem.message
        assert problem.line or path.name in ("deep.json", "too_large.json")


@pytest.mark.parametrize(
    ("name", "cases", "turns"),
    [
        ("smallest.json", ["#0"], [1]),
        ("everything.json", ["#0", "#1"], [1, 2]),
        ("legacy_array.json", ["#0", "#1"], [1, 1]),
        ("legacy_lists.json", ["#0", "#1"], [1, 1]),
        ("legacy_prompts.json", ["#0"], [1]),
        ("bare_regression.json", ["BUG-71"], [1]),
        ("bare_thread.json", ["#0"], [2]),
        ("sequence.json", ["STEP-1", "STEP-2"], [1, 1]),
        ("bounds.json", ["#0", "#1"], [1, 20]),
        ("packed.json.gz", ["#0", "#1"], [1, 2]),
        ("BOM_CRLF.JSON", ["#0"], [1]),
    ],
)
def test_cases_of_every_shape(name, cases, turns, data, read):
    found = read(data / "ok" / name)
    assert [case.id for case in found.cases] == cases
    assert [len(case.turns) for case in found.cases] == turns


def test_parallel_lists_belong_together(data, read):
    first, second = read(data / "ok" / "legacy_lists.json").cases
    assert (first.turns[0].input, first.turns[0].expect.response) == ("Where is the ticket office?", "On pier 3.")
    assert (second.turns[0].input, second.turns[0].expect.response) == ("Is there a lift?", "Yes, beside the stairs.")
    assert (first.path, second.path) == ("prompts[0]", "prompts[1]")


def test_fields_the_vendor_teaches_are_fields(read):
    found = read(asked(testId="L-1", category="access", notes="asked daily", name="The lift", context="By the stairs."))
    (case,) = found.cases
    assert found.errors == []
    assert (case.id, case.category, case.name, case.metadata) == ("L-1", "access", "The lift", {"notes": "asked daily"})
    assert case.turns[0].context == "By the stairs."


def test_the_document_speaks_of_itself(data, read):
    suite = read(data / "ok" / "bounds.json").suite
    assert suite.name == "bounds"
    assert suite.metadata["metadata"]["season"] == "winter"
    assert suite.metadata["$schema"] == "https://example.org/schema.json"
    assert suite.metadata["schemaVersion"] == "1.8.0"
    assert "items" not in suite.metadata


def test_a_suite_is_named_by_its_file_unless_it_has_a_name(read):
    assert read(asked(), name="ferries.json").suite.name == "ferries"
    assert read(one({"prompt": "Hi"}, metadata={"name": "Night lines"})).suite.name == "Night lines"


def test_non_ascii_survives(data, read):
    (case,) = read(data / "ok" / "BOM_CRLF.JSON").cases
    assert (case.turns[0].input, case.turns[0].expect.response) == ("Grüße?", "Moin, 你好 🙂")


def test_what_a_run_wrote_can_be_replayed(data, read):
    first, night = read(data / "ok" / "scored.json").cases
    reply = first.turns[0].reply
    assert reply.text.endswith("\ue200cite\ue202turn1search3\ue201.")
    assert reply.citations == (Citation(index=1, text="Lift", source="https://example.org/lift"),)
    assert reply.retrievals[0]["retrievalHits"][0]["extracts"] == [{"text": "The lift is beside the stairs."}]
    assert first.turns[0].metadata["diagnostics"] == {"requestId": "r-1"}
    assert [turn.reply is None for turn in night.turns] == [False, True, True]
    assert night.metadata["conversation_id"] == "c-9"


def test_an_empty_answer_is_an_answer_and_telemetry_alone_is_one_too(data, read):
    right, empty, searched = (case.turns[0].reply for case in read(data / "ok" / "recorded.json").cases)
    assert (right.text, empty.text, searched.text) == ("42", "", None)
    assert (right.citations, right.retrievals) == (None, None)
    assert searched.retrievals[0]["capability"] == "Email"


SYSTEM = [("Relevance", {}, "default"), ("Coherence", {}, "default")]


class TestEvaluators:
    def test_without_any_the_system_pair(self, read):
        (case,) = read(asked()).cases
        assert checks(case.turns[0]) == SYSTEM

    def test_default_evaluators_replace_the_system_pair(self, read):
        (case,) = read(one({"prompt": "Hi"}, default_evaluators={"ExactMatch": {}})).cases
        assert checks(case.turns[0]) == [("ExactMatch", {}, "file")]

    def test_empty_defaults_leave_nothing(self, read):
        (case,) = read(one({"prompt": "Hi"}, default_evaluators={})).cases
        assert case.turns[0].checks == ()

    def test_an_item_extends_the_system_pair(self, read):
        (case,) = read(asked(evaluators={"ExactMatch": {}})).cases
        assert checks(case.turns[0]) == [*SYSTEM, ("ExactMatch", {}, "item")]

    def test_a_repeated_name_takes_the_items_options_whole_at_its_old_place(self, read):
        defaults = {"Groundedness": {}, "PartialMatch": {"threshold": 0.9, "case_sensitive": True}, "Relevance": {}}
        own = {"Citations": {}, "PartialMatch": {"threshold": 0.2}, "Groundedness": {"threshold": 4}}
        found = read(one({"prompt": "Hi", "evaluators": own, "evaluators_mode": "extend"}, default_evaluators=defaults))
        assert checks(found.cases[0].turns[0]) == [
            ("Groundedness", {"threshold": 4}, "item"),
            ("PartialMatch", {"threshold": 0.2}, "item"),
            ("Relevance", {}, "file"),
            ("Citations", {}, "item"),
        ]

    def test_replace_leaves_the_items_only(self, read):
        found = read(
            one(
                {"prompt": "Hi", "evaluators": {"Similarity": {}}, "evaluators_mode": "replace"},
                default_evaluators={"Relevance": {}},
            )
        )
        assert checks(found.cases[0].turns[0]) == [("Similarity", {}, "item")]

    def test_replace_with_nothing_leaves_nothing(self, read):
        found = read(asked(evaluators={}, evaluators_mode="replace"))
        assert found.errors == []
        assert found.cases[0].turns[0].checks == ()

    def test_a_mode_alone_changes_nothing_and_says_so(self, read):
        found = read(asked(evaluators_mode="replace"))
        assert checks(found.cases[0].turns[0]) == SYSTEM
        assert [warning.path for warning in found.warnings] == ["items[0].evaluators_mode"]

    def test_each_turn_has_its_own(self, data, read):
        first, second = read(data / "ok" / "thread.json").cases[0].turns
        assert checks(first) == [("Relevance", {}, "file"), ("Coherence", {}, "file")]
        assert checks(second) == [("ExactMatch", {"case_sensitive": False}, "item")]

    def test_a_check_knows_its_place_in_the_file(self, data, read):
        found = read(data / "ok" / "everything.json")
        paths = [check.path for case in found.cases for turn in case.turns for check in turn.checks]
        assert "default_evaluators.Relevance" in paths
        assert "items[0].evaluators.Citations" in paths
        assert paths[-1] == "items[1].turns[1].evaluators.ExactMatch"
        lines = found.source.locate(paths)
        text = found.source.text().splitlines()
        assert all(path.rpartition(".")[2] in text[line - 1] for path, line in lines.items())

    def test_a_whole_number_is_whole(self, read):
        found = read(asked(evaluators={"Citations": {"threshold": 2.0}}))
        (check,) = found.cases[0].turns[0].checks[2:]
        assert (check.options, type(check.options["threshold"])) == ({"threshold": 2}, int)

    def test_an_unknown_citation_format_is_mixed_with_a_warning(self, read):
        found = read(asked(evaluators={"Citations": {"citation_format": "inline"}}))
        assert checks(found.cases[0].turns[0])[2] == ("Citations", {"citation_format": "mixed"}, "item")
        assert [(each.path, "inline" in each.message) for each in found.warnings] == [
            ("items[0].evaluators.Citations.citation_format", True)
        ]

    def test_the_format_is_left_away_when_the_file_does_not_say(self, read):
        assert checks(read(asked(evaluators={"Citations": {}})).cases[0].turns[0])[2] == ("Citations", {}, "item")

    def test_names_that_are_not_the_vendors_pass_with_their_options(self, read):
        own = {"Politeness": {"threshold": -3.5, "options": {"tone": "warm"}}, "F1Score": {}, "RougeScore": {"kind": "L"}}
        found = read(asked(evaluators=own, evaluators_mode="replace"))
        assert found.errors == []
        assert checks(found.cases[0].turns[0]) == [(name, options, "item") for name, options in own.items()]

    def test_additions_pass(self, data, read):
        found = read(data / "ok" / "additions.json")
        own = {name: options for name, options, origin in checks(found.cases[0].turns[0]) if origin == "item"}
        assert own["ExactMatch"] == {"match": "contains"}
        assert own["RetrievalQuery"] == {"selector": "pier"}
        assert own["RetrievalResult"] == {"min_expected_count": 1, "judge": True}


ITEM_ERRORS = [
    ({"prompt": "a", "turns": [{"prompt": "b"}]}, 'items[0]: has both "prompt" and "turns"'),
    ({"turns": []}, "items[0].turns: is empty"),
    ({"turns": [{"prompt": "a"}] * 21}, "items[0].turns: has 21 entries, and at most 20 are allowed"),
    (
        {"turns": [{"prompt": "a"}], "evaluators": {}},
        'items[0].evaluators: unknown field "evaluators" (a conversation has none',
    ),
    ({"turns": [{"prompt": "a"}], "expected_response": "b"}, "items[0].expected_response: unknown field"),
    ({"turns": [{"prompt": "a", "expeceted_response": "b"}]}, "items[0].turns[0].expeceted_response: unknown field"),
    ({"turns": [{}]}, 'items[0].turns[0]: needs "prompt"'),
    ({"turns": {"prompt": "a"}}, "items[0].turns: must be a list, not an object"),
    ({"tunrs": [{"prompt": "a"}]}, 'items[0].tunrs: unknown field "tunrs" (did you mean "turns"?)'),
    ({}, 'items[0]: needs "prompt" or "turns"'),
    ({"prompt": None}, "items[0].prompt: must be text, not null"),
    ({"prompt": "a", "priority": 1}, 'items[0].priority: unknown field "priority" (known here: prompt, expected_response'),
    ({"prompt": "a", "response": 3}, "items[0].response: must be text, not 3"),
    ({"prompt": "a", "citations": [{"index": 0}]}, "items[0].citations[0].index: must be 1 or more, not 0"),
    ({"prompt": "a", "testId": 7}, 'items[0].testId: must be text, not 7 (write it in quotes: "7")'),
    ({"prompt": "a", "scores": {"relevance": {"result": "error"}}}, 'items[0].scores.relevance: needs "error"'),
    ({"prompt": "a", "scores": {"Mine": {"result": "error", "error": "x", "score": 0}}}, "items[0].scores.Mine.score: unknown"),
    ({"prompt": "a", "status": "skipped"}, 'items[0].status: must be "pass" or "fail" or "partial" or "error", not "skipped"'),
    ({"prompt": "a", "evaluators": {}, "evaluators_mode": "merge"}, 'items[0].evaluators_mode: must be "extend" or "replace"'),
    ("Hello", "items[0]: must be an object with a prompt or with turns, not the text"),
    (None, "items[0]: must be an object with a prompt or with turns, not null"),
]


@pytest.mark.parametrize(("item", "message"), ITEM_ERRORS)
def test_wrong_items(item, message, read):
    found = read(one(item))
    assert len(found.errors) == 1, found.errors
    assert message in found.errors[0]
    assert found.problems[0].fix
    assert found.cases == ()


EVALUATOR_ERRORS = [
    ("null", None, "evaluators: must be an object, not null (write {}, or leave it out)"),
    ("list", ["ExactMatch"], 'evaluators: must be an object, not a list (write an object: {"ExactMatch": {}})'),
    ("no options", {"ExactMatch": None}, "evaluators.ExactMatch: must be an object, not null (write {}, or leave it out)"),
    ("true", {"Mine": True}, "evaluators.Mine: must be an object, not true"),
    (
        "no threshold",
        {"ExactMatch": {"threshold": 1}},
        'ExactMatch.threshold: unknown option "threshold" (known here: case_sens',
    ),
    ("pinned", {"RetrievalQuery": {"selector": "x", "threshold": 0.5}}, 'RetrievalQuery.threshold: unknown option "threshold"'),
    ("too low", {"Citations": {"threshold": 0}}, "Citations.threshold: must be 1 or more, not 0"),
    ("half", {"Citations": {"threshold": 1.5}}, "Citations.threshold: must be a whole number, not 1.5"),
    ("too high", {"Relevance": {"threshold": 6}}, "Relevance.threshold: must be from 1 to 5, not 6"),
    ("true number", {"Relevance": {"threshold": True}}, "Relevance.threshold: must be a number, not true"),
    ("share", {"PartialMatch": {"threshold": 1.01}}, "PartialMatch.threshold: must be from 0 to 1, not 1.01"),
    ("quoted", {"ExactMatch": {"case_sensitive": "true"}}, "case_sensitive: must be true or false, not the text"),
    ("match", {"ExactMatch": {"match": "contain"}}, '"contain" (did you mean "contains"?)'),
    ("selector", {"RetrievalQuery": {"capability": "Email"}}, 'RetrievalQuery: needs "selector"'),
    ("blank selector", {"RetrievalQuery": {"selector": ""}}, "RetrievalQuery.selector: is empty"),
    (
        "terms",
        {"RetrievalQuery": {"selector": "x", "includes": "y"}},
        'includes: must be a list, not the text "y" (write a list: [',
    ),
    (
        "nothing",
        {"RetrievalResult": {"capability": "Email"}},
        'RetrievalResult: needs "expected_items" or "min_expected_count"',
    ),
    ("none", {"RetrievalResult": {"expected_items": []}}, "expected_items: is empty"),
    ("digit", {"1bad": {}}, 'evaluators.1bad: "1bad" cannot be the name of an evaluator'),
    ("hyphen", {"my-eval": {}}, "beginning with a letter: my_eval)"),
    ("empty", {"": {}}, 'evaluators: "" cannot be the name of an evaluator'),
    ("case", {"relevance": {}}, 'evaluators.relevance: unknown evaluator "relevance" (did you mean "Relevance"?)'),
    ("fold", {"exact_match": {}}, 'unknown evaluator "exact_match" (did you mean "ExactMatch"?)'),
    ("dropped", {"ToolCallAccuracy": {}}, 'unknown evaluator "ToolCallAccuracy" (the schema no longer has it; known here: Rel'),
    ("slip", {"Mine": {"treshold": 1}}, 'Mine.treshold: unknown option "treshold" (did you mean "threshold"?)'),
    ("own number", {"Mine": {"threshold": "1"}}, "Mine.threshold: must be a number, not the text"),
]


@pytest.mark.parametrize(
    ("evaluators", "message"), [each[1:] for each in EVALUATOR_ERRORS], ids=[each[0] for each in EVALUATOR_ERRORS]
)
@pytest.mark.parametrize("place", ["items[0].", "items[0].turns[0].", ""])
def test_wrong_evaluators(evaluators, message, place, read):
    fields = {"evaluators": evaluators}
    if place.endswith("turns[0]."):
        document = one({"turns": [{"prompt": "Hi", **fields}]})
    elif place:
        document = one({"prompt": "Hi", **fields})
    else:
        document = one({"prompt": "Hi"}, default_evaluators=evaluators)
    found = read(document)
    assert len(found.errors) == 1, found.errors
    assert message in found.errors[0].replace("default_evaluators", "evaluators")
    assert found.problems[0].path.startswith(place or "default_evaluators")


def test_an_expected_item_holds_one_thing(read):
    found = read(asked(evaluators={"RetrievalResult": {"expected_items": [{"webUrl": "https://example.org"}]}}))
    assert [problem.path for problem in found.problems] == [
        "items[0].evaluators.RetrievalResult.expected_items[0]",
        "items[0].evaluators.RetrievalResult.expected_items[0].webUrl",
    ]


@pytest.mark.parametrize(
    ("version", "fix"),
    [
        ("1.0", 'write "1.0.0"'),
        ("1.6.0-preview.1", 'write "1.6.0"'),
        ("01.0.0", 'write "1.0.0"'),
        ("v1.4.0", 'write "1.4.0"'),
        ("version-one", 'write "1.8.0"'),
        ("0.9.0", 'write "1.8.0"'),
        ("", 'write "1.8.0"'),
        (1.0, 'write "1.8.0"'),
        (None, 'write "1.8.0"'),
        ("1.٣.0", 'write "1.0.0"'),
        ("1.0.0\n", 'write "1.0.0"'),
    ],
)
def test_wrong_versions_say_how_to_mend(version, fix, read):
    found = read({"schemaVersion": version, "items": [{"prompt": ""}]})
    assert [problem.path for problem in found.problems] == ["schemaVersion", "items[0].prompt"]
    assert found.problems[0].fix == fix


@pytest.mark.parametrize("version", ["2.0.0", "2.0", "10.0.0", "2.0.0-preview"])
def test_the_second_version_is_refused_alone(version, read):
    found = read({"schemaVersion": version, "items": [{"prompt": ""}, 5]})
    assert [problem.path for problem in found.problems] == ["schemaVersion"]
    assert "only 1.x" in found.problems[0].message
    assert found.cases == ()


@pytest.mark.parametrize("version", ["1.0.0", "1.8.0", "1.8.17", "1.2.3"])
def test_versions_up_to_1_8_need_no_word(version, read):
    found = read({"schemaVersion": version, "items": [{"prompt": "Hi", "evaluators": {"RetrievalQuery": {"selector": "x"}}}]})
    assert (found.errors, found.warnings) == ([], ())


@pytest.mark.parametrize("version", ["1.9.0", "1.10.0", "1." + "9" * 5000 + ".0"])
def test_a_newer_version_is_read_with_a_warning(version, read):
    found = read({"schemaVersion": version, "items": [{"prompt": "Hi", "allowed_tools": []}]})
    assert found.errors == []
    assert [warning.path for warning in found.warnings] == ["schemaVersion", "items[0].allowed_tools"]
    assert found.cases[0].metadata == {"allowed_tools": []}
    assert read({"schemaVersion": version, "items": [{"prompt": "Hi", "expected_respons": "x"}]}).total == 1


def test_thirty_mistakes_are_thirty_problems(data, read):
    found = read(data / "bad" / "thirty.json")
    assert found.total == 30
    assert all(problem.fix for problem in found.problems)
    text = found.source.text().splitlines()
    assert [(problem.line, problem.path) for problem in found.problems] == [
        (2, "schemaVersion"),
        (3, "default_evaluator"),
        (5, "metadata.tags"),
        (8, "default_evaluators.relevance"),
        (9, "default_evaluators.my-eval"),
        (10, "default_evaluators.Similarity.threshold"),
        (15, "items[0].expeceted_response"),
        (17, "items[1]"),
        (21, "items[2].prompt"),
        (22, "items[2].expected_response"),
        (24, "items[3]"),
        (29, "items[4].turns"),
        (33, "items[5].turns[0].evaluators.ExactMatch"),
        (34, "items[5].turns[1].promt"),
        (35, "items[5].turns[2]"),
        (36, "items[5].turns[3].testId"),
        (38, "items[5].evaluators"),
        (43, "items[6].evaluators_mode"),
        (45, "items[6].evaluators.ExactMatch.threshold"),
        (46, "items[6].evaluators.PartialMatch.treshold"),
        (47, "items[6].evaluators.Coherence.threshold"),
        (52, "items[7].testId"),
        (54, "items[7].evaluators.RetrievalQuery"),
        (54, "items[7].evaluators.RetrievalQuery.includes"),
        (55, "items[7].evaluators.RetrievalResult"),
        (56, "items[7].evaluators.ToolCallAccuracy"),
        (61, "items[8].evaluators"),
        (62, "items[8].urgency"),
        (66, "items[9].scores.relevance.score"),
        (68, "items[10]"),
    ]
    for problem in found.problems:
        name = problem.path.rpartition(".")[2].partition("[")[0]
        assert f'"{name}"' in text[problem.line - 1] or problem.path.endswith("]")
    unwanted = ("oneOf", "anyOf", "union", "schema", "dict", "NoneType", "regex")
    assert not [problem for problem in found.problems for word in unwanted if word in problem.message]


def test_places_are_those_of_the_original_shape(read):
    assert [problem.path for problem in read([{"prompt": "a"}, {"prompt": 2}]).problems] == ["[1].prompt"]
    assert [problem.path for problem in read({"prompts": ["a", 2]}).problems] == ["prompts[1]"]
    assert [problem.path for problem in read({"prompts": [{"promt": "a"}]}).problems] == ["prompts[0].promt"]
    assert [problem.path for problem in read({"prompt": "a", "evaluators": {"Relevance": 3}}).problems] == [
        "evaluators.Relevance"
    ]
    assert [problem.path for problem in read({"turns": [{"prompt": ""}]}).problems] == ["turns[0].prompt"]


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"prompts": ["a", "b"], "expected_responses": ["c"]}, "expected_responses"),
        ({"prompts": ["a"], "expected_responses": ["c", "d"]}, "expected_responses"),
        ({"prompts": ["a"], "expected_responses": "c"}, "expected_responses"),
        ({"prompts": ["a"], "expected_responses": [None]}, "expected_responses[0]"),
        ({"prompts": [{"prompt": "a"}], "expected_responses": ["c"]}, "expected_responses[0]"),
        ({"prompts": "a"}, "prompts"),
        ({"prompts": []}, "prompts"),
        ({"items": [{"prompt": "a"}], "prompts": ["b"]}, "prompts"),
        ({"schemaVersion": "1.0.0", "prompts": ["b"]}, ""),
        ({"schemaVersion": "1.0.0", "item": []}, "item"),
        ({"schemaVersion": "1.0.0"}, ""),
        ({"schemaVersion": "1.0.0", "items": {}}, "items"),
        ([], ""),
        (None, ""),
        (3, ""),
        ('"text"', ""),
    ],
)
def test_wrong_shapes(document, path, read):
    found = read(document)
    assert [problem.path for problem in found.problems] == [path], found.errors
    assert found.problems[0].fix


def test_ids_are_unique(read):
    document = {
        "schemaVersion": "1.0.0",
        "items": [{"prompt": "a"}, {"prompt": "b", "testId": "#0"}, {"prompt": "c", "testId": "x"}],
    }
    found = read(document)
    assert [(problem.path, problem.message) for problem in found.problems] == [
        ("items[1].testId", '"#0" is already the testId of items[0]')
    ]
    assert [case.id for case in found.cases] == ["#0", "x"]


class TestUnknownFields:
    def test_at_the_root_they_are_kept_with_a_warning(self, read):
        found = read(one({"prompt": "Hi"}, owner="me"))
        assert (found.errors, found.suite.metadata["owner"]) == ([], "me")
        assert [warning.path for warning in found.warnings] == ["owner"]

    @pytest.mark.parametrize("name", ["default_evaluator", "defaultEvaluators", "Metadata", "descripton", "schema_version"])
    def test_at_the_root_a_slip_is_an_error(self, name, read):
        found = read({"items": [{"prompt": "Hi"}], name: {}})
        assert [problem.path for problem in found.problems] == [name]
        assert "did you mean" in found.problems[0].fix

    def test_in_metadata_they_are_kept(self, read):
        found = read(one({"prompt": "Hi"}, metadata={"season": "winter", "agent": "x", "created": "today"}))
        assert (found.errors, found.warnings) == ([], ())

    def test_in_metadata_a_slip_is_an_error(self, read):
        assert read(one({"prompt": "Hi"}, metadata={"agentNmae": "x"})).problems[0].fix == 'did you mean "agentName"?'

    def test_lenient_makes_them_warnings_and_keeps_them(self, read):
        found = read(asked(expeceted_response="x", priority=1), lenient=True)
        assert found.errors == []
        assert [warning.path for warning in found.warnings] == ["items[0].expeceted_response", "items[0].priority"]
        assert found.cases[0].metadata == {"expeceted_response": "x", "priority": 1}

    def test_lenient_does_not_invent_a_prompt(self, read):
        found = read(one({"promt": "Hi"}), lenient=True)
        assert [problem.message for problem in found.problems] == ['needs "prompt"']

    def test_lenient_leaves_unknown_options_out(self, read):
        found = read(asked(evaluators={"Citations": {"treshold": 2, "threshold": 3}}), lenient=True)
        assert checks(found.cases[0].turns[0])[2] == ("Citations", {"threshold": 3}, "item")
        assert len(found.warnings) == 1

    def test_lenient_still_refuses_unknown_evaluators(self, read):
        assert read(asked(evaluators={"relevance": {}}), lenient=True).total == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{" * 10_000, "nested deeper than 200 levels"),
        ('{"schemaVersion": "1.0.0", "items": [{"prompt": "a"}', "is not valid JSON"),
        ('{"schemaVersion": "1.0.0", "items": [{"prompt": "a", "prompt": "b"}]}', '"prompt" is given twice'),
        ('{"schemaVersion": "1.0.0", "items": [{"prompt": "\\ud800"}]}', "surrogate"),
        ('{"schemaVersion": "1.0.0", "items": [{"prompt": "a", "\\ud800": 1}]}', "surrogate"),
        ('{"schemaVersion": "1.0.0", "items": [{"prompt": "a", "evaluators": {"A": {"threshold": 1e999}}}]}', "too large"),
        ('{"schemaVersion": "1.0.0", "items": [{"prompt": "a", "evaluators": {"A": {"threshold": NaN}}}]}', "NaN"),
        ('{"schemaVersion": "1.0.0", "items": [{"prompt": ' + "9" * 5000 + "}]}", "digits"),
    ],
)
def test_hostile_texts(text, message, read):
    found = read(text)
    assert any(message in error for error in found.errors), found.errors
    assert found.cases == ()
    "\n".join(found.errors).encode()


def test_escape_sequences_in_names_do_not_reach_a_terminal(read):
    found = read(asked(**{"\x1b[2J\n": 1, "evaluators": {"\x1b]0;x\x07": {}}}))
    assert found.total == 2
    assert all(error.isprintable() for error in found.errors)


class TestMatching:
    @pytest.mark.parametrize(
        "text",
        [
            '{"schemaVersion": "1.0.0", "items": [{"prompt": "a"}]}',
            '{"schemaVersion": "9", "cases": 3, "scenarios": []}',
            '{\n "schemaVersion": "1.0.0",\n "items": [\n  {"prompt": "a" "b"}\n',
            '{"items": [{"promt": "a"}]}',
            '[{"prompt": "a"}, {"prompt": "b"}]',
            '[{"turns": [{"prompt": "a"}]}]',
            '[{"promt": "a", "expected_response": "b"}]',
            '{"prompt": "a"}',
            '{"turns": [{"prompt": "a", "expected_response": "b"}]}',
            '{"prompts": ["a"], "expected_responses": ["b"]}',
            '{"prompts": [{"prompt": "a"}]}',
            '{"default_evaluators": {"Relevance": {}}, "prompts": []}',
        ],
    )
    def test_documents(self, text, tmp_path):
        path = tmp_path / "x.json"
        path.write_text(text)
        assert M365().matches(Source(path))

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "   ",
            "prompt: a",
            "3",
            "[]",
            "[1, 2]",
            '["prompt"]',
            "{}",
            '{"suite": "s", "cases": [{"input": "a"}]}',
            '{"cases": [], "items": []}',
            '{"scenarios": [{"scenario_id": "a", "turns": [{"input": "b"}]}]}',
            '{"scenario_id": "a", "turns": [{"input": "b"}]}',
            '{"turns": [{"input": "b"}]}',
            '[{"scenario_id": "a", "turns": [{"prompt": "b"}]}]',
            '[{"query": "a", "response": "b", "prompt": "c"}]',
            '{"query": "a", "prompt": "b"}',
            '{"messages": [{"role": "user", "content": "a"}]}',
            '{"prompt": "a"}\n{"prompt": "b"}\n',
            '{"query": "a"}\n{"query": "b"}\n',
            '{"format": "viva.run/1", "results": [], "items": []}',
            '{"input": "a", "expected": "b", "evaluators": {"ExactMatch": {}}}',
            '{"resourceSpans": []}',
        ],
    )
    def test_others(self, text, tmp_path):
        path = tmp_path / "x.json"
        path.write_text(text)
        assert not M365().matches(Source(path))

    def test_rows_are_not_documents_even_one_alone(self, tmp_path):
        path = tmp_path / "x.JSONL"
        path.write_text('{"prompt": "a", "expected_response": "b"}\n')
        assert not M365().matches(Source(path))

    def test_the_first_part_is_enough(self, tmp_path):
        path = tmp_path / "long.json.gz"
        document = {"items": [{"prompt": "x" * 900} for _ in range(200)], "schemaVersion": "1.0.0"}
        path.write_bytes(gzip.compress(json.dumps(document).encode()))
        assert M365().matches(Source(path))

    def test_utf_16_is_told_as_such(self, tmp_path):
        path = tmp_path / "x.json"
        path.write_bytes('{"prompt": "a"}'.encode("utf-16"))
        with pytest.raises(UsageError, match="UTF-16"):
            M365().matches(Source(path))

    def test_results_are_told_from_datasets(self, data):
        found = {path.name for path in (data / "ok").iterdir() if M365().holds_results(Source(path))}
        assert found == {"scored.json", "old_summary.json"}


def test_a_file_that_cannot_be_read_is_a_usage_error(tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(b'{"schemaVersion": "1.0.0", "items": [{"prompt": "\xff"}]}')
    with pytest.raises(UsageError, match="not UTF-8"):
        M365().read(Source(path), Problems())


def test_the_starter_is_a_good_document(read, strict):
    found = read(STARTER)
    assert (found.errors, found.warnings, len(found.cases)) == ([], (), 2)
    assert strict(json.loads(STARTER)) == []


def test_the_schema_allows_what_is_read(data):
    schema = M365().schema()
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for path in sorted((data / "ok").glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, dict) and "schemaVersion" in document and path.name != "newer.json":
            assert [error.message for error in validator.iter_errors(document)] == [], path.name


def test_the_schema_refuses_what_is_not_read(data):
    validator = Draft202012Validator(M365().schema())
    for name in ("thirty.json", "21_turns.json", "misspelt.json", "no_items.json", "version_two.json"):
        assert not validator.is_valid(json.loads((data / "bad" / name).read_text(encoding="utf-8"))), name
