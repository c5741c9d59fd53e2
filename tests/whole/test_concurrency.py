"""Runs beside one another and beside other work: in notebooks and web servers, into one store, and nothing left behind.

What signals do to the command is in `cli/test_resume` and `cli/test_stopping`, two processes and one run in
`test_two_processes`.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

import vivavoce
from vivavoce.core import plugins
from vivavoce.core.model import Use

from .conftest import Server, Viva, command, environment, write_cases

COUNT = 12


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    write_cases(Path("cases.jsonl"), [{"input": f"say {n}", "expected": str(n)} for n in range(COUNT)])
    return "cases.jsonl"


def options(target: object) -> dict[str, Any]:
    return {"target": target, "evaluators": "ExactMatch", "concurrency": 4}


def stored() -> Any:
    return plugins.build("stores", Use(name="sqlite", options={"path": ".viva/runs.db"}))


async def test_a_cell_of_a_notebook_waits_for_the_outcome_while_its_loop_is_running(cases: str, server: Server) -> None:
    before, threads = asyncio.all_tasks(), set(threading.enumerate())
    beside = asyncio.create_task(asyncio.sleep(0))
    run = vivavoce.evaluate(cases, **options(server.url))
    assert (run.state, run.summary.passed) == ("complete", COUNT)
    assert await asyncio.wait_for(beside, 10) is None
    assert asyncio.all_tasks() == before
    assert {thread for thread in set(threading.enumerate()) - threads if not thread.daemon} == set()


async def test_a_web_server_holds_several_runs_at_once_and_nothing_is_left_of_them(cases: str, server: Server) -> None:
    async def examine(_: web.Request) -> web.Response:
        run = await vivavoce.evaluate_async(cases, **options(server.url))
        return web.json_response({"id": run.id, "passed": run.summary.passed})

    server.delay = 0.02
    app = web.Application()
    app.router.add_get("/", examine)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with aiohttp.ClientSession(f"http://127.0.0.1:{runner.addresses[0][1]}") as client:

        async def get() -> dict[str, Any]:
            async with client.get("/") as response:
                return dict(await response.json())

        told = await asyncio.gather(*(get() for _ in range(3)))
    await runner.cleanup()
    assert [each["passed"] for each in told] == [COUNT] * 3
    assert {head.id for head in stored().runs()} == {each["id"] for each in told}
    assert all(count == 3 for count in server.asked.values())
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("what", ["server", "function"])
async def test_a_run_whose_caller_gives_up_ends_with_it(cases: str, server: Server, what: str) -> None:
    begun = asyncio.Event()

    async def answer(text: str) -> str:
        begun.set()
        await asyncio.sleep(600 if text == "say 7" else 0)
        return text.split()[1]

    server.mood = lambda: "never" if server.asked["say 7"] else ""
    before = asyncio.all_tasks()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(vivavoce.evaluate_async(cases, **options(server.url if what == "server" else answer)), 3)
    assert asyncio.all_tasks() == before
    (head,) = stored().runs()
    assert head.state == "interrupted"
    assert 0 < len(stored().keys(head.id)) < COUNT


CELL = """\
import asyncio, pathlib, time
import vivavoce

def answer(question):
    if question == "say 7":
        pathlib.Path("asked").touch()
        time.sleep(600)
    return question.split()[1]

async def cell():
    vivavoce.evaluate("cases.jsonl", target=answer, evaluators="ExactMatch", concurrency=2)

loop = asyncio.new_event_loop()
try:
    loop.run_until_complete(cell())
except KeyboardInterrupt:
    print("interrupted", asyncio.all_tasks(loop))
"""


def test_one_ctrl_c_stops_a_cell_of_a_notebook_in_good_order(cases: str) -> None:
    words = [sys.executable, "-c", CELL]
    with subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as cell:
        while not Path("asked").exists():
            assert cell.poll() is None
        cell.send_signal(signal.SIGINT)
        out, said = cell.communicate(timeout=60)
    assert (cell.returncode, out) == (0, "interrupted set()\n"), said
    assert [head.state for head in stored().runs()] == ["interrupted"]


def test_two_commands_at_once_keep_their_runs_in_one_store(viva: Viva, cases: str, server: Server) -> None:
    server.delay = 0.02
    words = command("run", cases, "--target", server.url, "--evaluator", "ExactMatch", "--concurrency", "3")
    both = [subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in range(2)]
    for each in both:
        said, _ = each.communicate(timeout=100)
        assert each.returncode == 0, said
    assert [(head.state, head.summary.passed) for head in stored().runs()] == [("complete", COUNT)] * 2
    assert viva("resume", "last").returncode == viva("resume", "last~1").returncode == 0
    assert sum(server.asked.values()) == 2 * COUNT
