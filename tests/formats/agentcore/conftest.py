from __future__ import annotations

import json
from pathlib import Path

import pytest

from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.formats.agentcore import AgentCore


@pytest.fixture
def read(tmp_path: Path):
    """Content as a file, read: the suite, its cases, and what was told."""

    def read(content: str | bytes | list | dict, name: str = "s.json", *, lenient: bool = False):
        if isinstance(content, dict | list):
            content = json.dumps(content, ensure_ascii=False, indent=1)
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        problems = Problems(lenient=lenient)
        suite = AgentCore().read(Source(path, name), problems)
        return suite, list(suite.cases), problems

    return read


@pytest.fixture
def case(read):
    """The one case of a scenario that is right, without a warning unless these are asked for."""

    def case(row: dict, *, warnings: int = 0):
        _, cases, problems = read({"scenarios": [{"scenario_id": "a", **row}]})
        assert problems.found() == ()
        assert len(problems.warnings) == warnings, problems.warnings
        return cases[0]

    return case


@pytest.fixture
def told(read):
    """What is wrong with scenarios, one text a problem, without the file and the line."""

    def told(*rows: object, lenient: bool = False) -> list[str]:
        _, _, problems = read({"scenarios": list(rows)}, lenient=lenient)
        return [str(problem).partition(": ")[2] for problem in problems.found()]

    return told
