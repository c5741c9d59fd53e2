"""A server that misbehaves on demand, and the command as a person runs it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

Viva = Callable[..., subprocess.CompletedProcess[str]]


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
        kind, body, status = text.split()[0], json.dumps({"text": text.split()[-1]}), "200 OK"
        content = "application/json"
        if kind == "never":
            await asyncio.sleep(3600)
        elif kind == "close":
            return False
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
    made, started, loop = Server(), threading.Event(), asyncio.new_event_loop()

    async def main() -> None:
        listening = await asyncio.start_server(made.serve, "127.0.0.1", 0)
        made.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/"
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            listening.close()

    task = loop.create_task(main())
    thread = threading.Thread(target=_run, args=(loop, task))
    thread.start()
    started.wait()
    yield made
    loop.call_soon_threadsafe(task.cancel)
    thread.join()


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
