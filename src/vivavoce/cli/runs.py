"""`viva runs` and `viva show`: what the store holds."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vivavoce.cli.command import Command
from vivavoce.cli.console import printing, put, say, table
from vivavoce.cli.options import add_settings, named, settings
from vivavoce.cli.report import show
from vivavoce.cli.stored import open_store
from vivavoce.core.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from vivavoce.core.result import Run


def _add_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="Print a JSON list instead of a table.")
    # Not the setting of a run, although it is called the same.
    parser.add_argument("--limit", dest="newest", type=int, default=20, metavar="N", help="Only the N newest; default 20.")
    add_settings(parser, named("store"))


def _add_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ref", metavar="RUN", help="A run: its id, the beginning of it, last, or last~1.")
    parser.add_argument("--as", dest="name", metavar="NAME", help="Print it as this report or format; `viva list reports`.")
    parser.add_argument("--json", action="store_true", help="Print the run document; the same as --as json.")
    add_settings(parser, named("output", "store", "no-color"))


def _runs(arguments: argparse.Namespace) -> int:
    if arguments.newest < 1:
        raise UsageError(f"--limit must be a whole number of at least 1, not {arguments.newest}")
    with open_store(settings(arguments)) as store:
        runs = store.runs(arguments.newest)
    if arguments.json:
        put(json.dumps([_head(run) for run in runs], indent=2, ensure_ascii=False) + "\n")
    elif runs:
        headings = ("RUN", "STARTED", "STATE", "TARGET", "PASS", "FAIL", "SKIP", "ERROR", "RATE", "SUITES")
        table(headings, [_row(run) for run in runs])
    else:
        say("No runs are stored here yet; `viva run` makes one, and so does `viva demo`.")
    return EXIT_OK


def _show(arguments: argparse.Namespace) -> int:
    wanted = settings(arguments)
    from vivavoce.run.outputs import Outputs, choose, render, writer_named

    if arguments.json and arguments.name not in (None, "json"):
        raise UsageError("--json and --as both say how to print the run; give one")
    # Outputs of the config file are those of a run; showing an old one must not write over them.
    chosen = choose(wanted.output if hasattr(arguments, "output") else (), min_pass_rate=wanted.min_pass_rate)
    name = "json" if arguments.json else arguments.name
    writer = writer_named(name) if name else None
    with open_store(wanted) as store:
        run = store.run(arguments.ref)
        Outputs(chosen).write(run)
        if writer is not None:
            with printing():
                render(writer, run, sys.stdout)
        elif not chosen:
            show(run, wanted)
    return EXIT_OK


def _head(run: Run) -> dict[str, object]:
    """A run without its results."""
    from vivavoce.core import codec

    return codec.run_head(run)


def _row(run: Run) -> Sequence[str]:
    selection, summary = run.header.selection, run.summary
    rate = "-" if summary.pass_rate is None else f"{summary.pass_rate:.1%}"
    suites = ", ".join(dict.fromkeys(file.suite for file in run.header.files)) or ", ".join(summary.suites)
    counts = (summary.passed, summary.failed, summary.skipped, summary.errored)
    target = selection.target.name if selection.target is not None else "-"
    when = run.started[:19].replace("T", " ")
    return (run.id, when, run.state, target, *(str(count) for count in counts), rate, suites)


COMMANDS = (
    Command(
        name="runs",
        help="List the runs that are stored, newest first.",
        examples=("viva runs", "viva runs --limit 5 --json"),
        add=_add_runs,
        run=_runs,
    ),
    Command(
        name="show",
        takes="RUN [OPTIONS]",
        help="Show a stored run, or write it to files.",
        examples=("viva show last", "viva show last~1 --output run.json", "viva show 3f2a --as csv"),
        add=_add_show,
        run=_show,
    ),
)
"""The commands of this file."""
