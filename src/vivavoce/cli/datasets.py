"""`viva validate`, `viva upgrade` and `viva schema`: datasets by themselves, with no agent in sight."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from vivavoce.cli.command import Command
from vivavoce.cli.console import note, put, say, table, warn
from vivavoce.cli.flags import add_settings, named, settings
from vivavoce.core.errors import EXIT_OK, EXIT_USAGE, DatasetError, UsageError

if TYPE_CHECKING:
    from vivavoce.run.reading import Reading


def _add_validate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="Dataset files, folders of them, or - for standard input.")
    add_settings(parser, named("format", "lenient", "traces", "evaluator", "only", "map", "level"))


def _add_upgrade(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="A Microsoft 365 eval document.")


def _add_schema(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="FORMAT", help="A dataset format (`viva list formats`), or run for the run document.")


def _validate(arguments: argparse.Namespace) -> int:
    wanted = settings(arguments)
    if not wanted.paths:
        raise UsageError("no dataset: say which files to read, or a folder of them, as in viva validate evals/")
    from vivavoce.cli.terms import selection
    from vivavoce.run.planner import readings

    try:
        found, warnings = readings(selection(wanted))
    except DatasetError as error:
        for problem in error.problems:
            say(str(problem))
        shown = len(error.problems)
        more = f", of which the first {shown} are shown" if error.total > shown else ""
        note(f"{error.total} problem{'s' if error.total != 1 else ''} found{more}")
        return EXIT_USAGE
    for warning in warnings:
        warn(warning)
    table(("FILE", "FORMAT", "SUITE", "CASES", "TURNS", "EVALUATORS"), [_row(reading) for reading in found])
    return EXIT_OK


def _row(reading: Reading) -> tuple[str, ...]:
    evaluators = ", ".join(reading.evaluators) or "none"
    counts = (str(reading.cases), str(reading.turns))
    return (reading.source.name, reading.format, reading.suite.name, *counts, evaluators)


def _schema(arguments: argparse.Namespace) -> int:
    from vivavoce.core import plugins
    from vivavoce.core.model import Use

    if arguments.name == "run":
        from vivavoce.run import document

        schema = document.schema()
    else:
        schema = plugins.build("formats", Use(name=arguments.name)).schema()
    put(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
    return EXIT_OK


def _upgrade(arguments: argparse.Namespace) -> int:
    from datetime import datetime
    from pathlib import Path

    from vivavoce.formats.m365 import upgrade

    # Local time, as the vendor's own command names its backups.
    done = upgrade(Path(arguments.file), now=datetime.now().astimezone())
    if done.backup is None:
        say(f"{done.path}: has its version already, {done.version}; nothing was changed")
    else:
        say(f"{done.path}: is now of version {done.version}; as it was, it is kept in {done.backup}")
    return EXIT_OK


COMMANDS = (
    Command(
        name="validate",
        takes="[PATH ...] [OPTIONS]",
        help="Read datasets and report every problem; run nothing.",
        more="Exit codes: 0 all is well, 2 something is wrong.",
        examples=("viva validate evals/", "viva validate evals.json --lenient"),
        add=_add_validate,
        run=_validate,
    ),
    Command(
        name="upgrade",
        takes="FILE",
        help="Give a legacy Microsoft 365 document its version.",
        more="The file is rewritten in place, after a byte-identical backup FILE.bak.YYYYMMDDHHMMSS beside it.",
        examples=("viva upgrade evals.json",),
        add=_add_upgrade,
        run=_upgrade,
    ),
    Command(
        name="schema",
        takes="FORMAT",
        help="Print the JSON Schema of a dataset format, for editors.",
        examples=("viva schema m365 > m365.schema.json", "viva schema run"),
        add=_add_schema,
        run=_schema,
    ),
)
"""The commands of this file."""
