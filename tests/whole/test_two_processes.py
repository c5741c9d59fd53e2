"""Two processes and one run: the second one leaves it to the first."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from .conftest import Viva, command, environment, write_cases

AGENT = """
import pathlib, time

def answer(question):
    pathlib.Path("asked").touch()
    while not pathlib.Path("go").exists():
        time.sleep(0.02)
    return question
"""
RUN = ("run", "cases.jsonl", "--target", "python:waits:answer", "--evaluator", "ExactMatch")


def test_a_run_under_way_is_left_to_who_carries_it_out(viva: Viva, tmp_path: Path) -> None:
    write_cases(tmp_path / "cases.jsonl", [{"input": text, "expected": text} for text in "abc"])
    (tmp_path / "waits.py").write_text(AGENT)
    first = subprocess.Popen(command(*RUN), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        while not (tmp_path / "asked").exists():
            assert first.poll() is None
            time.sleep(0.02)
        second = viva("resume", "last")
        assert second.returncode == 2
        assert f"is being carried out by process {first.pid}; wait for it, or stop it" in second.stderr
        (tmp_path / "go").touch()
        said, _ = first.communicate(timeout=60)
        assert first.returncode == 0, said
    finally:
        if first.poll() is None:
            first.kill()
            first.communicate()
    assert not list((tmp_path / ".viva").glob("*.lock"))


def test_a_quiet_run_says_when_nothing_was_evaluated(viva: Viva, tmp_path: Path) -> None:
    write_cases(tmp_path / "cases.jsonl", [{"input": "a", "expected": "a"}])
    (tmp_path / "fails.py").write_text("def answer(question):\n    raise ValueError(question)\n")
    done = viva("run", "cases.jsonl", "--target", "python:fails:answer", "--evaluator", "ExactMatch", "--quiet")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "nothing evaluated" in done.stderr.lower()
