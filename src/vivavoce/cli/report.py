"""A run on the console, and what it comes to."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from vivavoce.cli.console import note, printing
from vivavoce.core.errors import EXIT_USAGE, UsageError

if TYPE_CHECKING:
    from vivavoce.config.settings import Settings
    from vivavoce.core.result import Run
    from vivavoce.run.outputs import Outputs


def report(run: Run, outputs: Outputs, wanted: Settings) -> int:
    """Write all outputs, then the console report; returns the exit code.

    Raises:
        UsageError: an output, or the report, could not be written.
    """
    from vivavoce.analysis.gate import outcome

    verdict = outcome(run, min_pass_rate=wanted.min_pass_rate, no_fail=wanted.no_fail_on_regression)
    shown = not wanted.quiet and not outputs.take_stdout
    try:
        outputs.write(run)
    except UsageError:
        with suppress(UsageError):  # one that failed is told, also where the report fails too
            if shown:
                show(run, wanted)
        raise
    if shown:
        show(run, wanted)
    unsaid = wanted.quiet and verdict.code == EXIT_USAGE  # that nothing was evaluated is told even so
    if unsaid or (not wanted.quiet and outputs.take_stdout):
        note(verdict.sentence)
    return verdict.code


def show(run: Run, wanted: Settings) -> None:
    """The console report, on standard output.

    Raises:
        UsageError: it cannot be written.
    """
    from vivavoce.reports.console import Console

    page = Console(
        color=False if wanted.no_color else None,
        verbose=wanted.verbose,
        min_pass_rate=wanted.min_pass_rate,
    )
    with printing(f"the run is stored all the same: viva show {run.id}"):
        page.render(run, sys.stdout)
        sys.stdout.flush()
