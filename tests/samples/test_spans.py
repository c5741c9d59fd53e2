"""The sample agent writes spans by OpenTelemetry's own SDK, and scoring them gives the verdicts of the live run."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import as_file, files

import pytest

import vivavoce as viva
from vivavoce.samples.desk import BadRequest, Desks

pytest.importorskip("opentelemetry.sdk")


@pytest.fixture
def traced(tmp_path):
    """The agent as a process that writes spans: its address, and the file."""
    path = tmp_path / "spans.jsonl"
    command = [
        sys.executable,
        "-m",
        "vivavoce.samples.serve",
        "--port",
        "0",
        "--print-port",
        "--while-stdin",
        "--spans",
        str(path),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/", path
        process.stdin.close()
        assert process.wait(30) == 0


def verdicts(run):
    """What was judged, without the words."""

    def told(scores):
        return [(score.name, score.status, score.value) for score in scores]

    return {
        result.key: (result.status, told(result.scores), [told(turn.scores) for turn in result.turns]) for result in run.results
    }


def test_scoring_the_spans_of_a_live_run_gives_its_verdicts(traced, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url, spans = traced
    with as_file(files("vivavoce.samples") / "suites") as folder:
        suites = [folder / "desk.json", folder / "desk.jsonl"]
        more = {"store": "runs.db", "judge": "none"}
        live = viva.evaluate(suites, target=url, **more)
        recorded = viva.evaluate(suites, traces=str(spans), **more)
    assert verdicts(recorded) == verdicts(live)
    assert live.summary.passed > 20
    assert live.summary.failed > 3
    assert recorded.summary.usage.agent_calls == 0
    for one, other in zip(live.results, recorded.results, strict=True):
        assert one.digest == other.digest
        for said, found in zip(one.turns, other.turns, strict=True):
            assert said.reply.text == found.reply.text
            assert [(call.name, call.arguments, call.result) for call in said.reply.tool_calls] == [
                (call.name, call.arguments, call.result) for call in found.reply.tool_calls
            ]


def test_repeats_are_sessions(traced, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url, spans = traced
    row = {
        "id": "hours",
        "input": "Where is order HW-1036?",
        "expected": "Order HW-1036 was cancelled.",
        "evaluators": {"ExactMatch": {}},
    }
    (tmp_path / "one.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    live = viva.evaluate("one.jsonl", target=url, repeat=3, judge="none")
    assert live.summary.passed == 3
    assert verdicts(viva.evaluate("one.jsonl", traces=[str(spans)], repeat=3, judge="none")) == verdicts(live)
    (alone,) = viva.evaluate("one.jsonl", traces=str(spans), judge="none").results
    assert (alone.status, alone.error.code) == ("error", "several_sessions")


def test_a_request_that_is_refused_leaves_a_span_that_failed(tmp_path):
    from vivavoce.samples._spans import Spans

    spans = Spans(tmp_path / "s.jsonl")
    with pytest.raises(BadRequest):
        spans.told(Desks().send)({"input": 3, "session_id": "s"})
    spans.close()
    (case,) = viva_cases(tmp_path / "s.jsonl")
    assert case.turns[0].fault.code == "agent_failed"


def viva_cases(path):
    from vivavoce.core.place import Problems
    from vivavoce.core.source import Source
    from vivavoce.formats.otel import Otel

    return list(Otel().read(Source(path), Problems()).cases)
