"""What tests of targets share: requests, and real agents to examine - an HTTP server with all kinds of behaviour."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from vivavoce.core.errors import CallError
from vivavoce.core.kinds import Target
from vivavoce.core.model import Case, Trial
from vivavoce.core.reply import Message, Reply, Request
from vivavoce.core.result import Failure

TRIAL = Trial(suite="s", case=Case(id="c"), repeat=0, position=0, digest="")


def request(text: object = "hello", *, turn: int = 0, session: str = "s-1", **more: object) -> Request:
    return Request(input=text, session_id=session, case="c", turn=turn, **more)


HISTORY = (Message(role="user", content="before"), Message(role="assistant", content="indeed"))


async def ask(target: Target, text: object = "hello", **more: object) -> Reply:
    """One turn of a conversation of its own; the target is closed."""
    session = target.session(TRIAL)
    try:
        return await session.send(request(text, **more))
    finally:
        await session.close()
        await target.close()


async def failure(target: Target, text: object = "hello", **more: object) -> Failure:
    """The failure of one turn."""
    with pytest.raises(CallError) as raised:
        await ask(target, text, **more)
    return raised.value.failure


class Server:
    """An agent over HTTP with a route for every behaviour, and a record of what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], object]] = []
        self.sockets: set[object] = set()
        self.base = ""
        self.routes: dict[str, Callable[[web.Request], Awaitable[web.StreamResponse]]] = {}

    def answer(self, path: str, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> str:
        """Add a behaviour; gives its URL."""
        self.routes[path] = handler
        return self.base + path

    def says(self, path: str, body: object = None, /, **more: object) -> str:
        """A route with one fixed answer: `body` as JSON, or what `web.Response` takes."""

        async def handler(_: web.Request) -> web.Response:
            return web.json_response(body) if not more else web.Response(**more)

        return self.answer(path, handler)

    def streams(self, path: str, *parts: bytes, **headers: str) -> str:
        """A route that streams events, each part sent alone."""

        async def handler(asked: web.Request) -> web.StreamResponse:
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **headers})
            await response.prepare(asked)
            for part in parts:
                await response.write(part)
                await asyncio.sleep(0)
            return response

        return self.answer(path, handler)

    async def handle(self, asked: web.Request) -> web.StreamResponse:
        text = await asked.text()
        body = json.loads(text) if text and not asked.content_type.endswith("form-urlencoded") else text or None
        self.asked.append((f"{asked.method} {asked.path}", dict(asked.headers), body))
        self.sockets.add(asked.transport)
        return await self.routes[asked.path](asked)

    @property
    def last(self) -> dict[str, object]:
        """The body of the last request."""
        body = self.asked[-1][2]
        assert isinstance(body, dict)
        return body


@asynccontextmanager
async def running() -> AsyncIterator[Server]:
    """The server, listening on a free port."""
    made = Server()
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_route("*", "/{tail:.*}", made.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.base = f"http://127.0.0.1:{runner.addresses[0][1]}"

    async def echo(asked: web.Request) -> web.Response:
        return web.json_response((await asked.json())["input"])

    made.answer("/echo", echo)
    yield made
    await runner.cleanup()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate that nobody vouches for, with its key in the same file."""
    path = tmp_path / "cert.pem"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", *kind, *name, "-keyout", str(path), "-out", "-"]
    done = subprocess.run(command, check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + done.stdout)
    return path
