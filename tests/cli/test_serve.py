"""`viva serve` and `viva eval` as a person starts them: as processes, on a port of this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

VIVA = Path(sys.executable).with_name("viva")
CASE = {"id": "one", "input": "hi", "expected": "hi", "evaluators": {"ExactMatch": {}}, "reply": "hi"}


def viva(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "NO_COLOR": "1", **variables}
    return subprocess.run([VIVA, *words], cwd=folder, env=environ, capture_output=True, text=True, timeout=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/desk.jsonl").write_text(json.dumps(CASE) + "\n")
    (tmp_path / "viva.toml").write_text('paths = ["evals"]\njudge = "none"\n[serve]\nport = 0\npassword = "${DASH}"\n')
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server with a password, and its address."""
    environ = {**os.environ, "DASH": "open sesame"}
    command = [VIVA, "serve", "--host", "0.0.0.0", "--schedule", "0 6 29 2 *"]
    with subprocess.Popen(
        command, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield process, line.split()[2] if line else ""
        if process.poll() is None:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_stopped(server, folder, number):
    process, url = server
    assert url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(f"{url}api/health", timeout=30) as answer:
        assert json.load(answer) == {"status": "ok"}
    done = viva(folder, "eval", "--server", url, VIVA_EVAL_PASSWORD="open sesame")
    assert (done.returncode, done.stdout.splitlines()[2:]) == (0, ["PASS desk 1/1", "", "1 of 1 cases passed in 1 suite"])
    process.send_signal(number)
    out, errors = process.communicate(timeout=40)
    assert (process.returncode, out, errors) == (0, "", "")
    listed = json.loads(viva(folder, "runs", "--json", DASH="x").stdout)
    assert [run["state"] for run in listed] == ["complete"]


def test_a_sweep_is_told_and_decides_the_exit_code(server, folder):
    _, url = server
    (folder / "evals/desk.jsonl").write_text(json.dumps({**CASE, "reply": "ho"}) + "\n")
    known = {"VIVA_EVAL_PASSWORD": "open sesame"}
    failed = viva(folder, "eval", "--server", url, **known)
    assert (failed.returncode, failed.stdout.splitlines()[2]) == (1, "FAIL desk 0/1")
    told = viva(folder, "eval", "--server", url, "--no-fail-on-regression", "--json", **known)
    assert (told.returncode, json.loads(told.stdout)["hasFailures"]) == (0, True)
    (folder / "evals/desk.jsonl").write_text("{")
    nothing = viva(folder, "eval", "--server", url, "--no-fail-on-regression", **known)
    assert nothing.returncode == 2
    assert "SKIP desk.jsonl" in nothing.stdout
    assert "nothing was evaluated" in nothing.stdout
    (folder / "evals/good.jsonl").write_text(json.dumps(CASE) + "\n")
    rest = viva(folder, "eval", "--server", url, **known)
    assert (rest.returncode, rest.stdout.splitlines()[2]) == (1, "PASS good 1/1"), "a suite was not run"
    assert viva(folder, "eval", "--server", url, "--no-fail-on-regression", **known).returncode == 0
    refused = viva(folder, "eval", "--server", url, "--password", "wrong")
    assert refused.returncode == 2
    assert "does not let admin in (401)" in refused.stderr
    assert "wrong" not in refused.stderr


def test_a_skipped_case_fails_an_eval_no_more_than_a_run(server, folder):
    _, url = server
    skips = {**CASE, "id": "two", "evaluators": {"Relevance": {}}}
    (folder / "evals/desk.jsonl").write_text("".join(json.dumps(each) + "\n" for each in (CASE, skips)))
    known = {"VIVA_EVAL_PASSWORD": "open sesame", "DASH": "x"}
    done = viva(folder, "eval", "--server", url, **known)
    assert (done.returncode, done.stdout.splitlines()[2]) == (
        viva(folder, "run", **known).returncode,
        "PASS desk 1/2, 1 skipped",
    )
    assert done.returncode == 0
    (folder / "evals/desk.jsonl").write_text(json.dumps(skips) + "\n")
    done = viva(folder, "eval", "--server", url, **known)
    assert (done.returncode, done.stdout.splitlines()[2]) == (
        viva(folder, "run", **known).returncode,
        "SKIP desk 0/1, 1 skipped",
    )
    assert done.returncode == 2
    assert done.stdout.endswith("nothing was evaluated\n")


class _Elsewhere(BaseHTTPRequestHandler):
    """A server without suites, which names what was asked for."""

    def do_POST(self) -> None:
        body = f"nothing at {self.path}".encode()
        self.send_response(404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize(("password", "shown"), [("admin", "/rest/saiku/admin/ai"), ("saiku", "/rest/***/admin/ai")])
def test_a_password_that_is_the_name_is_no_secret_in_an_address(tmp_path, password, shown):
    with ThreadingHTTPServer(("127.0.0.1", 0), _Elsewhere) as server:
        threading.Thread(target=server.serve_forever).start()
        done = viva(tmp_path, "eval", "--server", f"http://127.0.0.1:{server.server_port}", "--password", password)
        server.shutdown()
    assert done.returncode == 2
    assert shown in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--server", "http://127.0.0.1:9"), "cannot be reached"),
        (("--server", "nowhere"), "is no http:// or https:// address"),
        (("--timeout-minutes", "0"), "--timeout-minutes must be"),
    ],
)
def test_an_eval_that_cannot_be(tmp_path, words, message):
    done = viva(tmp_path, "eval", *words)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("table", "words", "message"),
    [
        ("", ("--host", "0.0.0.0"), "a password or token is needed: set VIVA_SERVE_PASSWORD"),
        ("prot = 1", (), 'viva.toml:2: [serve]: unknown setting "prot" (did you mean "port"?)'),
        ("port = 70000", (), "must be a whole number from 0 to 65535"),
        ('token = "${NOT_THERE_AT_ALL}"', (), "NOT_THERE_AT_ALL, which is not set"),
        ('token = "${BLANK}"', ("--host", "0.0.0.0"), "token: must be a text that is not blank"),
        ("", ("--schedule", "often"), "is no cron expression"),
        ("", ("--suites", "-"), "cannot be read from standard input"),
        ("", ("--host", "192.0.2.1"), "a password or token is needed"),
        ('password = "secret-word"', ("--host", "192.0.2.1"), "cannot listen on 192.0.2.1"),
    ],
)
def test_a_server_that_cannot_be(tmp_path, table, words, message):
    (tmp_path / "viva.toml").write_text(f"paths = []\n[serve]\n{table}\n")
    done = viva(tmp_path, "serve", *words, BLANK="  ", VIVA_SERVE_PASSWORD="  ")
    assert done.returncode == 2
    assert message in done.stderr
    assert "secret-word" not in done.stderr
    assert "Traceback" not in done.stderr


def test_what_a_run_has_done_is_kept_when_the_server_ends(folder):
    (folder / "slow.py").write_text(
        "import time\n\ndef answer(input):\n    time.sleep(600 if input == 'stay' else 0)\n    return 'hi'\n"
    )
    cases = ({**CASE, "id": word, "input": word} for word in ("hi", "stay"))
    (folder / "evals/desk.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    environ = {**os.environ, "DASH": "open sesame"}
    command = [VIVA, "serve", "--target", "python:slow:answer"]
    with subprocess.Popen(
        command, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        url = process.stdout.readline().split()[2]
        request = urllib.request.Request(f"{url}api/runs", b"{}")
        request.add_header("Authorization", "Basic YWRtaW46b3BlbiBzZXNhbWU=")
        with urllib.request.urlopen(request, timeout=30) as answer:
            run_id = json.load(answer)["id"]
        events = urllib.request.Request(f"{url}api/runs/{run_id}/events", headers=dict(request.header_items()))
        with urllib.request.urlopen(events, timeout=30) as stream:
            while b"event: result" not in stream.readline():
                pass
            process.send_signal(signal.SIGTERM)
            rest = stream.read().decode()
        process.communicate(timeout=50)
    assert "event: finished" in rest
    assert '"state": "interrupted"' in rest
    assert process.returncode == 0
    (run,) = json.loads(viva(folder, "runs", "--json", DASH="x").stdout)
    assert (run["id"], run["state"]) == (run_id, "interrupted")
    assert run["summary"]["not_run"] == 1


def test_without_its_extra_it_says_what_to_install(folder):
    code = "import sys; sys.modules['starlette'] = None; from vivavoce.cli.main import viva; sys.exit(viva(['serve']))"
    environ = {**os.environ, "DASH": "open sesame"}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environ, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr == "viva: viva serve needs the extra `web`: pip install 'vivavoce[web]'\n"
