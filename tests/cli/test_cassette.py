"""Recording and replaying from the command line: without a network, after a kill, on a resume."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

AGENT = """\
import asyncio, pathlib

async def answer(question):
    pathlib.Path("asked").open("a").write(question + "\\n")
    if question == "slow" and not pathlib.Path("released").exists():
        await asyncio.sleep(600)
    return question
"""
GUARD = """\
import socket, sys

def refuse(*_):
    raise AssertionError("a replay reached for the network")

# Pairs of sockets, which every event loop has, are connected before they are Python's.
socket.socket.connect = socket.socket.connect_ex = socket.socket.sendto = socket.getaddrinfo = refuse
from vivavoce.cli.main import viva
sys.exit(viva(sys.argv[1:]))
"""
SERVER = """\
import http.server, sys

class Agent(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"text": "fast"}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Agent)
print(server.server_port, flush=True)
server.serve_forever()
"""


@pytest.fixture
def slow(folder: Path, write_cases) -> Path:
    """A dataset whose last case is answered only when `released` exists."""
    (folder / "agent.py").write_text(AGENT)
    write_cases("cases.jsonl", [{"input": text, "expected": text} for text in ("fast", "faster", "slow")])
    return folder


RUN = ("cases.jsonl", "--target", "python:agent:answer", "--evaluator", "ExactMatch", "--judge", "none")


def wait_until(done) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


def results(path: str) -> list[dict]:
    told = json.loads(Path(path).read_text())["results"]
    for result in told:
        for turn in result["turns"]:
            turn["reply"]["seconds"] = None
    return told


def test_a_replay_makes_no_connection(folder, write_cases, process):
    write_cases("cases.jsonl", [{"input": text, "expected": "fast"} for text in ("one", "two")])
    (folder / "guarded.py").write_text(GUARD)
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/"
        headers = 'headers={"Authorization": "Bearer ${TOKEN}"}'
        run = (
            "run",
            "cases.jsonl",
            "--target",
            url,
            "--target-option",
            headers,
            "--evaluator",
            "ExactMatch",
            "--judge",
            "none",
        )
        assert process(*run, "--record", "calls.jsonl", "--output", "a.json", TOKEN="tok-1234567890ab").code == 0
    finally:
        server.kill()
        server.communicate()
    guarded = [sys.executable, "guarded.py", *run]
    done = subprocess.run(
        [*guarded, "--replay", "calls.jsonl", "--output", "b.json"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)
    assert results("a.json") == results("b.json")
    live = subprocess.run(
        [*guarded, "--retries", "0"], capture_output=True, text=True, timeout=60, env={**os.environ, "TOKEN": "x"}
    )
    assert live.returncode == 2  # the guard is one


def test_a_kill_loses_no_whole_line_and_a_resume_goes_on_recording(slow, start, process):
    started = start("run", *RUN, "--record", "calls.jsonl")
    wait_until(lambda: Path("calls.jsonl").exists() and Path("calls.jsonl").read_bytes().count(b"\n") == 3)
    started.send_signal(signal.SIGKILL)
    started.communicate()
    with Path("calls.jsonl").open("ab") as file:
        file.write(b'{"asked":{"na')
    (slow / "released").touch()
    resumed = process("resume", "last", "--record", "calls.jsonl", "--output", "a.json")
    assert resumed.code == 0
    assert "calls.jsonl: ends in the middle of line 4" in resumed.err
    asked = Path("asked").read_text()
    replayed = process("run", *RUN, "--replay", "calls.jsonl", "--output", "b.json")
    assert (replayed.code, Path("asked").read_text()) == (0, asked)
    assert results("a.json") == results("b.json")
    told = Path("calls.jsonl").read_text().splitlines()
    assert json.loads(told[0]) == {"format": "viva.cassette/1"}
    assert [json.loads(line)["case"] for line in told[1:]] == ["#0", "#1", "#2"]


def test_an_interrupted_run_can_be_resumed_from_a_recording(slow, start, process):
    (slow / "released").touch()
    assert process("run", *RUN, "--record", "calls.jsonl").code == 0
    (slow / "released").unlink()
    started = start("run", *RUN)
    wait_until(lambda: Path("asked").read_text().split().count("slow") == 2)
    started.send_signal(signal.SIGINT)
    started.communicate(timeout=60)
    assert process("resume", "last", "--replay", "calls.jsonl").code == 0


def test_a_changed_case_fails_until_it_is_recorded(slow, write_cases, process):
    (slow / "released").touch()
    assert process("run", *RUN, "--record", "calls.jsonl.gz").code == 0
    write_cases("cases.jsonl", [{"input": text, "expected": text} for text in ("fast", "fastest", "slow")])
    asked = Path("asked").read_text()
    done = process("run", *RUN, "--replay", "calls.jsonl.gz")
    assert done.code == 1
    assert 'does not hold turn 1 of case "#1"' in done.out
    assert process("run", *RUN, "--replay", "calls.jsonl.gz", "--record-missing").code == 0
    assert Path("asked").read_text() == asked + "fastest\n"
    assert process("run", *RUN, "--replay", "calls.jsonl.gz").code == 0


def test_what_cannot_be_meant_is_told_before_anybody_is_asked(slow, process):
    for told, words in (
        (("--record", "a", "--replay", "b"), "exclude each other"),
        (("--record-missing",), "needs --replay FILE"),
        (("--replay", "nowhere.jsonl"), "there is no such cassette"),
        (("--record", "cases.jsonl"), "is no cassette"),
        (("--record", "calls.jsonl", "--output", "calls.jsonl"), "the cassette calls.jsonl"),
    ):
        done = process("run", *RUN, *told)
        assert done.code == 2
        assert words in done.err
    assert not Path("asked").exists()
    Path("viva.toml").write_text("record-missing = true\nno-cache = true\n")
    shown = process("run", "--print-config", VIVA_REPLAY="kept.jsonl").out.splitlines()
    told = {line.split()[0]: line.split()[1:] for line in shown}
    assert told["replay"] == ['"kept.jsonl"', "VIVA_REPLAY"]
    assert told["record-missing"] == ["true", "viva.toml:1"]
    assert told["no-cache"] == ["true", "viva.toml:2"]
    assert told["record"] == ["-", "default"]
