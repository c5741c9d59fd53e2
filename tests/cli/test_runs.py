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
        ["complete", "recorded", "2", "0", "0", "0", "100.0%", "cases"],
        ["complete", "recorded", "2", "1", "0", "0", "66.7%", "cases"],
    ]
    listed = json.loads(viva("runs", "--json").out)
    assert [run["summary"]["cases"] for run in listed] == [2, 3]
    assert "results" not in listed[0]
    assert len(json.loads(viva("runs", "--json", "--limit", "1").out)) == 1


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
