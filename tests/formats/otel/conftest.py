"""Spans made in a word, and files of them read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.formats.otel import Otel


@pytest.fixture
def read(tmp_path: Path):
    """Records as a file of lines, read: its cases, its problems and its warnings."""

    def read(records: list, *, name: str = "t.jsonl", lenient: bool = False):
        path = tmp_path / name
        path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
        problems = Problems(lenient=lenient)
        cases = list(Otel().read(Source(path, name), problems).cases)
        return cases, [str(each) for each in problems.found()], [str(each) for each in problems.warnings]

    return read


@pytest.fixture
def held(read):
    """The cases of records that are right."""

    def held(*records: dict):
        cases, problems, _ = read(list(records))
        assert problems == []
        return cases

    return held
