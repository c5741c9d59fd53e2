"""Rows of Microsoft Foundry, from the command line to every output."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from .conftest import Server, Viva, write_cases


@pytest.fixture
def viva(viva_here: Viva) -> Viva:
    """Each of these is about files, and a process of its own would show nothing more."""
    return viva_here


Row = dict[str, Any]
ROWS: list[Row] = [
    json.loads(line)
    for line in (files("vivavoce.samples") / "recordings" / "conversations.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Conversations of the sample agent."""


def no_constant(name: str) -> None:
    pytest.fail(f"{name} is no JSON")


def strict(text: str) -> Any:
    return json.loads(text, parse_constant=no_constant)


def lines(path: Path) -> list[str]:
    """The lines of a file; other line breaks than its own may stand in texts."""
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n")
    return text.split("\n")[:-1]


OUTPUTS = ("--output", "run.json", "--output", "results.jsonl", "--output", "scores.csv", "--output", "foundry:out.jsonl")


class Written:
    """Every output of a run, read strictly."""

    def __init__(self, folder: Path) -> None:
        self.run = strict((folder / "run.json").read_text(encoding="utf-8"))
        self.results = [strict(line) for line in lines(folder / "results.jsonl")]
        self.rows = [strict(line) for line in lines(folder / "out.jsonl")]
        self.scores = list(csv.DictReader(io.StringIO((folder / "scores.csv").read_text(encoding="utf-8-sig"), newline="")))
        assert len(self.run["results"]) == len(self.results) == len(self.rows)
        assert [each["case"] for each in self.run["results"]] == [each["case"] for each in self.rows]
        assert {each["case"] for each in self.scores} == {each["case"] for each in self.rows}
        assert all(None not in each and None not in each.values() for each in self.scores)

    def given(self, column: str) -> list[Any]:
        return [row.get(f"inputs.{column}") for row in self.rows]


def test_a_table_keeps_every_cell_as_it_stands(viva: Viva, tmp_path: Path) -> None:
    lines = (
        "query;response;ground_truth;code;date;created_at;note",
        "Which country?;NA;NA;007;2024-01-01;1700000000;a, b",
        '"Nothing; really?";null;"null";1e5;2024-02-30;None;"said ""so""\r\non two lines"',
        "Ünïcode?;naïve;naive;12345678901234567890;;;",
    )
    (tmp_path / "table.CSV").write_bytes(("\ufeff" + "\r\n".join(lines) + "\r\n").encode())
    done = viva("run", "table.CSV", "--judge", "none", *OUTPUTS)
    assert done.returncode == 1, done.stderr
    out = Written(tmp_path)
    assert out.given("query") == ["Which country?", "Nothing; really?", "Ünïcode?"]
    assert out.given("response") == ["NA", "null", "naïve"]
    assert out.given("code") == ["007", "1e5", "12345678901234567890"]
    assert out.given("date") == ["2024-01-01", "2024-02-30", ""]
    assert out.given("created_at") == ["1700000000", "None", ""]
    assert out.given("note") == ["a, b", 'said "so"\r\non two lines', ""]
    assert [row["outputs.f1_score.f1_score_result"] for row in out.rows] == ["pass", "pass", "fail"]


def test_values_that_others_turn_into_something_else_stay(viva: Viva, tmp_path: Path) -> None:
    odd = {
        "date": "2024-01-01T00:00:00Z",
        "created_at": "1700000000",
        "modified": 1700000000,
        "timestamp_ms": 1700000000123,
        "number": 12345678901234567890123,
        "half": 0.1,
        "item.name": "dotted",
        "none": None,
        "line": "a\u2028b",
    }
    said = {"query": "Open?", "response": "Yes.", "ground_truth": "Yes."}
    write_cases(
        tmp_path / "rows.jsonl",
        [{"id": 12345678901234567890, **said, **odd}, {"id": 12345678901234567891, **said}, {"id": "12", **said}],
    )
    done = viva("run", "rows.jsonl", "--judge", "none", *OUTPUTS)
    assert done.returncode == 0, done.stderr
    out = Written(tmp_path)
    assert out.given("id") == [12345678901234567890, 12345678901234567891, "12"]
    assert [row["case"] for row in out.rows] == ["12345678901234567890", "12345678901234567891", "12"]
    assert {name: out.rows[0][f"inputs.{name}"] for name in odd} == odd
    assert out.results[0]["metadata"] == odd


def test_one_broken_line_of_many_is_told_by_its_number_before_any_call(viva: Viva, server: Server, tmp_path: Path) -> None:
    rows = [json.dumps({"query": f"say {number}", "ground_truth": str(number)}) for number in range(10_000)]
    rows[4_999] = '{"query": "say 4999", "ground_truth": "49'
    (tmp_path / "rows.jsonl").write_text("\n".join(rows), encoding="utf-8")
    done = viva("run", "rows.jsonl", "--judge", "none", "--target", server.url)
    assert done.returncode == 2
    assert "rows.jsonl:5000: is not valid JSON" in done.stderr
    assert "1 problem found; nothing was run" in done.stderr
    assert not server.asked
    assert viva("validate", "rows.jsonl").returncode == 2


def test_a_column_that_one_evaluator_lacks_is_a_matter_of_that_evaluator(viva: Viva, tmp_path: Path) -> None:
    said = {"query": "Open?", "response": "Yes, at nine."}
    write_cases(tmp_path / "rows.jsonl", [{**said, "ground_truth": "Yes, at nine."}, said, {**said, "ground_truth": "No."}])
    asked = ("--evaluator", "F1Score", "--evaluator", "DocumentRetrieval", "--evaluator", "Citations")
    done = viva("run", "rows.jsonl", "--judge", "none", *asked, *OUTPUTS)
    assert done.returncode == 1, done.stderr
    summary = Written(tmp_path).run["summary"]
    by_name = summary["evaluators"]
    assert [by_name[name]["skip"] for name in ("F1Score", "DocumentRetrieval", "Citations")] == [1, 3, 0]
    assert (by_name["F1Score"]["pass"], by_name["F1Score"]["fail"], by_name["F1Score"]["mean"]) == (1, 1, 0.5)
    assert by_name["DocumentRetrieval"]["mean"] is None
    assert "needs `retrieval_ground_truth`" in done.stdout


def test_rows_with_answers_need_neither_target_nor_judge(viva: Viva, tmp_path: Path) -> None:
    write_cases(tmp_path / "rows.jsonl", ROWS)
    done = viva("run", "rows.jsonl", "--judge", "none", *OUTPUTS)
    assert done.returncode == 1
    out = Written(tmp_path)
    assert out.run["plan"]["target"]["name"] == "recorded"
    by_name = out.run["summary"]["evaluators"]
    assert {name for name, each in by_name.items() if each["pass"] + each["fail"]} == {"F1Score", "TaskNavigationEfficiency"}
    for name in ("Relevance", "Coherence", "Similarity"):
        assert by_name[name]["skip"] == len(ROWS)
    judged = ("Relevance", "Coherence", "Similarity", "Groundedness")
    shown = " ".join(done.stdout.split())
    assert f"{sum(by_name[name]['skip'] for name in judged)} {', '.join(judged)} needs a judge" in shown
    assert "--judge SPEC" in shown
    skipped = out.rows[0]
    assert skipped["outputs.relevance.relevance_status"] == "skipped"
    assert "--judge SPEC" in skipped["outputs.relevance.relevance_reason"]
    assert skipped["outputs.relevance.relevance"] is None


def test_with_all_passed_it_ends_well_and_with_nothing_judged_it_does_not(viva: Viva, tmp_path: Path) -> None:
    write_cases(tmp_path / "right.jsonl", [{"query": "Open?", "response": "Yes.", "ground_truth": "Yes."}])
    write_cases(tmp_path / "alone.jsonl", [{"query": "Open?", "response": "Yes."}])
    assert viva("run", "right.jsonl", "--judge", "none").returncode == 0
    done = viva("run", "alone.jsonl", "--judge", "none")
    assert done.returncode == 2
    assert "NOTHING EVALUATED" in done.stdout


def test_rows_without_answers_need_a_target_and_say_so(viva: Viva, tmp_path: Path) -> None:
    write_cases(tmp_path / "rows.jsonl", [{"messages": [{"role": "user", "content": "Open?"}], "ground_truth": "Yes."}])
    done = viva("run", "rows.jsonl", "--judge", "none")
    assert done.returncode == 2
    assert "--target" in done.stderr


ODD = [
    {"question": "Open?", "facts": {"right": "Yes."}, "told": "Yes."},
    {"question": "Closed?", "facts": {"right": "No."}, "told": "Yes."},
]
MAPPING = {"query": "{{item.question}}", "response": "${data.told}", "ground_truth": "{{ item.facts.right }}"}
F1 = {"type": "azure_ai_evaluator", "name": "f1", "evaluator_name": "builtin.f1_score"}


Way = Callable[[Path, Row], list[str]]


def by_options(folder: Path, mapping: Row) -> list[str]:
    write_cases(folder / "rows.jsonl", ODD)
    return ["rows.jsonl", "--evaluator", "f1:F1Score", *(f"--map={param}={text}" for param, text in mapping.items())]


def by_file(folder: Path, mapping: Row) -> list[str]:
    write_cases(folder / "rows.jsonl", ODD)
    lines = [f"{param} = {json.dumps(text)}" for param, text in mapping.items()]
    (folder / "viva.toml").write_text("\n".join(["[map]", *lines]), encoding="utf-8")
    return ["rows.jsonl", "--evaluator", "f1:F1Score"]


def by_document(folder: Path, mapping: Row) -> list[str]:
    write_cases(folder / "rows.json", [{"evaluators": [F1], "data_mapping": mapping, "data": ODD}])
    return ["rows.json"]


def by_evaluator(folder: Path, mapping: Row) -> list[str]:
    write_cases(folder / "rows.json", [{"testing_criteria": [{**F1, "data_mapping": mapping}], "data": ODD}])
    return ["rows.json"]


@pytest.mark.parametrize("way", [by_options, by_file, by_document, by_evaluator])
def test_a_mapping_says_the_same_wherever_it_stands(way: Way, viva: Viva, tmp_path: Path) -> None:
    done = viva("run", *way(tmp_path, MAPPING), "--judge", "none", *OUTPUTS)
    assert done.returncode == 1, done.stderr
    out = Written(tmp_path)
    assert [row["outputs.f1.f1_score"] for row in out.rows] == [1.0, 0.0]
    assert out.given("question") == ["Open?", "Closed?"]
    assert [each["turns"][0]["input"] for each in out.results] == ["Open?", "Closed?"]


@pytest.mark.parametrize("way", [by_options, by_file, by_document, by_evaluator])
def test_a_column_that_no_row_has_is_told_before_any_call(way: Way, viva: Viva, server: Server, tmp_path: Path) -> None:
    slip = {**MAPPING, "ground_truth": "{{item.facts.rihgt}}"}
    done = viva("run", *way(tmp_path, slip), "--judge", "none", "--target", server.url)
    assert done.returncode == 2
    assert 'no row has the field "facts.rihgt"' in done.stderr
    assert "nothing was run" in done.stderr
    assert not server.asked


def test_one_call_that_fails_leaves_the_others_scored(viva: Viva, server: Server, tmp_path: Path) -> None:
    rows = [{"id": f"r{number}", "query": f"say {number}", "ground_truth": str(number)} for number in range(100)]
    rows[37]["query"] = "broken 37"
    write_cases(tmp_path / "rows.jsonl", rows)
    done = viva(
        "run", "rows.jsonl", "--judge", "none", "--target", server.url, "--evaluator", "F1Score", "--retries", "0", *OUTPUTS
    )
    assert done.returncode == 1
    out = Written(tmp_path)
    summary = out.run["summary"]
    assert (summary["cases"], summary["pass"], summary["fail"], summary["error"]) == (100, 99, 0, 1)
    assert (summary["scored"], summary["pass_rate"]) == (99, 1.0)
    f1 = summary["evaluators"]["F1Score"]
    assert (f1["pass"], f1["error"], f1["mean"]) == (99, 1, 1.0)
    (wrong,) = (row for row in out.rows if row["status"] == "error")
    assert wrong["case"] == "r37"
    assert "500" in wrong["error"]["message"]
    assert (wrong["outputs.f1_score.f1_score"], wrong["outputs.f1_score.f1_score_status"]) == (None, "error")
    assert "outputs.response" not in wrong
    assert [row["outputs.response"] for row in out.rows if row is not wrong] == [str(n) for n in range(100) if n != 37]
    gate = ("--min-pass-rate", "0.995")
    missed = viva(
        "run", "rows.jsonl", "--judge", "none", "--target", server.url, "--evaluator", "F1Score", "--retries", "0", *gate
    )
    assert missed.returncode == 1  # an error never counts as passed in a gate


def test_a_run_says_what_its_numbers_are_made_of(viva: Viva, tmp_path: Path) -> None:
    def row(number: int, **more: Any) -> Row:
        return {"id": f"r{number}", "query": "Where is it?", "response": "At home", **more}

    tool = {"type": "tool_call", "tool_call_id": "1", "name": "look", "arguments": {}}
    write_cases(
        tmp_path / "rows.jsonl",
        [
            row(0, ground_truth="At home"),
            row(1, ground_truth="at home now"),
            row(2, ground_truth="Elsewhere"),
            row(3),
            row(4, tool_calls=[tool], expected_actions=["look"]),
            row(5, tool_calls=[tool], expected_actions=[]),
            row(6, tool_calls=[tool], expected_actions=["look", "find"]),
        ],
    )
    asked = ("--evaluator", "F1Score", "--evaluator", "TaskNavigationEfficiency", "--evaluator", "Relevance")
    done = viva("run", "rows.jsonl", "--judge", "none", *asked, *OUTPUTS)
    assert done.returncode == 1
    out = Written(tmp_path)
    by_name = out.run["summary"]["evaluators"]
    counts = {name: tuple(each[status] for status in ("pass", "fail", "skip", "error")) for name, each in by_name.items()}
    assert counts == {"F1Score": (2, 1, 4, 0), "TaskNavigationEfficiency": (1, 1, 4, 1), "Relevance": (0, 0, 7, 0)}
    assert by_name["F1Score"]["mean"] == pytest.approx((1 + 0.8 + 0) / 3)
    assert by_name["TaskNavigationEfficiency"]["mean"] == pytest.approx(0.5)
    assert by_name["F1Score"]["pass_rate"] == pytest.approx(2 / 3)
    assert by_name["Relevance"]["mean"] is by_name["Relevance"]["pass_rate"] is None
    assert [each["status"] for each in out.results] == ["pass", "pass", "fail", "skip", "pass", "error", "fail"]
    for each in out.scores:
        if each["score"] in ("skip", "error"):
            assert each["reason"], each
            assert each["value"] == "", each
    reasons = {(row["case"]): row["outputs.f1_score.f1_score_reason"] for row in out.rows}
    assert "needs an expected response" in reasons["r3"]
    assert "66.7 % of 3" in done.stdout
    assert "50.0 % of 2" in done.stdout
    assert "needs an expected response" in " ".join(done.stdout.split())
    assert "the list of expected tool calls is empty" in " ".join(done.stdout.split())
