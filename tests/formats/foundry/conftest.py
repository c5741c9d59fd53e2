from __future__ import annotations

import json
from pathlib import Path

import pytest

from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.formats.foundry import Foundry


@pytest.fixture
def read(tmp_path: Path):
    """Content as a file, read: the suite, its cases, and what was told."""

    def read(content: str | bytes | list | dict, name: str = "s.jsonl", *, lenient: bool = False, **options):
        if isinstance(content, dict):
            content = json.dumps(content, indent=1)
        elif isinstance(content, list):
            content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        problems = Problems(lenient=lenient)
        suite = Foundry(**options).read(Source(path, name), problems)
        return suite, list(suite.cases), problems

    return read


@pytest.fixture
def case(read):
    """The one case of a row that is right."""

    def case(row: dict, **options):
        _, cases, problems = read([row], **options)
        assert problems.found() == ()
        return cases[0]

    return case


@pytest.fixture
def told(read):
    """What is wrong with rows, one text a problem."""

    def told(*rows: dict, **options) -> list[str]:
        _, _, problems = read(list(rows), **options)
        return [str(problem).removeprefix("s.jsonl:") for problem in problems.found()]

    return told
