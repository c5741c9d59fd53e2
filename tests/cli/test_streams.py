"""Where output goes changes neither what is done nor what it comes to: readers that leave, full disks, closed streams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

VIVA = (sys.executable, "-m", "vivavoce")
RUNEVALS = (sys.executable, "-c", "import sys; from vivavoce.cli.runevals import runevals; sys.exit(runevals())")
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")

PRINTS = {
    "show": ("show", "last"),
    "show as": ("show", "last", "--as", "csv"),
    "show json": ("show", "last", "--json"),
    "runs": ("runs",),
    "runs json": ("runs", "--json"),
    "list": ("list",),
    "list kind": ("list", "evaluators"),
    "manual": ("list", "evaluators", "ExactMatch"),
    "validate": ("validate", "cases.jsonl"),
    "schema": ("schema", "run"),
    "config": ("run", "--print-config"),
    "version": ("--version",),
    "help": ("--help",),
    "run help": ("run", "--help"),
    "completion": ("--print-completion", "bash"),
}
"""Commands that print and do nothing else."""


@pytest.fixture
def gone():
    """Standard output that nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.fixture
def full():
    """Standard output on a full disk."""
    with open("/dev/full", "wb") as disk:
        yield disk


@pytest.fixture
def stored(cases, viva):
    """A folder with a dataset and a run."""
    assert viva("run", cases).code == 1


def command(*words, stdout, by=VIVA, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL):
    return subprocess.run([*by, *words], stdin=stdin, stdout=stdout, stderr=stderr, encoding="utf-8", timeout=60)


@pytest.mark.parametrize("words", PRINTS.values(), ids=PRINTS)
def test_a_reader_that_goes_away_is_no_error(stored, gone, words):
    done = command(*words, stdout=gone)
    assert (done.returncode, done.stderr) == (0, "")


@FULL
@pytest.mark.parametrize("words", PRINTS.values(), ids=PRINTS)
def test_a_full_disk_is_one_plain_line(stored, full, words):
    done = command(*words, stdout=full)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("viva: standard output cannot be written: No space left on device")


def test_problems_are_an_error_though_nobody_reads_them(folder, gone):
    (folder / "bad.json").write_text('{"schemaVersion": "1.8.0", "items": [{"promt": "?"}]}')
    assert command("validate", "bad.json", stdout=gone).returncode == 2


def test_a_table_longer_than_any_buffer_ends_quietly(folder, write_cases, gone):
    for number in range(300):
        write_cases(f"{'n' * 60}{number}.jsonl", [{"input": "a", "expected": "b", "reply": "b"}])
    assert command("validate", ".", stdout=gone).returncode == 0


@pytest.mark.parametrize(("options", "code"), [((), 1), (("--case", "capital"), 0), (("--min-pass-rate", "0.5"), 0)])
@pytest.mark.parametrize("name", ["run", "resume"])
def test_a_run_that_nobody_reads_comes_to_the_same(folder, cases, gone, name, options, code):
    outputs = ("--output", "run.json", "--output", "scores.csv")
    if name == "resume":
        chosen = options if "--case" in options else ()
        assert command("run", cases, *chosen, stdout=subprocess.DEVNULL).returncode == (0 if chosen else 1)
        done = command("resume", "last", *(options if not chosen else ()), *outputs, stdout=gone)
    else:
        done = command("run", cases, *options, *outputs, stdout=gone)
    assert done.returncode == code
    assert json.loads((folder / "run.json").read_text())["state"] == "complete"
    assert "capital" in (folder / "scores.csv").read_text()


@pytest.mark.parametrize("spec", ["json:-", "jsonl:-", "csv:-", "m365:-", "console:-"])
def test_an_output_that_nobody_reads_keeps_no_other_from_its_file(folder, cases, gone, spec):
    done = command("run", cases, "--output", spec, "--output", "later.json", stdout=gone)
    assert done.returncode == 1
    assert len(json.loads((folder / "later.json").read_text())["results"]) == 3
    assert "1 of 3 cases failed" in done.stderr


def test_showing_to_nobody_still_writes_files(folder, stored, gone):
    assert command("show", "last", "--as", "json", "--output", "later.csv", stdout=gone).returncode == 0
    assert "capital" in (folder / "later.csv").read_text()


def test_a_run_whose_log_nobody_reads_is_held_to_the_end(folder, cases, gone):
    done = command("run", cases, "--verbose", "--output", "run.json", stdout=gone, stderr=subprocess.STDOUT)
    assert done.returncode == 1
    assert len(json.loads((folder / "run.json").read_text())["results"]) == 3


@FULL
def test_a_run_whose_report_cannot_be_written_says_so_and_keeps_its_files(folder, cases, full):
    done = command("run", cases, "--case", "capital", "--output", "run.json", stdout=full)
    assert done.returncode == 2
    run = json.loads((folder / "run.json").read_text())
    assert done.stderr.splitlines()[-1] == (
        "viva: standard output cannot be written: No space left on device; "
        f"the run is stored all the same: viva show {run['id']}"
    )


@FULL
@pytest.mark.parametrize("spec", ["json:-", "jsonl:-", "csv:-"])
def test_an_output_that_cannot_be_written_is_named(cases, full, spec):
    done = command("run", cases, "--case", "capital", "--output", spec, stdout=full)
    assert done.returncode == 2
    assert f"viva: --output {spec}: cannot be written: No space left on device" in done.stderr
    assert "viva show " in done.stderr
    assert "standard output cannot" not in done.stderr


@FULL
def test_a_log_on_a_full_disk_changes_nothing(folder, cases, full):
    done = command("run", cases, "--case", "capital", "--verbose", stdout=subprocess.PIPE, stderr=full)
    assert done.returncode == 0
    assert "PASSED" in done.stdout


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("words", "code"), [("run cases.jsonl", 1), ("list", 0), ("--version", 0), ("validate -", None)])
def test_streams_that_were_closed_before_are_nowhere(folder, cases, closed, words, code):
    script = f"{' '.join(VIVA)} {words} {closed}"
    done = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == (2 if code is None else code)
    assert "internal error" not in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_files_are_begun_with_though_nobody_reads_which(folder, gone):
    assert command("init", stdout=gone).returncode == 0
    assert {"viva.toml", "viva_agent.py", "evals", ".github"} == {path.name for path in folder.iterdir()}


def test_the_demo_is_held_though_nobody_reads_it(folder, gone):
    assert command("demo", stdout=gone).returncode == 0
    assert (folder / ".viva" / "runs.db").exists()


@pytest.fixture
def document(folder):
    (folder / "evals.json").write_text(
        json.dumps(
            {
                "schemaVersion": "1.8.0",
                "items": [
                    {
                        "prompt": "?",
                        "response": "no",
                        "expected_response": "yes",
                        "evaluators_mode": "replace",
                        "evaluators": {"ExactMatch": {}},
                    }
                ],
            }
        )
    )


def test_runevals_for_nobody_comes_to_the_same(folder, document, gone):
    words = ("--target", "recorded", "--output", "out.json", "--log-level", "debug")
    assert command(*words, by=RUNEVALS, stdout=gone).returncode == 1
    assert (folder / "out.json").exists()


def test_a_session_for_nobody_comes_to_the_same(folder, gone):
    (folder / "desk.py").write_text("def answer(question):\n    return 'yes'\n")
    (folder / "typed").write_text("one?\nyes\ntwo?\nyes\n\n")
    with (folder / "typed").open() as typed:
        words = ("--interactive", "--target", "python:desk:answer", "--output", "out.json", "--judge", "none")
        done = command(*words, by=RUNEVALS, stdout=gone, stdin=typed)
    assert done.returncode in (0, 2), done.stderr
    assert "internal error" not in done.stderr
    assert len(json.loads((folder / "out.json").read_text())["items"]) == 2


@FULL
def test_runevals_on_a_full_disk_is_one_plain_line(full):
    done = command("--version", by=RUNEVALS, stdout=full)
    assert (done.returncode, done.stderr) == (2, "runevals: standard output cannot be written: No space left on device\n")
