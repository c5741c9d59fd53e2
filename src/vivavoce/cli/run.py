"""`viva run` and `viva resume`: examine an agent, and finish what was interrupted."""

from __future__ import annotations

import argparse

from vivavoce.cli.command import Command
from vivavoce.cli.console import put
from vivavoce.cli.exam import Attempt, begin, carry_out, sign_in
from vivavoce.cli.flags import add_settings, settings
from vivavoce.cli.report import report
from vivavoce.cli.stored import open_store, project
from vivavoce.cli.terms import secret_uses, taping
from vivavoce.core import environment, prices
from vivavoce.core.errors import UsageError

NO_PATHS = """no dataset: say which files to read, or a folder of them, as in
  viva run evals/
or name them once in viva.toml, as in
  paths = ["evals/"]
`viva init` writes both to begin with"""


SECRETS = ("target-option", "judge-option", "simulator-option")
"""Settings of a run that resuming it takes again, for secrets in them that were not stored."""


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

        put(show(wanted))
        return 0
    if not wanted.paths:
        raise UsageError(NO_PATHS)
    return begin(wanted)


def _resume(arguments: argparse.Namespace) -> int:
    wanted = settings(arguments)
    from vivavoce.run.outputs import Outputs, choose
    from vivavoce.run.planner import replan

    chosen = choose(wanted.output, min_pass_rate=wanted.min_pass_rate)
    with environment.known(wanted.environment), prices.known(wanted.prices), open_store(wanted) as store:
        run = store.run(arguments.ref)
        errors = arguments.retry_errors and any(result.status == "error" for result in run.results)
        outputs = Outputs(chosen, run.results)
        if run.state == "complete" and not errors:
            outputs.spare(None, project(wanted))
            return report(run, outputs, wanted)
        asks = taping(wanted).asks
        again = replan(run.header, secret=secret_uses(wanted), asks=asks)
        outputs.spare(again, project(wanted))
        if asks:
            sign_in(again)
        attempt = Attempt(plan=again, run_id=run.id, started=run.started, outputs=outputs, retry_errors=arguments.retry_errors)
        return carry_out(attempt, store, wanted)


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
        more="Whom it asks, evaluators and cases are those the run began with, and its files must not have changed.",
        examples=("viva resume last", "viva resume 3f2a --retry-errors --concurrency 2 --output run.json"),
        add=_add_resume,
        run=_resume,
    ),
)
"""The commands of this file."""
