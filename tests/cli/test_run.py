"""`viva run`: what is asked, what comes out, and what the exit code says."""

from __future__ import annotations

import json
import os

import pytest


def results(folder, name="out.json"):
    return json.loads((folder / name).read_text(encoding="utf-8"))


def test_a_failed_case_is_exit_1_and_stands_in_the_report(viva, cases):
    done = viva("run", cases)
    assert done.code == 1
    assert "FAILED" in done.out
    assert done.err == "Examining recorded: 3 trials of 1 file\n"
    assert done.out.startswith("viva ")


def test_a_run_of_passes_is_exit_0(viva, cases):
    assert viva("run", cases, "--category", "facts").code == 0


def test_the_run_is_stored(viva, cases, folder):
    viva("run", cases)
    assert (folder / ".viva" / "runs.db").is_file()
    assert len(json.loads(viva("runs", "--json").out)) == 1


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["--min-pass-rate", "0.6"], 0),
        (["--min-pass-rate", "0.7"], 1),
        (["--no-fail-on-regression"], 0),
        (["--only", "Citations", "--no-fail-on-regression"], 2),
        (["--case", "c*"], 0),
        (["--case", "sum"], 1),
        (["--case", "nothing"], 2),
        (["--limit", "1"], 0),
        (["--evaluator", 'strict:ExactMatch={"case_sensitive": true}', "--case", "colour"], 1),
    ],
)
def test_exit_codes(viva, cases, argv, code):
    assert viva("run", cases, *argv).code == code


def test_evaluators_of_the_command_line_stand_for_those_of_the_config(viva, cases, folder):
    (folder / "viva.toml").write_text('evaluator = ["F1Score", "f1_score"]\n')
    viva("run", cases, "--output", "out.json")
    assert "F1Score" in results(folder)["summary"]["evaluators"]
    viva("run", cases, "--evaluator", 'F1Score={"threshold": 1}', "--evaluator", "PartialMatch", "--output", "out.json")
    told = results(folder)["summary"]["evaluators"]
    assert {"F1Score", "PartialMatch"} <= told.keys()
    (folder / "viva.toml").write_text("""evaluator = ["F1Score", 'F1ScoreEvaluator={"threshold": 1}']\n""")
    done = viva("run", cases)
    assert done.code == 2
    assert "two checks of one name, F1Score; keep one" in done.err
    assert not done.out


def test_every_report_tells_the_verdict_by_the_gate(viva, cases, folder):
    assert viva("run", cases, "--min-pass-rate", "0.6", "--output", "met.html").code == 0
    assert viva("run", cases, "--min-pass-rate", "0.7", "--output", "missed.html").code == 1
    viva("show", "last", "--output", "shown.html")
    verdicts = [(folder / name).read_text(encoding="utf-8") for name in ("met.html", "missed.html", "shown.html")]
    assert ["at least the 60 % asked for" in text for text in verdicts] == [True, False, False]
    assert ["<title>Passed" in text for text in verdicts] == [True, False, False]
    assert "less than the 70 % asked for" in verdicts[1]


def test_without_a_path_the_way_out_is_told(viva):
    done = viva("run")
    assert done.code == 2
    assert "viva run evals/" in done.err


def test_paths_of_the_config_are_used(viva, cases, folder):
    (folder / "viva.toml").write_text(f'paths = ["{cases}"]\nmin-pass-rate = 0.5\n')
    assert viva("run").code == 0


def test_flags_may_stand_anywhere_among_paths(viva, cases, folder):
    (folder / "more.jsonl").write_bytes((folder / cases).read_bytes())
    done = viva("run", cases, "--category", "facts", "more.jsonl", "--output", "out.json")
    assert done.code == 0
    assert results(folder)["summary"]["suites"].keys() == {"cases", "more"}


def test_selection_and_repeats_reach_the_run(viva, cases, folder):
    viva("run", cases, "--case", "capital", "--repeat", "3", "--seed", "7", "--output", "out.json")
    document = results(folder)
    assert (document["summary"]["trials"], document["plan"]["repeat"], document["plan"]["seed"]) == (3, 3, 7)


def test_an_agent_is_named_with_its_options(process, cases, folder):
    (folder / "agent.py").write_text("def answer(question):\n    return 'Paris'\n")
    done = process(
        "run", cases, "--target", "python:agent:answer", "--target-option", "idempotent=true", "--output", "out.json"
    )
    assert done.code == 1
    target = results(folder)["plan"]["target"]
    assert target["name"] == "python"
    assert target["options"] == {"spec": "agent:answer", "idempotent": "true"}


def test_no_target_and_no_answers_is_exit_2_with_the_ways_to_name_one(viva, folder):
    (folder / "cases.jsonl").write_text('{"input": "a", "expected": "b"}\n')
    done = viva("run", "cases.jsonl")
    assert done.code == 2
    assert "--target" in done.err
    assert "python:" in done.err


def test_options_without_a_target_are_a_mistake(viva, cases):
    done = viva("run", cases, "--target-option", "text=a")
    assert done.code == 2
    assert "--target" in done.err


def test_problems_of_a_dataset_begin_with_their_place(viva, folder):
    (folder / "cases.jsonl").write_text('{"input": "a", "expectd": "b"}\n')
    done = viva("run", "cases.jsonl")
    assert done.code == 2
    assert done.err.startswith("cases.jsonl:1: ")
    assert not (folder / ".viva").exists()


def test_quiet_says_nothing_but_warnings(viva, cases, folder):
    (folder / "evals").mkdir()
    (folder / cases).rename(folder / "evals" / cases)
    (folder / "evals" / "notes.txt").write_text("x")
    done = viva("run", "evals", "--quiet")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("warning: ")
    assert done.err.count("\n") == 1


def test_verbose_says_each_result(viva, cases):
    done = viva("run", cases, "--verbose")
    assert "fail  cases sum" in done.err


def test_print_config_runs_nothing(viva, cases, folder):
    (folder / "viva.toml").write_text('concurrency = 3\n[target]\nspec = "http://a"\nheaders = { Authorization = "hunter2" }\n')
    done = viva("run", cases, "--print-config", "--retries", "1")
    assert done.code == 0
    assert "viva.toml:1" in done.out
    assert "flag" in done.out
    assert "hunter2" not in done.out
    assert not (folder / ".viva").exists()


def test_a_secret_of_an_env_file_reaches_the_agent_and_nothing_else(process, cases, folder):
    (folder / ".env.local").write_text("SOME_TOKEN=hunter2hunter2\n")
    (folder / "agent.py").write_text(
        "import os, sys\nfor line in sys.stdin:\n    print(len(os.environ['TOKEN']), os.environ['TOKEN'], file=sys.stderr)\n"
        "    print(len(os.environ['TOKEN']), flush=True)\n"
    )
    (folder / "viva.toml").write_text(
        '[target]\nspec = "command:python3 agent.py"\nplain = true\nenv = { TOKEN = "${SOME_TOKEN}" }\n'
    )
    done = process("run", cases, "--output", "out.json", "--output", "out.jsonl", "--limit", "1", PYTHONUTF8="1")
    assert done.code == 1, done.err
    assert results(folder)["results"][0]["turns"][0]["reply"]["text"].strip() == "14"
    written = [path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".env.local"]
    assert not any(b"hunter2hunter2" in data for data in written)
    assert "hunter2" not in done.out + done.err


def test_a_store_of_ones_own(viva, cases, folder):
    assert viva("run", cases, "--store", "nightly/runs.db", "--category", "facts").code == 0
    assert (folder / "nightly" / "runs.db").is_file()
    assert not (folder / ".viva").exists()
    assert "complete" in viva("runs", "--store", "sqlite:///nightly/runs.db").out


def test_a_store_that_does_not_exist_is_told(viva, cases):
    done = viva("run", cases, "--store", "mysql://host/db")
    assert done.code == 2
    assert "mysql" in done.err


def test_reading_from_standard_input(process):
    done = process("run", "-", stdin='{"input": "a", "expected": "b", "reply": "b", "evaluators": {"ExactMatch": {}}}\n')
    assert done.code == 0, done.err


@pytest.mark.parametrize("folder_of", ["nested/deeper", "."])
def test_outputs_by_suffix_and_by_name(viva, cases, folder, folder_of):
    names = ["json:run", "out.json", "out.csv", "out.jsonl"]
    outputs = [f"{kind}:{folder_of}/{path}" if kind else f"{folder_of}/{path}" for kind, _, path in map(_parts, names)]
    assert viva("run", cases, *(word for output in outputs for word in ("--output", output))).code == 1
    made = folder / folder_of
    assert json.loads((made / "run").read_text()) == json.loads((made / "out.json").read_text())
    lines = [json.loads(line) for line in (made / "out.jsonl").read_text().splitlines()]
    assert [line["position"] for line in lines] == [0, 1, 2]
    assert (made / "out.csv").read_text().count("\n") >= 4
    assert not [name for name in os.listdir(made) if name.endswith(".part")]


def _parts(name):
    kind, colon, path = name.partition(":")
    return (kind, colon, path) if colon else ("", "", kind)


def test_standard_output_takes_one_output_alone(viva, cases):
    done = viva("run", cases, "--output", "-")
    assert json.loads(done.out)["summary"]["fail"] == 1
    assert "FAILED" in done.err


def test_lines_on_standard_output_are_written_once(viva, cases):
    done = viva("run", cases, "--output", "jsonl:-", "--quiet")
    assert sorted(json.loads(line)["case"] for line in done.out.splitlines()) == ["capital", "colour", "sum"]


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        (["out.foo"], "the suffix does not say what to write"),
        (["nothing:x"], 'no report or format is called "nothing"'),
        (["jsn:x"], 'did you mean "json"?'),
        (["native:x"], "cannot hold results"),
        (["a.json", "./a.json"], "both go to"),
        (["json:-", "csv:-"], "both go to standard output"),
        (["json:"], "after the colon belongs a path"),
        (["json:evals"], "is a folder"),
        (["json:cases.jsonl"], "would write over the dataset"),
        (["json:cases.jsonl/x"], "the folder cannot be made"),
    ],
)
def test_a_wrong_output_is_told_before_anything_runs(viva, cases, folder, outputs, message):
    (folder / "evals").mkdir()
    before = (folder / cases).read_bytes()
    done = viva("run", cases, *(word for output in outputs for word in ("--output", output)))
    assert done.code == 2
    assert message in done.err
    assert not (folder / ".viva" / "runs.db").exists()
    assert (folder / cases).read_bytes() == before


def test_agents_answers_cannot_command_the_terminal(viva, folder):
    case = {"id": "\x1b]0;x\x07", "input": "a", "expected": "b", "reply": "\x1b[2J", "evaluators": {"ExactMatch": {}}}
    (folder / "cases.jsonl").write_text(json.dumps(case) + "\n")
    for argv in (["run", "cases.jsonl", "--verbose"], ["show", "last"], ["validate", "cases.jsonl"]):
        done = viva(*argv)
        assert "\x1b" not in done.out + done.err


AGENT = """
from pathlib import Path
def answer(text):
    Path("cases.jsonl").write_text('{"input": "other"}')
    return "4"
"""


def test_what_was_done_is_written_though_a_fault_ended_the_run(viva, write_cases, folder):
    write_cases("cases.jsonl", [{"input": str(number), "expected": "4"} for number in range(30)])
    (folder / "changing.py").write_text(AGENT)
    outputs = ["--output", "out.json", "--output", "out.jsonl", "--output", "out.xml"]
    agent = ["--target", "python:changing:answer", "--evaluator", "ExactMatch", "--concurrency", "1"]
    done = viva("run", "cases.jsonl", *agent, *outputs)
    assert done.code == 2
    assert "cases.jsonl: changed while it was examined" in done.err
    document = results(folder)
    assert document["state"] == "stopped"
    assert 0 < len(document["results"]) < 30
    assert len((folder / "out.jsonl").read_text().splitlines()) == len(document["results"])
    assert "<testsuites" in (folder / "out.xml").read_text()
