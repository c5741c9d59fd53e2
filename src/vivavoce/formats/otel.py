"""Spans of OpenTelemetry: conversations that were held already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, ClassVar

from vivavoce.core.model import Suite
from vivavoce.core.place import Problems
from vivavoce.core.reply import Object
from vivavoce.core.source import Source

__all__ = ["Otel"]


@dataclass(frozen=True, kw_only=True)
class Otel:
    """Spans of OpenTelemetry: each conversation that they tell is one case, with its answers and the tools called for them.

    Speaks: exports in OTLP JSON, in one document or one a line; single spans as the ADOT collector, the SDK's console exporter
        and others write them, one a line or in a list, with the log records that hold their messages; any of them packed with
        gzip. Attributes of OpenTelemetry's conventions for generative AI, of OpenInference and of Traceloop. Writes OTLP JSON,
        one conversation a line.
    Options: none.
    Example: `{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "5b8e...", "spanId": "eee1...", ...}]}]}]}`
    Limits: a file of lines of any size is read in bounded memory: one line, and one conversation, at a time; what is being
        gathered lies in a temporary database on disk. A document, or a list, is read whole, up to 256 MB.
    Source: the OpenTelemetry protocol 1.5 and its conventions for generative AI, those of OpenInference and of Traceloop.
    """

    looks_for: ClassVar[str] = 'exports with "resourceSpans", or spans with "traceId" and "spanId", one a line or in a list'
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".json")

    def matches(self, source: Source) -> bool:
        """Whether the first part of the file is spans."""
        from vivavoce.wire import peek

        return peek.holds_spans(peek.opening(source))

    def read(self, source: Source, problems: Problems) -> Suite:
        """The file as a suite."""
        from vivavoce.formats._otel.conversations import Conversations

        return Suite(name=source.stem, cases=Conversations(source, problems), format="otel", source=source.name)

    def write(self, suite: Suite, out: IO[str]) -> tuple[str, ...]:
        """Write a suite as OTLP JSON, one conversation a line."""
        from vivavoce.formats._otel import writing

        return writing.write(suite, out)

    def schema(self) -> Object:
        """JSON Schema of an export, and of a single span."""
        from vivavoce.formats._otel import schema

        return schema.made()
