"""`viva compare`: what broke and what was fixed from one stored run to another."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from vivavoce.cli.command import Command
from vivavoce.cli.console import printing, put
from vivavoce.cli.flags import add_settings, named, settings
from vivavoce.cli.stored import open_store
from vivavoce.core.errors import EXIT_OK

if TYPE_CHECKING:
    from rich.console import RenderableType

    from vivavoce.analysis.compare import Change, Comparison
    from vivavoce.core.result import Run
    from vivavoce.reports._console.look import Look

SHOWN = 20
"""Changes of one kind that are shown; `--json` has them all."""
NAMED = 10
"""Cases named of those that cannot be compared."""


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="A", help="The earlier run: its id, the beginning of it, last, or last~1.")
    parser.add_argument("after", metavar="B", help="The later run.")
    parser.add_argument("--json", action="store_true", help="Print the comparison as JSON.")
    add_settings(parser, named("store", "no-color"))


def _compare(arguments: argparse.Namespace) -> int:
    wanted = settings(arguments)
    from vivavoce.analysis.compare import compare, document

    with open_store(wanted) as store:
        found = compare(store.run(arguments.before), store.run(arguments.after))
    if arguments.json:
        put(json.dumps(document(found), indent=2, ensure_ascii=False) + "\n")
        return EXIT_OK
    from vivavoce.reports._console.look import Look

    look = Look.of(sys.stdout, color=False if wanted.no_color else None, width=None)
    with printing():
        look.print(*_page(found, look))
        sys.stdout.flush()
    return EXIT_OK


def _page(found: Comparison, look: Look) -> Iterator[RenderableType]:
    from rich.text import Text

    yield from _heads(found)
    for kind, title, glyph, style in (
        ("broke", "Broke", "✗", "red"),
        ("fixed", "Fixed", "✓", "green"),
        ("other", "Otherwise different", "!", "yellow"),
    ):
        changes = [each for each in found.changes if each.kind == kind]
        if changes:
            yield ""
            yield Text(f"{title} ({len(changes):,})", style=f"bold {style}")
        for change in changes[:SHOWN]:
            yield from _change(change, look, glyph, style)
        if len(changes) > SHOWN:
            yield Text(f"and {len(changes) - SHOWN:,} more: --json has them all", style="dim")
    yield from _checks(found, look)
    yield from _apart(found)
    yield ""
    yield Text(found.sentence(), style="bold")


def _heads(found: Comparison) -> Iterator[RenderableType]:
    from rich.table import Column, Table

    grid = Table.grid(Column(style="dim"), Column(), Column(), Column(), padding=(0, 2, 0, 0))
    sides = ((found.before, found.before_passed, found.before_decided), (found.after, found.after_passed, found.after_decided))
    for name, (run, passed, decided) in zip(("before", "after"), sides, strict=True):
        grid.add_row(name, run.id, _target(run), _rate(passed, decided) + _unfinished(run))
    yield grid


def _target(run: Run) -> str:
    from vivavoce.reports._text import line

    target = run.header.selection.target
    return line(target.name, 40) if target is not None else "-"


def _rate(passed: int, decided: int) -> str:
    from vivavoce.analysis.gate import number, percent

    return f"{percent(passed, decided)} of {number(decided, 'equal case')} passed" if decided else "no equal case was scored"


def _unfinished(run: Run) -> str:
    return f"; {run.state}, {run.summary.not_run:,} not run" if run.summary.not_run or run.state != "complete" else ""


def _change(change: Change, look: Look, glyph: str, style: str) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    from vivavoce.reports._text import line

    repeat = f" · repeat {change.repeat}" if change.repeat else ""
    yield Text.assemble(
        (look.glyphs(glyph) + " ", style),
        (line(change.case, 80), "bold"),
        (look.glyphs(f"  {line(change.suite, 60)}{repeat}  "), "dim"),
        f"{change.before} -> {change.after}",
    )
    for check in change.checks:
        moved = f"{check.before or 'not made'} -> {check.after or 'not made'}"
        told = f"{line(check.check, 60)}  {moved}" + (f"  {line(check.reason, 300)}" if check.reason else "")
        yield Padding(Text(told), (0, 0, 0, 4))
    if change.reason and not change.checks:
        yield Padding(Text(line(change.reason, 300)), (0, 0, 0, 4))


def _checks(found: Comparison, look: Look) -> Iterator[RenderableType]:
    from rich.table import Column, Table

    from vivavoce.reports._text import line

    counted = {name: each for name, each in found.checks.items() if each.pairs}
    if not counted:
        return
    columns = [Column(name, justify="right") for name in ("pairs", "broke", "fixed", "mean before", "mean after")]
    grid = Table(Column("check"), *columns, box=look.box, padding=(0, 1), header_style="dim")
    for name, each in counted.items():
        before, after = each.means or (0.0, 0.0)
        cells = (f"{each.pairs:,}", f"{each.broke:,}", f"{each.fixed:,}", f"{before:.3f}", f"{after:.3f}")
        grid.add_row(line(name, 40), *cells)
    yield ""
    yield grid


def _apart(found: Comparison) -> Iterator[RenderableType]:
    from rich.text import Text

    from vivavoce.reports._text import line

    parts = (
        ("asked or examined otherwise now", found.changed),
        ("only in the later run", found.new),
        ("only in the earlier run", found.gone),
    )
    for what, keys in parts:
        if keys:
            named = ", ".join(line(case, 40) for _, case, _ in islice(keys, NAMED))
            more = f" and {len(keys) - NAMED:,} more" if len(keys) > NAMED else ""
            yield Text(f"not compared, {what}: {len(keys):,} ({named}{more})", style="dim")


COMMANDS = (
    Command(
        name="compare",
        takes="A B [OPTIONS]",
        help="Compare two stored runs: what broke, what was fixed.",
        examples=("viva compare last~1 last", "viva compare 3f2a last --json"),
        add=_add,
        run=_compare,
    ),
)
"""The commands of this file."""
