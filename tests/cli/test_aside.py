"""What an agent prints is not in what was asked for, and what it leaves behind does not hold up the end."""

from __future__ import annotations

import json
import os
import signal

import pytest

AGENT = """\
import os, threading, time
from concurrent.futures import ThreadPoolExecutor

print("imported")

def prints(question):
    print("said")
    thread = threading.Thread(target=print, args=("in a thread",))
    thread.start()
    thread.join()
    os.system("echo by a child")
    return question

async def prints_too(question):
    print("said")
    return question

class Prints:
    def __init__(self):
        print("made")

    def send(self, request):
        return request["input"]

    def close(self):
        print("closed")

def leaves_a_thread(question):
    threading.Thread(target=time.sleep, args=(600,)).start()
    return question

async def leaves_an_executor_busy(question):
    import asyncio
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 600)
    ThreadPoolExecutor().submit(time.sleep, 600)
    return question

def sleeps():
    open("child", "w").write(str(os.getpid()))
    os.closerange(0, 3)
    time.sleep(600)

def leaves_a_process(question):
    import multiprocessing
    multiprocessing.get_context("fork").Process(target=sleeps).start()
    while not os.path.exists("child") or not open("child").read():
        time.sleep(0.01)
    return question
"""


@pytest.fixture
def agent(folder, write_cases):
    (folder / "agent.py").write_text(AGENT)
    write_cases("cases.jsonl", [{"input": "a", "expected": "a"}])
    return folder


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("prints", ["imported", "said", "in a thread", "by a child"]),
        ("prints_too", ["imported", "said"]),
        ("Prints", ["imported", "made", "closed"]),
    ],
)
def test_what_an_agent_prints_goes_to_standard_error(agent, process, name, says):
    done = process("run", "cases.jsonl", "--target", f"python:agent:{name}", "--output", "-")
    assert done.code == 0, done.err
    assert json.loads(done.out)["summary"]["pass"] == 1
    assert [line for line in done.err.splitlines() if line in says] == says


def test_prints_are_apart_from_the_report_too(agent, process):
    done = process("run", "cases.jsonl", "--target", "python:agent:prints_too")
    assert "PASSED" in done.out
    assert "said" not in done.out
    assert "said" in done.err


def test_standard_output_by_another_name_is_still_that(agent, process):
    done = process("run", "cases.jsonl", "--target", "python:agent:prints_too", "--quiet", "--output", "json:/dev/stdout")
    assert done.code == 0, done.err
    assert json.loads(done.out)["summary"]["pass"] == 1


@pytest.mark.parametrize("name", ["leaves_a_thread", "leaves_an_executor_busy"])
def test_what_an_agent_leaves_behind_does_not_hold_up_the_end(agent, process, name):
    done = process("run", "cases.jsonl", "--target", f"python:agent:{name}", "--output", "out.json")
    assert done.code == 0, done.err
    assert "PASSED" in done.out
    assert json.loads((agent / "out.json").read_text())["state"] == "complete"


def test_a_process_that_an_agent_leaves_behind_is_not_waited_for(agent, process):
    done = process("run", "cases.jsonl", "--target", "python:agent:leaves_a_process")
    os.kill(int((agent / "child").read_text()), signal.SIGKILL)  # it is still there
    assert done.code == 0, done.err
    assert "PASSED" in done.out
