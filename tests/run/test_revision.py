"""A run knows of which revision of the project it is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from vivavoce.core.model import Revision
from vivavoce.run.revision import revision


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one commit."""
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    git(tmp_path, "init", "-q")
    (tmp_path / "cases.jsonl").write_text("{}\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "Begin")
    return tmp_path


def git(folder: Path, *words: str) -> str:
    return subprocess.run(("git", *words), cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def test_a_commit_is_told_with_what_was_changed_since(project: Path) -> None:
    commit = git(project, "rev-parse", "HEAD")
    (project / "new.jsonl").write_text("{}\n")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "tag", "-a", "v1", "-m", "One")
    assert revision(project) == Revision(commit=commit)
    (project / "below").mkdir()
    (project / "cases.jsonl").write_text('{"id": "a"}\n')
    assert revision(project / "below") == Revision(commit=commit, dirty=True)
    assert revision(project).short == f"{commit[:7]}*"


def test_a_folder_that_git_does_not_know_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert revision(tmp_path) is None
    git(tmp_path, "init", "-q")
    assert revision(tmp_path) is None, "nothing was committed"
    assert revision(tmp_path / "none") is None


def test_without_git_there_is_none(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert revision(project) is None


@pytest.mark.parametrize("text", ["c0ffee", "c0ffee-dirty"])
def test_a_revision_is_read_as_it_is_written(text: str) -> None:
    assert str(Revision.of(text)) == text
