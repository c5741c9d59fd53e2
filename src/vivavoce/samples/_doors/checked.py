"""What the doors share: bodies that are checked, refusals that say what is wrong, and streams."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping

from aiohttp import web

from vivavoce.core.reply import JSON, Object
from vivavoce.samples.desk import BadRequest, parse

LARGEST = 1024 * 1024
"""Bytes of a request."""

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Refusal(BadRequest):
    """A request that is refused with another status than 400."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def refusing(answer: Answer, told: Callable[[str, int], JSON]) -> Answer:
    """The same, with what is wrong about a request said in the words of the door: `told(message, status)`."""

    async def checked(request: web.Request) -> web.StreamResponse:
        try:
            return await answer(request)
        except web.HTTPRequestEntityTooLarge:
            message, status = f"a request has at most {LARGEST} bytes", 413
        except BadRequest as error:
            message, status = str(error), getattr(error, "status", 400)
        return web.json_response(told(message, status), status=status)

    return checked


async def body_of(request: web.Request) -> Object:
    """The JSON object that was sent.

    Raises:
        BadRequest: none was.
    """
    if request.content_type != "application/json":
        raise Refusal("the Content-Type must be application/json", 415)
    body = parse(await request.read())
    if not isinstance(body, Mapping):
        raise BadRequest("a request is a JSON object")
    return body


def needed(body: Object, key: str, kind: type, what: str) -> JSON:
    """A part that must be there.

    Raises:
        BadRequest: it is not, or is something else.
    """
    if not isinstance(body.get(key), kind):
        raise BadRequest(f"`{key}` must be {what}")
    return body[key]


def pieces(text: str) -> list[str]:
    """A text word by word."""
    return re.findall(r"\S+\s*|\s+", text)


async def stream(request: web.Request, events: Iterable[JSON], last: str | None = None) -> web.StreamResponse:
    """Events as they are sent, each told by its `type` where it has one; `last` ends them."""
    response = await opened(request)
    for event in events:
        await response.write(written(event, event.get("type")))
    if last is not None:
        await response.write(f"data: {last}\n\n".encode())
    await response.write_eof()
    return response


async def opened(request: web.Request) -> web.StreamResponse:
    """A stream, begun."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    await response.prepare(request)
    return response


def written(event: JSON, kind: str | None) -> bytes:
    """One event of a stream."""
    told = f"event: {kind}\n" if kind is not None else ""
    return f"{told}data: {json.dumps(event)}\n\n".encode()
