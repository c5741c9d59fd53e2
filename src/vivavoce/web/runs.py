"""Runs in the background: each in a thread with an event loop of its own, so that no agent holds up an answer."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

from vivavoce.core import environment, prices
from vivavoce.core.errors import VivaError
from vivavoce.core.kinds import Store
from vivavoce.core.model import Plan, Selection
from vivavoce.core.result import Result, Run
from vivavoce.run import identity
from vivavoce.run.cassette import Deck
from vivavoce.run.planner import plan
from vivavoce.run.runner import examine
from vivavoce.run.stubborn import complete
from vivavoce.web import suites
from vivavoce.web.live import Live
from vivavoce.web.project import Project
from vivavoce.web.refusal import Refusal

_REMEMBERED = 100
"""Runs that were carried out here and are over, of which more is known than the store tells."""
_HEED = 0.2
"""Seconds until a run hears that it is to stop."""
_ENDING = 25.0
"""Seconds that runs have to end when the server does."""


class Runs:
    """Those of one server. A suite is in one at a time; used in the server's event loop alone."""

    def __init__(self, project: Project, say: Callable[[str], None]) -> None:
        self._project = project
        self._say = say
        self.suites = suites.Suites(project)
        self._lives: OrderedDict[str, Live] = OrderedDict()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._stopping = threading.Event()

    def live(self, run_id: str) -> Live | None:
        """A run that is or was carried out here."""
        return self._lives.get(run_id)

    def under_way(self, suite: str) -> str | None:
        """The run that a suite is in."""
        return next((each.run_id for each in self._lives.values() if suite in each.suites and not each.over), None)

    async def start(self, suite: str | None = None) -> Live:
        """Begin a run of a suite, or of all; it is in the store when this returns.

        Raises:
            Refusal: there is no such suite, or it is in a run already.
            VivaError: it cannot be run; the message says why.
        """
        known = await asyncio.to_thread(self.suites.known)
        selection, names = _chosen(self._project.selection, known, suite)
        for name in names:
            if (other := self.under_way(name)) is not None:
                raise Refusal(409, "under_way", f'the suite "{name}" is in the run {other}, which is under way')
        if self._stopping.is_set():
            raise Refusal(503, "stopping", "the server is about to end")
        live = Live(identity.new_id(), names)
        self._lives[live.run_id] = live
        begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks[live.run_id] = asyncio.create_task(self._see_through(live, selection, begun))
        try:
            await begun
        except (VivaError, Refusal):
            self._lives.pop(live.run_id, None)
            raise
        return live

    async def ended(self, live: Live) -> None:
        """Wait for a run to be over."""
        task = self._tasks.get(live.run_id)
        if task is not None:
            await asyncio.wait({task})

    def stop(self) -> None:
        """Ask every run to end; what is finished is kept. No other begins."""
        self._stopping.set()

    async def close(self) -> None:
        """End every run, and wait for that."""
        self.stop()
        if self._tasks:
            await asyncio.wait(set(self._tasks.values()), timeout=_ENDING)

    async def _see_through(self, live: Live, selection: Selection, begun: asyncio.Future[None]) -> None:
        """Carry out a run in a thread, and tell what became of it."""
        loop = asyncio.get_running_loop()
        follower = _Follower(partial(loop.call_soon_threadsafe), live, begun)
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="viva-run")
        work = loop.run_in_executor(thread, _carry_out, self._project, selection, live.run_id, follower, self._stopping)
        await asyncio.wait({work})
        thread.shutdown(wait=False)
        error = work.exception()
        if error is not None and not isinstance(error, VivaError):
            self._say(f"internal error: run {live.run_id}: {type(error).__name__}: {error}")
            error = Refusal(500, "internal", "an internal error; the server's own output tells more")
        live.ended("stopped", str(error) if error is not None else None)
        del self._tasks[live.run_id]
        while len(self._lives) > _REMEMBERED + len(self._tasks):
            del self._lives[next(key for key, each in self._lives.items() if each.over)]
        if not begun.done():
            begun.set_exception(error or VivaError("the run ended before it began"))


@dataclass(frozen=True, slots=True)
class _Follower:
    """Follows a run in its thread, and tells in the server's loop what happens."""

    tell: Callable[..., object]
    live: Live
    begun: asyncio.Future[None]

    def began(self, plan: Plan, done: int) -> None:
        """The run is in the store."""
        self.tell(self.live.began, plan.count, plan.warnings)
        self.tell(_settle, self.begun)

    def result(self, result: Result) -> None:
        """A result was committed."""
        self.tell(self.live.add, result)

    def finished(self, run: Run) -> None:
        """The run ended."""
        self.tell(self.live.ended, run.state)


def _settle(begun: asyncio.Future[None]) -> None:
    if not begun.done():  # whoever waited may have gone
        begun.set_result(None)


def _chosen(selection: Selection, known: tuple[suites.Known, ...], suite: str | None) -> tuple[Selection, tuple[str, ...]]:
    """What is to be run, and the suites in it."""
    if suite is None:
        if not known:
            raise Refusal(409, "no_suites", "no suites are named: set `paths`, or `suites` in [serve], in viva.toml")
        return selection, tuple(each.name for each in known if each.fault is None)
    found = next((each for each in known if each.name == suite), None)
    if found is None:
        raise Refusal(404, "unknown_suite", f'there is no suite "{suite:.200}" among those that this server runs')
    if found.fault is not None:
        raise Refusal(422, "cannot_run", f"{found.path}: {found.fault}")
    return replace(selection, paths=(found.path,)), (found.name,)


def _carry_out(project: Project, selection: Selection, run_id: str, follower: _Follower, stopping: threading.Event) -> None:
    with environment.known(project.environment), prices.known(project.prices), project.store() as store:
        made = plan(selection, folder=project.folder, asks=project.taping.asks)
        complete(_examine(made, store, project, run_id, follower, stopping))


async def _examine(
    made: Plan, store: Store, project: Project, run_id: str, follower: _Follower, stopping: threading.Event
) -> None:
    deck = Deck(project.taping, made.header.selection)
    stop = asyncio.Event()
    heeding = asyncio.create_task(_heed(stopping, stop))
    try:
        await examine(
            made,
            store,
            run_id=run_id,
            started=identity.now(),
            now=identity.now,
            nonce=identity.new_nonce(),
            limits=project.limits,
            listeners=(follower,),
            stop=stop,
            deck=deck,
        )
    finally:
        heeding.cancel()
        deck.close()


async def _heed(stopping: threading.Event, stop: asyncio.Event) -> None:
    while not stopping.is_set():  # noqa: ASYNC110 # it is set in another thread
        await asyncio.sleep(_HEED)
    stop.set()
