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
from vivavoce.core import codec, plugins
from vivavoce.core.model import Use

from .conftest import write_cases

SUITE = str(files("vivavoce.samples") / "suites" / "desk.json")
TOKEN = "let-me-in"


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """The sample agent over HTTP."""
    argv = [sys.executable, "-m", "vivavoce.samples.serve", "--port", "0", "--print-port", "--token", TOKEN]
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


SAYING_TEXT: dict[str, dict[str, Any]] = {
    "openai": {"model": "help-desk", "base_url": "v1"},
    "openai, streamed": {"model": "help-desk", "base_url": "v1", "stream": True},
    "openai, responses": {"model": "help-desk", "base_url": "v1", "api": "responses"},
    "openai, responses, all said again": {"model": "help-desk", "base_url": "v1", "api": "responses", "stateful": False},
    "a2a": {"url": ""},
    "a2a, in one piece": {"url": "", "stream": False},
    "a2a, 0.3": {"url": "", "version": "0.3"},
}
"""Ways that speak of the text of an answer, and of no searches."""


def made(name: str, options: dict[str, Any], served: str) -> Any:
    places = {key: served + options[key] for key in ("base_url", "url", "endpoint") if key in options}
    return plugins.build("targets", Use(name=name.partition(",")[0], options={**options, **places}))


@pytest.fixture(scope="module")
def on_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The suite without the checks of what the agent looked up."""
    document = json.loads(Path(SUITE).read_text(encoding="utf-8"))
    for item in document["items"]:
        for turn in item.get("turns", [item]):
            evaluators = turn.get("evaluators", {})
            turn["evaluators"] = {name: each for name, each in evaluators.items() if not name.startswith("Retrieval")}
    path = tmp_path_factory.mktemp("text") / "desk.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def text_by_function(on_text: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    store = str(tmp_path_factory.mktemp("text") / "runs.db")
    return vivavoce.evaluate(on_text, target="python:vivavoce.samples.desk:Desk", store=store)


@pytest.mark.parametrize("way", SAYING_TEXT)
def test_by_what_speaks_of_text(way: str, on_text: str, text_by_function: Any, served: str, tmp_path: Path) -> None:
    run = vivavoce.evaluate(on_text, target=made(way, SAYING_TEXT[way], served), store=str(tmp_path / "runs.db"))
    assert verdicts(run) == verdicts(text_by_function)
    assert run.summary.passed > run.summary.failed > 0


@pytest.mark.parametrize("options", [{}, {"stream": True}, {"version": "0.3"}], ids=str)
def test_through_the_gateway_to_copilot_agents(by_function: Any, options: dict[str, Any], served: str, tmp_path: Path) -> None:
    known = {"agent": "T_desk", "endpoint": "workiq/a2a/", "token": TOKEN, **options}
    run = vivavoce.evaluate(SUITE, target=made("m365", known, served), store=str(tmp_path / "runs.db"))
    assert verdicts(run) == verdicts(by_function)


def test_threads_never_mix(served: str, tmp_path: Path) -> None:
    """Twenty conversations at once by each way, each of which must remember its own order."""
    turns = [("Where is order {}?", "{}"), ("What is in it?", "{}"), ("How much was it?", "{}")]
    contains = {"ExactMatch": {"match": "contains"}}
    cases = [
        {
            "id": str(at),
            "turns": [{"input": a.format(order), "expected": e.format(order)} for a, e in turns],
            "evaluators": contains,
        }
        for at, order in enumerate(f"HW-{1031 + number % 13}" for number in range(20))
    ]
    path = write_cases(tmp_path / "orders.jsonl", cases)
    gateway = {"agent": "T_desk", "endpoint": "workiq/a2a/", "token": TOKEN}
    for way, options in {**SAYING_TEXT, "m365": gateway}.items():
        target = made(way, options, served)
        run = vivavoce.evaluate(path, target=target, store=str(tmp_path / "runs.db"), concurrency=20)
        assert (run.summary.passed, run.summary.cases) == (20, 20), way


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
