"""Agents to examine, and a folder of modules."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from aiohttp import web
from conftest_targets import Server, running
from conftest_targets import certificate as certificate

from vivavoce.samples.serve import application


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current folder; modules imported from it are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    before, path = set(sys.modules), list(sys.path)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with running() as made:
        yield made


@pytest.fixture
async def shops(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """The sample agents as they are served, the one that counts sales among them; gives the address."""
    runner = web.AppRunner(application(**getattr(request, "param", {})), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


RawServer = Callable[..., Awaitable[str]]


@pytest.fixture
async def raw() -> AsyncIterator[RawServer]:
    """Servers that send given bytes and then close or reset the connection; gives the URL."""
    servers: list[asyncio.Server] = []

    async def start(reply: bytes, *, reset: bool = False, answers: int = 1) -> str:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            for _ in range(answers):
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
                await reader.readexactly(length)
                writer.write(reply)
                await writer.drain()
            if reset:
                linger = struct.pack("ii", 1, 0)
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        servers.append(server)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"

    yield start
    for server in servers:
        server.close()
        await server.wait_closed()


@pytest.fixture
def free_port() -> int:
    """A port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
