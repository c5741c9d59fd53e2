"""Kill runs at random moments and resume them: `scripts/soak [--runs N] [--cases N] [--seed N] [--store sqlite|postgres]`.

Each run is begun with `viva run`, killed with SIGKILL up to three times - after so many questions as the dice say, or after
so long - and taken up with `viva resume` each time. An agent counts what it is asked; the lines that a run streams tell what
it has called finished; the store is read after each kill. Exits with 1 when a finished result was lost, changed or asked for
again, when more was under way at a kill than may be, or when the document in the end is another one than that of a run that
nobody disturbed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import _postgres
from aiohttp import web

from vivavoce.core import codec, plugins
from vivavoce.core.errors import StoreError
from vivavoce.core.model import Use

CONCURRENCY = 20
KILLS = 3
"""At most, in one run."""
Key = tuple[str, str, int]


@dataclass
class Agent:
    """Answers each question with its number after some milliseconds, and counts how often each was asked."""

    dice: random.Random
    url: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    busy: int = 0

    async def answer(self, request: web.Request) -> web.Response:
        self.busy += 1
        try:
            text = (await request.json())["input"]
            self.asked[text] += 1
            await asyncio.sleep(self.dice.random() * 0.02)
            return web.json_response({"text": text.split()[-1]})
        finally:
            self.busy -= 1

    def settle(self) -> None:
        """Wait until what a killed run had sent is dealt with."""
        quiet = 0
        while quiet < 5:
            time.sleep(0.02)
            quiet = quiet + 1 if not self.busy else 0

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Listen on loopback, in a thread."""
        loop, ready = asyncio.new_event_loop(), threading.Event()

        async def start() -> web.AppRunner:
            app = web.Application()
            app.router.add_post("/", self.answer)
            runner = web.AppRunner(app, access_log=None)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
            ready.set()
            return runner

        runner = loop.create_task(start())
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        ready.wait()
        try:
            yield
        finally:
            asyncio.run_coroutine_threadsafe(runner.result().cleanup(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


@dataclass
class Figures:
    """What came of the runs into one store."""

    runs: int = 0
    kills: int = 0
    before: int = 0
    """Kills before the first result was kept."""
    after: int = 0
    """Kills after the last one."""
    finished: int = 0
    """Results that were finished at some kill."""
    told: int = 0
    """Of them, those that the run had called finished."""
    lost: int = 0
    asked: int = 0
    under_way: int = 0
    """Answers that were asked for, and not finished at the kill."""
    most: int = 0
    """The most of them at one kill."""
    repeated: int = 0
    again: int = 0
    """Questions asked again though they were finished."""
    unlike: int = 0
    """Documents or exit codes that differ from those of a run that nobody disturbed."""
    seconds: float = 0

    @property
    def broken(self) -> bool:
        return bool(self.lost or self.again or self.unlike or self.most > CONCURRENCY or self.repeated > self.under_way)


class Soak:
    """Runs of one dataset into stores of one kind."""

    def __init__(self, folder: Path, agent: Agent, use: Use, where: str, cases: int, dice: random.Random) -> None:
        self.folder, self.agent, self.use, self.where, self.cases, self.dice = folder, agent, use, where, cases, dice
        self.figures = Figures()
        self.whole, self.code, self.length = self._undisturbed()

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-m", "vivavoce", *words, "--store", self.where, "--concurrency", str(CONCURRENCY), "--quiet"]
        env = {name: value for name, value in os.environ.items() if not name.startswith("VIVA_")} | {"PYTHONUTF8": "1"}
        with (self.folder / "errors.txt").open("wb") as errors:
            return subprocess.Popen(argv, cwd=self.folder, env=env, stdout=subprocess.DEVNULL, stderr=errors)

    def _begin(self) -> tuple[str, ...]:
        return ("run", "cases.jsonl", "--target", self.agent.url)

    def _undisturbed(self) -> tuple[object, int, float]:
        began = time.monotonic()
        code = self._start(*self._begin(), "--output", "whole.json").wait()
        return comparable(self.folder / "whole.json"), code, time.monotonic() - began

    def run(self) -> None:
        """One run: killed and resumed until it is whole."""
        began, figures = time.monotonic(), self.figures
        self.agent.asked.clear()
        known, finished, owed = self._runs(), {}, 0
        for turn in range(KILLS + 1):
            words = ("resume", "last") if self._runs() > known else self._begin()
            before = self.agent.asked.copy()
            (self.folder / "told.jsonl").unlink(missing_ok=True)
            process = self._start(*words, "--output", "told.jsonl", "--output", "whole.json")
            code, killed = self._killed(process, len(finished)) if turn < KILLS else (process.wait(), False)
            self.agent.settle()
            now = self._kept() if self._runs() > known else {}
            new = sum((self.agent.asked - before).values())
            figures.lost += sum(now.get(key) != text for key, text in finished.items())
            figures.again += sum(self.agent.asked[told] - before[told] for told in map(question, finished))
            if not killed:
                break
            told = self._told()
            figures.lost += len(told - now.keys())
            figures.kills += 1
            figures.before += not now
            figures.after += len(now) == self.cases
            figures.told += len(told - finished.keys())
            figures.finished += len(now.keys() - finished.keys())
            figures.most = max(figures.most, new - len(now.keys() - finished.keys()))
            owed += new - len(now.keys() - finished.keys())
            finished = now
        asked = sum(self.agent.asked.values())
        figures.runs += 1
        figures.asked += asked
        figures.under_way += owed
        figures.repeated += asked - self.cases
        figures.lost += self.cases - len(self._kept())
        figures.unlike += code != self.code or comparable(self.folder / "whole.json") != self.whole
        figures.seconds += time.monotonic() - began

    def _killed(self, process: subprocess.Popen[bytes], finished: int) -> tuple[int, bool]:
        """Kill a process at some moment, if it has not ended: at any time, while it asks, or when all is answered."""
        left, before = self.cases - finished, self.agent.asked.total()
        if self.dice.random() < 0.25:
            wanted, more = 0, self.dice.random() * self.length
        else:
            wanted, more = int(self.dice.random() * left * 1.1), self.dice.random() * 0.05
        while self.agent.asked.total() - before < min(wanted, left) and process.poll() is None:
            time.sleep(0.001)
        with suppress(subprocess.TimeoutExpired):
            process.wait(more * 10 if wanted > left else more)
        process.kill()
        code = process.wait()
        return code, code == -signal.SIGKILL

    def _runs(self) -> int:
        store = plugins.build("stores", self.use)
        try:
            return len(store.runs())
        except StoreError:
            return 0
        finally:
            store.close()

    def _kept(self) -> dict[Key, bytes]:
        store = plugins.build("stores", self.use)
        try:
            return {result.key: codec.encode(result) for result in store.run("last").results}
        finally:
            store.close()

    def _told(self) -> set[Key]:
        """What the last process called finished, line by line; a line that was cut off is none."""
        path = self.folder / "told.jsonl"
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        told = [json.loads(line) for line in lines if line.endswith(b"\n")]
        return {(each["suite"], each["case"], each["repeat"]) for each in told if "case" in each}


def question(key: Key) -> str:
    return f"say {key[1].removeprefix('case ')}"


def comparable(path: Path) -> object:
    """A run document without ids and times."""
    document = json.loads(path.read_text(encoding="utf-8"))
    for volatile in ("id", "started", "finished"):
        del document[volatile]
    del document["summary"]["seconds"]
    for result in document["results"]:
        for turn in result["turns"]:
            del turn["reply"]["seconds"]
    return document


def dataset(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as out:
        for number in range(count):
            expected = str(number if number % 7 else -1)
            case = {"id": f"case {number}", "input": f"say {number}", "expected": expected, "evaluators": {"ExactMatch": {}}}
            out.write(json.dumps(case) + "\n")


def table(found: dict[str, Figures]) -> Iterator[str]:
    rows = {
        "runs": "runs",
        "kills": "killed with SIGKILL",
        "before": "  before the first result was kept",
        "after": "  after the last result was kept",
        "finished": "results finished before a kill",
        "told": "  told as finished by the run itself",
        "lost": "finished results lost or changed",
        "asked": "questions asked",
        "under_way": "under way at a kill, all kills",
        "most": f"under way at one kill, at most ({CONCURRENCY} allowed)",
        "repeated": "questions asked twice",
        "again": "finished questions asked again",
        "unlike": "documents that differ from an undisturbed run's",
        "seconds": "seconds",
    }
    yield f"{'':<52}" + "".join(f"{name:>12}" for name in found)
    for name, what in rows.items():
        yield f"{what:<52}" + "".join(f"{getattr(each, name):>12.0f}" for each in found.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="how many runs into each store")
    parser.add_argument("--cases", type=int, default=2_000, metavar="N", help="how many cases each")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="other moments")
    parser.add_argument("--store", choices=("sqlite", "postgres"), help="one kind of store alone")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="viva-soak-"))
    dataset(folder / "cases.jsonl", given.cases)
    agent, found = Agent(random.Random(given.seed)), {}
    try:
        with _postgres.server() as url, agent.serving():
            stores = {
                "sqlite": (Use(name="sqlite", options={"path": str(folder / "runs.db")}), "runs.db"),
                "postgres": (Use(name="postgres", options={"url": url or ""}), url or ""),
            }
            for kind, (use, where) in stores.items():
                if given.store in (None, kind) and where:
                    soak = Soak(folder, agent, use, where, given.cases, random.Random(given.seed))
                    found[kind] = soak.figures
                    for _ in range(given.runs):
                        soak.run()
    finally:
        shutil.rmtree(folder)
    print("\n".join(table(found)))
    broken = [kind for kind, figures in found.items() if figures.broken]
    print(f"broken promises: {', '.join(broken) or 'none'}")
    return 1 if broken or not found else 0


if __name__ == "__main__":
    sys.exit(main())
