"""Reports of simulated conversations: why each ended, who played, and what that took."""

from __future__ import annotations

import csv
import io
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest_reports import run_of

from vivavoce.core import plugins
from vivavoce.core.model import Use
from vivavoce.core.reply import Reply
from vivavoce.core.result import Exchange, Fault, Result, Run, Score, Simulation

WHY = "the agent spoke to everything & <more>"


def result(position: int, stop: Any, **changes: Any) -> Result:
    score = Score(name="Goal", evaluator="Goal", status="fail", value=0.0, reason="not there")
    fields: dict[str, Any] = {
        "suite": "users",
        "case": f"case-{position}",
        "position": position,
        "status": "fail",
        "turns": (Exchange(input="Open?", reply=Reply(text="At nine.")),),
        "scores": (score,),
        "stop": stop,
        "simulation": Simulation(
            simulator="openai:x", reasoning=WHY, usage={"calls": 2, "input_tokens": 9}, warnings=("it said nothing",)
        ),
    }
    return Result(**{**fields, **changes})


@pytest.fixture
def run() -> Run:
    failed = Fault(code="bad_answer", message="the simulated user failed: no")
    results = [
        result(0, "goal_completed"),
        result(1, "gave_up"),
        result(2, "max_turns"),
        result(3, "error", status="error", error=failed, scores=()),
        result(4, None, simulation=None),
    ]
    return run_of(results, simulator=Use(name="openai", options={"model": "x"}))


def rendered(name: str, run: Run, **options: Any) -> str:
    out = io.StringIO()
    plugins.build("reports", Use(name=name, options=options)).render(run, out)
    return out.getvalue()


def test_the_console_counts_the_reasons_and_gives_those_of_failures(run: Run) -> None:
    text = rendered("console", run)
    for part in (
        "users    openai",
        "Simulated  4 conversations",
        "1 the simulated user reached the goal",
        "1 an error ended the conversation",
        f"the simulated user gave up: {WHY}",
        "the largest number of turns was reached",
        "the simulated user failed: no",
        "8 simulator calls",
        "price unknown",
    ):
        assert part in text


def test_the_page_tells_each_end_and_is_safe(run: Run) -> None:
    text = rendered("html", run)
    assert "Ended: the simulated user reached the goal: the agent spoke to everything &amp; &lt;more>" in text.replace(
        "&gt;", ">"
    )
    assert "it said nothing" in text
    assert "8 simulator calls" in text


def test_the_table_has_a_column_for_it(run: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(rendered("csv", run))))
    assert {(row["case"], row["stop"]) for row in rows} == {
        ("case-0", "goal_completed"),
        ("case-1", "gave_up"),
        ("case-2", "max_turns"),
        ("case-3", "error"),
        ("case-4", ""),
    }


def test_markdown_names_who_played(run: Run) -> None:
    text = rendered("markdown", run)
    assert "simulator <code>openai</code>" in text
    assert "8 simulator calls" in text


def test_junit_tells_why_each_conversation_ended(run: Run) -> None:
    cases = ElementTree.fromstring(rendered("junit", run)).iter("testcase")
    told = {case.get("name"): (case.findtext("system-out") or "").splitlines()[-1] for case in cases}
    assert told == {
        "case-0": f"ended: the simulated user reached the goal: {WHY}",
        "case-1": f"ended: the simulated user gave up: {WHY}",
        "case-2": "ended: the largest number of turns was reached",
        "case-3": "ended: an error ended the conversation",
        "case-4": "got: At nine.",
    }
