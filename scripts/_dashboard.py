"""A store of many runs, and how long the dashboard takes to show them."""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
import urllib.request
from dataclasses import replace
from pathlib import Path

from vivavoce.analysis.summary import Tally
from vivavoce.core import plugins
from vivavoce.core.kept import keep
from vivavoce.core.model import Case, Header, Revision, Selection, Turn, Use
from vivavoce.core.reply import Reply
from vivavoce.core.result import Exchange, Result, Score, Status


def filled(path: Path, runs: int, cases: int) -> None:
    """Write a store of so many runs of one suite."""
    fill(Use(name="sqlite", options={"path": str(path)}), runs, cases)


def fill(use: Use, runs: int, cases: int) -> None:
    """The same, in a store of any kind."""
    store = plugins.build("stores", use)
    header = Header(digest="b2:0", selection=Selection(target=Use(name="recorded")), files=(), version="0.1.0")

    async def write() -> None:
        for run in range(runs):
            results = [result(at, (at * 31 + run * 7) % 11 > 1) for at in range(cases)]
            tally = Tally(1)
            for each in results:
                tally.add(each)
            started = f"2026-{1 + run // 28:02}-{1 + run % 28:02}T06:00:00Z"
            store.begin(f"run{run:03}", started, replace(header, revision=Revision(commit=f"{run // 4:040x}")))
            await store.append(f"run{run:03}", [keep(each, Case(id=each.case, turns=(Turn(input="?"),))) for each in results])
            store.finish(f"run{run:03}", started, "complete", tally.summary(trials_planned=cases, seconds=1.0))

    try:
        asyncio.run(write())
    finally:
        store.close()


def result(at: int, passed: bool) -> Result:
    status: Status = "pass" if passed else "fail"
    score = Score(name="ExactMatch", evaluator="ExactMatch", status=status, value=float(passed), reason="as expected " * 8)
    turn = Exchange(input="How is the weather? " * 10, reply=Reply(text="Sunny. " * 40), scores=(score,))
    return Result(suite="weather", case=f"case {at}", position=at, status=status, turns=(turn,), scores=())


def answered(store: Path, pages: dict[str, str], times: int) -> dict[str, float]:
    """Median seconds of each page, by its name, from a server of its own."""
    command = [sys.executable, "-m", "vivavoce", "serve", "--store", str(store), "--port", "0"]
    server = subprocess.Popen(command, cwd=store.parent, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = next(word for line in server.stdout for word in line.split() if word.startswith("http://")).rstrip("/")
        return {name: statistics.median(_seconds(url + path) for _ in range(times)) for name, path in pages.items()}
    finally:
        server.terminate()
        server.wait(30)


def _seconds(url: str) -> float:
    began = time.perf_counter()
    with urllib.request.urlopen(url, timeout=60) as answer:
        answer.read()
    return time.perf_counter() - began
