"""`viva validate`, `viva upgrade` and `viva schema`."""

from __future__ import annotations

import json

import jsonschema
import pytest

from vivavoce.core import plugins


def test_what_was_read_is_told(viva, cases):
    done = viva("validate", cases)
    assert (done.code, done.err) == (0, "")
    heading, row = done.out.splitlines()
    assert heading.split() == ["FILE", "FORMAT", "SUITE", "CASES", "TURNS", "EVALUATORS"]
    assert row.split() == ["cases.jsonl", "native", "cases", "3", "3", "ExactMatch"]


def test_every_problem_is_told_and_nothing_else_happens(viva, folder):
    (folder / "a.jsonl").write_text('{"input": "a", "expectd": "b"}\n{"input": 1.5e}\n')
    (folder / "b.json").write_text('{"schemaVersion": "2.0.0", "items": []}')
    done = viva("validate", "a.jsonl", "b.json", "c.json")
    assert done.code == 2
    places = [line.partition(": ")[0] for line in done.out.splitlines()]
    assert {"a.jsonl:1", "a.jsonl:2", "c.json"} <= set(places)
    assert any(place.startswith("b.json") for place in places)
    assert "problems found" in done.err
    assert sorted(path.name for path in folder.iterdir()) == ["a.jsonl", "b.json"]


def test_lenient_warns_instead(viva, folder):
    (folder / "a.json").write_text('{"schemaVersion": "1.0.0", "items": [{"prompt": "a", "promptt": "b"}]}')
    assert viva("validate", "a.json").code == 2
    done = viva("validate", "a.json", "--lenient")
    assert done.code == 0
    assert done.err.startswith("warning: a.json")


def test_validating_what_the_config_names(viva, cases, folder):
    assert viva("validate").code == 2
    (folder / "viva.toml").write_text(f'paths = ["{cases}"]')
    assert viva("validate").code == 0


def test_an_unknown_evaluator_fails(viva, folder):
    (folder / "a.jsonl").write_text('{"input": "a", "expected": "b", "evaluators": {"ExactMach": {}}}\n')
    done = viva("validate", "a.jsonl")
    assert done.code == 2
    assert 'did you mean "ExactMatch"?' in done.out


def test_upgrading_a_document(viva, folder):
    before = b'[{"prompt": "a", "expected_response": "b"}]'
    (folder / "evals.json").write_bytes(before)
    done = viva("upgrade", "evals.json")
    assert done.code == 0
    assert "schemaVersion" in json.loads((folder / "evals.json").read_text())
    (backup,) = folder.glob("evals.json.bak.*")
    assert backup.name in done.out
    assert backup.read_bytes() == before
    done = viva("upgrade", "evals.json")
    assert done.code == 0
    assert "nothing was changed" in done.out
    assert viva("upgrade", "nothing.json").code == 2


@pytest.mark.parametrize("name", [*plugins.names("formats"), "run"])
def test_schemas_are_valid(viva, name):
    done = viva("schema", name)
    assert done.code == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(done.out))


def test_the_schema_of_a_run_describes_a_run(viva, cases):
    viva("run", cases, "--repeat", "2")
    schema = json.loads(viva("schema", "run").out)
    document = json.loads(viva("show", "last", "--json").out)
    jsonschema.validate(document, schema)
    assert set(document) == set(schema["properties"])
    summary = schema["properties"]["summary"]
    assert set(document["summary"]) == set(summary["properties"])
    for broken in ({**document, "state": "well"}, {**document, "results": [{}]}, {**document, "summary": {}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, schema)


def test_an_unknown_schema_is_told(viva):
    done = viva("schema", "m356")
    assert done.code == 2
    assert 'did you mean "m365"?' in done.err
