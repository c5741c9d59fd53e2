"""Runs of many recorded answers, carried out by several processes."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core import codec, plugins
from vivavoce.core.errors import UsageError, WorkerError
from vivavoce.core.kept import Kept
from vivavoce.core.model import Check, Plan, Selection, Use
from vivavoce.core.result import Run
from vivavoce.engines import _process
from vivavoce.run import share
from vivavoce.run.planner import plan, replan
from vivavoce.run.runner import examine

ROWS = 4_321


@pytest.fixture(autouse=True)
def two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share, "_LEAST", 1000)
    monkeypatch.setattr(share, "_cores", lambda: 2)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[_process.Process]:
    """The processes that were started."""
    found = []
    start = _process.Process.start

    async def starting(task: str, given: bytes) -> _process.Process:
        found.append(await start(task, given))
        return found[-1]

    monkeypatch.setattr(_process.Process, "start", starting)
    return found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Any]:
    made = plugins.build("stores", Use(name="sqlite", options={"path": str(tmp_path / "runs.db")}))
    yield made
    made.close()


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Two suites of unequal length, with lines that are blank, ids, and a column beside."""
    folder = tmp_path / "rows"
    folder.mkdir()
    for name, count in (("a", 1234), ("b", ROWS - 1234)):
        with (folder / f"{name}.jsonl").open("w") as out:
            for number in range(count):
                row = {"query": f"q{number}", "response": f"a {number % 5}", "ground_truth": f"a {number % 7}"}
                row |= {"id": f"row {number}"} if number % 3 == 0 else {}
                row |= {"tag": number} if number % 4 == 0 else {}
                out.write(json.dumps(row) + "\n" + "\n" * (number % 50 == 0))
    return folder


class Heard:
    """What was told while it ran; `then` is called when the first of it was."""

    def __init__(self, then: Callable[[], object] = lambda: None) -> None:
        self.positions: list[int] = []
        self.then = then

    def began(self, plan: Plan, done: int) -> None:
        return

    def kept(self, kept: Sequence[Kept]) -> None:
        first = not self.positions
        self.positions += [each.position for each in kept]
        if first:
            self.then()

    def finished(self, run: Run) -> None:
        return


def planned(rows: Path) -> Plan:
    checks = (Check(evaluator="ExactMatch", origin="run"), Check(evaluator="F1Score", origin="run"))
    return plan(Selection(paths=(str(rows),), evaluators=checks, judge=Use(name="none")))


async def carry_out(made: Plan, store: Any, run_id: str, heard: Heard, **more: Any) -> Run:
    seconds = itertools.count()
    return await examine(
        made,
        store,
        run_id=run_id,
        started="2026-01-31T11:00:00Z",
        now=lambda: f"2026-01-31T12:00:{next(seconds):02}Z",
        nonce="n",
        listeners=(heard,),
        **more,
    )


def is_running(process: _process.Process) -> bool:
    try:
        os.kill(process.number, 0)
    except ProcessLookupError:
        return False
    return True


def told(run: Run) -> list[bytes]:
    return [codec.encode(result) for result in run.results]


async def test_processes_give_the_results_of_one_in_their_order(
    rows: Path, store: Any, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = planned(rows)
    shared, alone = Heard(), Heard()
    ours = await carry_out(made, store, "r1", shared)
    assert len(started) == 2
    monkeypatch.setattr(share, "_cores", lambda: 1)
    theirs = await carry_out(made, store, "r2", alone)
    assert len(started) == 2
    assert shared.positions == alone.positions == list(range(ROWS))
    assert told(ours) == told(theirs)
    assert [codec.encode(case) for case in ours.cases] == [codec.encode(case) for case in theirs.cases]
    assert (ours.state, ours.summary.scored) == ("complete", ROWS)
    assert ours.summary.evaluators == theirs.summary.evaluators
    assert not any(map(is_running, started))


async def test_a_process_that_dies_stops_the_run_which_goes_on_from_there(rows: Path, store: Any, started: list[Any]) -> None:
    heard = Heard(lambda: os.kill(started[1].number, signal.SIGKILL))
    made = planned(rows)
    with pytest.raises(
        WorkerError, match=f"process [0-9]+, which carried out .* signal {signal.SIGKILL:d}; .* viva resume r1 goes on"
    ):
        await carry_out(made, store, "r1", heard)
    assert not any(map(is_running, started))
    run = store.run("r1")
    assert run.state == "stopped"
    assert [result.position for result in run.results] == heard.positions == list(range(len(heard.positions)))
    assert 0 < run.summary.scored == len(heard.positions) < ROWS
    rest = Heard()
    ended = await carry_out(replan(run.header), store, "r1", rest)
    assert heard.positions + rest.positions == list(range(ROWS))
    assert (ended.state, ended.summary.scored, ended.summary.not_run) == ("complete", ROWS, 0)


async def test_stopping_ends_the_processes_and_keeps_what_is_done(rows: Path, store: Any, started: list[Any]) -> None:
    stop = asyncio.Event()
    heard = Heard(stop.set)
    ended = await carry_out(planned(rows), store, "r1", heard, stop=stop)
    assert ended.state == "interrupted"
    assert not any(map(is_running, started))
    assert [result.position for result in ended.results] == heard.positions
    assert 0 < ended.summary.scored == len(heard.positions) < ROWS


async def test_a_file_that_changes_meanwhile_stops_the_run(rows: Path, store: Any, started: list[Any]) -> None:
    heard = Heard(lambda: (rows / "b.jsonl").write_text('{"query": "other", "response": "a"}\n'))
    with pytest.raises(UsageError, match="changed while it was examined"):
        await carry_out(planned(rows), store, "r1", heard)
    assert store.run("r1").state == "stopped"
    assert not any(map(is_running, started))


@pytest.mark.parametrize("chosen", [{"limit": 3000}, {"repeat": 2}, {"cases": ("*",)}])
async def test_a_run_of_some_cases_is_carried_out_by_one_process(
    rows: Path, store: Any, started: list[Any], chosen: dict[str, Any]
) -> None:
    checks = (Check(evaluator="ExactMatch", origin="run"),)
    made = plan(Selection(paths=(str(rows),), evaluators=checks, judge=Use(name="none"), **chosen))
    ended = await carry_out(made, store, "r1", Heard())
    assert (started, ended.state, ended.summary.not_run) == ([], "complete", 0)


def test_where_no_process_can_be_started_one_does_it_all(rows: Path, store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(rows / "none"))
    heard = Heard()
    ended = asyncio.run(carry_out(planned(rows), store, "r1", heard))
    assert (ended.state, heard.positions) == ("complete", list(range(ROWS)))


SCRIPT = """
from vivavoce import evaluate
from vivavoce.engines import _process
from vivavoce.run import share
share._LEAST, share._cores = 1000, lambda: 2
print("once")
run = evaluate({rows!r}, evaluators="ExactMatch", judge="none", store={store!r})
print(run.state, run.summary.scored)
"""


def test_a_script_that_does_not_guard_its_main_part_is_run_once(rows: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(rows=str(rows), store=str(tmp_path / "script.db")))
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert ended.stdout.splitlines() == ["once", f"complete {ROWS}"], ended.stderr
