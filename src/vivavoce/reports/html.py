"""A run as one page to pass round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, ClassVar

from vivavoce.core.result import Run

__all__ = ["Html"]


@dataclass(frozen=True, kw_only=True)
class Html:
    """A run as one page to pass round: the verdict, what failed first, pictures, and every conversation with its scores.

    Speaks: HTML in one file that needs nothing else: no network, no script to be read, light or dark as the reader's system is,
        on a phone and on paper. With script, filters and search; the address keeps them, so that a link shows what you see.
    Options: passes, text, min_pass_rate.
    Example: `viva run evals.json --output report.html`, or later `viva show last --output report.html`.
    Limits: all failures and errors are in it, passed cases up to `passes`, texts up to `text` characters and fewer where there
        are very many; what is left out is said in its place and at the end, and `json` has it all. Answers are shown as the
        text they are: no markup in them is followed, and only addresses of the web become links.
    Source: `docs/reference/html-report.md`.
    """

    suffix: ClassVar[str | None] = ".html"

    passes: int = 2_000
    """How many passed and skipped cases are shown; failures and errors are all."""
    text: int = 20_000
    """How many characters of one text are shown."""
    min_pass_rate: float | None = None
    """The gate of `--min-pass-rate`, 0-1, as the verdict is to judge it."""

    def render(self, run: Run, out: IO[str]) -> None:
        """Write the page; the results are read one at a time, and more than once."""
        from vivavoce.reports._html import page

        page.render(
            run,
            out,
            passes=max(0, self.passes),
            longest=max(100, self.text),
            min_pass_rate=self.min_pass_rate,
        )
