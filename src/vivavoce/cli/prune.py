"""`viva prune`: old runs removed, so that the store stays small."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from vivavoce.cli.command import Command
from vivavoce.cli.console import say, table
from vivavoce.cli.flags import add_settings, named, settings
from vivavoce.cli.stored import open_store
from vivavoce.core.errors import EXIT_OK, Taken, UsageError

if TYPE_CHECKING:
    from vivavoce.core.kinds import Store
    from vivavoce.core.overview import Head

HEADINGS = ("RUN", "STARTED", "STATE", "TARGET")


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keep", type=int, metavar="N", help="Keep the N newest runs.")
    parser.add_argument(
        "--older-than", metavar="AGE", help="Remove only what began longer ago than this, such as 30d, 12h or 8w."
    )
    parser.add_argument("--dry-run", action="store_true", help="Say what would be removed, and remove nothing.")
    add_settings(parser, named("store"))


def _prune(arguments: argparse.Namespace) -> int:
    if arguments.keep is None and arguments.older_than is None:
        raise UsageError(
            "say what to remove: all but the newest with --keep N, or what is older than an age with --older-than 30d"
        )
    if arguments.keep is not None and arguments.keep < 0:
        raise UsageError(f"--keep must be a whole number of at least 0, not {arguments.keep}")
    before = _before(arguments.older_than) if arguments.older_than is not None else None
    with open_store(settings(arguments)) as store:
        heads = store.heads()
        old = [head for head in heads[arguments.keep or 0 :] if before is None or head.started < before]
        gone, busy = _idle(store, old) if arguments.dry_run else _drop(store, old)
    if gone:
        table(HEADINGS, [(head.id, head.started[:16].replace("T", " "), head.state, head.target or "-") for head in gone])
    for head in busy:
        say(f"{head.id} stays: it is being carried out.")
    rest = len(heads) - len(gone)
    done = "Would remove" if arguments.dry_run else "Removed"
    say(f"{done} {len(gone)} run{'s' * (len(gone) != 1)}; {rest} stay{'s' * (rest == 1)}.")
    return EXIT_OK


def _before(age: str) -> str:
    """When a run of this age began, as runs tell it."""
    from vivavoce.run import identity

    found = re.fullmatch(r"(\d{1,5})([hdw])", age)
    if found is None:
        raise UsageError(f'--older-than "{age}": say a number of hours, days or weeks, such as 12h, 30d or 8w')
    number = int(found[1])
    span = {"h": timedelta(hours=number), "d": timedelta(days=number), "w": timedelta(weeks=number)}[found[2]]
    return (datetime.fromisoformat(identity.now()) - span).strftime("%Y-%m-%dT%H:%M:%SZ")


def _idle(store: Store, old: Sequence[Head]) -> tuple[list[Head], list[Head]]:
    """The runs that nobody carries out, and those that somebody does."""
    busy = [head for head in old if head.state == "running" and store.under_way(head.id)]
    return [head for head in old if head not in busy], busy


def _drop(store: Store, old: Sequence[Head]) -> tuple[list[Head], list[Head]]:
    """Remove runs; returns those that are gone, and those that are being carried out."""
    gone, busy = [], []
    for head in reversed(old):
        try:
            store.drop(head.id)
        except Taken:
            busy.append(head)
        else:
            gone.append(head)
    if gone:
        store.shrink()
    return gone, busy


COMMANDS = (
    Command(
        name="prune",
        help="Remove old runs from the store; what both options name, if both are given.",
        examples=("viva prune --keep 100", "viva prune --keep 20 --older-than 30d --dry-run"),
        add=_add,
        run=_prune,
    ),
)
"""The commands of this file."""
