"""`viva run` and `viva resume`: examine an agent, and finish what was interrupted."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.cli.asked import limits, secret_uses, selection
from vivavoce.cli.command import Command
from vivavoce.cli.console import note, warn
from vivavoce.cli.options import add_settings, settings
from vivavoce.cli.report import report
from vivavoce.cli.stored import open_store
from vivavoce.core import environment
from vivavoce.core.errors import UsageError

if TYPE_CHECKING:
    from vivavoce.config.settings import Settings
    from vivavoce.core.kinds import Store
    from vivavoce.core.model import Plan
    from vivavoce.run.outputs import Outputs

NO_PATHS = """no dataset: say which files to read, or a folder of them, as in
  viva run evals/
or name them once in viva.toml, as in
  paths = ["evals/"]
`viva init` writes both to begin with"""


SECRETS = ("target-option", "judge-option")
"""Settings of a run that resuming it takes again, for secrets in them that were not stored."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Attempt:
    """A run that is about to be carried out, from its beginning or from where it was left."""

    plan: Plan
    run_id: str
    started: str
    outputs: Outputs
    retry_errors: bool = False


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="Dataset files, folders of them, or - for standard input.")
    add_settings(parser, lambda option: True)
    out = parser.add_argument_group("settings", "Settings also stand in viva.toml and in VIVA_* variables, by the same names.")
    out.add_argument("--print-config", action="store_true", help="Show every setting and where it comes from; run nothing.")


def _add_resume(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ref", metavar="RUN", help="A run: its id, the beginning of it, last, or last~1.")
    parser.add_argument("--retry-errors", action="store_true", help="Also repeat the cases that ended in an error.")
    add_settings(parser, lambda option: not option.answers or option.name in SECRETS)


def _run(arguments: argparse.Namespace) -> int:
    wanted = settings(arguments)
    if arguments.print_config:
        from vivavoce.config.show import show

        sys.stdout.write(show(wanted))
        return 0
    if not wanted.paths:
        raise UsageError(NO_PATHS)
    from vivavoce.run import identity
    from vivavoce.run.outputs import Outputs, choose
    from vivavoce.run.planner import plan

    outputs = Outputs(choose(wanted.output))
    with environment.known(wanted.environment), open_store(wanted) as store:
        made = plan(selection(wanted))
        outputs.spare(made)
        attempt = _Attempt(plan=made, run_id=identity.new_id(), started=identity.now(), outputs=outputs)
        return _carry_out(attempt, store, wanted)


def _resume(arguments: argparse.Namespace) -> int:
    wanted = settings(arguments)
    from vivavoce.run.outputs import Outputs, choose
    from vivavoce.run.planner import replan

    chosen = choose(wanted.output)
    with environment.known(wanted.environment), open_store(wanted) as store:
        run = store.run(arguments.ref)
        errors = arguments.retry_errors and any(result.status == "error" for result in run.results)
        outputs = Outputs(chosen, run.results)
        if run.state == "complete" and not errors:
            return report(run, outputs, wanted)
        target, judge = secret_uses(wanted)
        again = replan(run.header, target=target, judge=judge)
        outputs.spare(again)
        attempt = _Attempt(plan=again, run_id=run.id, started=run.started, outputs=outputs, retry_errors=arguments.retry_errors)
        return _carry_out(attempt, store, wanted)


COMMANDS = (
    Command(
        name="run",
        takes="[PATH ...] [OPTIONS]",
        help="Examine an agent with datasets; keep and report the run.",
        more="Exit codes: 0 all passed, or the gate was met; 1 something failed or errored, the gate was missed, or a limit\n"
        "stopped the run; 2 usage or dataset error, or nothing was evaluated; 130 or 143 interrupted, to be resumed.",
        examples=(
            "viva run evals/ --target python:my_agent:answer",
            "viva run evals.json --target https://agent.example/chat --judge none",
            "viva run evals/ --evaluator ExactMatch --output run.json --output results.csv",
            "viva run evals/ --case 'returns-*' --repeat 5 --min-pass-rate 0.95",
        ),
        add=_add_run,
        run=_run,
    ),
    Command(
        name="resume",
        takes="RUN [OPTIONS]",
        help="Finish an interrupted run: only what is missing is asked.",
        more="Target, judge, evaluators and cases are those the run began with, and its files must not have changed.",
        examples=("viva resume last", "viva resume 3f2a --retry-errors --concurrency 2 --output run.json"),
        add=_add_resume,
        run=_resume,
    ),
)
"""The commands of this file."""


def _carry_out(attempt: _Attempt, store: Store, wanted: Settings) -> int:
    import asyncio  # it takes longer to load than most commands take

    return asyncio.run(_examine(attempt, store, wanted))


async def _examine(attempt: _Attempt, store: Store, wanted: Settings) -> int:
    from vivavoce.cli.progress import progress
    from vivavoce.cli.stopping import stopping
    from vivavoce.run import identity
    from vivavoce.run.runner import examine

    plan = attempt.plan
    for warning in plan.warnings:
        warn(warning)
    shown = progress(quiet=wanted.quiet, verbose=wanted.verbose, no_color=wanted.no_color)
    if not wanted.quiet:
        note(_begins(attempt))
    with stopping(shown.close) as stop:
        try:
            run = await examine(
                plan,
                store,
                run_id=attempt.run_id,
                started=attempt.started,
                now=identity.now,
                nonce=identity.new_nonce(),
                limits=limits(wanted),
                listeners=(shown, attempt.outputs),
                stop=stop.event,
                retry_errors=attempt.retry_errors,
            )
        finally:
            shown.close()
        code = report(run, attempt.outputs, wanted)
    if run.state == "complete":
        return code
    if wanted.quiet or attempt.outputs.take_stdout:  # the report says so itself
        note(f"Not finished; go on with: viva resume {run.id}")
    return code if stop.code is None or run.state != "interrupted" else stop.code


def _begins(attempt: _Attempt) -> str:
    header = attempt.plan.header
    target = header.selection.target.name if header.selection.target is not None else "none"
    trials, files = attempt.plan.count, len(header.files)
    what = f"{trials} trial{'s' * (trials != 1)} of {files} file{'s' * (files != 1)}"
    return f"Run {attempt.run_id}: {what}, target {target}"
