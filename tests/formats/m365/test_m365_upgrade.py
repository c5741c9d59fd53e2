"""Giving documents their version."""

from __future__ import annotations

import gzip
import json
from datetime import datetime
from pathlib import Path

import pytest

from vivavoce.core.errors import DatasetError, UsageError
from vivavoce.formats.m365 import upgrade

NOW = datetime(2026, 4, 17, 11, 0, 17)
STAMP = ".bak.20260417110017"


def put(folder: Path, value: object, name: str = "evals.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([{"prompt": "a", "expected_response": "b"}], {"items": [{"prompt": "a", "expected_response": "b"}]}),
        ({"prompt": "a"}, {"items": [{"prompt": "a"}]}),
        ({"prompts": ["a", "b"]}, {"items": [{"prompt": "a"}, {"prompt": "b"}]}),
        (
            {"metadata": {"name": "n"}, "expected_responses": ["c"], "prompts": ["a"], "owner": 1},
            {"metadata": {"name": "n"}, "items": [{"prompt": "a", "expected_response": "c"}], "owner": 1},
        ),
        ({"items": [{"prompt": "a", "testId": "x"}], "description": "d"}, None),
    ],
)
def test_every_shape_becomes_items_with_the_version_last(before, after, tmp_path, read):
    path = put(tmp_path, before)
    original = path.read_bytes()
    done = upgrade(path, now=NOW)
    assert (done.path, done.version, done.changed) == (path, "1.0.0", True)
    assert done.backup == tmp_path / f"evals.json{STAMP}"
    assert done.backup.read_bytes() == original
    expected = {**(after or before), "schemaVersion": "1.0.0"}
    assert path.read_text() == json.dumps(expected, indent=2) + "\n"
    assert read(path).errors == []
    assert sorted(each.name for each in tmp_path.iterdir()) == ["evals.json", f"evals.json{STAMP}"]


@pytest.mark.parametrize(
    ("item", "root", "version"),
    [
        ({"prompt": "a", "context": "c"}, {}, "1.0.0"),
        ({"prompt": "a"}, {"metadata": {"agentName": "f"}}, "1.1.0"),
        ({"prompt": "a"}, {"default_evaluators": {}}, "1.1.0"),
        ({"prompt": "a", "evaluators_mode": "extend"}, {}, "1.1.0"),
        ({"turns": [{"prompt": "a"}]}, {}, "1.2.0"),
        ({"prompt": "a"}, {"default_evaluators": {"Similarity": {}}}, "1.3.0"),
        ({"prompt": "a", "status": "pass"}, {}, "1.4.0"),
        ({"prompt": "a", "scores": {"relevance": {"result": "error", "error": "x"}}}, {}, "1.4.0"),
        ({"turns": [{"prompt": "a"}], "summary": {"turns_partial": 0}}, {}, "1.4.0"),
        ({"turns": [{"prompt": "a", "evaluators": {"RetrievalQuery": {"selector": "x"}}}]}, {}, "1.5.0"),
        ({"prompt": "a", "diagnostics": {}}, {}, "1.6.0"),
        ({"prompt": "a", "evaluators": {"Mine": {"threshold": 4}}}, {}, "1.6.0"),
        ({"prompt": "a", "evaluators": {"Mine": {"threshold": 0.5}}}, {}, "1.7.0"),
        ({"prompt": "a", "evaluators": {"Citations": {"citation_format": "markdown"}}}, {}, "1.8.0"),
    ],
)
def test_the_version_is_the_lowest_that_has_the_fields_used(item, root, version, tmp_path):
    assert upgrade(put(tmp_path, {**root, "items": [item]}), now=NOW).version == version


def test_a_second_time_changes_nothing(tmp_path):
    path = put(tmp_path, [{"prompt": "a"}])
    upgrade(path, now=NOW)
    before = path.read_bytes()
    done = upgrade(path, now=NOW)
    assert (done.changed, done.backup, done.version) == (False, None, "1.0.0")
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("version", ["1.0.0", "1.4.0", "1.9.0"])
def test_a_document_with_a_version_is_left_alone(version, tmp_path):
    path = put(tmp_path, {"schemaVersion": version, "items": [{"prompt": "a"}]})
    done = upgrade(path, now=NOW)
    assert (done.changed, done.version) == (False, version)
    assert list(tmp_path.iterdir()) == [path]


def test_a_taken_backup_name_is_not_taken_again(tmp_path):
    for name in (STAMP, f"{STAMP}-1"):
        put(tmp_path, "kept", f"evals.json{name}")
    done = upgrade(put(tmp_path, [{"prompt": "a"}]), now=NOW)
    assert done.backup == tmp_path / f"evals.json{STAMP}-2"
    assert (tmp_path / f"evals.json{STAMP}").read_text() == "kept"


def test_text_mode_and_packing_are_kept(tmp_path):
    path = tmp_path / "Evals.JSON.gz"
    path.write_bytes(gzip.compress('\ufeff[{"prompt": "Grüße 你好 \\u2028"}]\r\n'.encode()))
    path.chmod(0o640)
    upgrade(path, now=NOW)
    assert {each.stat().st_mode & 0o777 for each in tmp_path.iterdir()} == {0o640}
    assert len(list(tmp_path.iterdir())) == 2
    text = gzip.decompress(path.read_bytes()).decode()
    assert "Grüße 你好 \u2028" in text
    assert text.endswith("}\n")


@pytest.mark.parametrize(
    "text",
    [
        '[{"promt": "a"}]',
        "[]",
        '{"prompts": ["a"], "expected_responses": []}',
        '{"schemaVersion": "1.0", "items": [{"prompt": "a"}]}',
        '{"schemaVersion": "2.0.0", "items": []}',
        '[{"prompt": "a"}',
        "null",
    ],
)
def test_an_invalid_document_is_not_touched(text, tmp_path):
    path = put(tmp_path, text)
    with pytest.raises(DatasetError):
        upgrade(path, now=NOW)
    assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    real = put(tmp_path / "real", [{"prompt": "a"}], "data.json")
    link = tmp_path / "evals.json"
    link.symlink_to(real)
    done = upgrade(link, now=NOW)
    assert link.is_symlink()
    assert json.loads(real.read_text())["schemaVersion"] == "1.0.0"
    assert done.backup == tmp_path / f"evals.json{STAMP}"
    assert json.loads(done.backup.read_text()) == [{"prompt": "a"}]


def test_what_cannot_be_read_is_one_clear_error(tmp_path):
    loop = tmp_path / "loop.json"
    loop.symlink_to(loop)
    folder = tmp_path / "folder.json"
    folder.mkdir()
    for path in (loop, folder, tmp_path / "none.json"):
        with pytest.raises(UsageError, match=path.name):
            upgrade(path, now=NOW)


def test_when_no_backup_can_be_written_nothing_is(tmp_path):
    path = put(tmp_path, [{"prompt": "a"}], "x" * 240 + ".json")
    with pytest.raises(UsageError, match="it is as it was"):
        upgrade(path, now=NOW)
    assert path.read_text() == '[{"prompt": "a"}]'
    assert list(tmp_path.iterdir()) == [path]


def test_a_backup_that_cannot_be_made_is_one_clear_error(tmp_path):
    path = put(tmp_path, [{"prompt": "a"}], name="x" * 240 + ".json")  # with the backup's suffix, too long for a file system
    before = path.read_bytes()
    with pytest.raises(UsageError, match="cannot be upgraded"):
        upgrade(path, now=NOW)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
