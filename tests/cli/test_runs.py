"""`viva runs` and `viva show`: what the store holds."""

from __future__ import annotations

import json

import pytest


def test_an_empty_store_is_no_mistake(viva, folder):
    done = viva("runs")
    assert done.code == 0
    assert "viva run" in done.out
    assert json.loads(viva("runs", "--json").out) == []
    assert list(folder.iterdir()) == []


def test_runs_are_listed_newest_first(viva, cases):
    viva("run", cases)
    viva("run", cases, "--category", "facts")
    lines = viva("runs").out.splitlines()
    assert lines[0].split() == ["RUN", "STARTED", "STATE", "TARGET", "PASS", "FAIL", "SKIP", "ERROR", "RATE", "SUITES"]
    assert [line.split()[3:] for line in lines[1:]] == [
        ["complete", "recorded", "2", "0", "0", "0", "100", "%", "cases"],
        ["complete", "recorded", "2", "1", "0", "0", "66.7", "%", "cases"],
    ]
    listed = json.loads(viva("runs", "--json").out)
    assert [run["summary"]["cases"] for run in listed] == [2, 3]
    assert "results" not in listed[0]
    assert len(json.loads(viva("runs", "--json", "--limit", "1").out)) == 1


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 120])
def test_the_list_keeps_to_the_width_of_the_terminal(viva, write_cases, monkeypatch, columns):
    names = [write_cases(f"a-rather-long-name-{n}.jsonl", [{"input": "a", "expected": "b", "reply": "b"}]) for n in range(4)]
    viva("run", *names)
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = viva("runs").out.splitlines()
    assert max(map(len, lines)) <= columns
    assert {"RUN", "PASS", "FAIL", "RATE", "SUITES"} <= set(lines[0].split())
    assert ("STARTED" in lines[0]) is (columns >= 80)
    assert ("ERROR" in lines[0]) is (columns >= 100)
    assert all(line.startswith(" ") for line in lines[2:])
    assert "a-rather-long-name-0, a-rather-long-name-1" in " ".join(" ".join(lines[1:]).split()) or columns == 40


def test_many_suites_are_counted(viva, write_cases):
    viva("run", *[write_cases(f"{n}.jsonl", [{"input": "a", "expected": "b", "reply": "b"}]) for n in range(9)])
    assert viva("runs").out.splitlines()[-1].endswith(" and 3 more")


def test_counts_that_say_something_are_never_left_out(viva, write_cases, monkeypatch):
    viva("run", write_cases("cases.jsonl", [{"input": "a", "expected": "b"}]), "--target", "command:false")
    monkeypatch.setenv("COLUMNS", "60")
    assert "ERROR" in viva("runs").out


def test_a_list_that_goes_to_a_program_has_all_on_one_line(process, cases):
    process("run", *[cases] * 2)
    done = process("runs", COLUMNS="")
    assert len(done.out.splitlines()) == 2
    assert "ERROR" in done.out


def test_a_limit_is_checked(viva):
    assert viva("runs", "--limit", "0").code == 2
    assert viva("runs", "--limit", "x").code == 2


def test_showing_a_run(viva, cases):
    viva("run", cases)
    done = viva("show", "last")
    assert done.code == 0
    assert "FAILED" in done.out


@pytest.mark.parametrize("argv", [["--json"], ["--as", "json"]])
def test_showing_the_document(viva, cases, argv):
    viva("run", cases, "--output", "out.json")
    with open("out.json") as written:
        assert json.loads(viva("show", "last", *argv).out) == json.load(written)


def test_showing_a_run_as_something_else(viva, cases):
    viva("run", cases)
    assert len(viva("show", "last", "--as", "jsonl").out.splitlines()) == 3
    assert viva("show", "last", "--as", "nothing").code == 2
    assert viva("show", "last", "--as", "csv", "--json").code == 2


def test_writing_a_run_to_files(viva, cases, folder):
    viva("run", cases)
    assert viva("show", "last", "--output", "a/out.json", "--output", "out.csv") == (0, "", "")
    assert json.loads((folder / "a" / "out.json").read_text())["format"] == "viva.run/1"
    assert (folder / "out.csv").is_file()


def test_outputs_of_the_config_are_those_of_a_run(viva, cases, folder):
    (folder / "viva.toml").write_text('output = "out.json"\n')
    viva("run", cases)
    (folder / "out.json").unlink()
    viva("show", "last")
    assert not (folder / "out.json").exists()


def test_a_run_is_named_by_id_prefix_or_place(viva, cases):
    viva("run", cases)
    viva("run", cases, "--category", "facts")
    newest, older = [run["id"] for run in json.loads(viva("runs", "--json").out)]
    for ref, run_id in (("last", newest), ("last~1", older), (older, older), (older[:8], older)):
        assert json.loads(viva("show", ref, "--json").out)["id"] == run_id
    assert viva("show", "last~2").code == 2
