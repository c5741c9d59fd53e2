"""What is typed here: the short name where it means this command, its place where it does not."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from vivavoce.samples import here

BIN = Path(sys.executable).parent


@pytest.fixture(params=["on PATH", "off PATH", "another on PATH"])
def where(request, monkeypatch, tmp_path):
    """A machine where `viva` and `python` are found, are not, or are those of another Python."""
    folders = {"on PATH": f"{BIN}{os.pathsep}", "off PATH": "", "another on PATH": f"{tmp_path}{os.pathsep}"}
    for name in ("viva", "python"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 7\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", folders[request.param] + "/usr/bin:/bin")
    return request.param


def test_commands_work_as_they_are_told(where):
    assert (here.viva() == "viva") is (where == "on PATH")
    for command in (here.viva(), f"{here.python()} -m vivavoce"):
        done = subprocess.run(["bash", "-c", f"{command} --version"], capture_output=True, text=True, timeout=60)
        assert done.stdout.startswith("viva ")


def test_the_place_of_a_command_is_told_from_the_current_folder(monkeypatch):
    monkeypatch.setattr(sys, "executable", str(BIN.resolve() / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(BIN.parent)
    assert here.viva() == f"{BIN.name}/viva"


def test_a_place_with_a_space_is_quoted(monkeypatch, tmp_path):
    bin_ = tmp_path / "my tools"
    bin_.mkdir()
    (bin_ / "viva").touch()
    monkeypatch.setattr(sys, "executable", str(bin_ / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    assert [Path(word).resolve() for word in shlex.split(here.viva())] == [bin_ / "viva"]


def test_without_the_command_the_module_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    assert here.viva() == f"{tmp_path}/python -m vivavoce"
