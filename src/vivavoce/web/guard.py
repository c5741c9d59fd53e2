"""Stands before every answer: names, credentials, other sites, sizes, and the headers that keep a page to itself."""

from __future__ import annotations

import hmac
import math
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vivavoce.web.access import Access, host_name, is_own_origin, is_page
from vivavoce.web.guesses import Guesses, sender
from vivavoce.web.refusal import Refusal

LARGEST = 64 * 1024
"""Bytes of a request."""
HEALTH = "/api/health"
"""What answers without a credential."""
PAGE_TOKEN = "x-viva-token"
"""The header in which a page sends its token."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    ("content-security-policy", _POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
)
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""


@dataclass(frozen=True, slots=True)
class Guard:
    """An application behind it sees only requests that may be answered."""

    app: ASGIApp
    access: Access
    page_token: str
    guesses: Guesses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        dressed = _Dressed(send)
        try:
            self._check(Request(scope))
        except Refusal as refusal:
            await refusal.response()(scope, receive, dressed)
            return
        await self.app(scope, _Bounded(receive), dressed)

    def _check(self, request: Request) -> None:
        headers = request.headers
        if not self.access.answers_to(headers.get("host", "")):
            name = host_name(headers.get("host", ""))
            message = f'this server is not called "{name:.100}"; if it is, name it among `hosts` in [serve] of viva.toml'
            raise Refusal(421, "unknown_host", message)
        if request.url.path != HEALTH and self.access.guarded:
            self._check_credential(request)
        if "\0" in request.url.path or b"%00" in request.scope["query_string"]:
            raise Refusal(400, "bad_request", "no name has a zero byte in it")
        if request.method not in _SAFE:
            self._check_sender(request)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST:
            raise too_large()

    def _check_credential(self, request: Request) -> None:
        """Make sure of who asks; whoever was wrong about it too often has to wait before it is looked at again."""
        given = request.headers.get("authorization")
        who = sender(request.client.host if request.client else "", request.headers)
        seconds = self.guesses.wait(who) if given else 0
        if seconds:
            later = {"Retry-After": str(math.ceil(seconds))}
            raise Refusal(429, "too_many", "too many wrong passwords or tokens came from there; try again later", later)
        if not self.access.admits(given):
            if given:
                self.guesses.wrong(who)
            challenge = {"WWW-Authenticate": 'Basic realm="viva", charset="UTF-8"'}
            raise Refusal(401, "unauthorized", "a password or token is needed", challenge)

    def _check_sender(self, request: Request) -> None:
        """Make sure that what changes something was not sent by a page of another site."""
        headers = request.headers
        if not is_own_origin(headers):
            raise Refusal(403, "cross_site", "a page of another site may not ask for this")
        given = headers.get("authorization", "")
        if is_page(headers):
            bearer = given.lower().startswith("bearer ") and self.access.admits(given)
            if not bearer and not hmac.compare_digest(headers.get(PAGE_TOKEN, "").encode(), self.page_token.encode()):
                raise Refusal(403, "no_token", "the page is older than the server; load it anew")
        elif not given and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            # What any page can send without being asked has neither.
            raise Refusal(415, "not_json", "send JSON, with Content-Type: application/json")


def too_large() -> Refusal:
    """What a request of too many bytes is answered with."""
    return Refusal(413, "too_large", f"a request has at most {LARGEST} bytes")


class _Dressed:
    """Sends with the headers that every answer has, unless it has its own."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS:
                headers.setdefault(name, value)
        await self._send(message)


class _Bounded:
    """Receives no more than a request may hold, also when it does not say how much that is."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._bytes = 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        if self._bytes > LARGEST:
            raise too_large()
        return message
