"""`--token-budget` and `--money-budget`: the run stops, says so, and is finished under a larger one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from conftest_models import KEY, endpoint, says

from vivavoce.api import evaluate_async

GRADE = {"reason": "It says what it should, and says it plainly.", "score": 4}
COUNT = 25


@pytest.fixture
def dataset(folder: Path, write_cases) -> str:
    cases = [
        {"id": f"c{number}", "input": "How?", "reply": "Well.", "evaluators": {"Relevance": {}}} for number in range(COUNT)
    ]
    return write_cases("cases.jsonl", cases)


async def test_a_run_stops_at_its_budget_and_is_resumed_under_another(folder, dataset, process):
    async with endpoint() as models:
        options = {"model": "tutor", "base_url": models(says(GRADE)), "api_key": KEY}
        judge = [f"--judge-option={name}={value}" for name, value in options.items() if name != "model"]
        words = ["run", dataset, "--judge", "openai:tutor", *judge, "--no-cache", "--concurrency", "3", "--output", "out.json"]

        done = await asyncio.to_thread(process, *words, "--money-budget", "0.5")
        assert done.code == 2
        assert "[prices]" in done.err
        assert models.asked == []

        (folder / "viva.toml").write_text('[prices]\n"tutor" = { input = 1000, output = 0 }\n')
        done = await asyncio.to_thread(process, *words, "--output", "console:-", "--money-budget", "0.5")
        asked = len(models.asked)
        assert done.code == 1, done.err
        assert 5 <= asked < 8
        document = json.loads((folder / "out.json").read_text())
        assert (document["state"], document["summary"]["not_run"]) == ("stopped", COUNT - asked)
        assert "viva resume" in done.out
        assert str(COUNT - asked) in done.out

        key = judge[-1]
        done = await asyncio.to_thread(
            process, "resume", "last", key, "--no-cache", "--money-budget", "0.5", "--output", "out.json"
        )
        assert (done.code, len(models.asked)) == (1, asked)
        done = await asyncio.to_thread(
            process, "resume", "last", key, "--no-cache", "--token-budget", "100000", "--output", "out.json"
        )
        assert (done.code, len(models.asked)) == (0, COUNT), done.err
        document = json.loads((folder / "out.json").read_text())
        assert (document["state"], document["summary"]["pass"]) == ("complete", COUNT)


async def test_a_budget_from_python(folder, dataset):
    async with endpoint() as models:
        from vivavoce.core.model import Use

        options = {"model": "tutor", "base_url": models(says(GRADE)), "api_key": KEY}
        judge = Use(name="openai", options=options)
        run = await evaluate_async(dataset, judge=judge, concurrency=2, token_budget=600, cache=False)
        assert (run.state, 5 <= len(models.asked) < 7) == ("stopped", True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("money-budget = 0", "viva.toml:1: money-budget must be an amount of US dollars above 0"),
        ("token-budget = 0", "viva.toml:1: token-budget must be a whole number of at least 1"),
        ("[prices]\ngpt-4.1 = { input = 1, output = 2 }", "viva.toml:1: prices must be a table of models, each in quotes"),
        ('[prices]\n"m" = { input = -1, output = 2 }', "viva.toml:1: prices must be"),
    ],
)
def test_what_cannot_be_meant_is_told_with_its_line(folder, dataset, viva, text, said):
    (folder / "viva.toml").write_text(text)
    done = viva("run", dataset)
    assert done.code == 2
    assert said in done.err
