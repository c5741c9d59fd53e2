"""How a run goes, as server-sent events: `progress`, a `result` for each case, `finished`."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress

from vivavoce.core.kinds import Store
from vivavoce.core.overview import Wanted
from vivavoce.core.reply import JSON, Object
from vivavoce.core.result import Status
from vivavoce.web.context import Context
from vivavoce.web.live import Live, counts

_QUIET = 15.0
"""Seconds without news after which a word is sent all the same, so that the line is kept open."""
_LOOK = 1.0
"""Seconds between looks at a run that another process carries out."""
_NEWEST = 50
"""Runs among which one that is under way is looked for first."""
_STATUSES: tuple[Status, ...] = ("pass", "fail", "skip", "error")


async def events(context: Context, run_id: str, after: int) -> AsyncIterator[str]:
    """All of a run that is there by its id, from now to its end; `after` that many results, which were told before."""
    live = context.runs.live(run_id)
    stream = _watched(live, after) if live is not None else _looked_at(context, run_id)
    async for event in stream:
        yield event


async def _watched(live: Live, after: int) -> AsyncIterator[str]:
    """One that is carried out here."""
    while True:
        news = live.mark()
        for number, result in live.since(after):
            after = number
            yield _event("result", result, number)
        if live.over:
            yield _event("finished", {**live.progress(), "fault": live.fault})
            return
        yield _event("progress", live.progress())
        with suppress(TimeoutError):
            await asyncio.wait_for(news.wait(), _QUIET)


async def _looked_at(context: Context, run_id: str) -> AsyncIterator[str]:
    """One that another process carries out, or did."""
    run = await context.ask(lambda store: store.run(run_id))
    suites = list(dict.fromkeys(file.suite for file in run.header.files))
    fixed = {"run": run.id, "suites": suites, "trials": run.header.trials}
    before: Object | None = None
    while True:
        now = {**fixed, **await context.ask(lambda store: _stored(store, run_id))}
        if now["state"] != "running":
            yield _event("finished", {**now, "fault": None})
            return
        yield ": \n\n" if now == before else _event("progress", now)
        before = now
        await asyncio.sleep(_LOOK)


def _stored(store: Store, run_id: str) -> dict[str, JSON]:
    # Not the run itself, whose summary is counted anew from every result while it is under way.
    newest = {head.id: head.state for head in store.heads(_NEWEST)}
    state = newest[run_id] if run_id in newest else store.run(run_id).state
    tally: Counter[Status] = Counter()
    for status in _STATUSES:
        tally[status] = store.page(run_id, Wanted(status=status, limit=0)).count
    return {"state": state, "done": tally.total(), **counts(tally)}


def _event(name: str, data: Object, number: int | None = None) -> str:
    numbered = f"id: {number}\n" if number is not None else ""
    return f"{numbered}event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
