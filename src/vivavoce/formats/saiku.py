"""The dataset format of Saiku."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import IO, ClassVar, Literal

from vivavoce.core.model import Suite
from vivavoce.core.place import Problems
from vivavoce.core.reply import Object
from vivavoce.core.result import Run
from vivavoce.core.source import Source

__all__ = ["Saiku"]


@dataclass(frozen=True, kw_only=True)
class Saiku:
    """A suite of Saiku agent evals: questions about one cube, with the rows, intent, refusal or insight that is expected.

    Speaks: one YAML document a suite, up to 256 MB, also packed with gzip or written as JSON; anchors are followed, tags are
        not. A run can be written as Saiku's report, in text or JSON.
    Options: `layout`, for reports.
    Example: `viva run evals/ --target saiku:http://localhost:8080` runs every `*.eval.yaml` of a folder.
    Limits: a case has one question; what else was said stands in its `history`.
    Source: Saiku Agent Evals, its page and its reader, with their error codes; `viva schema saiku` prints the JSON Schema.
    """

    looks_for: ClassVar[str] = 'a YAML mapping with "cube" and "cases", each case with a "question"'
    suffixes: ClassVar[tuple[str, ...]] = (".eval.yaml",)

    layout: Literal["text", "json"] = "text"
    """How a run is reported: as lines of text, or as JSON."""

    def matches(self, source: Source) -> bool:
        """Whether the first part of the file is that of a suite."""
        from vivavoce.formats._saiku import recognise

        return recognise.is_suite(source)

    def read(self, source: Source, problems: Problems) -> Suite:
        """The file as a suite."""
        from vivavoce.formats._saiku import document

        return document.read(source, problems)

    def write(self, suite: Suite, out: IO[str]) -> tuple[str, ...]:
        """Write a suite as YAML."""
        from vivavoce.formats._saiku import writing

        return writing.write(suite, out)

    def report(self, run: Run, out: IO[str]) -> None:
        """Write the run as Saiku's runner reports it, suite by suite."""
        from vivavoce.formats._saiku import report

        (report.as_json if self.layout == "json" else report.text)(run, out)

    def for_suffix(self, suffix: str) -> Saiku:
        """The same, reporting as a file of this suffix is to hold it."""
        return replace(self, layout="json" if suffix.lower() == ".json" else "text")

    def schema(self) -> Object:
        """JSON Schema of a suite."""
        from vivavoce.formats._saiku import schema

        return schema.made()
