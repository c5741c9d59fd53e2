"""The files of a project are safe from its own run, and those of a run from its agent."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Viva, write_cases

AGENT = """
import os, tempfile

def answer(question):
    os.chdir(tempfile.mkdtemp())
    return question
"""
RUN = ("run", "cases.jsonl", "--target", "python:wanders:answer", "--evaluator", "ExactMatch", "--store", "kept/v.db")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_cases(tmp_path / "cases.jsonl", [{"input": text, "expected": text} for text in "abc"])
    (tmp_path / "wanders.py").write_text(AGENT)
    (tmp_path / "viva.toml").write_text("repeat = 1\n")
    (tmp_path / ".env.local").write_text("A=1\n")
    return tmp_path


def test_an_agent_that_changes_the_folder_loses_nothing(viva: Viva, project: Path) -> None:
    done = viva(*RUN, "--output", "out.json", "--output", "out.jsonl", "--concurrency", "1")
    assert done.returncode == 0, done.stderr
    assert (project / "out.json").exists()
    assert len((project / "out.jsonl").read_text().splitlines()) == 3
    assert viva("show", "last", "--store", "kept/v.db").returncode == 0


@pytest.mark.parametrize("path", ["kept/v.db", "kept/../kept/v.db-wal", "viva.toml", ".env.local", "wanders.py", "cases.jsonl"])
def test_no_output_takes_the_place_of_what_a_run_needs(viva: Viva, project: Path, path: str) -> None:
    (project / "kept").mkdir()
    before = {each: each.read_bytes() for each in project.iterdir() if each.is_file()}
    done = viva(*RUN, "--output", f"json:{path}")
    assert done.returncode == 2
    assert "would write over" in done.stderr
    assert {each: each.read_bytes() for each in project.iterdir() if each.is_file()} == before


def test_a_shown_run_does_not_replace_its_store(viva: Viva, project: Path) -> None:
    assert viva(*RUN).returncode == 0
    for command in ("show", "resume"):
        done = viva(command, "last", "--store", "kept/v.db", "--output", "json:kept/v.db")
        assert done.returncode == 2
        assert "would write over the store" in done.stderr
    assert viva("show", "last", "--store", "kept/v.db").returncode == 0


def test_a_store_that_is_none_is_refused_before_anything_is_asked(viva: Viva, project: Path) -> None:
    (project / "wanders.py").write_text("def answer(question):\n    open('asked', 'w').close()\n    return question\n")
    for store in (":memory:", "."):
        done = viva(*RUN, "--store", store)
        assert done.returncode == 2
        assert "name a file" in done.stderr
    assert not (project / "asked").exists()
