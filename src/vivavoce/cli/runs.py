"""`viva runs` and `viva show`: what the store holds."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from vivavoce.cli.command import Command
from vivavoce.cli.console import printing, put, say, table
from vivavoce.cli.flags import add_settings, named, settings
from vivavoce.cli.report import show
from vivavoce.cli.stored import open_store, project
from vivavoce.core.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from vivavoce.core.result import Run
    from vivavoce.run.outputs import Writer

HEADINGS = ("RUN", "STARTED", "STATE", "TARGET", "PASS", "FAIL", "SKIP", "ERROR", "RATE", "REVISION", "SUITES")

SUITES = 6
"""Suites of a run that the list names."""


def _add_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="Print a JSON list instead of a table.")
    # Not the setting of a run, although it is called the same.
    parser.add_argument("--limit", dest="newest", type=int, default=20, metavar="N", help="Only the N newest; default 20.")
    add_settings(parser, named("store"))


def _add_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ref", metavar="RUN", help="A run: its id, the beginning of it, last, or last~1.")
    parser.add_argument("--as", dest="name", metavar="NAME", help="Print it as this report or format; `viva list reports`.")
    parser.add_argument("--json", action="store_true", help="Print the run document; with --as saiku, its JSON.")
    add_settings(parser, named("output", "store", "no-color"))


def _runs(arguments: argparse.Namespace) -> int:
    if arguments.newest < 1:
        raise UsageError(f"--limit must be a whole number of at least 1, not {arguments.newest}")
    with open_store(settings(arguments)) as store:
        runs = store.runs(arguments.newest)
    if arguments.json:
        put(json.dumps([_head(run) for run in runs], indent=2, ensure_ascii=False) + "\n")
    elif runs:
        _table(runs)
    else:
        say("No runs are stored here yet; `viva run` makes one, and so does `viva demo`.")
    return EXIT_OK


def _show(arguments: argparse.Namespace) -> int:
    wanted = settings(arguments)
    from vivavoce.run.outputs import Outputs, choose, render

    writer = _writer(arguments.name, as_json=arguments.json)
    # Outputs of the config file are those of a run; showing an old one must not write over them.
    chosen = choose(wanted.output if hasattr(arguments, "output") else (), min_pass_rate=wanted.min_pass_rate)
    with open_store(wanted) as store:
        run = store.run(arguments.ref)
        outputs = Outputs(chosen)
        outputs.spare(None, project(wanted))
        outputs.write(run)
        if writer is not None:
            with printing():
                render(writer, run, sys.stdout)
        elif not chosen:
            show(run, wanted)
    return EXIT_OK


def _writer(name: str | None, *, as_json: bool) -> Writer | None:
    """Who prints a run; `None` for the console report.

    Raises:
        UsageError: there is no such report or format, or it writes no JSON.
    """
    from vivavoce.run.outputs import suited, writer_named

    if name is None:
        return writer_named("json") if as_json else None
    writer = writer_named(name)
    if as_json and name != "json" and not hasattr(writer, "for_suffix"):
        raise UsageError("--json and --as both say how to print the run; give one")
    return suited(writer, ".json" if as_json else "")


def _head(run: Run) -> dict[str, object]:
    """A run without its results."""
    from vivavoce.core import codec

    return codec.run_head(run)


def _table(runs: Sequence[Run]) -> None:
    headings, rows, spare = list(HEADINGS), [list(_row(run)) for run in runs], list(_spare(runs))
    if all(run.header.revision is None for run in runs):
        at = headings.index("REVISION")
        spare.remove("REVISION")
        for line in (headings, *rows):
            del line[at]
    table(headings, rows, spare=spare)


def _spare(runs: Sequence[Run]) -> Iterator[str]:
    """Headings that can be done without, the least needed first: what is zero or the same in all runs says least."""
    if not any(run.summary.skipped for run in runs):
        yield "SKIP"
    if not any(run.summary.errored for run in runs):
        yield "ERROR"
    if all(run.state == "complete" for run in runs):
        yield "STATE"
    yield "REVISION"
    yield "TARGET"
    yield "STARTED"


def _row(run: Run) -> Sequence[str]:
    from vivavoce.analysis.gate import percent

    selection, summary = run.header.selection, run.summary
    scored = summary.passed + summary.failed
    rate = percent(summary.passed, scored) if scored else "-"
    suites = list(dict.fromkeys(file.suite for file in run.header.files) or summary.suites)
    named = ", ".join(suites[:SUITES]) + (f" and {len(suites) - SUITES} more" if len(suites) > SUITES else "")
    counts = (summary.passed, summary.failed, summary.skipped, summary.errored)
    target = selection.target.name if selection.target is not None else "-"
    when = run.started[:16].replace("T", " ")
    revision = run.header.revision.short if run.header.revision is not None else "-"
    return (run.id, when, run.state, target, *(str(count) for count in counts), rate, revision, named)


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
