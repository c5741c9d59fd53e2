"""The command line with its runs on a PostgreSQL server, which may end in the middle."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest_stores import start_server, stop_server

PASSWORD = "hush-hush-0815"
AGENT = """\
import pathlib, time

def answer(question):
    pathlib.Path("asked").open("a").write(question + "\\n")
    while question == "second" and not pathlib.Path("released").exists():
        time.sleep(0.05)
    return question
"""


@pytest.fixture
def server() -> Iterator[Any]:
    """A server that a test may end."""
    yield from start_server()


def with_password(url: str) -> str:
    return url.replace("postgres:@", f"postgres:{PASSWORD}@")


def test_a_server_that_ends_in_the_middle_of_a_run_loses_nothing(folder, server, write_cases, start, process) -> None:
    (folder / "agent.py").write_text(AGENT)
    write_cases("cases.jsonl", [{"input": text, "expected": text} for text in ("first", "second", "third")])
    store = ("--store", with_password(server.get_uri()))
    begun = start("run", "cases.jsonl", "--target", "python:agent:answer", "--concurrency", "1", "--verbose", *store)
    for line in begun.stderr:
        if line.startswith("pass"):
            break
    until(lambda: (folder / "asked").read_text().split() == ["first", "second"])
    stop_server(server)
    (folder / "released").touch()
    out, err = begun.communicate(timeout=60)
    assert begun.returncode == 2
    assert "Traceback" not in err
    assert err.count("viva: ") == 1, err
    assert "viva resume" in err

    server.ensure_postgres_running()
    (run,) = json.loads(process("runs", "--json", *store).out)
    done = process("resume", run["id"], *store)
    assert done.code == 0, done.err
    asked = (folder / "asked").read_text().split()
    assert sorted(asked[-2:]) == ["second", "third"]  # resumed, they are asked side by side
    # The third may have been asked before it was seen that the second could not be kept.
    assert asked[:-2] in (["first", "second"], ["first", "second", "third"])
    shown = process("show", "last", "--json", *store)
    assert json.loads(shown.out)["summary"]["pass"] == 3
    told = [out, err, done.out, done.err, shown.out, process("run", "--print-config", *store).out]
    told += [process("prune", "--keep", "0", *store).out]
    assert all(PASSWORD not in text for text in told)
    assert PASSWORD not in "".join(path.read_text(errors="replace") for path in Path().rglob("*") if path.is_file())


def until(done: Any) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("argv", [["run", "cases.jsonl"], ["runs"], ["show", "last"], ["prune", "--keep", "1"]])
def test_a_server_that_is_not_there_is_one_clear_error(viva, cases, argv) -> None:
    done = viva(*argv, "--store", f"postgresql://me:{PASSWORD}@127.0.0.1:1/runs")
    assert done.code == 2
    assert done.err.count("viva: ") == 1
    assert "postgresql://me@127.0.0.1:1/runs: cannot be reached: " in done.err
    assert "name another store with --store" in done.err
    assert PASSWORD not in done.out + done.err


def test_the_password_of_the_store_is_not_in_the_settings(viva, cases) -> None:
    done = viva("run", cases, "--print-config", "--store", f"postgresql://me:{PASSWORD}@127.0.0.1:1/runs")
    assert done.code == 0
    assert PASSWORD not in done.out + done.err
