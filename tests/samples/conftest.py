"""The sample agent, running in each of its ways, and the cases of its suites."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from importlib.resources import files

import pytest

from vivavoce.samples.desk import Desk, answer

SAMPLES = files("vivavoce.samples")


class Http:
    """A client of the agent's server, over a real connection."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def post(self, body: bytes, path: str = "/", **headers: str) -> tuple[int, str]:
        request = urllib.request.Request(self.url + path, data=body, headers={"Content-Type": "application/json", **headers})
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def ask(self, request: object) -> dict:
        status, text = self.post(json.dumps(request).encode())
        assert status == 200, text
        return json.loads(text)

    def health(self) -> dict:
        with urllib.request.urlopen(self.url + "/health", timeout=30) as response:
            return json.load(response)


@pytest.fixture(scope="session")
def http():
    command = [sys.executable, "-m", "vivavoce.samples.serve", "--port", "0", "--print-port", "--while-stdin"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield Http(int(process.stdout.readline()))
    finally:
        process.stdin.close()
        assert process.wait(30) == 0
        process.stdout.close()


@pytest.fixture(scope="session")
def stdio():
    process = subprocess.Popen([sys.executable, "-m", "vivavoce.samples.stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(request: object) -> dict:
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    try:
        yield ask
    finally:
        process.stdin.close()
        assert process.wait(30) == 0
        process.stdout.close()


@pytest.fixture(params=["function", "class", "http", "stdio"])
def way(request):
    """Ask by one of the ways; `way(session, request)`."""
    desks: dict[str, Desk] = {}

    def by_class(session: str, asked: dict) -> dict:
        return desks.setdefault(session, Desk()).send(asked)

    if request.param == "function":
        return lambda session, asked: answer(asked)
    if request.param == "class":
        return by_class
    ask = request.getfixturevalue("stdio") if request.param == "stdio" else request.getfixturevalue("http").ask
    return lambda session, asked: ask({**asked, "session_id": f"{request.node.name}-{session}"})


@pytest.fixture
def talk():
    """Say several things in one new conversation; returns the last answer."""

    def talk(*said: str) -> dict:
        desk = Desk()
        return [desk.send({"input": each}) for each in said][-1]

    return talk


@pytest.fixture(scope="session")
def document():
    return json.loads(SAMPLES.joinpath("suites", "desk.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def conversations(document):
    """What each case of `desk.json` says, by the case's id."""
    return {item["testId"]: [turn["prompt"] for turn in item.get("turns", [item])] for item in document["items"]}
