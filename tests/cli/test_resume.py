"""Interrupting a run, and finishing it: real processes, real signals."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

AGENT = """\
import asyncio, pathlib

async def answer(question):
    pathlib.Path("asked").open("a").write(question + "\\n")
    if question != "fast" and not pathlib.Path("released").exists():
        await asyncio.sleep(600)
    return question
"""


@pytest.fixture
def slow(folder: Path, write_cases) -> Path:
    """A dataset whose first case is answered at once and whose others are not, until `released` exists."""
    (folder / "agent.py").write_text(AGENT)
    write_cases("cases.jsonl", [{"input": text, "expected": text} for text in ("fast", "slow", "slower")])
    return folder


@pytest.fixture
def begin(slow: Path, start):
    """Starts a run that waits for its agent; returns once the first case is done and the others are under way."""

    def run(*argv: str) -> subprocess.Popen[str]:
        started = start("run", "cases.jsonl", "--target", "python:agent:answer", "--verbose", *argv)
        for line in started.stderr:
            if line.startswith("pass"):
                break
        _until(lambda: len((slow / "asked").read_text().split()) == 3)
        return started

    return run


def _until(done) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_keeps_what_is_done_and_a_resume_finishes_it(slow, begin, process, number, code):
    started = begin("--output", "out.json", "--output", "out.jsonl")
    started.send_signal(number)
    out, _err = started.communicate(timeout=60)
    assert started.returncode == code
    run_id = re.search(r"viva resume (\w+)", out)[1]
    document = json.loads((slow / "out.json").read_text())
    assert (document["state"], document["summary"]["not_run"]) == ("interrupted", 2)
    assert len((slow / "out.jsonl").read_text().splitlines()) == 1
    assert "INTERRUPTED" in out

    (slow / "released").touch()
    done = process("resume", run_id, "--output", "out.json", "--output", "out.jsonl", "--concurrency", "1")
    assert done.code == 0, done.err
    document = json.loads((slow / "out.json").read_text())
    assert (document["id"], document["state"], document["summary"]["pass"]) == (run_id, "complete", 3)
    assert [json.loads(line)["position"] for line in (slow / "out.jsonl").read_text().splitlines()] == [0, 1, 2]
    assert (slow / "asked").read_text().split().count("fast") == 1


def test_the_way_to_go_on_is_told_also_where_there_is_no_report(slow, process):
    done = process("run", "cases.jsonl", "--target", "python:agent:answer", "--run-timeout", "0.3", "--quiet")
    assert (done.code, done.out) == (1, "")
    assert "viva resume" in done.err


def test_a_second_ctrl_c_leaves_at_once(slow, begin):
    (slow / "agent.py").write_text(AGENT.replace("await asyncio.sleep(600)", "await stubborn()") + STUBBORN)
    started = begin()
    started.send_signal(signal.SIGINT)
    _until((slow / "stubborn").exists)
    started.send_signal(signal.SIGINT)
    assert started.wait(timeout=60) == 130
    started.communicate()


STUBBORN = """

async def stubborn():
    while True:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            pathlib.Path("stubborn").touch()
"""


def test_ctrl_c_before_anything_runs(folder, start):
    os.mkfifo(folder / "cases.jsonl")
    started = start("validate", "cases.jsonl")
    with (folder / "cases.jsonl").open("w"):  # opens once the other side reads
        started.send_signal(signal.SIGINT)
        _, err = started.communicate(timeout=60)
    assert (started.returncode, err) == (130, "")


def test_a_time_limit_stops_the_run(slow, process):
    words = ("run", "cases.jsonl", "--target", "python:agent:answer", "--run-timeout", "0.5")
    done = process(*words)
    assert done.code == 1
    assert "viva resume" in done.out
    (slow / "released").touch()
    assert process("resume", "last").code == 0


def test_a_complete_run_is_just_reported(viva, cases):
    assert viva("run", cases).code == 1
    done = viva("resume", "last", "--output", "out.json")
    assert (done.code, json.loads(Path("out.json").read_text())["summary"]["fail"]) == (1, 1)
    assert "FAILED" in done.out
    assert viva("resume", "last", "--min-pass-rate", "0.5").code == 0
    assert len(json.loads(viva("runs", "--json").out)) == 1


def test_errors_are_repeated_when_asked_for(folder, write_cases, process):
    write_cases("cases.jsonl", [{"input": text, "expected": text} for text in ("a", "b")])
    (folder / "agent.py").write_text(
        "import pathlib\n\ndef answer(question):\n    if question == 'b' and not pathlib.Path('well').exists():\n"
        "        raise ValueError('unwell')\n    return question\n"
    )
    assert process("run", "cases.jsonl", "--target", "python:agent:answer").code == 1
    (folder / "well").touch()
    assert process("resume", "last").code == 1
    done = process("resume", "last", "--retry-errors", "--output", "out.json")
    assert done.code == 0, done.err
    assert json.loads((folder / "out.json").read_text())["summary"]["pass"] == 2


@pytest.mark.parametrize("change", ["changed", "gone"])
def test_files_that_are_not_what_they_were(slow, process, change):
    process("run", "cases.jsonl", "--target", "python:agent:answer", "--run-timeout", "0.5")
    if change == "gone":
        (slow / "cases.jsonl").unlink()
    else:
        (slow / "cases.jsonl").write_text((slow / "cases.jsonl").read_text() + "\n")
    done = process("resume", "last")
    assert done.code == 2
    assert "cases.jsonl" in done.err
    assert change in done.err


def test_a_run_that_is_not_there(viva, cases):
    assert viva("resume", "last").code == 2
    viva("run", cases)
    done = viva("resume", "zzz")
    assert done.code == 2
    assert "zzz" in done.err
