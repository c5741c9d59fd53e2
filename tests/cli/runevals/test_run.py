"""What comes out: exit codes, reports and where they go, the store, the log; who is asked and who judges."""

from __future__ import annotations

import csv
import json
import re
import socket

import pytest

from vivavoce.cli.main import viva


def stored(capsys):
    viva(["runs", "--json"])
    return json.loads(capsys.readouterr().out)


def shown(capsys, ref="last"):
    viva(["show", ref, "--json"])
    return json.loads(capsys.readouterr().out)


def test_all_passed_is_exit_0_with_a_page_named_by_the_time(runevals, agent, document, folder):
    document("evals.json")
    done = runevals("--target", agent)
    assert done.code == 0
    assert "PASSED" in done.out
    (page,) = (folder / ".evals").iterdir()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d-\d{3}\.html", page.name)
    assert done.out.splitlines()[-1] == f"Results: .evals/{page.name}"
    assert page.read_text(encoding="utf-8").lower().startswith("<!doctype html>")


def test_a_failed_case_is_exit_1(runevals, agent, document):
    document("evals.json", {"prompt": "Where is HW-1036?", "expected_response": "Lost."})
    assert runevals("--target", agent).code == 1


def test_when_every_call_fails_nothing_claims_success(runevals, document, folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{taken.getsockname()[1]}"
        document("evals.json")
        (folder / "viva.toml").write_text("retries = 0\n")
        done = runevals("--target", dead, "-o", "out.json")
    assert done.code == 2
    assert "NOTHING EVALUATED" in done.out
    assert not re.search(r"success|passed:|PASSED|✓", done.out + done.err)
    items = json.loads((folder / "out.json").read_text(encoding="utf-8"))["items"]
    assert {(item["status"], item["error"]["code"]) for item in items} == {("error", "agentRequestFailed")}


def test_without_a_judge_everything_is_skipped_and_that_is_exit_2(runevals, agent):
    done = runevals("--target", agent, "--judge", "none", "--prompts", "Where is HW-1036?")
    assert done.code == 2
    assert re.search(r"Coherence +1 +0 +0 +1 ", done.out)
    assert re.search(r"Relevance +1 +0 +0 +1 ", done.out)


def test_a_scored_document_can_be_asked_again(runevals, agent, document, folder):
    document("evals.json")
    assert runevals("--target", agent, "--output", "deep/er/results.json").code == 0
    scored = json.loads((folder / "deep" / "er" / "results.json").read_text(encoding="utf-8"))
    assert [item["status"] for item in scored["items"]] == ["pass", "pass"]
    assert scored["metadata"]["evaluatedAt"]
    assert not (folder / ".evals").exists()
    before = (folder / "deep" / "er" / "results.json").read_bytes()
    assert runevals("--prompts-file", "deep/er/results.json", "--target", agent, "-o", "2.json").code == 0
    assert runevals("--prompts-file", "deep/er/results.json", "--target", "recorded", "-o", "3.json").code == 0
    assert (folder / "deep" / "er" / "results.json").read_bytes() == before


def test_a_dataset_is_not_written_over(runevals, agent, document, folder):
    document("evals.json")
    before = (folder / "evals.json").read_bytes()
    done = runevals("--target", agent, "--output", "evals.json")
    assert done.code == 2
    assert "would write over the dataset" in done.err
    assert (folder / "evals.json").read_bytes() == before


HOSTILE = '=1+2;,\t"<script>alert(1)</script>🌊 \ue200cite\ue202turn1search1\ue201'


@pytest.mark.parametrize("name", ["out.json", "out.csv", "out.html", "OUT.HTML"])
def test_hostile_text_survives_every_output(runevals, echo, document, folder, name):
    document("evals.json", {"prompt": HOSTILE, "expected_response": HOSTILE})
    assert runevals("--target", echo, "-o", name).code == 0
    text = (folder / name).read_text(encoding="utf-8")
    if name.endswith(".json"):
        assert json.loads(text)["items"][0]["response"] == HOSTILE
    elif name.endswith(".csv"):
        cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
        assert any("<script>" in cell and "🌊" in cell for cell in cells)
        assert not any(cell.startswith("=") for cell in cells)
    else:
        assert "<script>alert(1)" not in text
        assert "🌊" in text


def test_the_run_is_stored_as_those_of_viva_are(runevals, agent, document, capsys):
    document("evals.json")
    runevals("--target", agent)
    runevals("--target", agent, "--prompts", "Where is HW-1036?", "--judge", "none")
    assert [(run["state"], run["plan"]["target"]["name"]) for run in stored(capsys)] == [("complete", "http")] * 2
    last = shown(capsys)
    assert [result["suite"] for result in last["results"]] == ["prompts"]
    assert viva(["resume", "last"]) == 2


def test_an_interrupted_run_of_typed_prompts_is_resumed(runevals, echo, folder, capsys):
    (folder / "viva.toml").write_text('evaluator = ["ExactMatch"]\nrun-timeout = 0.001\n')
    assert runevals("--target", echo, "--prompts", "a", "b", "--expected", "a", "b").code in (1, 2)
    (folder / "viva.toml").write_text("")
    assert viva(["resume", "last"]) == 0
    capsys.readouterr()
    assert shown(capsys)["summary"]["pass"] == 2


def test_the_log_is_json_lines_from_its_level_on(process, echo, document):
    document("evals.json", {"prompt": "secret\x1b[31m", "expected_response": "x"})
    records = {}
    for level in ("debug", "info", "error"):
        done = process("--target", echo, "--log-level", level)
        records[level] = [json.loads(line) for line in done.err.splitlines() if line.startswith("{")]
        assert "\x1b" not in done.err
    assert [each["operation"] for each in records["info"]] == ["run.begin", "case.end", "run.end"]
    assert records["error"] == []
    assert {"time", "level", "logger", "operation", "message"} <= records["info"][0].keys()
    (turns,) = (each["turns"] for each in records["debug"] if each["operation"] == "case.turns")
    assert turns[0]["reply"]["text"] == "secret\x1b[31m"
    assert records["info"][-1]["fail"] == 1


def test_a_bare_log_level_is_info(process, echo, document):
    document("evals.json")
    done = process("--log-level", "--target", echo)
    assert '"run.begin"' in done.err


def test_secrets_stay_out_of_the_log_and_every_output(process, folder, document):
    (folder / "leak.py").write_text("import os\n\ndef answer(said):\n    return os.environ['DESK_TOKEN']\n")
    (folder / "viva.toml").write_text(
        '[target]\nspec = "http://127.0.0.1:9"\nheaders = { Authorization = "Bearer ${DESK_TOKEN}" }\n'
    )
    document("evals.json")
    done = process("--log-level", "debug", "-o", "out.json", DESK_TOKEN="sesame-4711", VIVA_RETRIES="0")
    assert done.code == 2
    assert "sesame-4711" not in done.out + done.err + (folder / "out.json").read_text(encoding="utf-8")


def spec_of(folder, runevals, capsys, *argv):
    """The target and the judge that were chosen, told by the record of the run's beginning."""
    done = runevals("--log-level", "info", *argv)
    begun = [json.loads(line) for line in done.err.splitlines() if '"run.begin"' in line]
    return (begun[0]["target"], begun[0]["judge"]) if begun else done.err


def test_a_target_of_the_settings_is_asked_when_no_agent_is_named(runevals, document, folder, echo, capsys):
    document("evals.json")
    (folder / "viva.toml").write_text(f'target = "{echo}"\nconcurrency = 20\npaths = ["nowhere"]\noutput = ["no.txt"]\n')
    assert spec_of(folder, runevals, capsys)[0] == "python"


@pytest.mark.parametrize("name", ["M365_AGENT_ID", "M365_TITLE_ID", "AGENT_ID"])
def test_an_agent_of_the_environment_goes_before_the_settings(runevals, document, folder, echo, capsys, monkeypatch, name):
    document("evals.json")
    (folder / "viva.toml").write_text(f'target = "{echo}"\n')
    monkeypatch.setenv(name, "T_desk.declarativeAgent")
    told = spec_of(folder, runevals, capsys)
    assert "m365" in told or told[0] == "m365"
    assert spec_of(folder, runevals, capsys, "--target", echo)[0] == "python"


def test_azure_judges_when_its_endpoint_is_set(runevals, document, folder, echo, capsys, monkeypatch):
    document("evals.json")
    assert spec_of(folder, runevals, capsys, "--target", echo)[1] != "azure"
    monkeypatch.setenv("AZURE_AI_API_KEY", "key-of-nobody")
    assert spec_of(folder, runevals, capsys, "--target", echo)[1] != "azure"
    monkeypatch.setenv("AZURE_AI_OPENAI_ENDPOINT", "http://127.0.0.1:9")
    assert spec_of(folder, runevals, capsys, "--target", echo)[1] == "azure"
    assert spec_of(folder, runevals, capsys, "--target", echo, "--judge", "none")[1] == "none"


ENV = {
    ".env.local": "A=local\nB=local\nC=local\n",
    ".env.local.user": "B=user\nC=user\n",
    ".env.dev": "A=dev\n",
    "env/.env.dev": "A=env-dev\nC=env-dev\n",
    "env/.env.dev.user": "B=env-dev-user\n",
}


@pytest.mark.parametrize(
    ("files", "name", "values"),
    [
        ([".env.local", ".env.local.user", "env/.env.dev"], "dev", ("env-dev", "user", "env-dev")),
        ([".env.local", ".env.local.user", ".env.dev"], None, ("local", "user", "user")),
        ([".env.dev", "env/.env.dev"], None, ("dev", None, None)),
        (["env/.env.dev", "env/.env.dev.user"], None, ("env-dev", "env-dev-user", "env-dev")),
        ([".env.local"], "dev", ("local", "local", "local")),
        ([], None, (None, None, None)),
    ],
)
def test_env_files_are_layered(folder, files, name, values):
    from vivavoce.cli._runevals.variables import variables

    (folder / "env").mkdir()
    for each in files:
        (folder / each).write_text(ENV[each])
    found, warning = variables(name, {}, folder)
    assert tuple(found.get(each) for each in "ABC") == values
    assert (warning is not None) == (name is not None and f"env/.env.{name}" not in files)
    assert variables(name, {"A": "process"}, folder)[0]["A"] == "process"


@pytest.mark.parametrize(
    ("environ", "retries"),
    [
        ({}, 3),
        ({"WORKIQ_REQUEST_MAX_ATTEMPTS": "1"}, 0),
        ({"WORKIQ_REQUEST_MAX_ATTEMPTS": "6"}, 5),
        ({"WORKIQ_REQUEST_MAX_ATTEMPTS": "6", "VIVA_RETRIES": "2"}, 2),
    ],
)
def test_the_vendors_attempts_hold_for_its_agents(folder, environ, retries):
    from vivavoce.cli._runevals.options import parse
    from vivavoce.cli._runevals.wanted import settings

    wanted = settings(parse(["--m365-agent-id", "T_desk"]), environ)
    assert (wanted.target, wanted.concurrency, wanted.retries) == ("m365:T_desk", 5, retries)
    other = {name: value for name, value in environ.items() if name.startswith("WORKIQ_")}
    assert settings(parse(["--target", "recorded"]), other).retries == 3


def test_who_cannot_sign_in_is_told_before_anything_is_asked(process, document, folder):
    pytest.importorskip("msal", reason="signing in needs the extra m365")
    document("evals.json")
    nowhere = {"AZURE_AUTHORITY_HOST": "https://127.0.0.1:9", "VIVA_CACHE": str(folder / "cache")}
    done = process("--m365-agent-id", "T_desk", TENANT_ID="nobody", WORK_IQ_A2A_CLIENT_ID="app", **nowhere)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("runevals: target m365: cannot")
    assert "internal error" not in done.err


def test_a_limit_that_is_no_number(runevals, document, monkeypatch):
    document("evals.json")
    monkeypatch.setenv("WORKIQ_REQUEST_MAX_ATTEMPTS", "often")
    done = runevals("--m365-agent-id", "T_desk")
    assert done.code == 2
    assert 'WORKIQ_REQUEST_MAX_ATTEMPTS must be a number above 0, not "often"' in done.err


def test_a_missing_env_file_is_warned_of(runevals, echo, document):
    document("evals.json")
    assert "warning: --env dev: there is no env/.env.dev" in runevals("--target", echo, "--env", "dev").err


def test_an_agent_named_in_an_env_file(runevals, document, folder, capsys):
    document("evals.json")
    (folder / "env").mkdir()
    (folder / "env" / ".env.dev").write_text("M365_TITLE_ID=T_desk.declarativeAgent\n")
    told = spec_of(folder, runevals, capsys, "--env", "dev")
    assert "m365" in told or told[0] == "m365"
