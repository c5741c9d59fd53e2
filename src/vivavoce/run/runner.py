"""A plan carried out: every trial that the store lacks, kept as it comes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Protocol

from vivavoce.analysis.summary import Tally
from vivavoce.core import codec, plugins, secrets
from vivavoce.core.errors import PluginError, UsageError
from vivavoce.core.kinds import Engine, Store, Target
from vivavoce.core.model import Header, Plan, Selection, Trial, Use
from vivavoce.core.reply import JSON, Reply
from vivavoce.core.result import Fault, Result, Run, Score, Simulation, State
from vivavoce.run import secrecy
from vivavoce.run.asking import judge_of, simulator_of
from vivavoce.run.calls import Calls, Limits
from vivavoce.run.checks import Checks
from vivavoce.run.judging import Bench
from vivavoce.run.planner import stored
from vivavoce.run.room import Room
from vivavoce.run.simulate import Stage
from vivavoce.run.trial import run_trial

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


async def examine(
    plan: Plan,
    store: Store,
    *,
    run_id: str,
    started: str,
    now: Callable[[], str],
    nonce: str,
    limits: Limits | None = None,
    listeners: Sequence[Listener] = (),
    stop: asyncio.Event | None = None,
    retry_errors: bool = False,
    target: Target | None = None,
) -> Run:
    """Run a plan, or what a store still lacks of it, and return it as the store has it.

    `stop` ends the run early, as `interrupted`; what is under way is cancelled, what is finished is kept. `now` gives the
    time as ISO 8601 in UTC; `nonce` tells this process's conversations from earlier ones.

    Raises:
        StoreError: a result could not be kept.
        UsageError: a file changed since it was planned; the run is stored as stopped, with what was done.
    """
    limits = limits or Limits()
    tally = new_tally(plan.header)
    done, seconds = _resume(plan, store, run_id, started, tally, retry_errors=retry_errors)
    began = time.monotonic() - seconds
    for listener in listeners:
        listener.began(plan, len(done))
    work = _Work(plan, limits, nonce, target)

    async def carry_out() -> None:
        async with aclosing(work.all(_left(plan, done), run_id, store, limits.concurrency)) as results:
            async for result in results:
                tally.add(result)
                for listener in listeners:
                    listener.result(result)

    state: State = "interrupted"
    try:
        state = await _until(carry_out, stop, limits.run_timeout)
    except UsageError:
        state = "stopped"
        raise
    finally:
        await work.close()
        _finish(plan, store, run_id, now(), state, tally, time.monotonic() - began)
    return _told(store.run(run_id), listeners)


class _Work:
    """What trials need, made once for a run."""

    def __init__(self, plan: Plan, limits: Limits, nonce: str, target: Target | None) -> None:
        selection = plan.header.selection
        judge, rate = judge_of(selection)
        made = target or plugins.build("targets", selection.target or Use(name="recorded"), lax=True)
        self._target: Target = made
        self._secrets = secrecy.values(selection)
        checks = Checks(selection.evaluators, selection.only, folder=plan.folder)
        self._room = Room(
            target=made,
            calls=Calls(
                limits,
                phase="target",
                timeout=getattr(made, "timeout", None),
                idempotent=getattr(made, "idempotent", False),
                abandons=getattr(made, "abandons", False),
            ),
            checks=checks,
            bench=Bench(
                checks=checks,
                use=judge,
                calls=Calls(replace(limits, rate=rate), phase="judge", timeout=None, idempotent=True),
            ),
            stage=_stage(selection, limits),
            nonce=nonce,
            case_timeout=limits.case_timeout,
        )

    async def all(self, trials: Iterator[Trial], run_id: str, store: Store, concurrency: int) -> AsyncGenerator[Result, None]:
        """Every trial's result, once it is kept."""

        async def work(trial: Trial) -> Result:
            return _kept(await run_trial(trial, self._room), self._secrets)

        async def keep(trial: Trial, result: Result) -> None:
            await store.append(run_id, result, trial.case)

        engine: Engine = plugins.build("engines", Use(name="local"))
        async with aclosing(engine.map(work, keep, trials, concurrency)) as results:  # type: ignore[type-var] # a generator
            async for result in results:
                yield result

    async def close(self) -> None:
        await self._target.close()
        await self._room.bench.close()
        if self._room.stage is not None:
            await self._room.stage.close()


def _stage(selection: Selection, limits: Limits) -> Stage | None:
    if selection.simulator is None:
        return None
    use, rate = simulator_of(selection)
    calls = Calls(replace(limits, rate=rate), phase="simulator", timeout=None, idempotent=True)
    return Stage(use=use, calls=calls)


def _kept(result: Result, hidden: Sequence[str]) -> Result:
    """A result as it is kept; one that cannot be, since an evaluator or a target gave what is no data, is that case's error."""
    try:
        text = codec.encode(result).decode()
    except (TypeError, ValueError, RecursionError) as error:
        message = f"what came of it cannot be stored: {error}"
        return Result(
            suite=result.suite,
            case=result.case,
            name=result.name,
            category=result.category,
            repeat=result.repeat,
            position=result.position,
            status="error",
            digest=result.digest,
            error=Fault(code="not_storable", message=secrets.blot(message, hidden)),
        )
    return _blotted(result, hidden) if hidden and secrets.occur(text, hidden) else result


def _blotted(result: Result, hidden: Sequence[str]) -> Result:
    """A result without the values of secrets, should an agent or a server have sent one back.

    What Viva itself says stays, such as a status or a code: a secret may be as plain a word.
    """
    told = partial(secrets.blot_all, secrets=hidden)
    return replace(
        result,
        name=told(result.name),
        metadata=told(result.metadata),
        turns=tuple(
            replace(
                turn,
                input=told(turn.input),
                expected=told(turn.expected),
                error=_fault(turn.error, told),
                reply=codec.convert(told(codec.plain(turn.reply)), Reply) if turn.reply is not None else None,
                scores=_scores(turn.scores, told),
            )
            for turn in result.turns
        ),
        scores=_scores(result.scores, told),
        simulation=_simulation(result.simulation, told),
        error=_fault(result.error, told),
    )


def _simulation(simulation: Simulation | None, told: Callable[[JSON], JSON]) -> Simulation | None:
    return replace(simulation, reasoning=told(simulation.reasoning)) if simulation is not None else None


def _fault(fault: Fault | None, told: Callable[[JSON], JSON]) -> Fault | None:
    return replace(fault, message=told(fault.message)) if fault is not None else None


def _scores(scores: Iterable[Score], told: Callable[[JSON], JSON]) -> tuple[Score, ...]:
    return tuple(replace(each, label=told(each.label), reason=told(each.reason), details=told(each.details)) for each in scores)


def _resume(
    plan: Plan, store: Store, run_id: str, started: str, tally: Tally, *, retry_errors: bool
) -> tuple[set[tuple[str, str, int]], float]:
    """Open the run in the store; what it has already is counted. Returns its keys, and the seconds already spent."""
    store.begin(run_id, started, stored(plan.header))
    done = store.keys(run_id)
    if not done:
        return done, 0.0
    before = store.run(run_id)
    if retry_errors:
        again = {result.key for result in before.results if result.status == "error"}
        store.forget(run_id, again)
        done -= again
    for result in before.results:
        tally.add(result)
    return done, before.summary.seconds


def _told(run: Run, listeners: Sequence[Listener]) -> Run:
    for listener in listeners:
        listener.finished(run)
    return run


def _finish(plan: Plan, store: Store, run_id: str, finished: str, state: State, tally: Tally, seconds: float) -> None:
    if state != "complete":
        tally = _recount(store, run_id, plan)
    store.finish(run_id, finished, state, tally.summary(trials_planned=plan.count, seconds=round(seconds, 3)))


def _recount(store: Store, run_id: str, plan: Plan) -> Tally:
    """What the store has: a result may have been committed just as its trial was cancelled."""
    tally = new_tally(plan.header)
    for result in store.run(run_id).results:
        tally.add(result)
    return tally


def new_tally(header: Header) -> Tally:
    """What counts the results of a plan."""
    target = header.selection.target
    asks = target is None or target.name != "recorded"
    return Tally(repeat=header.selection.repeat, scale=_scale, asks=asks)


def _scale(evaluator: str) -> tuple[float, float | None] | None:
    try:
        scale: tuple[float, float | None] | None = getattr(plugins.find("evaluators", evaluator), "scale", None)
    except PluginError:  # a project's own, whose scale nobody stated
        return None
    return scale


def _left(plan: Plan, done: set[tuple[str, str, int]]) -> Iterator[Trial]:
    return (trial for trial in plan.trials if trial.key not in done) if done else iter(plan.trials)


async def _until(
    carry_out: Callable[[], Coroutine[None, None, None]], stop: asyncio.Event | None, seconds: float | None
) -> State:
    """Carry out until the end, the stop, or the time limit; what it started has then ended, or does not let itself be."""
    work = asyncio.create_task(carry_out())
    stopped = asyncio.create_task((stop or asyncio.Event()).wait())
    try:
        await asyncio.wait({work, stopped}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            await work
            return "complete"
        return "interrupted" if stopped.done() else "stopped"
    finally:
        work.cancel()
        stopped.cancel()
        ended, _ = await asyncio.wait({work, stopped}, timeout=_ENDING)
        for task in ended:
            _ = task.cancelled() or task.exception()  # seen: nobody needs to be told of it
