"""One suite through every way to reach an agent gives the same verdicts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import vivavoce
from vivavoce.core import codec

SUITE = str(files("vivavoce.samples") / "suites" / "desk.json")


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """The sample agent over HTTP."""
    argv = [sys.executable, "-m", "vivavoce.samples.serve", "--port", "0", "--print-port"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/"
        process.terminate()


def verdicts(run: Any) -> list[Any]:
    return [
        (result.case, result.status, [[(s.name, s.status, s.value, s.reason) for s in turn.scores] for turn in result.turns])
        for result in run.results
    ]


@pytest.fixture(scope="module")
def by_function(tmp_path_factory: pytest.TempPathFactory) -> Any:
    store = str(tmp_path_factory.mktemp("function") / "runs.db")
    return vivavoce.evaluate(SUITE, target="python:vivavoce.samples.desk:Desk", store=store)


def test_the_suite_has_every_outcome_it_should(by_function: Any) -> None:
    summary = by_function.summary
    assert summary.cases >= 25
    assert summary.errored == 0
    assert summary.passed > summary.failed > 0


def test_over_http(by_function: Any, served: str, tmp_path: Path) -> None:
    run = vivavoce.evaluate(SUITE, target=served, store=str(tmp_path / "runs.db"))
    assert verdicts(run) == verdicts(by_function)


def test_as_a_process(by_function: Any, tmp_path: Path) -> None:
    target = f"command:{sys.executable} -m vivavoce.samples.stdio"
    run = vivavoce.evaluate(SUITE, target=target, store=str(tmp_path / "runs.db"), concurrency=2)
    assert verdicts(run) == verdicts(by_function)


def test_replayed_from_a_dataset_that_holds_the_answers(by_function: Any, tmp_path: Path) -> None:
    document = json.loads(Path(SUITE).read_text(encoding="utf-8"))
    for item, result in zip(document["items"], by_function.results, strict=True):
        for turn, exchange in zip(item.get("turns", [item]), result.turns, strict=True):
            turn["response"] = exchange.reply.text
            turn["diagnostics"] = {"retrieval_executions": codec.plain(exchange.reply.retrievals)}
    path = tmp_path / "desk.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    run = vivavoce.evaluate(path, store=str(tmp_path / "runs.db"))
    assert run.header.selection.target.name == "recorded"
    assert verdicts(run) == verdicts(by_function)
