"""Examine an agent that speaks A2A, the protocol by which agents speak to one another."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal
from urllib.parse import urljoin, urlsplit

from vivavoce.core import secrets
from vivavoce.core.errors import CallError
from vivavoce.core.kinds import Session
from vivavoce.core.model import Trial
from vivavoce.core.reply import Object
from vivavoce.net import addressing
from vivavoce.wire import a2a as wire
from vivavoce.wire import a2a_card

if TYPE_CHECKING:
    import aiohttp

    from vivavoce.net.exchange import Door
    from vivavoce.targets._a2a import Line

__all__ = ["A2a"]

_CARD_LIMIT = 1024 * 1024
"""Bytes of a card."""
_HINTS = MappingProxyType(
    {
        401: "the token is wrong or missing: set the option token, or headers",
        404: "nobody takes messages there; is the address right?",
    }
)
"""What to do about a status."""


@dataclass(frozen=True, kw_only=True)
class A2a:
    """An agent that speaks A2A, the Agent2Agent protocol.

    Speaks: A2A 1.0 or 0.3 in JSON-RPC, as the agent's card at `URL/.well-known/agent-card.json` says: a message a turn, in one
        piece or as a stream, in the context that the agent gives; a task that is still working is asked after until it is
        done. The text of artifacts is the answer; without any, that of a message or of the task's status is.
    Options: `url`, `card`, `version`, `stream`, `token`, `headers`, `metadata`, `idempotent`, `limit`.
    Example: `--target a2a:https://agent.example --target-option 'token=${AGENT_TOKEN}'`
    Limits: JSON-RPC alone, not gRPC or REST. A card may send messages only to the address it came from. Citations and searches
        are unknown, since the protocol does not speak of them; so are tool calls, unless the agent tells of them in parts of
        data, as `function_call` and `function_response` or a list of `tool_calls`. A case that begins with a history is an
        error: there is no way to tell it. A task that is rejected is a refusal; one that failed, or was cancelled, is an error.
    Source: the A2A specification, versions 0.3.0 and 1.0.0.
    """

    main: ClassVar[str] = "url"
    way: ClassVar[str] = "a2a:URL"

    url: str
    """Address of the agent, under which its card lies; `${VAR}` is read from the environment."""
    card: bool = True
    """Whether to read the agent's card; else messages go to `url` itself."""
    version: Literal["0.3", "1.0"] | None = None
    """Which version of the protocol to speak; by default what the card lists first, or 1.0 without a card."""
    stream: bool | None = None
    """Whether answers come as a stream; by default if the card says that they can, or not without a card."""
    token: str | None = field(default=None, repr=False)
    """Sent as a bearer token; better as `${VAR}` than as it is."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with every request; `${VAR}` in a value is read from the environment, and never stored."""
    metadata: Object = field(default_factory=dict)
    """Metadata of every message."""
    idempotent: bool = False
    """Whether asking the same twice does no harm, so that a call without an answer may be repeated."""
    limit: int = 16 * 1024 * 1024
    """Bytes of an answer; more is a failure."""

    def __post_init__(self) -> None:
        # What is wrong with any of these must be known before anything is run.
        _ = self._address, self._sent
        if self.limit < 1:
            raise ValueError(f"limit must be at least 1, not {self.limit}")

    def session(self, trial: Trial) -> Session:
        """A conversation of its own."""
        from vivavoce.targets._a2a import Conversation, reply

        return Conversation(self._line, reply, self.metadata)

    async def close(self) -> None:
        """Close every connection."""
        for line in self._lines:
            await line.close()

    async def _line(self) -> Line:
        """The connection, made once the card is read; several conversations wait for one reading."""
        async with self._reading:
            if not self._lines:
                self._lines.append(await self._connect())
            return self._lines[0]

    async def _connect(self) -> Line:
        from vivavoce.targets._a2a import Line, Terms

        if not self.card:
            terms = Terms(version=self.version or "1.0", stream=bool(self.stream), limit=self.limit, hints=_HINTS)
            return Line(self._door(self._address, terms.version), terms)
        card = await self._read_card()
        chosen, url = self._chosen(card)
        version = chosen.version or "1.0"  # `choose` gives none of another
        stream = a2a_card.streams(card) if self.stream is None else self.stream
        terms = Terms(version=version, stream=stream, limit=self.limit, tenant=chosen.tenant, hints=_HINTS)
        return Line(self._door(url, version), terms)

    async def _read_card(self) -> Object:
        from vivavoce.net.exchange import Client

        client = Client(replace(self._door(self._home, "1.0"), method="GET"))
        try:
            return await client.call(b"", {}, _card)
        except CallError as error:
            # Nothing has been said yet, so trying again does no harm.
            failure = replace(error.failure, sent=False)
            if failure.code in ("http_404", "http_405", "bad_payload"):
                way_out = "give the address above the card, or, with card=false, the one that takes messages"
                failure = replace(failure, message=f"the agent's card: {failure.message}; {way_out}")
            raise CallError(failure) from None
        finally:
            await client.close()

    def _chosen(self, card: Object) -> tuple[a2a_card.Interface, str]:
        """The interface that is spoken to, and its address."""
        from yarl import URL

        from vivavoce.net.failures import bad_payload, excerpt

        home = self._home
        try:
            chosen = a2a_card.choose(card, self.version)
            url = addressing.address(urljoin(home, chosen.url), "its address")
        except ValueError as error:
            raise bad_payload(f"{addressing.shown(home)}: the card {excerpt(str(error), 400)}") from None
        if URL(url).origin() != URL(home).origin():
            # What is sent, tokens too, is meant for whom the person named, and for nobody a card may name.
            raise bad_payload(
                f"{addressing.shown(home)}: the card sends messages to {addressing.shown(url)}, another host, which is not "
                f"followed; if that is meant: --target a2a:{addressing.shown(url)} --target-option card=false"
            )
        return chosen, url

    def _door(self, url: str, version: wire.Version) -> Door:
        from vivavoce.net.exchange import Door

        return Door(
            url=url,
            shown=addressing.shown(url),
            method="POST",
            # Without the header it is 0.3; agents that know no other may not know the header either.
            headers={**({wire.VERSION_HEADER: version} if version != "0.3" else {}), **self._sent},
            tls=None,
            secrets=secrets.values({"url": self.url, "token": self._token, "headers": self.headers}),
        )

    @cached_property
    def _lines(self) -> list[Line]:
        return []

    @cached_property
    def _reading(self) -> asyncio.Lock:
        return asyncio.Lock()

    @cached_property
    def _address(self) -> str:
        """The URL, variables filled in."""
        return addressing.address(self.url)

    @cached_property
    def _home(self) -> str:
        """The address of the card, which may have been given itself."""
        parts = urlsplit(self._address)
        return parts._replace(path=parts.path.removesuffix(a2a_card.PATH).rstrip("/") + a2a_card.PATH).geturl()

    @cached_property
    def _token(self) -> str:
        return addressing.key(self.token, "token")

    @cached_property
    def _sent(self) -> dict[str, str]:
        bearer = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        return {**bearer, **addressing.headers(self.headers)}


async def _card(response: aiohttp.ClientResponse) -> Object:
    from vivavoce.net.exchange import whole
    from vivavoce.net.failures import bad_payload
    from vivavoce.targets import _answer

    card = _answer.decode(await whole(response, _CARD_LIMIT), "the agent's card")
    if not isinstance(card, dict):
        raise bad_payload("the agent's card is no object")
    return card
