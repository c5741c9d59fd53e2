"""A run killed in the middle loses nothing that was finished, and is taken up where it was."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from .conftest import Server, Viva, command, environment, write_cases

CASES = 1000


def cases(path: Path) -> None:
    write_cases(
        path,
        [{"input": f"say {n}", "expected": str(n if n % 7 else -1), "evaluators": {"ExactMatch": {}}} for n in range(CASES)],
    )


def committed(store: Path) -> int:
    if not store.exists():
        return 0
    connection = sqlite3.connect(store)
    try:
        return int(connection.execute("SELECT count(*) FROM results").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


def comparable(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for volatile in ("id", "started", "finished"):
        del document[volatile]
    del document["summary"]["seconds"]
    for result in document["results"]:
        for turn in result["turns"]:
            del turn["reply"]["seconds"]
    return document


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_was_finished_is_kept_and_not_repeated(
    viva: Viva, tmp_path: Path, server: Server, sent: signal.Signals, code: int
) -> None:
    cases(tmp_path / "many.jsonl")
    server.delay = 0.02
    options = ("--target", server.url, "--concurrency", "20")
    store = tmp_path / ".viva" / "runs.db"
    process = subprocess.Popen(
        command("run", "many.jsonl", *options),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while committed(store) < CASES // 4:
        assert process.poll() is None, "the run ended before it was stopped"
        time.sleep(0.01)
    process.send_signal(sent)
    assert process.wait(timeout=30) == code
    finished, asked = committed(store), server.asked.copy()
    assert CASES // 4 <= finished < CASES
    assert sum(asked.values()) - finished <= 20, "at most what was in flight is lost"

    server.delay = 0.0
    resumed = viva("resume", "last", "--output", "resumed.json", "--concurrency", "10")
    assert resumed.returncode == 1, resumed.stderr
    assert set(server.asked) == {f"say {n}" for n in range(CASES)}
    repeated = sum(count - 1 for count in server.asked.values())
    assert repeated <= sum(asked.values()) - finished, "nothing finished is asked again"

    whole = viva("run", "many.jsonl", *options, "--store", "whole.db", "--output", "whole.json")
    assert whole.returncode == 1, whole.stderr
    assert comparable(tmp_path / "resumed.json") == comparable(tmp_path / "whole.json")


def test_a_complete_run_is_just_reported(viva: Viva, tmp_path: Path, server: Server) -> None:
    write_cases(tmp_path / "few.jsonl", [{"input": "say 1", "expected": "1", "evaluators": {"ExactMatch": {}}}])
    assert viva("run", "few.jsonl", "--target", server.url).returncode == 0
    again = viva("resume", "last")
    assert again.returncode == 0, again.stderr
    assert server.asked["say 1"] == 1


def test_a_run_whose_file_changed_is_not_resumed(viva: Viva, tmp_path: Path, server: Server) -> None:
    case = {"input": "broken 1", "expected": "1", "evaluators": {"ExactMatch": {}}}
    path = write_cases(tmp_path / "few.jsonl", [case])
    assert viva("run", "few.jsonl", "--target", server.url).returncode == 2
    write_cases(path, [{**case, "expected": "2"}])
    again = viva("resume", "last", "--retry-errors")
    assert again.returncode == 2
    assert "few.jsonl: changed since the run began" in again.stderr
