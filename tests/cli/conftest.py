"""The command line in a folder of its own: in this process for speed, or as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from vivavoce.cli.main import viva as run_viva

CASES = (
    {"id": "capital", "category": "facts", "input": "Capital of France?", "expected": "Paris", "reply": "Paris"},
    {"id": "sum", "category": "sums", "input": "2 + 2?", "expected": "4", "reply": "5"},
    {"id": "colour", "category": "facts", "input": "Colour of snow?", "expected": "white", "reply": "White"},
)
"""Two that pass by ExactMatch and one that fails, with recorded answers."""


class Done(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str


Viva = Callable[..., Done]
Write = Callable[[str, Sequence[Mapping[str, object]]], str]
COMMAND = (sys.executable, "-m", "vivavoce")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty, with nothing set in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("VIVA_") or name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def viva(folder: Path, capsys: pytest.CaptureFixture[str]) -> Viva:
    """Runs `viva` in this process."""

    def run(*argv: str) -> Done:
        code = run_viva(list(argv))
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture
def process(folder: Path) -> Viva:
    """Runs `viva` as a process of its own."""

    def run(*argv: str, stdin: str | None = None, **environ: str) -> Done:
        done = subprocess.run(
            [*COMMAND, *argv], input=stdin, capture_output=True, encoding="utf-8", timeout=60, env={**os.environ, **environ}
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def start(folder: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts `viva` as a process of its own, and does not wait."""

    def run(*argv: str) -> subprocess.Popen[str]:
        return subprocess.Popen([*COMMAND, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")

    return run


@pytest.fixture
def write_cases(folder: Path) -> Write:
    """Writes cases as JSON lines, examined by ExactMatch; gives back the name."""

    def write(name: str, cases: Sequence[Mapping[str, object]]) -> str:
        lines = [json.dumps({"evaluators": {"ExactMatch": {}}, **case}, ensure_ascii=False) for case in cases]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return name

    return write


@pytest.fixture
def cases(write_cases: Write) -> str:
    """The name of a dataset with recorded answers, of which one is wrong."""
    return write_cases("cases.jsonl", CASES)
