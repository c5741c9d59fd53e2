"""Datasets of AWS Bedrock AgentCore evaluations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, ClassVar, Literal

from vivavoce.core.model import Suite
from vivavoce.core.place import Problems
from vivavoce.core.reply import Object
from vivavoce.core.source import Source

__all__ = ["AgentCore"]


@dataclass(frozen=True, kw_only=True)
class AgentCore:
    """Scenarios of AWS Bedrock AgentCore: conversations with fixed turns, or with a simulated user who has a goal.

    Speaks: a document with `scenarios`, a list of scenarios, one scenario, or JSON lines of any size, one scenario a line; any
        of them packed with gzip. Writes a document or JSON lines.
    Options: `layout`, for writing.
    Example: `{"scenario_id": "stock", "turns": [{"input": "Any blue left?"}], "expected_trajectory": ["find_paint"]}`
    Limits: a document or a list is read whole, up to 256 MB. Scenarios hold no evaluators, contexts or recorded answers.
    Source: the vendor's pages on the dataset schema, its library bedrock-agentcore 1.25, its samples, and files in use.
    """

    looks_for: ClassVar[str] = 'a document with "scenarios", or scenarios with "scenario_id" (JSON lines, or a JSON list)'
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".json")

    layout: Literal["document", "lines"] = "document"
    """How a suite is written: one document, or JSON lines."""

    def matches(self, source: Source) -> bool:
        """Whether the first part of the file is scenarios, or a document of them."""
        from vivavoce.formats._agentcore import recognise

        return recognise.matches(source)

    def read(self, source: Source, problems: Problems) -> Suite:
        """The file as a suite."""
        from vivavoce.formats._agentcore import files

        return files.read(source, problems)

    def write(self, suite: Suite, out: IO[str]) -> tuple[str, ...]:
        """Write a suite as a document or as JSON lines."""
        from vivavoce.formats._agentcore import writing

        return writing.write(suite, out, as_lines=self.layout == "lines")

    def schema(self) -> Object:
        """JSON Schema of a document and of a scenario."""
        from vivavoce.formats._agentcore import schema

        return schema.made()
