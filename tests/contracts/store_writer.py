"""A process of its own that keeps runs: the store as JSON, what its runs are called, how many there are, and cases of each."""

from __future__ import annotations

import asyncio
import sys

from conftest_contracts import HEADER, make_result, make_trial

from vivavoce.core import codec, plugins
from vivavoce.core.kept import keep
from vivavoce.core.model import Use
from vivavoce.core.result import GroupSummary, Summary


async def write(use: Use, name: str, runs: int, cases: int) -> None:
    store = plugins.build("stores", use)
    kept = [keep(make_result(make_trial(number)), make_trial(number).case) for number in range(cases)]
    summary = Summary(cases=cases, trials=cases, passed=cases, suites={"a": GroupSummary(cases=cases)})
    for number in range(runs):
        run_id = f"{name}-{number}"
        store.begin(run_id, "2026-01-31T12:00:00Z", HEADER)
        half = cases // 2
        await asyncio.gather(store.append(run_id, kept[:half]), store.append(run_id, kept[half:]))
        store.finish(run_id, "2026-01-31T12:00:01Z", "complete", summary)
    store.close()


if __name__ == "__main__":
    asyncio.run(write(codec.decode(sys.argv[1], Use), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
