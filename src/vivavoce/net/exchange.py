"""HTTP exchanges: one call, with everything that may go wrong on the way as a typed failure."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol, TypeVar

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError
from multidict import CIMultiDict
from yarl import URL

from vivavoce.core import secrets
from vivavoce.core.errors import CallError
from vivavoce.core.result import Failure, Phase
from vivavoce.net import causes
from vivavoce.net.failures import excerpt, retry_after, too_large

T = TypeVar("T")
Read = Callable[[aiohttp.ClientResponse], Awaitable[T]]

RETRIABLE = frozenset({408, 425, 429, 502, 503, 504})
"""Statuses that say the request was not dealt with, and may be later."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 5
_CONNECT = 30.0
"""Seconds to find and reach the host; nothing was sent by then, so the call can be tried again."""
_IDLE = 2.0
"""Seconds an idle connection is kept: less than servers keep theirs, so that none is used that is just being closed."""
_EXPLAIN = 2.0
"""Seconds that the body of a refusal is waited for."""
_EXPLAINED = 16_384
"""Bytes of it that are read."""


class Signer(Protocol):
    """Signs requests with what is itself never sent."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that no message may show, as far as they are known by now."""

    async def sign(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Mapping[str, str]:
        """The headers of a request, with those that sign it. Raises `CallError`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Door:
    """Where the other side is, and how one knocks."""

    url: str
    shown: str
    """The URL as messages name it."""
    method: str
    headers: Mapping[str, str]
    tls: ssl.SSLContext | None
    secrets: tuple[str, ...]
    """Values that no message may show, also when the other side repeats them."""
    phase: Phase = "target"
    """In which part of a trial it is called."""
    signer: Signer | None = None
    """Signs each request, whose address is then sent to the letter."""
    moves: bool = True
    """Whether a redirect is followed, and not an answer in itself."""


class Refused(CallError):
    """The other side answered with a status that is no success."""

    def __init__(self, failure: Failure, status: int, body: str) -> None:
        super().__init__(failure)
        self.status = status
        self.body = body
        """The beginning of what it said, without secrets."""


class Client:
    """The connections to one address. Cookies are the caller's, so that conversations do not share them."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._url = URL(door.url, encoded=door.signer is not None)
        self._headers = CIMultiDict({"Accept": "application/json, text/event-stream, text/plain"})
        self._headers.update({"Content-Type": "application/json", "User-Agent": "viva"})
        self._headers.update(door.headers)
        self._http: aiohttp.ClientSession | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that no message and no result may show."""
        signer = self._door.signer
        return self._door.secrets if signer is None else (*self._door.secrets, *signer.secrets)

    async def call(
        self,
        body: bytes,
        cookies: dict[str, str],
        read: Read[T],
        *,
        below: str = "",
        method: str | None = None,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> T:
        """Send a request and read its answer; `cookies` are sent, and those of the answer added to them.

        `below` is a path below the door's address, with its query if it has one; `method` is another than the door's;
        `headers` are sent besides the door's.

        Raises:
            CallError: with a failure that says what happened, and whether the other side may have been reached; `Refused`
                when it answered with another status than success.
        """
        try:
            return await self._follow(self._below(below), method or self._door.method, body, cookies, headers, read)
        except aiohttp.ClientSSLError as error:
            raise self._failed("tls", f"no secure connection: {error}", sent=False) from None
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise self._failed("connection", f"cannot be reached: {causes.why(error)}", sent=False, retriable=True) from None
        except aiohttp.InvalidURL as error:
            raise self._failed("redirect", f"redirects to what is no address: {error}") from None
        except (aiohttp.ClientError, HttpProcessingError, OSError) as error:
            raise self._broken(error) from None

    async def close(self) -> None:
        """Close every connection."""
        http, self._http = self._http, None
        if http is not None:
            await http.close()

    def _broken(self, error: Exception) -> CallError:
        """The failure for an answer that did not come whole, or that cannot be read as HTTP."""
        wrong = causes.unreadable(error)
        if wrong is not None:
            return self._failed("bad_payload", f"gave an answer that cannot be read: {wrong}", answered=True)
        said = type(error).__name__
        if str(error) and not isinstance(error, aiohttp.ServerDisconnectedError):  # whose text may be a dump of what came
            said += f": {error}"
        return self._failed("connection", f"the connection broke before the answer was complete ({said})", retriable=True)

    def _below(self, path: str) -> URL:
        """An address below the door's; the query of that is kept."""
        if not path:
            return self._url
        path, _, query = path.partition("?")
        url = (self._url / path).with_query(self._url.query)
        return url.update_query(query) if query else url

    async def _follow(
        self, url: URL, method: str, body: bytes, cookies: dict[str, str], more: Mapping[str, str], read: Read[T]
    ) -> T:
        """The exchange, over redirects that stay with the same host."""
        for _ in range(_MOST_REDIRECTS + 1):
            sent = body if method != "GET" else None
            headers = await self._signed(method, url, self._with(cookies, more), sent or b"")
            response = await self._open().request(method, url, data=sent, headers=headers, allow_redirects=False)
            try:
                _remember(response, cookies)
                if 200 <= response.status < 300 or (response.status in _REDIRECTS and not self._door.moves):
                    return await read(response)
                if response.status not in _REDIRECTS or "Location" not in response.headers:
                    raise await self._refused(response)
                url = self._next(response)
                # A moved address gets the same request again; "see other" means the answer lies there, ready.
                method = "GET" if response.status == 303 else method
            except BaseException:
                response.close()
                raise
            finally:
                response.release()
        raise self._failed("redirect", f"redirects more than {_MOST_REDIRECTS} times")

    def _open(self) -> aiohttp.ClientSession:
        """The one client session, made where the event loop runs."""
        if self._http is None:
            self._http = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE, ssl=self._door.tls or True),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT),
            )
        return self._http

    async def _signed(self, method: str, url: URL, headers: CIMultiDict[str], body: bytes) -> Mapping[str, str]:
        signer = self._door.signer
        return headers if signer is None else await signer.sign(method, str(url), headers, body)

    def _with(self, cookies: Mapping[str, str], more: Mapping[str, str]) -> CIMultiDict[str]:
        if not cookies and not more:
            return self._headers
        headers = self._headers.copy()
        headers.update(more)
        if not cookies:
            return headers
        own = [headers["Cookie"]] if "Cookie" in headers else []
        headers["Cookie"] = "; ".join([*own, *(f"{name}={value}" for name, value in cookies.items())])
        return headers

    def _next(self, response: aiohttp.ClientResponse) -> URL:
        """Where a redirect leads. It must be the same origin: the request, and its headers, are meant for no other."""
        location = response.headers["Location"]
        try:
            url = response.url.join(URL(location))
            same = url.is_absolute() and url.scheme in ("http", "https") and url.origin() == response.url.origin()
        except ValueError as error:
            raise self._failed("redirect", f"redirects to what is no address: {excerpt(location)} ({error})") from None
        if not same:
            where = f"{url.scheme}://{url.authority}"
            raise self._failed(
                "redirect", f"redirects to {where}, another host, which is not followed; name that address if it is meant"
            )
        return url

    async def _refused(self, response: aiohttp.ClientResponse) -> Refused:
        """The failure for a status that is no success."""
        said = ""
        try:
            async with asyncio.timeout(_EXPLAIN):
                # Blotted out before it is cut, since half a secret is no longer told by its value.
                said = secrets.blot((await _beginning(response)).decode(errors="replace"), self.secrets)
        except (TimeoutError, aiohttp.ClientError, OSError):
            pass
        kind = response.headers.get("X-Amzn-ErrorType", "").partition(":")[0]  # AWS tells there alone what it is
        status = f"answered {response.status} {response.reason or ''}".rstrip() + (f" ({kind})" if kind else "")
        message = status + (f": {excerpt(said)}" if said else "")
        failed = self._failed(
            f"http_{response.status}",
            message,
            retriable=response.status in RETRIABLE,
            retry_after=retry_after(response.headers.get("Retry-After"), response.headers.get("Date"), time.time()),
            answered=True,
        )
        return Refused(failed.failure, response.status, said)

    def _failed(
        self,
        code: str,
        message: str,
        *,
        retriable: bool = False,
        retry_after: float | None = None,
        sent: bool = True,
        answered: bool = False,
    ) -> CallError:
        message = excerpt(f"{self._door.shown} {message}", 600)
        return CallError(
            Failure(
                code=code,
                message=message,
                phase=self._door.phase,
                retriable=retriable,
                retry_after=retry_after,
                sent=sent,
                answered=answered,
            )
        )


async def whole(response: aiohttp.ClientResponse, limit: int, phase: Phase = "target") -> bytes:
    """The body of an answer.

    Raises:
        CallError: it is larger than `limit` bytes.
    """
    if (response.content_length or 0) > limit:
        raise too_large("the answer", limit, phase)
    parts: list[bytes] = []
    size = 0
    while part := await response.content.readany():
        parts.append(part)
        size += len(part)
        if size > limit:
            raise too_large("the answer", limit, phase)
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def _beginning(response: aiohttp.ClientResponse) -> bytes:
    """As much of a body as is worth telling; one that comes in parts is put together."""
    body = b""
    while len(body) < _EXPLAINED and (part := await response.content.readany()):
        body += part
    return body[:_EXPLAINED]


def _remember(response: aiohttp.ClientResponse, cookies: dict[str, str]) -> None:
    """Take over the cookies of an answer; one that is emptied or expired at once is forgotten."""
    if "Set-Cookie" not in response.headers:
        return
    for name, morsel in response.cookies.items():
        if morsel.value == "" or morsel["max-age"] == "0":
            cookies.pop(name, None)
        else:
            cookies[name] = morsel.coded_value
