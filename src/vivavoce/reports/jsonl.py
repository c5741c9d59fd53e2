"""Results as JSON lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, ClassVar

from vivavoce.core.result import Result, Run
from vivavoce.reports import _text

__all__ = ["Jsonl"]


@dataclass(frozen=True, kw_only=True)
class Jsonl:
    """One result a line, written while results come.

    Speaks: JSON lines in UTF-8; each line is one member of the run document's `results`, with its `position` in the dataset.
    Options: none.
    Example: `viva run evals.json --output results.jsonl`, and meanwhile `tail -f results.jsonl`.
    Limits: no summary; while the run goes on, lines stand in the order in which cases ended.
    Source: `docs/reference/run-document.md`.
    """

    suffix: ClassVar[str | None] = ".jsonl"

    def line(self, result: Result) -> str:
        """One result, with its line break."""
        return _text.encoded(result) + "\n"

    def line_of(self, text: str) -> str:
        """The same of a result that is written as JSON already."""
        return _text.inert(text) + "\n"

    def render(self, run: Run, out: IO[str]) -> None:
        """Write every result, in the dataset's order."""
        for result in run.results:
            out.write(self.line(result))
