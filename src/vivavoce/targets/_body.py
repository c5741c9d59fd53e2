"""What an agent sends over HTTP, by its content type: JSON, plain text or a stream of events to a reply."""

from __future__ import annotations

import re
from contextlib import aclosing

import aiohttp

from vivavoce.core.reply import JSON, Reply
from vivavoce.net.exchange import whole
from vivavoce.net.failures import bad_payload, excerpt
from vivavoce.targets import _answer
from vivavoce.targets._paths import Paths
from vivavoce.targets._sse import Stream, arriving

_UNTOLD = "application/octet-stream"
"""What a body is taken for when nobody says."""
_PAGE = re.compile(rb"\s*<(!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)


async def read(response: aiohttp.ClientResponse, paths: Paths, limit: int) -> tuple[Reply, JSON]:
    """The reply, and the session id that came with it, if any.

    Raises:
        CallError: what came is no answer, or is larger than `limit` bytes.
    """
    if response.content_type == "text/event-stream":
        return await _stream(response, paths, limit)
    answer = _answer_of(response, await whole(response, limit), paths)
    return paths.reply(answer), paths.session(answer)


def _answer_of(response: aiohttp.ClientResponse, body: bytes, paths: Paths) -> JSON:
    kind = response.content_type
    if not body:
        raise bad_payload(f"the answer is empty (status {response.status})")
    if kind in ("text/html", "application/xhtml+xml") or _PAGE.match(body):
        raise bad_payload(f"the answer is a web page, not an agent's: {_page(body)}; is the address right?")
    if kind == "application/json" or kind.endswith("+json") or kind == _UNTOLD:
        return _json(response, body)
    if kind.startswith("text/") and not kind.endswith("xml"):
        return _json(response, body) if paths.has_text or kind == "text/json" else _text(response, body)
    raise bad_payload(f"the answer is {kind}; it must be JSON, plain text or a stream of events: {excerpt(body)}")


def _json(response: aiohttp.ClientResponse, body: bytes) -> JSON:
    if (response.charset or "utf-8").lower() not in ("utf-8", "utf8", "us-ascii"):
        body = _text(response, body).encode()
    return _answer.decode(body.removeprefix(b"\xef\xbb\xbf"))


def _text(response: aiohttp.ClientResponse, body: bytes) -> str:
    charset = response.charset or "utf-8"
    try:
        return body.decode("utf-8-sig" if charset.lower() in ("utf-8", "utf8") else charset)
    except (UnicodeDecodeError, LookupError):
        raise bad_payload(f"the answer is not {charset}, as which it was sent: {excerpt(body)}") from None


def _page(body: bytes) -> str:
    start = body[:20_000].decode(errors="replace")
    title = _TITLE.search(start)
    return f'"{excerpt(title[1])}"' if title else excerpt(start)


async def _stream(response: aiohttp.ClientResponse, paths: Paths, limit: int) -> tuple[Reply, JSON]:
    stream = Stream(paths)
    async with aclosing(arriving(response, limit)) as events:
        async for event in events:
            if stream.take(event):
                break
    return stream.reply(), stream.session
