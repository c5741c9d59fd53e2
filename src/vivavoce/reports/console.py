"""A run on a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, ClassVar

from vivavoce.core.result import Run

__all__ = ["Console"]


@dataclass(frozen=True, kw_only=True)
class Console:
    """A run as a page to read: what was examined, the numbers, every failure with its reason, and the verdict.

    Speaks: text for a terminal, a log or a file; with colour only on a terminal. Where the encoding has no box-drawing
        characters, ASCII.
    Options: color, width, failures, verbose, min_pass_rate.
    Example: `viva show last`.
    Limits: long texts are cut, and failures beyond the first are only counted; `csv` and `json` hold them all. Control
        characters and marks of direction in answers are made visible, and never reach the terminal.
    Source: `docs/reference/reports.md`.
    """

    suffix: ClassVar[str | None] = None

    color: bool | None = None
    """Whether to use colour; not given: on a terminal that has it, unless `NO_COLOR` is set."""
    width: int | None = None
    """Columns; not given: on standard output those of `COLUMNS` or the terminal, and 100 elsewhere."""
    failures: int = 20
    """How many failed cases, and how many different errors, are shown in full."""
    verbose: bool = False
    """Show more of each text, and of a failed case also the checks that passed."""
    min_pass_rate: float | None = None
    """The gate of `--min-pass-rate`, 0-1, as the verdict is to judge it."""

    def render(self, run: Run, out: IO[str]) -> None:
        """Write the page; results are read one at a time, and only failures are kept, cut."""
        from vivavoce.reports._console import page
        from vivavoce.reports._console.look import Look

        look = Look.of(out, color=self.color, width=self.width)
        page.render(
            run,
            look,
            limit=self.failures,
            verbose=self.verbose,
            min_pass_rate=self.min_pass_rate,
        )
