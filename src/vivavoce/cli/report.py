"""A run on the console, and what it comes to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vivavoce.cli.console import hush, note

if TYPE_CHECKING:
    from vivavoce.config.settings import Settings
    from vivavoce.core.result import Run
    from vivavoce.run.outputs import Outputs


def report(run: Run, outputs: Outputs, wanted: Settings) -> int:
    """Write all outputs and the console report; returns the exit code.

    Raises:
        UsageError: an output could not be written.
    """
    from vivavoce.analysis.gate import outcome

    verdict = outcome(run, min_pass_rate=wanted.min_pass_rate, no_fail=wanted.no_fail_on_regression)
    try:
        if not wanted.quiet and not outputs.take_stdout:
            show(run, wanted)
        outputs.write(run)
    except BrokenPipeError:
        hush()
    if not wanted.quiet and outputs.take_stdout:
        note(verdict.sentence)
    return verdict.code


def show(run: Run, wanted: Settings) -> None:
    """The console report, on standard output."""
    from vivavoce.reports.console import Console

    page = Console(
        color=False if wanted.no_color else None,
        verbose=wanted.verbose,
        min_pass_rate=wanted.min_pass_rate,
    )
    page.render(run, sys.stdout)
    sys.stdout.flush()
