"""The application on a socket, until it is told to end."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from vivavoce.core.errors import UsageError
from vivavoce.web.app import application
from vivavoce.web.context import Context
from vivavoce.web.schedule import Schedule

_ENDING = 30
"""Seconds that answers under way have to end."""


def serve(context: Context, port: int, schedule: Schedule | None, ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; `ready` is told the address once it answers. Runs under way are ended in good order.

    Raises:
        UsageError: the address cannot be listened on.
    """
    with listen(context.access.host, port) as listener:
        # It ends as asked and is done with that: the signal, which the server hands on at the end, means nothing more.
        before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            asyncio.run(_serve(context, listener, schedule, ready))
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 is any that is free."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(128)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot listen on {host} port {port}: {why}; name another with --host or --port") from None
    return made


def address(listener: socket.socket, host: str) -> str:
    """The URL to open."""
    port = listener.getsockname()[1]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"


async def _serve(context: Context, listener: socket.socket, schedule: Schedule | None, ready: Callable[[str], None]) -> None:
    class Server(uvicorn.Server):
        """Ends the runs first: whoever watches one is told of its end, and lets go of the connection."""

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            context.runs.stop()
            super().handle_exit(sig, frame)

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready(address(listener, context.access.host))

    config = uvicorn.Config(
        application(context, schedule),
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_ENDING,
        lifespan="on",
        ws="none",
    )
    await Server(config).serve(sockets=[listener])
