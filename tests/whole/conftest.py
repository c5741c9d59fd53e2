"""A server that misbehaves on demand, and the command as a person runs it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from conftest_targets import certificate as certificate

from vivavoce.cli.main import viva as run_viva

Viva = Callable[..., subprocess.CompletedProcess[str]]

OTHERS = {
    "garbage": b"\x16\x03\x01 this is no HTTP\r\n\r\n",
    "short": b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"text": "cut o',
    "loop": b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
    "storm": b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n",
    "busy": b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
    "later": b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 86400\r\nContent-Length: 0\r\n\r\n",
    "image": b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 4\r\n\r\n\x89PNG",
}
"""What is answered to questions that begin with these words."""


@pytest.fixture
def viva(tmp_path: Path) -> Viva:
    """Runs `viva` in an empty folder, or in one below it, as its own process."""

    def run(*argv: str, timeout: float = 60, stdin: str | None = None, folder: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(*argv),
            cwd=tmp_path / folder,
            env=environment(),
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout,
        )

    return run


def script(name: str, *argv: str) -> subprocess.CompletedProcess[str]:
    """Runs a Python file of `scripts/`."""
    path = Path(__file__).resolve().parents[2] / "scripts" / name
    return subprocess.run(
        [sys.executable, str(path), *argv], capture_output=True, text=True, encoding="utf-8", timeout=300, check=False
    )


@pytest.fixture
def viva_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Viva:
    """Runs `viva` in an empty folder, in this process: where only what it reads and writes is looked at."""
    monkeypatch.chdir(tmp_path)
    for name in set(os.environ) - set(environment()):
        monkeypatch.delenv(name)

    def run(*argv: str) -> subprocess.CompletedProcess[str]:
        code = run_viva(list(argv))
        return subprocess.CompletedProcess(argv, code, *capsys.readouterr())

    return run


def command(*argv: str) -> list[str]:
    return [sys.executable, "-m", "vivavoce", *argv]


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("VIVA_")} | {"PYTHONUTF8": "1"}


def write_cases(path: Path, cases: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases), encoding="utf-8")
    return path


@dataclass
class Server:
    """An agent over HTTP that does what a question's first word says."""

    url: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    delay: float = 0.0
    mood: Callable[[], str] = str
    """Gives the word that decides instead of the question's first, if any."""
    _connections: set[asyncio.StreamWriter] = field(default_factory=set)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        try:
            while await self.answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the other side is gone, or the test is over
        finally:
            self._connections.discard(writer)
            writer.close()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.split("content-length:")[1].split("\r\n")[0])
        text = json.loads(await reader.readexactly(length))["input"]
        self.asked[text] += 1
        await asyncio.sleep(self.delay)
        kind, body, status = self.mood() or text.split()[0], json.dumps({"text": text.split()[-1]}), "200 OK"
        content = "application/json"
        if kind == "never":
            await asyncio.sleep(3600)
        elif kind == "close":
            return False
        elif kind == "reset":
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        elif kind in OTHERS:
            writer.write(OTHERS[kind])
            return kind not in ("garbage", "short")
        elif kind == "drip":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3600\r\n\r\n")
            for _ in range(3600):
                writer.write(b" ")
                await asyncio.sleep(1)
        elif kind == "broken":
            status, body = "500 Internal Server Error", "it is\nbroken\x1b[31m"
        elif kind == "html":
            content, body = "text/html", "<html><body>Please sign in</body></html>"
        elif kind == "empty":
            body = ""
        elif kind == "huge":
            body = json.dumps({"text": "x" * 30_000_000})
        elif kind == "half":
            body = '{"text": "cut o'
        elif kind == "number":
            body = "42"
        data = body.encode()
        writer.write(f"HTTP/1.1 {status}\r\nContent-Type: {content}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        await writer.drain()
        return True


@pytest.fixture
def server() -> Iterator[Server]:
    """A `Server` on loopback, in a thread of its own."""
    made = Server()
    with listening(made.serve) as port:
        made.url = f"http://127.0.0.1:{port}/"
        yield made


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextmanager
def listening(serve: Serve, tls: ssl.SSLContext | None = None) -> Iterator[int]:
    """Serves connections on loopback, in a thread of its own; gives the port."""
    started, loop = threading.Event(), asyncio.new_event_loop()
    ports: list[int] = []

    async def main() -> None:
        made = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
        ports.append(made.sockets[0].getsockname()[1])
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            made.close()

    task = loop.create_task(main())
    thread = threading.Thread(target=_run, args=(loop, task))
    thread.start()
    started.wait()
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()


@dataclass
class Line:
    """The way to a server, which can be cut while it is in use: what is under way is reset, and nobody gets through."""

    to: int
    """The server's port."""
    url: str = ""
    _cut: bool = False
    _open: dict[asyncio.StreamWriter, asyncio.AbstractEventLoop] = field(default_factory=dict)

    def cut(self) -> None:
        self._cut = True
        for writer, loop in tuple(self._open.items()):
            loop.call_soon_threadsafe(writer.transport.abort)

    def mend(self) -> None:
        self._cut = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            writer.transport.abort()
            return
        back, forth = await asyncio.open_connection("127.0.0.1", self.to)
        for end in (writer, forth):
            self._open[end] = asyncio.get_running_loop()
        try:
            await asyncio.gather(_pass_on(reader, forth), _pass_on(back, writer))
        finally:
            for end in (writer, forth):
                del self._open[end]
                end.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError, asyncio.CancelledError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


@pytest.fixture
def line(server: Server) -> Iterator[Line]:
    """A `Line` to the server."""
    made = Line(int(server.url.rpartition(":")[2].strip("/")))
    with listening(made.serve) as port:
        made.url = f"http://127.0.0.1:{port}/"
        yield made


def _run(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
        left = asyncio.all_tasks(loop)
        for each in left:
            each.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


@pytest.fixture
def dead_url() -> str:
    """A URL where nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/"
