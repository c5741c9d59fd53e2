"""An exam as the command line holds it: planned, carried out under the eye of signals, and reported."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.cli.console import note, warn
from vivavoce.cli.report import report
from vivavoce.cli.stored import open_store, project
from vivavoce.cli.terms import limits, selection, taping
from vivavoce.core import environment, garbage, prices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.cli.progress import Silent, Telling
    from vivavoce.cli.stopping import Stop
    from vivavoce.config.settings import Settings
    from vivavoce.core.kinds import Store
    from vivavoce.core.model import Plan, Suite
    from vivavoce.core.result import Run
    from vivavoce.run.outputs import Outputs


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """A run that is about to be carried out, from its beginning or from where it was left."""

    plan: Plan
    run_id: str
    started: str
    outputs: Outputs
    retry_errors: bool = False


def begin(wanted: Settings, shown: Silent | Telling | None = None) -> int:
    """A new run of what the settings ask for; returns the exit code. `shown` follows it instead of the usual progress.

    Raises:
        VivaError: it cannot be held as it is asked for; nothing was called.
    """
    from vivavoce.run import identity
    from vivavoce.run.outputs import Outputs, choose
    from vivavoce.run.planner import plan

    selected = selection(wanted)
    asks = taping(wanted).asks
    outputs = Outputs(choose(wanted.output, min_pass_rate=wanted.min_pass_rate))
    with environment.known(wanted.environment), prices.known(wanted.prices), open_store(wanted) as store:
        made = plan(selected, asks=asks)
        outputs.spare(made, project(wanted))
        if asks:
            _expect_checks(made, wanted)
            sign_in(made)
        attempt = Attempt(plan=made, run_id=identity.new_id(), started=identity.now(), outputs=outputs)
        return carry_out(attempt, store, wanted, shown)


def rehearse(wanted: Settings, suites: Sequence[Suite] = ()) -> Plan:
    """What would be run, so that what is wrong with it is told before anything is done.

    Raises:
        VivaError: it cannot be held as it is asked for.
    """
    from vivavoce.run.planner import plan

    with environment.known(wanted.environment), prices.known(wanted.prices):
        return plan(selection(wanted), suites=suites, asks=taping(wanted).asks)


def _expect_checks(plan: Plan, wanted: Settings) -> None:
    """Refuse to ask an agent whose answers nobody examines, unless they are to be written somewhere."""
    from vivavoce.core.errors import UsageError

    if plan.waits and not plan.examines and not (wanted.output or wanted.record):
        raise UsageError(
            "no check: the files ask for no evaluator and none is named, so nobody was asked; name one, as with "
            "--evaluator ExactMatch, or say with --output where the answers are to be written"
        )


def sign_in(plan: Plan) -> None:
    """Have a person sign in to a target that asks for that: before the run, and not within the time of its first call.

    Raises:
        UsageError: nobody could be signed in.
    """
    from vivavoce.core import plugins
    from vivavoce.core.errors import CallError, UsageError

    use = plan.header.selection.target
    if use is None or not hasattr(plugins.find("targets", use.name), "sign_in"):
        return
    try:
        plugins.build("targets", use, lax=True).sign_in()
    except CallError as error:
        raise UsageError(f"target {use.name}: {error}") from None


def carry_out(attempt: Attempt, store: Store, wanted: Settings, shown: Silent | Telling | None = None) -> int:
    """Examine, report, and return the exit code."""
    from vivavoce.cli.progress import progress
    from vivavoce.run.stubborn import complete

    shown = shown or progress(quiet=wanted.quiet, verbose=wanted.verbose, no_color=wanted.no_color)
    with garbage.seldom():
        return complete(_examine(attempt, store, wanted, shown))


async def hold(attempt: Attempt, store: Store, wanted: Settings, shown: Silent | Telling, stop: Stop) -> Run:
    """Examine until the end, or until `stop` is heard; the run as the store then has it."""
    from vivavoce.run import identity
    from vivavoce.run.cassette import Deck
    from vivavoce.run.runner import examine

    deck = Deck(taping(wanted), attempt.plan.header.selection)
    if deck.warning is not None:
        warn(deck.warning)
    try:
        return await examine(
            attempt.plan,
            store,
            run_id=attempt.run_id,
            started=attempt.started,
            now=identity.now,
            nonce=identity.new_nonce(),
            limits=limits(wanted),
            listeners=(shown, attempt.outputs),
            stop=stop.event,
            retry_errors=attempt.retry_errors,
            deck=deck,
        )
    finally:
        shown.close()
        deck.close()


async def _examine(attempt: Attempt, store: Store, wanted: Settings, shown: Silent | Telling) -> int:
    from vivavoce.cli.stopping import stopping
    from vivavoce.core.errors import UsageError, VivaError, WorkerError

    for warning in attempt.plan.warnings:
        warn(warning)
    if not wanted.quiet:
        note(_begins(attempt))
    with stopping(shown.close) as stop:
        try:
            run = await hold(attempt, store, wanted, shown, stop)
        except (UsageError, WorkerError):
            with suppress(VivaError):  # what is told is why the run ended
                run = store.run(attempt.run_id)
                attempt.outputs.finished(run)
                attempt.outputs.write(run)
            raise
        code = report(run, attempt.outputs, wanted)
    if run.state == "complete":
        return code
    if wanted.quiet or attempt.outputs.take_stdout:  # the report says so itself
        note(f"Not finished; go on with: viva resume {run.id}")
    return code if stop.code is None or run.state != "interrupted" else stop.code


def _begins(attempt: Attempt) -> str:
    header = attempt.plan.header
    target = header.selection.target.name if header.selection.target is not None else "none"
    trials, files = attempt.plan.count, len(header.files)
    what = f"{trials} trial{'s' * (trials != 1)} of {files} file{'s' * (files != 1)}"
    return f"Examining {target}: {what}"
