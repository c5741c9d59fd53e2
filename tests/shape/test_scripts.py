"""One script a chore: each can be run from anywhere, and says in one line what it lacks."""

from __future__ import annotations

import shutil
import subprocess
import venv
from pathlib import Path

import pytest

TOOLS = ("bash", "cat", "cksum", "dirname", "env", "sh", "tee")


@pytest.fixture
def bare(root, tmp_path) -> Path:
    """A checkout on a machine without Python."""
    shutil.copytree(root / "scripts", tmp_path / "checkout" / "scripts")
    shutil.copy(root / "pyproject.toml", tmp_path / "checkout")
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool))
    return tmp_path


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    command = [folder / "checkout" / "scripts" / script]
    return subprocess.run(
        command, cwd="/", env={"PATH": str(folder / "bin"), "HOME": "/nonexistent"}, capture_output=True, text=True, timeout=30
    )


@pytest.mark.parametrize("script", ["demo", "test", "check", "docs"])
def test_without_python_the_way_out_is_told(bare, script):
    done = run(bare, script)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "Python 3.11 or newer is needed and none is on PATH; install one, or set PYTHON=/path/to/python3"
    )
    assert not (bare / "checkout" / ".venv").exists()


def test_without_venv_the_way_out_is_told(bare):
    fake = bare / "bin" / "python3.12"
    fake.write_text('#!/bin/sh\ncase "$*" in *ensurepip*) exit 1;; esac\n', encoding="utf-8")
    fake.chmod(0o755)
    done = run(bare, "demo")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("python3.12 lacks the modules venv and ensurepip; ")


def test_an_environment_made_by_hand_is_kept_and_a_moved_one_is_not(bare):
    venv.create(bare / "checkout" / ".venv", with_pip=False)
    asked = [bare / "bin" / "bash", "-euo", "pipefail", "-c", "source scripts/_setup; if made_here; then echo kept; fi"]
    for folder, told in ((bare / "checkout", "kept\n"), (bare / "moved", "")):
        if not folder.exists():
            (bare / "checkout").rename(folder)
        done = subprocess.run(asked, cwd=folder, env={"PATH": str(bare / "bin")}, capture_output=True, text=True, timeout=30)
        assert (done.stdout, done.stderr) == (told, "")


def test_scripts_stop_at_the_first_error_and_can_be_run(root):
    scripts = [
        path
        for path in (*(root / "scripts").iterdir(), root / ".ci" / "run")
        if path.is_file() and not path.name.startswith("_")
    ]
    assert {"demo", "test", "check", "docs", "run"} <= {path.name for path in scripts}
    for path in scripts:
        text = path.read_text(encoding="utf-8")
        assert text.startswith("#!/usr/bin/env bash\n"), path.name
        assert "\nset -euo pipefail\n" in text, path.name
        assert path.stat().st_mode & 0o111 == 0o111, path.name


@pytest.mark.parametrize("user", [1000, 0])
def test_a_browser_that_cannot_be_had_is_told_in_one_line(bare, user):
    # Root without a working apt-get is told the same as one who may not install.
    program = f"source scripts/_setup; id() {{ echo {user}; }}; apt-get() {{ return 100; }}; browser"
    done = subprocess.run(
        [bare / "bin" / "bash", "-euo", "pipefail", "-c", program],
        cwd=bare / "checkout",
        env={"PATH": str(bare / "bin")},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == (
        "Chromium is missing (on Debian: apt-get install chromium): the tests that look at pages are not run"
    )
