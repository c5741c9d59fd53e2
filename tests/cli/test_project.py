"""`viva init` and `viva demo`: the first minutes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from vivavoce.cli.project import TEMPLATES

WRITTEN = {"viva.toml", "evals/starter.json", "viva_agent.py", ".github/workflows/viva.yml"}


def written(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_valid_and_passes_as_it_stands(process, folder, template):
    done = process("init", "--template", template)
    assert done.code == 0
    assert written(folder) == WRITTEN
    assert all(f"wrote {name}" in done.out for name in WRITTEN)
    assert process("validate").err == ""
    done = process("run")
    assert done.code == 0, done.out + done.err
    assert "warning" not in done.err


def test_a_template_shows_what_it_is_called_for(viva, folder):
    found = {}
    for template in TEMPLATES:
        viva("init", "--template", template, "--force")
        found[template] = viva("validate").out
    assert "ExactMatch" in found["basic"]
    assert "Citations" in found["knowledge"]
    assert "RetrievalQuery" in found["tools"]


SERVICE = """
import json, os, pathlib
from http.server import BaseHTTPRequestHandler, HTTPServer

ITEMS = json.load(open("evals/starter.json"))["items"]
ANSWERS = {turn["prompt"]: turn["expected_response"] for item in ITEMS for turn in item.get("turns", [item])}


class Agent(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({"text": ANSWERS[request["input"]]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


server = HTTPServer(("127.0.0.1", PORT), Agent)
pathlib.Path("server.pid").write_text(str(os.getpid()))
server.serve_forever()
"""


def steps(folder):
    workflow = yaml.safe_load((folder / ".github/workflows/viva.yml").read_text())
    return [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]


def carried_out(folder, commands):
    """Run steps as a workflow does: one shell each, stopped by the first that fails."""
    programs = Path(sys.executable).parent
    summary = folder / "summary"
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": str(summary)}
    for command in commands:
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", command.replace("viva ", f"{sys.executable} -m vivavoce ", 1)]
            if command.startswith("viva ")
            else ["bash", "-eo", "pipefail", "-c", command],
            cwd=folder,
            env=environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, (command, done.stderr)
    return summary.read_text()


def test_what_the_workflow_runs_works(viva, folder):
    viva("init")
    install, *others = steps(folder)
    assert "vars.VIVAVOCE || 'vivavoce'" in install
    assert carried_out(folder, others).startswith("## ✅ PASSED")
    assert {path.name for path in (folder / "viva-report").iterdir()} == {"run.json", "report.html", "junit.xml", "summary.md"}


def test_the_workflow_starts_a_service_and_waits_for_it(viva, folder, unused_tcp_port):
    address = f"http://127.0.0.1:{unused_tcp_port}/"
    (folder / "server.py").write_text(SERVICE.replace("PORT", str(unused_tcp_port)))
    assert viva("init", "--target", address, "--start", f"sleep 1; {sys.executable} 'server.py'").code == 0
    try:
        assert carried_out(folder, steps(folder)[1:]).startswith("## ✅ PASSED")
    finally:
        os.kill(int((folder / "server.pid").read_text()), signal.SIGTERM)


def test_a_saiku_target_gets_a_suite_about_a_cube_which_its_workflow_runs(viva, folder, unused_tcp_port):
    serve = f"echo $$ > server.pid; exec {sys.executable} -m vivavoce.samples.serve --port {unused_tcp_port}"
    assert viva("init", "--target", f"saiku:http://127.0.0.1:{unused_tcp_port}", "--start", serve).code == 0
    assert written(folder) == {"viva.toml", "evals/starter.eval.yaml", ".github/workflows/viva.yml"}
    told = viva("validate")
    assert (told.code, told.err) == (0, "")
    try:
        assert carried_out(folder, steps(folder)[1:]).startswith("## ✅ PASSED")
    finally:
        os.kill(int((folder / "server.pid").read_text()), signal.SIGTERM)
    viva("init", "--target", "saiku:http://127.0.0.1:1", "--template", "tools", "--force")
    assert (folder / "evals/starter.json").exists()


@pytest.mark.parametrize(
    "flags",
    [("--start", "./serve"), ("--health", "http://x/"), ("--start", "a\nb", "--health", "http://x/")],
)
def test_a_service_that_cannot_be_waited_for_writes_nothing(viva, folder, flags):
    done = viva("init", *flags)
    assert done.code == 2
    assert "--health" in done.err
    assert written(folder) == set()


def test_nothing_is_written_over(viva, folder):
    (folder / "viva.toml").write_text("retries = 1\n")
    done = viva("init")
    assert done.code == 2
    assert "viva.toml" in done.err
    assert written(folder) == {"viva.toml"}
    assert (folder / "viva.toml").read_text() == "retries = 1\n"
    assert viva("init", "--force").code == 0
    assert written(folder) == WRITTEN


def test_a_target_of_ones_own_needs_no_starter_agent(viva, folder):
    assert viva("init", "--target", 'command:./agent "a b"').code == 0
    assert written(folder) == WRITTEN - {"viva_agent.py"}
    assert tomllib.loads((folder / "viva.toml").read_text())["target"]["spec"] == 'command:./agent "a b"'


def test_a_wrong_target_writes_nothing(viva, folder):
    assert viva("init", "--target", "pyton:a:b").code == 2
    assert written(folder) == set()


def test_the_demo_runs_and_is_stored(process):
    done = process("demo")
    assert done.code == 0, done.err
    assert "\x1b" not in done.out
    assert len(json.loads(process("runs", "--json").out)) == 3
