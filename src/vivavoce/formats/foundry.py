"""Datasets of Microsoft Foundry evaluations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, ClassVar, Literal

from vivavoce.core.model import Suite
from vivavoce.core.place import Problems
from vivavoce.core.reply import Object
from vivavoce.core.result import Run
from vivavoce.core.source import Source

__all__ = ["Foundry"]


@dataclass(frozen=True, kw_only=True)
class Foundry:
    """Rows of Microsoft Foundry evaluations: one row is one case, with its answer recorded or to be given by a target.

    Speaks: JSON lines of any size, tables (`.csv`, separated by comma, semicolon or tab), a JSON list of rows, one row, and
        documents that hold evaluators, mappings and rows together; any of them packed with gzip. Writes JSON lines.
    Options: `map`, `level`; both are taken from `--map` and `--level`.
    Example: `{"query": "When do you open?", "response": "At nine.", "ground_truth": "We open at nine."}`
    Limits: the service takes rows up to 2 MB and 100,000 of them a run; Viva takes rows up to 64 MB, as many as there are,
        and beside them 256 MB of a document. Rows hold no evaluators; documents do.
    Source: the vendor's pages on evaluation datasets and mappings, its library azure-ai-evaluation 1.18, and files in use.
    """

    looks_for: ClassVar[str] = (
        'rows with "query", "response" or "messages" (JSON lines, a JSON list, or CSV with a header), or a document with "data"'
    )
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".csv", ".json")

    map: Mapping[str, str] = field(default_factory=dict)
    """Where parameters of evaluators are found: `{"query": "{{item.question}}"}`."""
    level: Literal["turn", "conversation"] | None = None
    """What is examined: the answer to the last thing said, or the whole conversation; as the file says if `None`."""
    live: bool | None = None
    """Whether a target answers; `None` when that is not known."""

    def matches(self, source: Source) -> bool:
        """Whether the first part of the file is rows, or a document of them."""
        from vivavoce.formats._foundry import recognise

        return recognise.matches(source)

    def holds_results(self, source: Source) -> bool:
        """Whether these are evaluated rows, or rows of which no column is known or mapped: read only when named."""
        from vivavoce.formats._foundry import recognise
        from vivavoce.formats._foundry.documents import columns_of

        return recognise.holds_results(source) or not recognise.holds_known(source, columns_of(self.map))

    def read(self, source: Source, problems: Problems) -> Suite:
        """The file as a suite."""
        from vivavoce.formats._foundry import files

        return files.read(source, problems, mapping=self.map, level=self.level, live=self.live)

    def write(self, suite: Suite, out: IO[str]) -> tuple[str, ...]:
        """Write a suite as JSON lines; as a document where it was one."""
        from vivavoce.formats._foundry import writing

        return writing.write(suite, out)

    def report(self, run: Run, out: IO[str]) -> None:
        """Write evaluated rows, one a line, with the names the vendor's users know."""
        from vivavoce.formats._foundry import evaluated

        evaluated.report(run, out)

    def schema(self) -> Object:
        """JSON Schema of a row and of a document."""
        from vivavoce.formats._foundry import schema

        return schema.made()
