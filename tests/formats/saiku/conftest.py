"""Suites of Saiku, read from a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent

import pytest

from vivavoce.core.model import Case, Suite
from vivavoce.core.place import Problem, Problems
from vivavoce.core.source import Source
from vivavoce.formats.saiku import Saiku

TOP = "name: suite\ncube: {connectionName: c, catalog: c, schema: s, cubeName: n}\n"


@dataclass(frozen=True)
class Read:
    suite: Suite
    cases: Sequence[Case]
    problems: tuple[Problem, ...]
    warnings: Sequence[Problem]

    @property
    def codes(self) -> list[tuple[str, str]]:
        """Code and path of every problem."""
        return [(each.code, each.path) for each in self.problems]


Reader = Callable[..., Read]


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    """Reads a text as a suite."""

    def read(text: str, *, lenient: bool = False) -> Read:
        path = tmp_path / "suite.eval.yaml"
        path.write_text(text, encoding="utf-8")
        problems = Problems(lenient=lenient)
        suite = Saiku().read(Source(path, path.name), problems)
        return Read(suite, list(suite.cases), problems.found(), problems.warnings)

    return read


@pytest.fixture
def read_case(read: Reader) -> Reader:
    """Reads the fields of one case, which has a name and a question."""

    def read_case(fields: str, **more: bool) -> Read:
        entry = indent(dedent(fields).strip(), "    ")
        return read(f"{TOP}cases:\n  - name: one\n    question: How much?\n{entry}\n", **more)

    return read_case
