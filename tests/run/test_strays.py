"""No file of a folder that was meant to be examined is left out in silence."""

from __future__ import annotations

import gzip
import json

import pytest

from vivavoce.core.errors import DatasetError
from vivavoce.core.model import Selection
from vivavoce.run.planner import plan, readings

GOOD = '{"input": "2 + 2?", "expected": "4", "reply": "4"}\n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "good.jsonl").write_text(GOOD)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("conflict.jsonl", "<<<<<<< HEAD\n" + GOOD, "<<<<<<< HEAD"),
        ("conflict.json", '<<<<<<< HEAD\n{"items": []}', "<<<<<<< HEAD"),
        ("noted.jsonl", "// note\n" + GOOD, "// note"),
        ("noted.JSONL.gz", "// note\n" + GOOD, "// note"),
        ("numbers.jsonl", "[1]\n[2]\n", "[1]"),
        ("empty.jsonl", "", "is empty"),
        ("cut.jsonl", "\n\n[", "is not valid JSON"),
        ("cut.json", '{"one": [1, 2', "is not valid JSON"),
        ("slip.json", '{"schemaVersoin": "1.8.0", "item": [{"prompt": "x"}]}', 'did you mean "schemaVersion"?'),
        ("slip.json", '{"itmes": [{"prompt": "x"}]}', 'did you mean "items"?'),
        ("slip.eval.yaml", "case:\n  - input: x\n", 'did you mean "cases"?'),
        ("other.eval.yaml", "what: ever\n", "is of no known format"),
        ("empty.eval.yaml", "", "MALFORMED_YAML: is empty"),
        ("remark.eval.yaml", "# to do\n", ":1: MALFORMED_YAML: the top level must be a mapping, not nothing"),
        ("list.eval.yaml", "- a\n", ":1: MALFORMED_YAML: the top level must be a mapping, not a list"),
        ("word.eval.yaml", "word\n", ":1: MALFORMED_YAML: the top level must be a mapping, not one value"),
        ("cut.eval.yaml", "name: x\nabout: [\n", ":3: MALFORMED_YAML: is not valid YAML"),
        ("deep.eval.yaml", "name: " + "[" * 10_000, "MALFORMED_YAML"),
        ("row.jsonl", '{"inptu": "x"}\n', 'did you mean "input"?'),
        ("row.jsonl", '{"inptu": "x", "expected": "y"}\n', 'did you mean "input"?'),
        ("rows.jsonl", '{"qurey": "x", "respnse": "y"}\n', 'did you mean "query"?'),
        ("utf16.jsonl", "\ufeff".encode("utf-16-le") + b"x\0", "is UTF-16"),
    ],
)
def test_what_was_meant_as_a_dataset_stops_the_exam_of_its_folder(folder, name, content, said):
    data = content if isinstance(content, bytes) else content.encode()
    (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    for look in (plan, readings):
        with pytest.raises(DatasetError) as caught:
            look(Selection(paths=(".",)), folder=folder)
        assert name in str(caught.value)
        assert said in str(caught.value)


RESULT = {"suite": "a", "case": "b", "status": "pass", "repeat": 0, "position": 0}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("results.jsonl", json.dumps(RESULT) + "\n"),
        ("run.json", '{"format": "viva.run/1", "results": []}'),
        ("rows.jsonl", '{"inputs.query": "x", "outputs.fluency.fluency": 5}\n'),
        ("scored.json", json.dumps({"schemaVersion": "1.8.0", "metadata": {"evaluatedAt": "2026"}, "items": []})),
        ("good.jsonl.bak.20260101000000", "<<<<<<< HEAD"),
        ("package.json", '{"name": "x", "version": "1.0.0", "description": "y", "scripts": {}}'),
        ("release.json", '{"version": "1.0.0"}'),
        ("dated.json", '{"name": "x", "date": "2026-01-01"}'),
        ("list.json", "[1, 2]"),
        ("text.json", '"x"'),
        ("notes.txt", "// note"),
        ("other.yaml", "case: 1"),
    ],
)
def test_what_is_something_else_is_named_as_ignored(folder, name, content):
    (folder / name).write_text(content)
    made = plan(Selection(paths=(".",)), folder=folder)
    assert made.count == 1
    assert any(name in warning for warning in made.warnings)


@pytest.mark.parametrize("name", ["slip.json", "slip.eval.yaml"])
def test_a_misspelt_document_is_told_by_its_slip_when_named_too(folder, name):
    (folder / name).write_text('{"itmes": [1]}' if name == "slip.json" else "case:\n  - input: x\n")
    with pytest.raises(DatasetError, match=r"did you mean \"(items|cases)\""):
        plan(Selection(paths=(name,)), folder=folder)


def test_line_separators_inside_a_text_do_not_end_a_row(folder):
    (folder / "a.jsonl").write_text('{"input": "one\u2028two\x85three", "reply": "4", "expected": "4"}\n')
    (found,), _ = readings(Selection(paths=("a.jsonl",)), folder=folder)
    assert found.format == "native"


@pytest.mark.parametrize("text", ['[{"promt": "x"}]', '{"promt": "x"}'])
def test_a_bare_item_or_list_with_a_slip_is_not_left_out(folder, text):
    (folder / "x.json").write_text(text)
    with pytest.raises(DatasetError, match='did you mean "prompt"'):
        readings(Selection(paths=(".",)), folder=folder)


@pytest.mark.parametrize("text", ['[{"time": 1, "message": "log"}]', "[1, 2]", '{"name": "x", "version": "1"}', "[]"])
def test_other_json_is_left_alone(folder, text):
    (folder / "x.json").write_text(text)
    found, warnings = readings(Selection(paths=(".",)), folder=folder)
    assert [each.cases for each in found] == [1]
    assert any("x.json" in each for each in warnings)
