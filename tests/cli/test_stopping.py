"""Signals while something holds up the event loop: real processes, real signals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

HELD_UP = """\
import asyncio, sys, time
from vivavoce.cli import stopping

stopping.LATEST = float(sys.argv[1])

async def main():
    with stopping.stopping(lambda: print("left", flush=True)) as stop:
        print("ready", flush=True)
        while True:
            time.sleep(0.01)
            if stop.code is not None:
                print("heard", flush=True)
                time.sleep(600)

asyncio.run(main())
"""

LOADING = """\
import os, signal, sys

watched = sys.argv[1]

class Signal:
    def find_spec(self, name, *_):
        if name == watched:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Signal())
sys.argv[1:] = ["runs"]
from vivavoce.cli.main import viva

sys.exit(viva())
"""

AGENT = """\
import asyncio, pathlib, time

async def stubborn(question):
    pathlib.Path("asked").touch()
    while True:
        try:
            await asyncio.sleep(600)
        except BaseException:
            continue

async def blocks(question):
    pathlib.Path("asked").touch()
    time.sleep(600)

async def cancels_all(question):
    for task in asyncio.all_tasks():
        task.cancel()
    await asyncio.sleep(600)

async def interrupts(question):
    raise KeyboardInterrupt
"""


def held_up(latest: float) -> subprocess.Popen[str]:
    started = subprocess.Popen([sys.executable, "-c", HELD_UP, str(latest)], stdout=subprocess.PIPE, encoding="utf-8")
    assert started.stdout.readline() == "ready\n"
    return started


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_second_signal_leaves_at_once(number, code):
    with held_up(600) as started:
        started.send_signal(signal.SIGTERM)
        assert started.stdout.readline() == "heard\n"
        started.send_signal(number)
        assert started.wait(timeout=60) == code
        assert started.stdout.read() == "left\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_one_signal_is_enough_in_the_end(number, code):
    with held_up(0.2) as started:
        started.send_signal(number)
        assert started.wait(timeout=60) == code


@pytest.mark.parametrize("module", ["vivavoce.cli.aside", "vivavoce.cli.parser", "vivavoce.stores"])
def test_a_signal_while_the_command_is_loaded_is_no_defect(folder, module):
    ended = subprocess.run(
        [sys.executable, "-c", LOADING, module], capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


@pytest.fixture
def agent(folder, write_cases):
    (folder / "agent.py").write_text(AGENT)
    write_cases("cases.jsonl", [{"input": "a", "expected": "a"}, {"input": "b", "expected": "b"}])
    return folder


@pytest.mark.parametrize("name", ["stubborn", "blocks"])
def test_limits_hold_for_an_agent_that_does_not_let_itself_be_stopped(agent, process, name):
    words = ("run", "cases.jsonl", "--target", f"python:agent:{name}", "--output", "out.json", "--concurrency", "1")
    process(*words, "--timeout", "0.2")
    results = json.loads((agent / "out.json").read_text())["results"]
    assert [result["error"]["code"] for result in results] == ["timeout", "timeout"]
    assert process(*words, "--run-timeout", "0.3").code == 2
    assert json.loads((agent / "out.json").read_text())["state"] == "stopped"


@pytest.mark.parametrize("name", ["stubborn", "blocks"])
def test_a_signal_ends_a_run_whatever_its_agent_does(agent, start, name):
    with start("run", "cases.jsonl", "--target", f"python:agent:{name}", "--output", "out.json") as started:
        while not (agent / "asked").exists():
            assert started.poll() is None
        started.send_signal(signal.SIGTERM)
        started.communicate(timeout=60)
    assert started.returncode == 143
    assert json.loads((agent / "out.json").read_text())["state"] == "interrupted"


@pytest.mark.parametrize("name", ["cancels_all", "interrupts"])
def test_an_agent_cannot_end_the_run(agent, process, name):
    done = process("run", "cases.jsonl", "--target", f"python:agent:{name}", "--output", "out.json")
    assert "Traceback" not in done.err
    document = json.loads((agent / "out.json").read_text())
    assert document["state"] == "complete"
    assert [result["error"]["code"] for result in document["results"]] == ["crashed", "crashed"]


EVALUATOR = """\
import asyncio, pathlib, threading, time
from vivavoce import Verdict

class Stays:
    '''Whether it can be stopped.'''

    async def score(self, evidence, ask):
        pathlib.Path("asked").touch()
        if evidence.response == "gone":
            asyncio.current_task().cancel()
        if evidence.response == "busy":
            await asyncio.to_thread(time.sleep, 600)
        while True:
            try:
                await asyncio.sleep(0 if evidence.response == "gone" else 600)
            except asyncio.CancelledError:
                if evidence.response == "gone":
                    raise
"""


@pytest.fixture
def stubborn(folder):
    (folder / "custom-evaluators" / "stays").mkdir(parents=True)
    (folder / "custom-evaluators" / "stays" / "stays.py").write_text(EVALUATOR)
    cases = [{"input": "?", "reply": reply, "evaluators": {"stays": {}}} for reply in ("here", "busy", "gone")]
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    return folder


def test_an_evaluator_that_does_not_let_itself_be_stopped_is_let_go(stubborn, process):
    words = ("run", "cases.jsonl", "--output", "out.json")
    process(*words, "--case-timeout", "0.3")
    results = json.loads((stubborn / "out.json").read_text())["results"]
    late = "not judged within the time limit of the case"
    assert [result["turns"][0]["scores"][0]["reason"] for result in results] == [
        late,
        late,
        "the evaluator failed: RuntimeError: it cancelled itself",
    ]
    assert process(*words, "--run-timeout", "0.3", "--case", "#0").code == 2
    assert json.loads((stubborn / "out.json").read_text())["state"] == "stopped"


def test_one_signal_ends_a_run_whatever_its_evaluator_does(stubborn, start):
    with start("run", "cases.jsonl", "--output", "out.json") as started:
        while not (stubborn / "asked").exists():
            assert started.poll() is None
        started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=60)
    assert started.returncode == 130
    assert "never awaited" not in said
    assert "destroyed" not in said
    assert json.loads((stubborn / "out.json").read_text())["state"] == "interrupted"
