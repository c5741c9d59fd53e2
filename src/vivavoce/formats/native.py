"""Viva's own dataset format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, ClassVar, Literal

from vivavoce.core.model import Suite
from vivavoce.core.place import Problems
from vivavoce.core.reply import Object
from vivavoce.core.source import Source

__all__ = ["Native"]


@dataclass(frozen=True, kw_only=True)
class Native:
    """JSON lines with one case a line, or one YAML or JSON document: everything Viva knows of a case, in its own words.

    Speaks: JSON lines of any size, in bounded memory; YAML and JSON documents up to 256 MB; either also packed with gzip.
        Writes JSON lines or YAML.
    Options: `layout`, for writing.
    Example: `{"id": "returns-1", "input": "What is the return policy?", "expected": "30 days"}`
    Limits: JSON lines hold no name, description, `about` or suite-wide evaluators of a suite; documents do.
    Source: Viva itself; `viva schema native` prints the JSON Schema.
    """

    looks_for: ClassVar[str] = (
        'JSON lines whose keys are all native ones, "input", "turns" or "persona" among them, or a document with "cases"'
    )
    suffixes: ClassVar[tuple[str, ...]] = (".eval.yaml", ".jsonl", ".json")

    layout: Literal["lines", "yaml"] = "lines"
    """How a suite is written: JSON lines, or one YAML document."""

    def matches(self, source: Source) -> bool:
        """Whether the first part of the file is native."""
        from vivavoce.formats._native import recognise

        return recognise.matches(source)

    def read(self, source: Source, problems: Problems) -> Suite:
        """The file as a suite."""
        from vivavoce.formats._native import documents, recognise
        from vivavoce.formats._native.rows import Lines

        if recognise.holds_document(source):
            return documents.read(source, problems)
        return Suite(name=source.stem, cases=Lines(source, problems), format="native", source=source.name)

    def write(self, suite: Suite, out: IO[str]) -> tuple[str, ...]:
        """Write a suite as JSON lines or YAML."""
        from vivavoce.formats._native import write

        return write.lines(suite, out) if self.layout == "lines" else write.document(suite, out)

    def schema(self) -> Object:
        """JSON Schema of a document and of a row."""
        from vivavoce.formats._native import schema

        return schema.made()
