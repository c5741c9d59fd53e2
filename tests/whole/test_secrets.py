"""No secret reaches the store, a report or the screen, though the agent sends it back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from .conftest import Viva, write_cases

LITERAL, VARIABLE = "l1teral-s3cret", "fr0m-the-env1ronment"


class Echo(BaseHTTPRequestHandler):
    """Answers with the headers it was sent; refuses what has no key."""

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        told = f"{self.headers['X-Api-Key']} {self.headers['Authorization']}"
        self.send_response(500 if question == "fail" else 200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"text": told, "tool_calls": [{"name": told}], "more": told}).encode())

    def log_message(self, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def echo() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_secrets_stay_where_they_are(viva: Viva, tmp_path: Path, echo: str) -> None:
    write_cases(
        tmp_path / "cases.jsonl", [{"input": text, "expected": "x", "evaluators": {"ExactMatch": {}}} for text in ("a", "fail")]
    )
    (tmp_path / ".env.local").write_text(f"AGENT_TOKEN={VARIABLE}\n")
    headers = json.dumps({"X-Api-Key": LITERAL, "Authorization": "Bearer ${AGENT_TOKEN}"})
    outputs = [part for name in ("out.json", "out.jsonl", "out.csv") for part in ("--output", name)]
    done = viva("run", "cases.jsonl", "--target", echo, "--target-option", f"headers={headers}", "--verbose", *outputs)
    assert done.returncode == 1, done.stderr
    (tmp_path / ".env.local").unlink()
    assert "***" in (tmp_path / "out.json").read_text(encoding="utf-8")
    seen = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"out.json", "out.jsonl", "out.csv", "runs.db"} <= {path.name for path in seen}
    for secret in (LITERAL, VARIABLE):
        assert secret not in done.stdout + done.stderr
        for path in seen:
            assert secret.encode() not in path.read_bytes(), path


def test_a_secret_that_was_not_stored_is_asked_for_again(viva: Viva, tmp_path: Path, echo: str) -> None:
    write_cases(tmp_path / "cases.jsonl", [{"input": "fail", "expected": "x", "evaluators": {"ExactMatch": {}}}])
    option = "headers=" + json.dumps({"X-Api-Key": LITERAL})
    assert viva("run", "cases.jsonl", "--target", echo, "--target-option", option).returncode == 2
    asked = viva("resume", "last", "--retry-errors")
    assert asked.returncode == 2
    assert "headers.X-Api-Key" in asked.stderr
    again = viva("resume", "last", "--retry-errors", "--target-option", option, "--output", "again.json")
    assert again.returncode == 2, again.stderr
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))["results"][0]["error"]["code"] == "http_500"
