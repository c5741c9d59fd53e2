"""A Saiku server as it is reached: signed in to, asked, and every way in which it fails told from the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Protocol, TypeVar
from urllib.parse import urlencode

import aiohttp

from vivavoce.core import codec, secrets
from vivavoce.core.errors import CallError
from vivavoce.core.reply import JSON, Object, Reply, Request
from vivavoce.core.result import Failure
from vivavoce.net.exchange import Client, Door, Refused, whole
from vivavoce.net.failures import bad_payload, excerpt
from vivavoce.targets import _answer
from vivavoce.targets._sse import BEATS, arriving
from vivavoce.wire import saiku

T = TypeVar("T")

_HINTS: Mapping[int, str] = MappingProxyType(
    {
        401: "user or password is wrong: set SAIKU_USER and SAIKU_PASSWORD",
        403: "this user may not ask here",
        404: "there is no such space, or no Saiku at this address: see the options url, prefix and space",
    }
)
"""What to do about a status, for the person who reads the message."""
_UNCONFIGURED = "AI ask is not configured"
"""How a server begins the reason when it has no model to ask, which no waiting mends."""
_TOKEN, _SHOWN_TOKEN = "XSRF-TOKEN", "X-XSRF-TOKEN"
"""The cookie in which a server gives a session its token, and the header in which that is shown."""


class Knock(Protocol):
    """Makes the doors of a server."""

    def __call__(self, url: str, more: Mapping[str, str], *, moves: bool = True) -> Door:
        """The door of an address, with headers besides those that every request has."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """How a server is reached."""

    door: Knock
    """The door of an address, with further headers."""
    api: str
    login: str
    form: Mapping[str, str] | None
    """What is shown at the login, where a session is wanted."""
    limit: int
    """Bytes of an answer."""


class Service:
    """One server, and the connection by which it is asked, which is made when the first question is."""

    def __init__(self, way: Way) -> None:
        self._way = way
        self._clients: list[Client] = []
        self._opening = asyncio.Lock()
        self._door = way.door(way.api, {})

    async def ask(self, below: str, body: Object, read: Callable[[JSON], T]) -> T:
        """What is read from the answer to a body that is sent below the API's address.

        Raises:
            CallError: there is none, with a typed failure.
        """
        sent = codec.encode(body)
        client = await self._client()
        try:
            return await self._once(client, below, sent, read)
        except CallError as error:
            if error.failure.code != "http_401" or self._way.form is None:
                raise
        # The session has ended; one that is just begun is not begun again.
        return await self._once(await self._client(stale=client), below, sent, read)

    async def close(self) -> None:
        """Close every connection; those of sessions that ended may have been in use until now."""
        clients, self._clients = self._clients, []
        for client in clients:
            await client.close()

    async def _client(self, stale: Client | None = None) -> Client:
        """The connection; the first who asks signs in, and the others wait for that."""
        async with self._opening:
            if not self._clients or self._clients[-1] is stale:
                headers = {} if self._way.form is None else await self._sign_in(self._way.form)
                self._door = self._way.door(self._way.api, headers)
                self._clients.append(Client(self._door))
            return self._clients[-1]

    async def _sign_in(self, form: Mapping[str, str]) -> dict[str, str]:
        """The headers of a session that was begun for this."""
        door = self._way.door(self._way.login, {"Content-Type": "application/x-www-form-urlencoded"}, moves=False)
        client = Client(door)
        cookies: dict[str, str] = {}

        async def accepted(response: aiohttp.ClientResponse) -> bool:
            return "error" not in response.headers.get("Location", "")

        try:
            let_in = await client.call(urlencode(form).encode(), cookies, accepted)
        except Refused as refused:
            raise _hinted(refused) from None
        finally:
            await client.close()
        if not let_in or not cookies:
            message = f"{door.shown} began no session: {_HINTS[401]}"
            raise CallError(Failure(code="sign_in", message=message, answered=True))
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
        return {**headers, _SHOWN_TOKEN: cookies[_TOKEN]} if _TOKEN in cookies else headers

    async def _once(self, client: Client, below: str, body: bytes, read: Callable[[JSON], T]) -> T:
        try:
            with self._told():
                return read(await client.call(body, {}, self._payload, below=below))
        except Refused as refused:
            said = saiku.failure(refused.body)
            if isinstance(said, saiku.Degraded):
                unmended = str(said).startswith(_UNCONFIGURED)
                raise self._failed("degraded", said, refused.failure.retriable and not unmended) from None
            if isinstance(said, saiku.Failed):
                raise self._failed("query_failed", said, said.busy) from None
            raise _hinted(refused) from None

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What is wrong with an answer, as a failure that says who answered."""
        try:
            yield
        except saiku.Degraded as error:
            raise self._failed("degraded", error, retriable=False) from None
        except saiku.Failed as error:
            raise self._failed("query_failed", error, error.busy) from None
        except ValueError as error:
            raise bad_payload(f"{self._door.shown} answered {excerpt(str(error), 400)}") from None

    def _failed(self, code: str, error: ValueError, retriable: bool) -> CallError:
        what = "gave no answer" if code == "degraded" else "could not carry out the query"
        message = f"{self._door.shown} {what}: {excerpt(str(error), 400)}"
        return CallError(Failure(code=code, message=message, retriable=retriable, answered=True))

    async def _payload(self, response: aiohttp.ClientResponse) -> JSON:
        hidden = self._door.secrets
        if response.content_type == "text/event-stream":
            return await self._streamed(response)
        body = await whole(response, self._way.limit)
        if body.lstrip()[:1] == b"<":
            said = excerpt(secrets.blot(body.decode(errors="replace"), hidden))
            raise ValueError(f"with a web page: {said}; is the address right?")
        return _answer.decode(body, hidden=hidden)

    async def _streamed(self, response: aiohttp.ClientResponse) -> JSON:
        """The whole envelope, which the last event holds whatever those before it told."""
        async with aclosing(arriving(response, self._way.limit)) as events:
            async for event in events:
                if event.kind not in BEATS and event.kind == "final":
                    return _answer.decode(event.data.encode(), "the last event of the stream", self._door.secrets)
        raise bad_payload(f"{self._door.shown} ended its stream without the event `final`")


class Conversation:
    """One conversation: what was said before is told with every question, so the server need not remember it."""

    def __init__(self, service: Service, below: str, cube: Object | None, more: Object, *, needs_cube: bool) -> None:
        self._service = service
        self._below = below
        self._cube = cube
        self._more = more
        self._needs_cube = needs_cube and "cube" not in more

    async def send(self, request: Request) -> Reply:
        """Ask one question, and wait for the answer."""
        cube = self._cube or saiku.cube(request.about)
        if cube is None and self._needs_cube:
            message = (
                "the suite does not say which cube it is about: name it by the option cube, or a space by the option space"
            )
            raise CallError(Failure(code="no_cube", message=message, sent=False))
        body = {**saiku.question(request.input, cube, request.history), **self._more}
        return await self._service.ask(self._below, body, saiku.reply)

    async def rows(self, query: Object) -> tuple[Object, ...]:
        """What comes of a query of the same cube, unless it names its own.

        Raises:
            CallError: it cannot be carried out.
        """
        cube = {} if self._cube is None else {"cube": self._cube}
        return await self._service.ask("query", {**cube, **query}, saiku.rows)

    async def close(self) -> None:
        """Nothing of it is left."""


def _hinted(refused: Refused) -> CallError:
    """The failure, with what to do about it."""
    hint = _HINTS.get(refused.status)
    failure: Failure = refused.failure
    return CallError(replace(failure, message=f"{failure.message}; {hint}") if hint else failure)
