"""Eval documents of the Microsoft 365 Copilot Agent Evaluations command line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, ClassVar

from vivavoce.core.model import Suite
from vivavoce.core.place import Problems
from vivavoce.core.reply import Object
from vivavoce.core.result import Run
from vivavoce.core.source import Source

if TYPE_CHECKING:
    from vivavoce.formats._m365.upgrade import Upgraded

__all__ = ["M365"]

STARTER = """\
{
  "schemaVersion": "1.1.0",
  "description": "A first look at what the agent can do.",
  "default_evaluators": {
    "Relevance": {},
    "Coherence": {}
  },
  "items": [
    {
      "prompt": "What can you do for me?",
      "expected_response": "I can look things up, explain them, and point to where the answer comes from."
    },
    {
      "prompt": "Where does your knowledge come from?",
      "expected_response": "From the documents and tools I was given; when they do not hold the answer, I say so."
    }
  ]
}
"""
"""A document to begin with: valid, small, and about any agent."""


@dataclass(frozen=True, kw_only=True)
class M365:
    """Eval documents of Microsoft 365 Copilot Agent Evaluations: prompts, conversations and the evaluators they ask for.

    Speaks: JSON with `schemaVersion` 1.0 to 1.8 and `items`; also the older shapes without a version: a bare list of items, one
      bare item, `prompts` with `expected_responses`, and `prompts` of items.
    Options: none.
    Example: {"schemaVersion": "1.0.0", "items": [{"prompt": "When do you open?", "expected_response": "At nine."}]}
    Limits: versions from 2 on are refused; a newer 1.x is read by the rules of 1.8, with a warning. A conversation has at most
      20 turns. Assertions, trajectories, rows, personas and earlier messages have no place in it.
    Source: the published eval-document schema, 1.0.0 to 1.8.0, and the vendor's pages where those teach more.
    """

    looks_for: ClassVar[str] = "a JSON object with schemaVersion and items, or prompts"
    suffixes: ClassVar[tuple[str, ...]] = (".json",)

    def matches(self, source: Source) -> bool:
        """Whether the content is an eval document, in any version and shape."""
        from vivavoce.formats._m365.recognise import is_document

        return is_document(source)

    def holds_results(self, source: Source) -> bool:
        """Whether it is a scored document, which is read only when named."""
        from vivavoce.formats._m365.recognise import holds_results

        return holds_results(source)

    def read(self, source: Source, problems: Problems) -> Suite:
        """The document as a suite; every problem at its path."""
        from vivavoce.formats._m365.reading import read

        return read(source, problems)

    def write(self, suite: Suite, out: IO[str]) -> tuple[str, ...]:
        """A document that the vendor's schema allows; what it has no field for is kept under `extensions` or told."""
        from vivavoce.formats._m365.writing import write

        return write(suite, out)

    def report(self, run: Run, out: IO[str]) -> None:
        """A scored document, as the vendor's command writes one."""
        from vivavoce.formats._m365.scored import report

        report(run, out)

    def schema(self) -> Object:
        """JSON Schema of a versioned document, with what Viva accepts besides."""
        from vivavoce.formats._m365.rules import document

        return document(strict=False)


def inline(name: str, asked: Iterable[tuple[str, str | None]]) -> str:
    """A document of prompts that a person typed, each with the answer hoped for where there is one."""
    import json

    items = [{"prompt": prompt} | ({} if expected is None else {"expected_response": expected}) for prompt, expected in asked]
    document = {"schemaVersion": "1.0.0", "metadata": {"name": name}, "items": items}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def is_legacy(path: Path) -> bool:
    """Whether a document has no version, so that an upgrade would rewrite it.

    Raises:
        DatasetError: it is no valid eval document.
        UsageError: it cannot be read.
    """
    from vivavoce.formats._m365 import upgrade as upgrading

    return upgrading.is_legacy(path)


def upgrade(path: Path, *, now: datetime) -> Upgraded:
    """Give a document without a version its version, in place and with a backup.

    Raises:
        DatasetError: it is no valid eval document; nothing was touched.
        UsageError: it cannot be read or written; nothing was touched.
    """
    from vivavoce.formats._m365 import upgrade as upgrading

    return upgrading.upgrade(path, now=now)
