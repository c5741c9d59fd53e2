"""Suites told from other files, by their content alone."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from vivavoce.core import plugins
from vivavoce.core.model import Selection, Use
from vivavoce.core.source import Source
from vivavoce.formats.saiku import Saiku
from vivavoce.run.planner import readings

SUITE = "name: s\ncube: {connectionName: c, catalog: c, schema: s, cubeName: n}\ncases:\n  - name: a\n    question: q\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SUITE, True),
        (SUITE.replace("cube:", "kube:"), True),
        ("\ufeff" + SUITE.replace("\n", "\r\n"), True),
        ('cases: [{"question": "q"}]\nname: x\n', True),
        ('{"cases": [{"name": "a", "question": "q"}], "name": "s"}', True),
        (SUITE + "  - [\n", True),
        ("suite: s\ncases:\n  - question: q\n", False),
        ("suite: s\ncases:\n  - input: q\n", False),
        ("- name: a\n  question: q\n", False),
        ('{"question": "q", "response": "r"}', False),
        ('{"query": "q", "cube": "c"}', False),
        ("just a text\n", False),
    ],
)
def test_a_suite_is_known_by_its_cube_or_its_questions(tmp_path, text, expected):
    path = tmp_path / "any.txt"
    path.write_bytes(text.encode())
    assert Saiku().matches(Source(path)) is expected
    known = [name for name in plugins.names("formats") if plugins.build("formats", Use(name=name)).matches(Source(path))]
    assert known.count("saiku") == expected
    assert len(known) <= 1


def test_of_a_folder_the_suites_are_read(tmp_path: Path):
    (tmp_path / "b.eval.yaml").write_text(SUITE.replace("name: s\n", "name: second\n"), encoding="utf-8")
    (tmp_path / "a.eval.yaml").write_text(SUITE.replace("name: s\n", "name: first\n"), encoding="utf-8")
    (tmp_path / "c.EVAL.yaml.gz").write_bytes(gzip.compress(SUITE.replace("name: s\n", "name: third\n").encode()))
    (tmp_path / "other.yaml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "d.eval.yaml").write_text(SUITE, encoding="utf-8")
    found, warnings = readings(Selection(paths=(".",)), folder=tmp_path)
    assert [(reading.format, reading.suite.name) for reading in found] == [
        ("saiku", "first"),
        ("saiku", "second"),
        ("saiku", "third"),
    ]
    assert any("other.yaml" in warning for warning in warnings)


def test_suites_of_one_name_take_their_path(tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.eval.yaml").write_text(SUITE, encoding="utf-8")
    found, _ = readings(Selection(paths=("a.eval.yaml", "b.eval.yaml")), folder=tmp_path)
    assert [reading.suite.name for reading in found] == ["a.eval.yaml", "b.eval.yaml"]
