"""Scenario files, run against the sample agent: what the vendor's own pages show, in texts of the sample's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import vivavoce as viva
from vivavoce.samples.desk import answer

DATA = Path(__file__).resolve().parents[1] / "data" / "agentcore" / "ok"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_single_turns_with_a_trajectory():
    run = viva.evaluate(DATA / "single.json", target=answer, evaluators=["TrajectoryExactOrderMatch", "ExactMatch"])
    assert [(each.case, each.status) for each in run.results] == [("order-shipped", "pass"), ("mug-stock", "pass")]
    assert [score.status for each in run.results for score in each.scores] == ["pass", "pass"]


def test_several_turns_share_a_session_and_a_trajectory():
    run = viva.evaluate(DATA / "turns.json", target=answer, evaluators=["TrajectoryInOrderMatch"])
    first, second = run.results
    assert (first.category, first.metadata["owner"]) == ("orders", "Zofia Wrońska")
    assert [turn.input for turn in first.turns][2] == {"prompt": "Where is order HW-1036?", "locale": "fr"}
    assert (first.status, second.status) == ("pass", "pass")


def test_a_simulated_user_is_played():
    run = viva.evaluate(DATA / "simulated.json", target=answer, evaluators=["ToolCallSuccess"], judge="none")
    results = list(run.results)
    assert [each.case for each in results] == ["gift-buyer", "structured", "null-turns"]
    assert all(each.stop in ("goal_completed", "max_turns", "gave_up") for each in results)
    assert results[0].metadata["scenario_description"].startswith("Somebody looks")
    assert 1 <= len(results[0].turns) <= 5
    assert all(isinstance(turn.input, dict) for turn in results[1].turns)


def test_files_of_several_vendors_run_together(tmp_path):
    for name in ("single.json", "rows.jsonl"):
        shutil.copy(DATA / name, tmp_path / name)
    (tmp_path / "own.jsonl").write_text('{"id": "n", "input": "Hello", "evaluators": {"ExactMatch": {}}, "expected": "Hi"}\n')
    run = viva.evaluate(tmp_path, target=answer, evaluators=["TrajectoryAnyOrderMatch"], cases=["order-*", "a", "n"])
    assert {(each.suite, each.case) for each in run.results} == {("single", "order-shipped"), ("rows", "a"), ("own", "n")}
