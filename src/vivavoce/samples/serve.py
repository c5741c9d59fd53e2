"""The sample agents over HTTP: `python -m vivavoce.samples.serve --port 8000`.

`POST /` and `POST /api/chat` take a request as agents are spoken to and give the answer as JSON; or, to a client that accepts
nothing but `text/event-stream`, as events: pieces of the text, then the whole answer. `GET /health` says that it is there.
Other doors lead to the same agent: `/v1` speaks as OpenAI does, `/a2a` the A2A protocol (its card lies at
`/.well-known/agent-card.json`), `/workiq/a2a/AGENT` as the gateway to agents of Microsoft 365 Copilot does, and
`/foundry/api/projects/desk` as a project of Microsoft Foundry does. Behind `/rest/saiku/api` is the second sample agent, which
answers questions about sales, as Saiku does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.core.errors import UsageError
from vivavoce.core.reply import JSON
from vivavoce.samples._spans import Spans
from vivavoce.samples.desk import BadRequest, Desks, parse

if TYPE_CHECKING:
    from aiohttp import web

LARGEST = 1024 * 1024
"""Bytes of a request."""


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m vivavoce.samples.serve", description="The sample agents over HTTP.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument("--port", type=int, default=8000, help="port to listen on; 0 for any that is free (default: 8000)")
    parser.add_argument("--print-port", action="store_true", help="print the port alone, for a program that starts this one")
    parser.add_argument("--while-stdin", action="store_true", help="end when standard input does, not to outlive a parent")
    parser.add_argument("--delay-ms", type=int, default=0, help="milliseconds to think before each answer (default: 0)")
    parser.add_argument("--token", help="let in at /workiq only who sends this bearer token (default: everybody)")
    parser.add_argument("--prefix", default="/rest", help="what stands before /saiku/api (default: /rest)")
    parser.add_argument("--user", default="admin", help="who is let in at /saiku/api (default: admin)")
    parser.add_argument("--password", default="admin", help="and with which password (default: admin)")
    parser.add_argument("--spans", type=Path, help="append spans of OpenTelemetry to this file (needs opentelemetry-sdk)")
    options = parser.parse_args(argv)
    try:
        asyncio.run(_serve(options))
    except KeyboardInterrupt:
        pass
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"cannot listen on {options.host}:{options.port}: {error.strerror or error}", file=sys.stderr)
        return 2
    return 0


def application(
    *,
    delay: float = 0.0,
    token: str | None = None,
    prefix: str = "/rest",
    user: str = "admin",
    password: str = "admin",
    spans: Spans | None = None,
) -> web.Application:
    """The agents as a web application; `delay` in seconds, `token` for the gateways, then three for the analytics agent.

    What is said to the help desk at its first door is told in `spans`.
    """
    from aiohttp import web

    from vivavoce.samples._doors import a2a, foundry, openai, saiku, workiq

    desks = Desks()
    send = desks.send if spans is None else spans.told(desks.send)

    async def chat(request: web.Request) -> web.StreamResponse:
        try:
            answer = send(parse(await request.read()))
        except web.HTTPRequestEntityTooLarge:
            return _error(413, "too_large", f"a request has at most {LARGEST} bytes")
        except BadRequest as error:
            return _error(400, "bad_request", str(error))
        await asyncio.sleep(delay)
        if request.headers.get("Accept", "").strip() == "text/event-stream":
            return await _stream(request, answer)
        return web.json_response(answer)

    async def health(request: web.Request) -> web.Response:
        return web.json_response({"status": "ok", "sessions": len(desks)})

    app = web.Application(client_max_size=LARGEST)
    app.add_routes([web.post("/", chat), web.post("/api/chat", chat), web.get("/health", health)])
    app.add_routes([*openai.routes(delay), *a2a.routes(delay), *workiq.routes(delay, token), *foundry.routes(delay, token)])
    app.add_routes(saiku.Door(delay, user, password).routes(prefix))
    return app


async def _serve(options: argparse.Namespace) -> None:
    from aiohttp import web

    spans = Spans(options.spans) if options.spans is not None else None
    app = application(
        delay=options.delay_ms / 1000,
        token=options.token,
        prefix=options.prefix,
        user=options.user,
        password=options.password,
        spans=spans,
    )
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, options.host, options.port).start()
        port = runner.addresses[0][1]
        print(port if options.print_port else f"Serving on http://{options.host}:{port}/ - stop with Ctrl-C", flush=True)
        await _stdin_ends() if options.while_stdin else await asyncio.Event().wait()
    finally:
        await runner.cleanup()
        if spans is not None:
            spans.close()


async def _stdin_ends() -> None:
    """Return when standard input is closed."""
    import threading

    loop, ended, descriptor = asyncio.get_running_loop(), asyncio.Event(), sys.stdin.fileno()

    def watch() -> None:
        # Not through sys.stdin, whose lock a thread that still waits would hold while Python ends.
        while os.read(descriptor, 4096):
            pass
        loop.call_soon_threadsafe(ended.set)

    # A daemon thread rather than the loop's reader: it works with pipes, files and terminals on every system.
    threading.Thread(target=watch, daemon=True).start()
    await ended.wait()


def _error(status: int, code: str, message: str) -> web.Response:
    from aiohttp import web

    return web.json_response({"error": {"code": code, "message": message}}, status=status)


async def _stream(request: web.Request, answer: dict[str, JSON]) -> web.StreamResponse:
    from aiohttp import web

    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    await response.prepare(request)
    for piece in re.findall(r"\S+\s*|\s+", answer["text"]):
        await response.write(f"data: {json.dumps(piece)}\n\n".encode())
    await response.write(f"event: answer\ndata: {json.dumps(answer)}\n\n".encode())
    await response.write_eof()
    return response


if __name__ == "__main__":
    sys.exit(main())
