"""Which files are read as what; and what is said of those that are not."""

from __future__ import annotations

import gzip

import pytest

from vivavoce.core.place import Problems
from vivavoce.run.files import find

CASE = b'{"id": "a", "input": "x", "expected": "y"}\n'


def told(folder, name, content):
    (folder / name).write_bytes(gzip.compress(content) if name.lower().endswith(".gz") else content)
    problems = Problems()
    found = find([name], None, problems, folder=folder)
    assert not found
    return [str(problem) for problem in problems.found()]


@pytest.mark.parametrize("name", ["a.json", "A.JSON", "a.json.gz", "a.JsonL", "a.jsonl.GZ"])
def test_what_is_called_json_and_damaged_is_told_as_damaged(tmp_path, name):
    lines = told(tmp_path, name, b"\xef\xbb\xbf [")
    assert len(lines) == 1
    assert lines[0].startswith(f"{name}:1: is not valid JSON: the [ that opens here is never closed by ]")


def test_the_damaged_line_is_named(tmp_path):
    (line,) = told(tmp_path, "a.jsonl", b"[1]\n\n[2,]\n[3\n")
    assert line.startswith("a.jsonl:3: is not valid JSON: a comma stands before ]")


def test_a_damaged_document_is_told_at_its_line(tmp_path):
    (line,) = told(tmp_path, "a.json", b'{\n "one": [1,\n 2\n}\n')
    assert line.startswith("a.json:4: is not valid JSON: ] is missing before }")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b'{"one": 1}'),
        ("a.jsonl", b"[1]\n[2]\n"),
        ("a.json", b"[1]\n[2]\n"),
        ("a.txt", b"["),
        ("a.json", b"Dear reader"),
    ],
)
def test_what_is_sound_or_no_json_is_of_no_known_format(tmp_path, name, content):
    (line,) = told(tmp_path, name, content)
    assert "is of no known format" in line
