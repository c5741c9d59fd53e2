"""The exam from Python: what is given is taken as it is meant, or refused in a sentence."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import vivavoce
from vivavoce.core.errors import UsageError

from .conftest import write_cases


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_cases(tmp_path / "cases.jsonl", [{"id": text, "input": text, "expected": text} for text in ("a", "b")])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"data": 7}, "data must be a path"),
        ({"data": [7]}, "data must be a path"),
        ({"data": {"input": "a"}}, "data must be a path"),
        ({"evaluators": 7}, "evaluators must be names"),
        ({"evaluators": [7]}, "evaluators must be names"),
        ({"evaluators": {"ExactMatch": 7}}, "options of the evaluator ExactMatch must be a dict"),
        ({"concurrency": 0}, "concurrency must be a whole number"),
        ({"concurrency": "many"}, "concurrency must be a whole number"),
        ({"retries": -1}, "retries must be a whole number"),
        ({"timeout": "long"}, "timeout must be a number"),
        ({"case_timeout": "long"}, "case_timeout must be a number"),
        ({"rate": "many"}, '"many" is no rate'),
        ({"rate": 0}, "rate must be a number above 0"),
        ({"judge": 7}, "judge must be a text"),
        ({"store": 7}, "store must be the path"),
        ({"repeat": 0}, "repeat must be a whole number of at least 1"),
        ({"repeat": "twice"}, "Expected `int`, got `str` - at `repeat`"),
        ({"cases": [7]}, "Expected `str`, got `int` - at `cases"),
    ],
)
async def test_what_cannot_be_meant_is_refused_before_anything_is_asked(cases: Path, given: dict[str, Any], says: str) -> None:
    asked: list[str] = []
    with pytest.raises(UsageError) as raised:
        await vivavoce.evaluate_async(**{"data": cases, "target": asked.append, "evaluators": "ExactMatch", **given})
    assert says in str(raised.value)
    assert asked == []


async def test_limits_of_time_hold(cases: Path, tmp_path: Path) -> None:
    async def hangs(text: str) -> str:
        await asyncio.sleep(600)
        return text

    options: dict[str, Any] = {"target": hangs, "evaluators": "ExactMatch", "store": tmp_path / "runs.db", "rate": "6000/min"}
    run = await vivavoce.evaluate_async(cases, **options, case_timeout=0.1)
    assert {result.error.code for result in run.results if result.error is not None} == {"case_timeout"}
    assert (await vivavoce.evaluate_async(cases, **options, run_timeout=0.1)).state == "stopped"


async def test_one_name_is_one_evaluator_and_one_pattern_one_pattern(cases: Path, tmp_path: Path) -> None:
    run = await vivavoce.evaluate_async(
        [cases], target=lambda text: text, evaluators="ExactMatch", cases="a", store=tmp_path / "runs.db"
    )
    assert [(result.case, result.status) for result in run.results] == [("a", "pass")]
    assert list(run.summary.evaluators) == ["ExactMatch"]
