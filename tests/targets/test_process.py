"""A process that is called off while it starts."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from vivavoce.targets._process import Process

PARENT = """
import os, sys, time
child = os.fork()
if child:
    with open(sys.argv[1] + ".new", "w") as note:
        note.write(str(child))
    os.rename(sys.argv[1] + ".new", sys.argv[1])
time.sleep(60)
"""


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="tells by /proc whether a process runs")
async def test_a_start_that_is_called_off_leaves_no_child_behind(tmp_path):
    note = tmp_path / "child"
    argv = [sys.executable, "-S", "-c", PARENT, str(note)]
    starting = asyncio.ensure_future(Process.start(argv, cwd=None, env=dict(os.environ), limit=1000))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    while not note.exists():  # the program gets on while the event loop has not noticed yet
        time.sleep(0.01)  # noqa: ASYNC251 # so that it does not
    starting.cancel()
    outcome = (await asyncio.gather(starting, return_exceptions=True))[0]
    if isinstance(outcome, Process):  # it was quicker than we were
        outcome.kill()
        await outcome.stop()
    child = int(note.read_text())
    async with asyncio.timeout(20):
        while runs(child):  # noqa: ASYNC110 # nothing tells of the end of a process that is not ours
            await asyncio.sleep(0.01)
