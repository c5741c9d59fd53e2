"""A server as it is, on a port of this machine, over a project in a folder."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from conftest_browser import chromium as chromium

from vivavoce.core import plugins
from vivavoce.core.model import Selection, Use
from vivavoce.run.calls import Limits
from vivavoce.web.access import Access
from vivavoce.web.app import application
from vivavoce.web.context import Context
from vivavoce.web.project import Project
from vivavoce.web.runs import Runs
from vivavoce.web.schedule import Schedule
from vivavoce.web.serving import listen

JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, kw_only=True)
class Server:
    """One that runs, and how to ask it."""

    port: int
    context: Context
    folder: Path
    said: list[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, given)
            response = connection.getresponse()
            told = {name.lower(): value for name, value in response.getheaders()}
            return Answer(status=response.status, headers=told, body=response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def start(self, suite: str | None = None) -> Answer:
        body = json.dumps({"suite": suite} if suite else {}).encode()
        return self.ask("POST", "/api/runs", body, Content_Type="application/json")

    def events(self, run_id: str, **headers: str) -> list[tuple[str, Any]]:
        """All events of a run, to its end."""
        text = self.get(f"/api/runs/{run_id}/events", **headers).body.decode()
        found = []
        for block in text.split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
            if fields:
                found.append((fields["event"], json.loads(fields["data"])))
        return found


def case(name: str, *, right: bool = True) -> str:
    told = {"id": name, "input": "hi", "expected": "hi", "evaluators": {"ExactMatch": {}}, "reply": "hi" if right else "ho"}
    return json.dumps(told) + "\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two suites; in one a case fails."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "desk.jsonl").write_text(case("one") + case("two", right=False))
    (tmp_path / "evals" / "shop.jsonl").write_text(case("one"))
    return tmp_path


@pytest.fixture
def serve(folder: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers over the project."""
    running: list[Any] = []

    def start(
        *,
        target: Use | None = None,
        paths: tuple[str, ...] = ("evals/",),
        limits: Limits | None = None,
        schedule: str | None = None,
        **access: Any,
    ) -> Server:
        said: list[str] = []

        @contextmanager
        def store() -> Iterator[Any]:
            opened = plugins.build("stores", Use(name="sqlite", options={"path": str(folder / "runs.db")}))
            try:
                yield opened
            finally:
                opened.close()

        project = Project(
            store=store,
            selection=Selection(paths=paths, target=target, judge=Use(name="none")),
            limits=limits or Limits(),
            environment={},
            folder=folder,
        )
        context = Context(
            project=project, runs=Runs(project, said.append), access=Access(**access), page_token="page-token", say=said.append
        )
        listener = listen("127.0.0.1", 0)
        config = uvicorn.Config(
            application(context, Schedule(schedule) if schedule else None),
            log_config=None,
            log_level="critical",
            server_header=False,
            timeout_graceful_shutdown=10,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        running.append((server, thread, listener, context))
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        return Server(port=listener.getsockname()[1], context=context, folder=folder, said=said)

    yield start
    for server, thread, listener, context in running:
        context.runs.stop()
        server.should_exit = True
        thread.join(30)
        listener.close()
        assert not thread.is_alive()


@pytest.fixture
def server(serve: Callable[..., Server]) -> Server:
    """One that replays the answers the suites hold."""
    return serve()
