"""What trials need, and how they are held and kept: one by one, many at a time, or by several processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from vivavoce.core import plugins
from vivavoce.core.errors import StoreError
from vivavoce.core.kept import Kept, keep
from vivavoce.core.kinds import Engine, Sharing, Store, Target
from vivavoce.core.model import Plan, Selection, Trial, Use
from vivavoce.core.result import Result
from vivavoce.run import secrecy, share
from vivavoce.run.asking import judge_of, simulator_of
from vivavoce.run.batch import Batch, unpacked
from vivavoce.run.calls import Calls, Limits
from vivavoce.run.cassette import Deck, Nobody
from vivavoce.run.checks import Checks
from vivavoce.run.judging import Bench
from vivavoce.run.keeping import as_kept
from vivavoce.run.room import Room
from vivavoce.run.simulate import Stage
from vivavoce.run.spending import Purse
from vivavoce.run.trial import run_trial
from vivavoce.run.trials import Key, Trials

_Adding = asyncio.Future[None]
_PIECES = 2
"""Pieces at a time: one is kept while the next is held."""
_SETTLING = 10.0
"""Seconds that a store has to commit what it was given, once a run is broken off."""


class Done(NamedTuple):
    """A trial that was held."""

    result: Result
    kept: Kept


class Work:
    """What trials need, made once for a run."""

    def __init__(
        self,
        plan: Plan,
        limits: Limits,
        nonce: str,
        target: Target | None,
        *,
        hidden: Sequence[str] = (),
        deck: Deck | None = None,
        purse: Purse | None = None,
    ) -> None:
        selection = plan.header.selection
        judge, rate = judge_of(selection)
        deck = deck or Deck()
        made = (
            target
            or (Nobody() if deck.silent("agent") else None)
            or plugins.build("targets", selection.target or Use(name="recorded"), lax=True)
        )
        self._target: Target = made
        self._purse = purse
        self._adding: dict[_Adding, Batch] = {}
        self._secrets = tuple(hidden) or secrecy.values(selection)
        checks = Checks(selection.evaluators, selection.only, folder=plan.folder)
        self._room = Room(
            target=made,
            calls=Calls(
                limits,
                phase="target",
                timeout=getattr(made, "timeout", None),
                idempotent=getattr(made, "idempotent", False),
                abandons=getattr(made, "abandons", False),
                waits=getattr(made, "waits", True),
                purse=purse,
            ),
            checks=checks,
            bench=Bench(
                checks=checks,
                use=judge,
                calls=Calls(replace(limits, rate=rate), phase="judge", timeout=None, idempotent=True, purse=purse),
                deck=deck,
            ),
            stage=_stage(selection, limits, deck, purse),
            deck=deck,
            nonce=nonce,
            case_timeout=limits.case_timeout,
        )

    async def all(
        self, plan: Plan, done: Collection[Key], run_id: str, store: Store, concurrency: int
    ) -> AsyncGenerator[Batch, None]:
        """The result of every trial but for those that are done, once it is kept; several at a time where nobody is waited
        for."""
        engine: Engine = plugins.build("engines", Use(name="local"))
        if not done and self._purse is None and isinstance(engine, Sharing) and share.is_worth_it(plan):
            shared = False
            async with aclosing(self._shared(engine, plan, run_id, store)) as results:
                async for batch in results:
                    shared = True
                    yield batch
            if shared:
                return
        # Where nobody is waited for, trials are held one after the other, and kept many at a time.
        assert isinstance(plan.trials, Trials)
        size, places = (1, concurrency) if plan.waits else (share.PIECE, _PIECES)
        pieces = plan.trials.pieces(size, done)

        async def work(piece: Sequence[Trial]) -> Batch:
            held: list[Done] = []
            for trial in piece:
                if held and self._purse is not None and self._purse.is_spent:
                    break
                held.append(await self.hold(trial))
            return Batch([each.kept for each in held], made=[each.result for each in held])

        async def add(piece: Sequence[Trial], batch: Batch) -> None:
            await self._added(self._add(store, run_id, batch))

        async with aclosing(engine.map(work, add, pieces, places)) as batches:  # type: ignore[type-var] # a generator
            async for batch in batches:
                yield batch

    async def _shared(self, engine: Sharing, plan: Plan, run_id: str, store: Store) -> AsyncGenerator[Batch, None]:
        """The same, held by processes of their own; one piece is kept while the next is read."""
        before: tuple[_Adding, Batch, Callable[[], None]] | None = None
        given = share.given(plan, self._secrets)
        async with aclosing(engine.share(share.TASK, given)) as pieces:  # type: ignore[type-var] # a generator
            async for piece, taken in pieces:
                batch = unpacked(piece)
                adding = self._add(store, run_id, batch)
                if before is not None:
                    await self._added(before[0])
                    before[2]()
                    yield before[1]
                before = adding, batch, taken
            if before is not None:
                await self._added(before[0])
                yield before[1]

    def _add(self, store: Store, run_id: str, batch: Batch) -> _Adding:
        """Give results to the store; that goes on though the run be broken off, and `unheard` then knows of it."""
        adding = asyncio.ensure_future(store.append(run_id, batch.kept))
        self._adding[adding] = batch
        return adding

    async def _added(self, adding: _Adding) -> None:
        await asyncio.shield(adding)
        del self._adding[adding]

    async def unheard(self) -> list[Batch]:
        """What was kept after all, though the run was broken off meanwhile."""
        if self._adding:
            await asyncio.wait(self._adding, timeout=_SETTLING)
        ended = [(adding, batch) for adding, batch in self._adding.items() if adding.done() and not adding.cancelled()]
        return [batch for adding, batch in ended if adding.exception() is None]

    async def hold(self, trial: Trial) -> Done:
        """A trial, held and written down.

        Raises:
            StoreError: it is no data.
        """
        held = partial(run_trial, trial, self._room)
        result, text = as_kept(await (self._purse.trial(held) if self._purse is not None else held()), self._secrets)
        try:
            return Done(result, keep(result, trial.case, text))
        except (TypeError, ValueError, RecursionError) as error:
            raise StoreError(f"{trial.suite}, case {trial.case.id}: is no data that can be stored: {error}") from error

    async def close(self) -> None:
        """Free what target and judge hold."""
        await self._target.close()
        await self._room.bench.close()
        if self._room.stage is not None:
            await self._room.stage.close()


def _stage(selection: Selection, limits: Limits, deck: Deck, purse: Purse | None) -> Stage | None:
    if selection.simulator is None:
        return None
    use, rate = simulator_of(selection)
    calls = Calls(replace(limits, rate=rate), phase="simulator", timeout=None, idempotent=True, purse=purse)
    return Stage(use=use, calls=calls, deck=deck)
