"""Rows of Microsoft Foundry through the whole command: recorded, asked anew, mapped, in a folder with other files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from vivavoce.cli.main import viva

AGENT = """
def answer(question):
    if question == "b":
        raise ValueError("broken")
    return question.upper()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "shouting_agent.py").write_text(AGENT, encoding="utf-8")
    return tmp_path


def written(folder: Path, name: str, rows: list[dict]) -> str:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return name


def document(folder: Path) -> dict:
    return json.loads((folder / "run.json").read_text(encoding="utf-8"))


def run(*words: str) -> int:
    return viva(["run", *words, "--judge", "none", "--quiet", "--output", "run.json"])


def test_one_failing_call_is_one_error(folder: Path) -> None:
    name = written(folder, "a.jsonl", [{"query": each, "response": "old", "ground_truth": each} for each in "abcd"])
    assert run(name, "--target", "python:shouting_agent:answer", "--evaluator", "ExactMatch") == 1
    summary = document(folder)["summary"]
    assert (summary["pass"], summary["error"], summary["pass_rate"]) == (3, 1, 1.0)


def test_rows_without_a_truth_are_skipped_and_counted_apart(folder: Path) -> None:
    rows = [{"query": "a", "response": "x", "ground_truth": "x"}, {"query": "b", "response": "x"}]
    assert run(written(folder, "a.jsonl", rows), "--evaluator", "f1_score") == 0
    (told,) = document(folder)["summary"]["evaluators"].values()
    assert (told["pass"], told["skip"], told["mean"]) == (1, 1, 1.0)


def test_nothing_scored_is_no_success(folder: Path) -> None:
    assert run(written(folder, "a.jsonl", [{"query": "a", "response": "x"}]), "--evaluator", "f1_score") == 2


def test_a_table_mapped_from_the_command_line_and_from_settings(folder: Path) -> None:
    with (folder / "a.csv").open("w", newline="", encoding="utf-8") as out:
        csv.writer(out, delimiter=";").writerows([("frage", "antwort", "soll"), ("a", "x; y", "x; y"), ("b", "NA", "NA")])
    typed = ["--map", "query={{item.frage}}", "--map", "response={{ item.antwort }}", "--map", "ground_truth=soll"]
    assert run("a.csv", *typed, "--evaluator", "ExactMatch") == 0
    assert [result["turns"][0]["input"] for result in document(folder)["results"]] == ["a", "b"]
    (folder / "viva.toml").write_text('[map]\nquery = "frage"\nresponse = "antwort"\nground_truth = "soll"\n', encoding="utf-8")
    assert run(".", "--evaluator", "ExactMatch") == 0
    assert run("a.csv", "--map", "response={{item.antwrt}}", "--evaluator", "ExactMatch") == 2


def test_a_folder_of_several_formats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "evals").mkdir()
    written(folder, "evals/rows.jsonl", [{"query": "a", "response": "x", "ground_truth": "x"}])
    written(folder, "evals/native.jsonl", [{"input": "a", "reply": "x", "expected": "x"}])
    written(folder, "evals/log.jsonl", [{"level": "info", "text": "x"}])
    written(folder, "evals/scored.jsonl", [{"inputs.query": "a", "outputs.x.x": 1}])
    (folder / "evals" / "package.json").write_text('{"name": "x", "version": "1"}', encoding="utf-8")
    assert run("evals", "--evaluator", "ExactMatch") == 0
    assert [result["suite"] for result in document(folder)["results"]] == ["native", "rows"]
    assert "ignored, not recognised as datasets: log.jsonl, package.json, scored.jsonl" in capsys.readouterr().err


def test_a_run_at_another_level_is_another_run(folder: Path) -> None:
    rows = [{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "A"}]}]
    name = written(folder, "a.jsonl", rows)
    assert run(name, "--level", "conversation", "--evaluator", "ExactMatch") == 2
    assert run(name, "--level", "turns", "--evaluator", "ExactMatch") == 2
    assert run(name, "--level", "turn", "--evaluator", "foundry.Coherence") == 2  # asked, skipped for want of a judge
    assert document(folder)["summary"]["skip"] == 1


def test_a_resumed_run_keeps_its_mapping(folder: Path) -> None:
    name = written(folder, "a.jsonl", [{"question": each, "answer": each} for each in "abc"])
    typed = ["--map", "query=question", "--map", "response=answer", "--map", "ground_truth=answer"]
    assert run(name, *typed, "--evaluator", "ExactMatch") == 0
    assert viva(["resume", "last", "--quiet", "--output", "again.json"]) == 0
    assert json.loads((folder / "again.json").read_text(encoding="utf-8"))["summary"]["pass"] == 3
