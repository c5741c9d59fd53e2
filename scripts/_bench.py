"""Measure Viva on this machine, as ratios within one run: `scripts/bench [--quick] [--sdk] [--rows N]`."""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import _bench_stores
import _dashboard
import _differential
import _text_pairs

VIVA = [sys.executable, "-m", "vivavoce"]

SERVER = """
import asyncio, sys
from aiohttp import web
async def answer(request):
    data = await request.json()
    await asyncio.sleep(0.05)
    return web.json_response({"text": data["input"][::-1]})
async def main():
    app = web.Application()
    app.router.add_post("/", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(site._server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""

BARE = """
import asyncio, json, sys, aiohttp
url, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
async def main():
    cases = iter(open(path, encoding="utf-8"))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        async def worker():
            for line in cases:
                case = json.loads(line)
                async with session.post(url, json={"input": case["input"]}) as response:
                    (await response.json())["text"]
        await asyncio.gather(*(worker() for _ in range(count)))
asyncio.run(main())
"""

SDK = """
import sys
from azure.ai.evaluation import BleuScoreEvaluator, F1ScoreEvaluator, MeteorScoreEvaluator, evaluate
from azure.ai.evaluation import RougeScoreEvaluator, RougeType
if __name__ == "__main__":
    evaluators = {"f1": F1ScoreEvaluator(), "bleu": BleuScoreEvaluator(), "meteor": MeteorScoreEvaluator()}
    evaluate(data=sys.argv[1], evaluators={**evaluators, "rouge": RougeScoreEvaluator(RougeType.ROUGE_L)})
"""

SDK_SECONDS = 17.0
"""CPU of the Azure SDK over 2,000 rows on the machine for which the aims were set."""

WORDS = "the a order returned parcels days price shop opening hours Monday seven refund policy books author city night tickets"

AGENT = """
def answer(text):
    return text[::-1]
"""


@dataclass
class Cost:
    """One finished process."""

    wall: float
    cpu: float
    peak_mb: float


def run(argv: Sequence[str], cwd: Path, *, codes: Sequence[int] = (0,), cores: int | None = None) -> Cost:
    """Run a program to its end; with `cores`, on no more than so many."""
    if cores is not None:
        allowed = ",".join(map(str, sorted(os.sched_getaffinity(0))[:cores]))
        argv = ["taskset", "--cpu-list", allowed, *argv]
    began = time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(argv, cwd=cwd, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in codes:
            errors.seek(0)
            raise SystemExit(f"{' '.join(argv)} exited {process.returncode}: {errors.read().decode()[-2000:]}")
    return Cost(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def median(argv: Sequence[str], cwd: Path, times: int) -> Cost:
    costs = [run(argv, cwd) for _ in range(times)]
    return Cost(*(statistics.median(getattr(cost, name) for cost in costs) for name in ("wall", "cpu", "peak_mb")))


def cases(path: Path, count: int) -> Path:
    with path.open("w", encoding="utf-8") as out:
        for number in range(count):
            text = f"question {number} of the bench, long enough to be like one"
            out.write(json.dumps({"input": text, "expected": text[::-1]}) + "\n")
    return path


def answers(path: Path, count: int) -> Path:
    """Rows with recorded answers of a dozen words, a third of them as expected; the same ones each time."""
    words, chance = WORDS.split(), random.Random(1)
    with path.open("w", encoding="utf-8") as out:
        for number in range(count):
            expected = " ".join(chance.choices(words, k=12))
            answer = expected if number % 3 == 0 else " ".join(chance.choices(words, k=12))
            row = {"query": f"question {number}", "response": answer, "ground_truth": f"{expected}."}
            out.write(json.dumps(row) + "\n")
    return path


def say(what: str, value: str, bound: str) -> None:
    print(f"{what:<66} {value:>16}   (aim: {bound})", flush=True)


def start_up(folder: Path, times: int) -> None:
    bare = median([sys.executable, "-c", "pass"], folder, times)
    for what, argv in (
        ("import vivavoce", [sys.executable, "-c", "import vivavoce"]),
        ("viva --version", [*VIVA, "--version"]),
    ):
        cost = median(argv, folder, times)
        say(f"{what}, above bare Python", f"{(cost.wall - bare.wall) * 1000:.0f} ms", "at most 40 ms")
    items = [{"prompt": f"What is {n}?", "expected_response": str(n), "evaluators": {"ExactMatch": {}}} for n in range(100)]
    (folder / "hundred.json").write_text(json.dumps({"schemaVersion": "1.8.0", "items": items}, indent=2))
    cost = median([*VIVA, "validate", "hundred.json"], folder, times)
    say("viva validate, 100 cases", f"{cost.wall:.2f} s", "at most 0.4 s")


def over_http(folder: Path, count: int) -> None:
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/"
        many, one = cases(folder / "many.jsonl", count), cases(folder / "one.jsonl", 1)
        common = ["--target", url, "--evaluator", "ExactMatch", "--concurrency", "50", "--quiet"]

        def viva(path: Path) -> Cost:
            store = folder / "http.db"
            cost = run([*VIVA, "run", str(path), *common, "--store", str(store), "--output", "http.json"], folder)
            store.unlink()
            return cost

        def bare(path: Path) -> Cost:
            return run([sys.executable, "-c", BARE, url, str(path), "50"], folder)

        viva_start, bare_start = viva(one), bare(one)
        pairs = [(bare(many), viva(many)) for _ in range(3)]
        walls = [(ours.wall - viva_start.wall) / (theirs.wall - bare_start.wall) for theirs, ours in pairs]
        cpus = [ours.cpu / theirs.cpu for theirs, ours in pairs]
        say(f"{count} cases over HTTP, wall against a bare aiohttp loop", f"{statistics.median(walls):.3f} x", "1.05 x")
        say("  the same, CPU", f"{statistics.median(cpus):.2f} x", "3 x")
        say("  start-up, left out of the wall ratio", f"{viva_start.wall:.2f} s", "stated")
        say("  seconds", f"{pairs[-1][1].wall:.1f} s", "stated")
    finally:
        server.kill()
        server.wait()


def in_process(folder: Path, count: int) -> None:
    (folder / "agent.py").write_text(AGENT)

    def viva(path: Path) -> Cost:
        common = ["--target", "python:agent:answer", "--evaluator", "ExactMatch", "--quiet", "--store", "process.db"]
        cost = run([*VIVA, "run", str(path), *common, "--output", "process.json"], folder)
        (folder / "process.db").unlink()
        return cost

    start = viva(cases(folder / "one.jsonl", 1))
    small = viva(cases(folder / "many.jsonl", count))
    say(f"{count} cases in process, CPU a case", f"{(small.cpu - start.cpu) / count * 1000:.3f} ms", "at most 0.3 ms")
    large = viva(cases(folder / "more.jsonl", 10 * count))
    growth = f"{large.peak_mb:.0f} MB / {small.peak_mb:.0f} MB"
    say(f"peak memory, {10 * count} cases against {count}", growth, "1.1 x or +16 MB")


def overlap(folder: Path, count: int, sdk: bool) -> float | None:
    """Rows scored by their wording; gives the CPU seconds of the Azure SDK for the same, where it was measured."""
    dice = random.Random(0)
    with (folder / "rows.jsonl").open("w", encoding="utf-8") as out:
        for number in range(count):
            expected = " ".join(dice.sample(_text_pairs.SENTENCES, dice.randint(1, 3)))
            answer = _text_pairs.changed(expected, dice, [("big", "large"), ("begin", "start")])
            out.write(json.dumps({"query": f"question {number}", "ground_truth": expected, "response": answer}) + "\n")
    names = ("F1Score", "RougeScore", "BleuScore", "MeteorScore")
    asked = [word for name in names for word in ("--evaluator", name)]
    ours = run([*VIVA, "run", "rows.jsonl", *asked, "--quiet", "--store", "rows.db"], folder, codes=(0, 1))
    say(f"{count} recorded rows, F1 + ROUGE-L + BLEU + METEOR, CPU", f"{ours.cpu:.1f} s", "stated")
    home = _differential.cache()
    if not sdk and not (home / "ready").exists():
        say("  against the Azure AI Evaluation SDK", "--sdk measures", "0.1 x")
        return None
    python = _differential.environment(home)
    theirs = run(["env", f"NLTK_DATA={home / 'nltk_data'}", str(python), "-c", SDK, "rows.jsonl"], folder)
    say("  against the Azure AI Evaluation SDK, which reports as much", f"{ours.cpu / theirs.cpu:.3f} x", "0.1 x")
    return theirs.cpu


def recorded(folder: Path, path: Path, *evaluators: str, cores: int | None = None) -> Cost:
    """A run over recorded answers, from file to store and JSON lines; what its processes took is counted with it."""
    store = folder / "recorded.db"
    wanted = [part for name in evaluators for part in ("--evaluator", name)]
    out = ["--store", str(store), "--output", "recorded.jsonl"]
    cost = run([*VIVA, "run", str(path), *wanted, "--quiet", *out], folder, codes=(0, 1), cores=cores)
    for each in [*folder.glob(f"{store.name}*"), folder / "recorded.jsonl"]:
        each.unlink()
    return cost


def rows(folder: Path, count: int, sdk: float | None = None) -> None:
    """Many recorded answers; `sdk` is what `overlap` gave, by which one machine can be told from another."""
    exam = ("ExactMatch", "F1Score")
    start = recorded(folder, answers(folder / "one.jsonl", 1), *exam)
    small = recorded(folder, answers(folder / "some.jsonl", max(1, count // 100)), *exam)
    path = answers(folder / "rows.jsonl", count)
    alone, large = (recorded(folder, path, *exam, cores=cores) for cores in (1, 2))
    one, two = ((cost.cpu - start.cpu) / count * 1e6 for cost in (alone, large))
    say(f"{count} recorded answers, ExactMatch + F1, CPU a row", f"{one:.0f} us", "at most 100 us")
    if sdk is not None:
        same = one * SDK_SECONDS / sdk
        say(f"  on a machine where the SDK takes {SDK_SECONDS:g} s; here {sdk:.0f} s", f"{same:.0f} us", "at most 100 us")
    say("  the same on two cores", f"{two:.0f} us", "at most 100 us")
    say("  wall on one core, and on two", f"{alone.wall:.0f} s, {large.wall:.0f} s", "stated")
    say("  a million additions in Python on this machine, CPU", f"{additions() * 1000:.0f} ms", "stated")
    growth = f"{max(alone.peak_mb, large.peak_mb):.0f} MB / {small.peak_mb:.0f} MB"
    say(f"  peak memory, against {max(1, count // 100)} rows", growth, "1.1 x or +16 MB")
    faster = alone.wall / large.wall
    say("  two cores, as against one", f"{faster:.2f} x faster", "1.6 x")
    part = answers(folder / "part.jsonl", max(1, count // 10))
    pairs = [[recorded(folder, part, *exam, cores=cores) for cores in (1, 2)] for _ in range(7)]
    faster = statistics.median((one.wall - start.wall) / (two.wall - start.wall) for one, two in pairs)
    say(f"  the same of {max(1, count // 10)} rows, the median of 7 pairs", f"{faster:.2f} x faster", "stated")


def dashboard(folder: Path, runs: int) -> None:
    _dashboard.filled(folder / "runs.db", runs, 50)
    pages = {"trend": "/suites/weather", "first page": "/", "run": "/runs/last", "two runs": "/compare?a=run001&b=run002"}
    for name, seconds in _dashboard.answered(folder / "runs.db", pages, 9).items():
        bound = "at most 200 ms" if name == "trend" else "stated"
        say(f"dashboard over {runs} runs of 50 cases: {name}", f"{seconds * 1000:.0f} ms", bound)


def additions() -> float:
    """What tells how fast the machine is just now."""
    began, total = time.process_time(), 0
    for number in range(1_000_000):
        total += number
    return time.process_time() - began


def installed(folder: Path) -> None:
    root = Path(__file__).parent.parent
    where = folder / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", str(where), str(root)], check=True
    )
    size = sum(path.stat().st_size for path in where.rglob("*") if path.is_file())
    say("installed without extras", f"{size / 1e6:.0f} MB", "at most 50 MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the cases, fewer repeats")
    parser.add_argument("--sdk", action="store_true", help="compare with the Azure AI Evaluation SDK, installed if need be")
    parser.add_argument("--rows", type=int, metavar="N", help="examine so many recorded answers too; 1000000 takes minutes")
    arguments = parser.parse_args()
    quick = arguments.quick
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    folder = Path(tempfile.mkdtemp(prefix="viva-bench-"))
    try:
        start_up(folder, 5 if quick else 15)
        over_http(folder, 1_000 if quick else 10_000)
        in_process(folder, 1_000 if quick else 10_000)
        theirs = overlap(folder, 2_000, arguments.sdk)
        _bench_stores.measure(folder, say)
        if arguments.rows:
            rows(folder, arguments.rows, theirs)
        dashboard(folder, 200)
        installed(folder)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
