"""What is installed is what is needed: all of the package, its data, and no tests."""

from __future__ import annotations

import subprocess
import sys
import zipfile

import pytest


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("vivavoce-*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_the_whole_package(root, wheel):
    package = root / "src" / "vivavoce"
    wanted = {
        f"vivavoce/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    held = {name for name in wheel.namelist() if name.startswith("vivavoce/")}
    assert held == wanted
    assert "vivavoce/py.typed" in held


def test_the_wheel_holds_data_files(wheel):
    names = wheel.namelist()
    assert any(name.startswith("vivavoce/evaluators/rubrics/") and name.endswith(".md") for name in names)
    assert any(name.startswith("vivavoce/samples/") and not name.endswith(".py") for name in names)


def test_the_wheel_holds_nothing_else(wheel):
    tops = {name.partition("/")[0].partition("-")[0] for name in wheel.namelist()}
    assert tops == {"vivavoce"}


def test_the_wheel_says_who_it_is(wheel):
    (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    (points,) = (name for name in wheel.namelist() if name.endswith(".dist-info/entry_points.txt"))
    text = wheel.read(metadata).decode()
    assert "Name: vivavoce\n" in text
    assert "Requires-Python: >=3.11" in text
    assert "License-Expression: MIT" in text
    assert "[console_scripts]\n" in wheel.read(points).decode()
    assert "\nviva = vivavoce.cli.main:viva\n" in wheel.read(points).decode()
