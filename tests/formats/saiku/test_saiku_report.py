"""A run as Saiku's own runner reports it."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import vivavoce
from vivavoce.core.result import Run
from vivavoce.formats.saiku import Saiku

SUITE = """
name: families
description: Ground truth for the Sales cube
cube: {connectionName: c, catalog: c, schema: s, cubeName: n}
cases:
  - {name: good, question: good, expectedIntent: QUERY, expectedRows: [{n: 1}]}
  - {name: insight, question: insight, expectedIntent: INSIGHT, expectedInsightContains: [up, down]}
  - {name: refused, question: refused, expectedIntent: REFUSED, expectedRefusalContains: cube}
  - name: top-3-product-families
    question: families
    expectedIntent: QUERY
    expectedRows: [{productFamily: Food}, {productFamily: Non-Consumable}, {productFamily: Drink}]
  - {name: other kind, question: good, expectedIntent: REFUSED, expectedRefusalContains: cube}
  - {name: broken, question: broken, expectedRows: []}
  - {name: nothing, question: good}
  - {name: unknown, question: text, expectedRows: []}
  - {name: referenced, question: good, referenceQuery: {measures: []}}
"""
ANSWERS: dict[str, Any] = {
    "good": {"intent": "QUERY", "rows": [{"n": 1}], "model": "m-1"},
    "insight": {"intent": "INSIGHT", "insight": "up 12 %", "model": "m-1"},
    "refused": {"intent": "REFUSED", "refusal": "OFF_TOPIC: not about the Cube"},
    "families": {"intent": "QUERY", "rows": [{"product family": name} for name in ("Drink", "Food", "Non-Consumable")]},
    "text": "just a text \x1b[31m",
}


def answer(request: Any) -> Any:
    if request["input"] == "broken":
        raise RuntimeError("down\x1b[31m\nfor good")
    return ANSWERS[request["input"]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("families.eval.yaml").write_text(SUITE, encoding="utf-8")
    return vivavoce.evaluate("families.eval.yaml", target=answer)


def text_of(run: Run) -> str:
    out = io.StringIO()
    Saiku().report(run, out)
    return out.getvalue()


def test_the_text_has_the_layout_of_the_source(run):
    lines = re.sub(r"\d+ms", "0ms", text_of(run)).split("\n")
    assert lines == [
        "Suite: families",
        "Description: Ground truth for the Sales cube",
        "1/9 passed, 4 failed, 3 degraded, 1 skipped (elapsed 0ms)",
        "",
        "PASS: good (0ms, intent=QUERY, model=m-1)",
        "FAIL: insight (0ms, intent=INSIGHT, model=m-1)",
        '  insight.markdown: expected to contain "down", got "up 12 %"',
        "FAIL: refused (0ms, intent=REFUSED, model=null)",
        '  refusalReason: expected to contain "cube", got "not about the Cube" (only upper and lower case differ)',
        "FAIL: top-3-product-families (0ms, intent=QUERY, model=null)",
        '  rows[0].productFamily: expected "Food", got "Drink"',
        '  rows[1].productFamily: expected "Non-Consumable", got "Food"',
        '  rows[2].productFamily: expected "Drink", got "Non-Consumable"',
        "FAIL: other kind (0ms, intent=QUERY, model=m-1)",
        "  intent: expected REFUSED, got QUERY",
        "DEGRADED: broken (0ms, intent=null, model=null)",
        lines[16],
        "SKIPPED: nothing (0ms, intent=QUERY, model=m-1)",
        "DEGRADED: unknown (0ms, intent=null, model=null)",
        "  rows: needs the answer's rows, which the agent did not report, and there is none",
        "DEGRADED: referenced (0ms, intent=QUERY, model=m-1)",
        "  referenceQuery: the reference query failed: the target runs no queries; "
        "name one that does, or expect rows that the file holds",
        "",
    ]
    assert lines[16].startswith("  provider: ")
    assert "down" in lines[16]
    assert "\x1b" not in text_of(run)


def test_the_json_holds_the_same(run):
    out = io.StringIO()
    Saiku().for_suffix(".JSON").report(run, out)
    report = json.loads(out.getvalue())
    assert list(report) == ["suiteName", "suiteDescription", "outcomes", "totalDurationMs"]
    assert (report["suiteName"], report["suiteDescription"]) == ("families", "Ground truth for the Sales cube")
    assert [each["status"] for each in report["outcomes"]].count("DEGRADED") == 3
    first, families = report["outcomes"][0], report["outcomes"][3]
    assert list(first) == ["caseName", "status", "mismatches", "durationMs", "actualIntent", "actualModel"]
    assert (first["caseName"], first["status"], first["actualIntent"], first["actualModel"]) == ("good", "PASS", "QUERY", "m-1")
    assert families["mismatches"][0] == {"path": "rows[0].productFamily", "message": 'expected "Food", got "Drink"'}
    assert isinstance(report["totalDurationMs"], int)


def test_several_suites_are_several_reports(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        text = SUITE.replace("families", name, 1).replace("description: Ground truth for the Sales cube\n", "")
        Path(f"{name}.eval.yaml").write_text(text, encoding="utf-8")
    run = vivavoce.evaluate(".", target=answer)
    text = text_of(run)
    assert re.findall(r"(?:^|\n\n)Suite: (\w)\n1/9 passed", text) == ["a", "b"]
    assert "Description" not in text
    out = io.StringIO()
    Saiku(layout="json").report(run, out)
    reports = json.loads(out.getvalue())
    assert [each["suiteName"] for each in reports] == ["a", "b"]
    assert reports[0]["suiteDescription"] is None


def test_a_run_without_results_is_a_report_too(run):
    empty = replace(run, results=())
    assert "0/0 passed, 0 failed, 0 degraded, 0 skipped" in text_of(empty)
    out = io.StringIO()
    Saiku(layout="json").report(empty, out)
    assert json.loads(out.getvalue())["outcomes"] == []


def test_repeats_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("families.eval.yaml").write_text(SUITE, encoding="utf-8")
    text = text_of(vivavoce.evaluate("families.eval.yaml", target=answer, repeat=2))
    assert "PASS: good (" in text
    assert "PASS: good #2 (" in text
