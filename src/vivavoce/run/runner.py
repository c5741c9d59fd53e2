"""A plan carried out: every trial that the store lacks, kept as it comes."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Protocol, runtime_checkable

from vivavoce.analysis.summary import Tally
from vivavoce.core.errors import StoreError, UsageError, WorkerError
from vivavoce.core.kept import Kept
from vivavoce.core.kinds import Store, Target
from vivavoce.core.model import Plan
from vivavoce.core.result import Result, Run, State
from vivavoce.run import spending
from vivavoce.run.batch import Batch, new_tally
from vivavoce.run.calls import Limits
from vivavoce.run.cassette import Deck
from vivavoce.run.planner import stored
from vivavoce.run.revision import revision
from vivavoce.run.work import Work

_ENDING = 10.0
"""Seconds that work which is cancelled has to end."""


class Listener(Protocol):
    """Somebody who follows a run: progress, a report written line by line."""

    def began(self, plan: Plan, done: int) -> None:
        """The run begins, with `done` trials already in the store."""

    def result(self, result: Result) -> None:
        """A result was committed."""

    def finished(self, run: Run) -> None:
        """The run ended, in whatever state."""


@runtime_checkable
class Keeper(Protocol):
    """A listener that takes results as they were kept, and not by `result`."""

    def began(self, plan: Plan, done: int) -> None:
        """As a listener's."""

    def kept(self, kept: Sequence[Kept]) -> None:
        """Results were committed."""

    def finished(self, run: Run) -> None:
        """As a listener's."""


async def examine(
    plan: Plan,
    store: Store,
    *,
    run_id: str,
    started: str,
    now: Callable[[], str],
    nonce: str,
    limits: Limits | None = None,
    listeners: Sequence[Listener | Keeper] = (),
    stop: asyncio.Event | None = None,
    retry_errors: bool = False,
    target: Target | None = None,
    deck: Deck | None = None,
) -> Run:
    """Run a plan, or what a store still lacks of it, and return it as the store has it.

    `stop` ends the run early, as `interrupted`; what is under way is cancelled, what is finished is kept. `now` gives the
    time as ISO 8601 in UTC; `nonce` tells this process's conversations from earlier ones. The caller closes `deck`.

    Raises:
        StoreError: a result could not be kept.
        UsageError: a file changed since it was planned; the run is stored as stopped, with what was done.
        WorkerError: a process that carried out a part of it ended; stored likewise.
    """
    limits = limits or Limits()
    spending.check(plan, limits.money_budget, deck)
    tally = new_tally(plan.header)
    done, began = _resume(plan, store, run_id, started, tally, retry_errors=retry_errors)
    all_hear = _begin(plan, done, listeners)
    purse = spending.purse(limits.token_budget, limits.money_budget, tally.usage)
    work = Work(plan, limits, nonce, target, deck=deck, purse=purse)

    async def carry_out() -> None:
        async with aclosing(work.all(plan, done, run_id, store, limits.concurrency)) as results:
            async for batch in results:
                _hear(batch, tally, all_hear)

    state: State = "interrupted"
    try:
        state = await _until(carry_out, stop, limits.run_timeout, purse.settled if purse is not None else None)
    except (UsageError, WorkerError) as error:
        state = "stopped"
        raise _mendable(error, run_id) from None
    finally:
        for batch in await work.unheard():
            _hear(batch, tally, all_hear)
        await work.close()
        _finish(plan, store, run_id, max(now(), started), state, tally, time.monotonic() - began)
    return _told(store.run(run_id), listeners)


def _mendable(error: UsageError | WorkerError, run_id: str) -> UsageError | WorkerError:
    """The error with the way to go on, where the person need not mend anything first."""
    if isinstance(error, UsageError):
        return error
    return WorkerError(f"{error}; what was done is kept, and viva resume {run_id} goes on from there")


def _resume(
    plan: Plan, store: Store, run_id: str, started: str, tally: Tally, *, retry_errors: bool
) -> tuple[set[tuple[str, str, int]], float]:
    """Open the run in the store; what it has already is counted. Returns its keys, and when its seconds began."""
    store.begin(run_id, started, replace(stored(plan.header), revision=revision(plan.folder)))
    done = store.keys(run_id)
    if not done:
        return done, time.monotonic()
    before = store.run(run_id)
    if retry_errors:
        again = {result.key for result in before.results if result.status == "error"}
        store.forget(run_id, again)
        done -= again
    for result in before.results:
        tally.add(result)
    return done, time.monotonic() - before.summary.seconds


_Hearing = Callable[[Batch], None]


def _begin(plan: Plan, done: Collection[object], listeners: Sequence[Listener | Keeper]) -> list[_Hearing]:
    """Tell them that the run begins; returns how each hears of results."""
    for listener in listeners:
        listener.began(plan, len(done))
    return [_hearing(listener) for listener in listeners]


def _hearing(listener: Listener | Keeper) -> _Hearing:
    """How one hears of results that were kept."""
    if isinstance(listener, Keeper):
        return lambda batch: listener.kept(batch.kept)

    def one_by_one(batch: Batch) -> None:
        for result in batch.results():
            listener.result(result)

    return one_by_one


def _hear(batch: Batch, tally: Tally, all_hear: Sequence[_Hearing]) -> None:
    """Count results that were kept, and tell of them."""
    batch.count(tally)
    for hear in all_hear:
        hear(batch)


def _told(run: Run, listeners: Sequence[Listener | Keeper]) -> Run:
    for listener in listeners:
        listener.finished(run)
    return run


def _finish(plan: Plan, store: Store, run_id: str, finished: str, state: State, tally: Tally, seconds: float) -> None:
    under_way = sys.exception()
    try:
        if state != "complete" and len(store.keys(run_id)) != tally.count:
            tally = _recount(store, run_id, plan)
        store.finish(run_id, finished, state, tally.summary(trials_planned=plan.count, seconds=round(seconds, 3)))
    except StoreError:
        if not isinstance(under_way, StoreError):
            raise  # else the store is gone, and what it said first tells how to go on


def _recount(store: Store, run_id: str, plan: Plan) -> Tally:
    """What the store has: a result may have been committed just as its trial was cancelled."""
    tally = new_tally(plan.header)
    for result in store.run(run_id).results:
        tally.add(result)
    return tally


async def _until(
    carry_out: Callable[[], Coroutine[None, None, None]],
    stop: asyncio.Event | None,
    seconds: float | None,
    spent: asyncio.Event | None = None,
) -> State:
    """Carry out until the end, the stop, or a limit of time or budget; what it started has then ended, or will not."""
    work = asyncio.create_task(carry_out())
    stopped = asyncio.create_task((stop or asyncio.Event()).wait())
    at_end = asyncio.create_task((spent or asyncio.Event()).wait())
    try:
        await asyncio.wait({work, stopped, at_end}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            await work
            return "complete"
        return "interrupted" if stopped.done() else "stopped"
    finally:
        work.cancel()
        stopped.cancel()
        at_end.cancel()
        ended, _ = await asyncio.wait({work, stopped, at_end}, timeout=_ENDING)
        for task in ended:
            _ = task.cancelled() or task.exception()  # seen: nobody needs to be told of it
