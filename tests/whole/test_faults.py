"""What goes wrong around a run: what was done is kept, what was not is said in one line, and the exit code is right.

Agents that answer badly are in `test_bad_agents`, processes that are killed in `test_kill`, a full standard output in
`cli/test_streams`, a PostgreSQL server that ends in `cli/test_postgres`.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import ssl
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from vivavoce.cli.main import viva as run_viva
from vivavoce.engines import _process
from vivavoce.run import identity, share
from vivavoce.stores import _file

from .conftest import Line, Server, Viva, listening, write_cases

STORE = Path(".viva/runs.db")
Here = Callable[..., tuple[int, str]]


def cases(count: int, word: str = "say") -> list[dict[str, Any]]:
    numbers = range(count)
    return [{"id": f"c{n}", "input": f"{word} {n}", "expected": str(n), "evaluators": {"ExactMatch": {}}} for n in numbers]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """Runs `viva` in this process, in an empty folder; gives the exit code, and what it said on standard error."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("VIVA_")]:
        monkeypatch.delenv(name)

    def run(*argv: str) -> tuple[int, str]:
        code = run_viva([*argv, "--no-color"])
        return code, capsys.readouterr().err

    return run


def once(server: Server, at: int, deed: Callable[[], object]) -> None:
    """Have something done when the server was asked so often."""
    left = [deed]

    def mood() -> str:
        if left and sum(server.asked.values()) >= at:
            left.pop()()
        return ""

    server.mood = mood


def stored() -> dict[str, str]:
    """The status of each case of the last run."""
    connection = sqlite3.connect(STORE)
    with connection:
        rows = connection.execute("SELECT case_id, status FROM results").fetchall()
    connection.close()
    return dict(rows)


def complaint(said: str) -> str:
    """The one line that says what went wrong."""
    lines = [line for line in said.splitlines() if line.startswith("viva: ")]
    assert len(lines) == 1, said
    assert "Traceback" not in said
    return lines[0]


# The way to the agent


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_server_with_every_trouble_answers_all_in_the_end(viva: Viva, tmp_path: Path, server: Server) -> None:
    chance, trouble, seen = random.Random(5), [], {"never": 0}

    def mood() -> str:
        # Of every twenty requests, two are refused, one is reset and one hangs.
        if not trouble:
            trouble.extend(["busy", "busy", "reset", "never", *16 * [""]])
            chance.shuffle(trouble)
        word = trouble.pop()
        seen["never"] += word == "never"
        return word

    write_cases(tmp_path / "cases.jsonl", cases(2000))
    (tmp_path / "viva.toml").write_text(f'[target]\nspec = "{server.url}"\nidempotent = true\n')
    server.mood = mood
    options = ("--concurrency", "100", "--timeout", "3", "--retries", "8", "--output", "out.json")
    done = viva("run", "cases.jsonl", *options, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads((tmp_path / "out.json").read_text())["summary"]
    assert (summary["pass"], summary["error"]) == (2000, 0)
    assert sum(server.asked.values()) - seen["never"] <= 1.2 * 2000


@pytest.mark.slow
def test_a_server_with_a_limit_is_asked_no_faster_once_it_is_known(viva: Viva, tmp_path: Path, server: Server) -> None:
    window = [0.0, 0]

    def mood() -> str:
        if time.monotonic() - window[0] >= 1:
            window[:] = [time.monotonic(), 0]
        window[1] += 1
        return "busy" if window[1] > 20 else ""

    write_cases(tmp_path / "cases.jsonl", cases(150))
    server.mood = mood
    done = viva("run", "cases.jsonl", "--target", server.url, "--concurrency", "50")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sum(server.asked.values()) <= 1.5 * 150, "each worker runs into the limit once, and not again and again"


def test_a_line_that_is_cut_costs_what_was_on_it_and_the_rest_is_made_up_for(
    viva: Viva, tmp_path: Path, server: Server, line: Line
) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(40))
    once(server, 20, line.cut)
    first = viva("run", "cases.jsonl", "--target", line.url, "--concurrency", "4", "--output", "out.json", "--retries", "0")
    assert first.returncode == 1, first.stderr
    document = json.loads((tmp_path / "out.json").read_text())
    assert (document["state"], document["summary"]["cases"]) == ("complete", 40)
    errors = {result["case"]: result["error"] for result in document["results"] if result["status"] == "error"}
    assert {error["code"] for error in errors.values()} == {"connection"}
    assert 17 <= len(errors) <= 24, "those after it, and those under way"
    line.mend()
    again = viva("resume", "last", "--retry-errors", "--output", "out.json")
    assert again.returncode == 0, again.stdout + again.stderr
    assert max(server.asked[f"say {n}"] for n in range(40) if f"c{n}" not in errors) == 1


def test_nobody_there_by_that_name_or_certificate(viva: Viva, tmp_path: Path, server: Server, certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    write_cases(tmp_path / "cases.jsonl", cases(2))
    with listening(server.serve, context) as port:
        addresses = {
            f"https://127.0.0.1:{port}/": ("tls", "certificate"),
            "http://no-such-host.invalid/": ("connection", "cannot be reached"),
        }
        for address, (code, words) in addresses.items():
            done = viva("run", "cases.jsonl", "--target", address, "--retries", "0", "--output", "out.json")
            assert done.returncode == 2, "nobody answered, so nothing was evaluated"
            assert "Traceback" not in done.stdout + done.stderr
            errors = [result["error"] for result in json.loads((tmp_path / "out.json").read_text())["results"]]
            assert [error["code"] for error in errors] == [code, code]
            assert words in errors[0]["message"]
            assert "\n" not in errors[0]["message"]
    assert not server.asked


# What the run stands on


def test_a_clock_that_is_set_back_or_forth_changes_no_outcome(
    here: Here, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(6))
    jump, clock = timedelta(), time.time

    class Jumping(datetime):
        @classmethod
        def now(cls, *zone: Any) -> datetime:  # type: ignore[override] # as it is called
            return datetime.now(*zone) + jump

    def mood() -> str:
        nonlocal jump
        asked = sum(server.asked.values())
        jump = timedelta(days=(0, -1, 30, -400)[asked % 4])
        return "busy" if asked == 3 else ""

    server.mood = mood
    monkeypatch.setattr(identity, "datetime", Jumping)
    monkeypatch.setattr(time, "time", lambda: clock() + jump.total_seconds())
    code, said = here("run", "cases.jsonl", "--target", server.url, "--concurrency", "1", "--output", "out.json")
    assert code == 0, said
    document = json.loads(Path("out.json").read_text())
    assert document["started"] <= document["finished"]
    assert 0 <= document["summary"]["seconds"] < 60
    assert all(0 <= result["turns"][0]["reply"]["seconds"] < 60 for result in document["results"])


FULL = """\
import os, pathlib, resource

def answer(question):
    with open("asked", "a") as asked:
        asked.write(question + "\\n")
    if question == "say 5" and not pathlib.Path("full").exists():
        pathlib.Path("full").touch()
        resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(".viva/runs.db-wal"), resource.RLIM_INFINITY))
    return question.split()[1]
"""


def test_a_disk_that_is_full_keeps_what_was_done(viva: Viva, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("full_agent.py").write_text(FULL)
    write_cases(Path("cases.jsonl"), cases(30))
    full = viva("run", "cases.jsonl", "--target", "python:full_agent:answer", "--concurrency", "1")
    assert full.returncode == 2
    assert "cannot be written: disk I/O error; once that is mended, viva resume " in complaint(full.stderr)
    done = stored()
    assert 5 <= len(done) < 30
    again = viva("resume", complaint(full.stderr).partition("viva resume ")[2].split()[0])
    assert again.returncode == 0, again.stdout + again.stderr
    asked = Path("asked").read_text().splitlines()
    assert len(asked) - len(set(asked)) <= 1, "no more than what was under way is asked again"
    assert len(stored()) == 30


def locking(server: Server, at: int, seconds: float | None = None) -> list[sqlite3.Connection]:
    """Have somebody else lock the store when the server was asked so often."""
    held: list[sqlite3.Connection] = []

    def lock() -> None:
        held.append(sqlite3.connect(STORE, check_same_thread=False, isolation_level=None, timeout=10))
        held[0].execute("BEGIN IMMEDIATE")
        if seconds is not None:
            threading.Timer(seconds, held[0].close).start()

    once(server, at, lock)
    return held


def test_a_store_that_somebody_else_locks_is_waited_for(here: Here, tmp_path: Path, server: Server) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(20))
    assert locking(server, 8, seconds=0.5) == []
    code, said = here("run", "cases.jsonl", "--target", server.url)
    assert code == 0, said
    assert len(stored()) == sum(server.asked.values()) == 20


def test_a_store_that_stays_locked_stops_the_run(
    here: Here, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_file, "WAIT", 0.3)
    write_cases(tmp_path / "cases.jsonl", cases(20))
    held = locking(server, 8)
    code, said = here("run", "cases.jsonl", "--target", server.url, "--concurrency", "2")
    assert code == 2
    assert "cannot be written: database is locked; once that is mended, viva resume " in complaint(said)
    assert here("run", "cases.jsonl", "--target", server.url)[0] == 2, "nor does another one begin"
    held[0].close()
    done = stored()
    assert 0 < len(done) < 20
    code, said = here("resume", complaint(said).partition("viva resume ")[2].split()[0])
    assert code == 0, said
    assert max(server.asked[f"say {case[1:]}"] for case in done) == 1


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_store_that_is_removed_is_put_back_with_all_that_was_in_it(
    here: Here, tmp_path: Path, server: Server, what: str
) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(20))
    assert here("run", "cases.jsonl", "--target", server.url)[0] == 0

    def remove() -> None:
        for path in STORE.parent.glob("runs.db*"):
            path.unlink(missing_ok=True)
        if what == "folder":
            shutil.rmtree(STORE.parent)

    once(server, 30, remove)
    code, said = here("run", "cases.jsonl", "--target", server.url, "--concurrency", "2", "--no-cache")
    assert code == 0, said
    server.mood = str
    assert here("resume", "last")[0] == here("resume", "last~1")[0] == 0
    assert sum(server.asked.values()) == 40, "of both runs, nothing is asked again"


@pytest.mark.slow
def test_a_process_that_is_killed_stops_the_run(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"query": f"q{n}", "response": f"a{n % 5}", "ground_truth": f"a{n % 7}"} for n in range(24_000)]
    write_cases(tmp_path / "rows.jsonl", rows)
    monkeypatch.setattr(share, "_cores", lambda: 2)
    begun = _process.Process.start.__func__  # type: ignore[attr-defined] # of a class method

    async def start(cls: type[_process.Process], *given: Any) -> _process.Process:
        made: _process.Process = await begun(cls, *given)
        if not (tmp_path / "killed").exists():
            (tmp_path / "killed").touch()
            threading.Thread(target=kill_once_something_is_kept, args=(made.number,)).start()
        return made

    def kill_once_something_is_kept(number: int) -> None:
        while not STORE.exists() or not stored():
            time.sleep(0.01)
        os.kill(number, signal.SIGKILL)

    monkeypatch.setattr(_process.Process, "start", classmethod(start))
    code, said = here("run", "rows.jsonl", "--evaluator", "ExactMatch", "--judge", "none")
    assert code == 1
    assert f"was ended by signal {signal.SIGKILL:d}; what was done is kept, and viva resume " in complaint(said)
    assert 0 < len(stored()) < 24_000
    code, _ = here("resume", complaint(said).partition("viva resume ")[2].split()[0])
    assert (code, len(stored())) == (1, 24_000)
