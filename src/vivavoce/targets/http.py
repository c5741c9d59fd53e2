"""Examine an agent that is reached over HTTP, in the small protocol or in its own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, Literal

from vivavoce.core import codec, secrets
from vivavoce.core.kinds import Session
from vivavoce.core.model import Trial
from vivavoce.core.reply import JSON, Object, Reply, Request
from vivavoce.net import addressing
from vivavoce.targets import _template
from vivavoce.targets._paths import Paths, Placed

if TYPE_CHECKING:
    import ssl

    from vivavoce.net.exchange import Client

__all__ = ["Http"]


@dataclass(frozen=True, kw_only=True)
class Http(Placed):
    """An agent behind an HTTP address.

    Speaks: a POST of `{"input", "session_id", "case", "turn", "about", "history"}` as JSON; the answer is JSON (text, or an
        object with `text`, `tool_calls`, `citations`, `retrievals`, `rows`, `intent`, `refusal`, `insight`, `usage`), plain
        text, or server-sent events. `request` and the paths put another service's words in place of these.
    Options: `url`, `method`, `headers`, `request`, `text`, `tool_calls`, `citations`, `retrievals`, `rows`, `intent`,
        `refusal`, `insight`, `usage`, `session_id`, `idempotent`, `limit`, `ca`.
    Example: `--target https://agent.example/chat --target-option 'request={"message": "{{input}}"}' --target-option text=reply`
    Limits: redirects are followed only within the same scheme, host and port; cookies live as long as a conversation.
    Source: the protocol of Viva's own; JMESPath for paths; the HTML standard for server-sent events.
    """

    main: ClassVar[str] = "url"
    way: ClassVar[str] = "http(s)://HOST/PATH"

    url: str
    """Where the agent is; `${VAR}` is read from the environment."""
    method: Literal["POST", "PUT", "PATCH"] = "POST"
    """How a request is sent."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Sent with every request; `${VAR}` in a value is read from the environment, and never stored."""
    request: Object | str | None = None
    """A JSON object to send instead of the protocol's; `{{input}}`, `{{session_id}}`, `{{history}}`, `{{case}}`, `{{turn}}` and
    `{{about}}` in its texts are replaced, and keep their type where they are the whole text."""
    session_id: str | None = None
    """JMESPath to the session id that the agent gives: `{{session_id}}` is null in the first turn, and this in later ones."""
    idempotent: bool = False
    """Whether asking the same twice does no harm, so that a call without an answer may be repeated."""
    limit: int = 16 * 1024 * 1024
    """Bytes of an answer, unpacked; more is a failure."""
    ca: str | None = None
    """A file of certificates to trust instead of the system's."""

    def __post_init__(self) -> None:
        # What is wrong with any of these must be known before anything is run.
        _ = self._address, self._headers, self._secrets, self._paths, self._tls, self._request
        if self.limit < 1:
            raise ValueError(f"limit must be at least 1, not {self.limit}")

    def session(self, trial: Trial) -> Session:
        """A conversation of its own, with its own cookies."""
        return _Conversation(self._client, self._body, self._paths, self.limit)

    async def close(self) -> None:
        """Close every connection."""
        if "_client" in vars(self):
            await self._client.close()

    def _body(self, request: Request, given: JSON) -> bytes:
        """A request as it is sent; `given` is the session id that the agent gave."""
        if self._request is None and self.session_id is None:
            return codec.encode(request)
        told: dict[str, JSON] = codec.plain(request)
        if self.session_id is not None:
            told["session_id"] = given
        return codec.encode(told if self._request is None else _template.fill(self._request, told))

    @cached_property
    def _client(self) -> Client:
        from vivavoce.net.exchange import Client, Door

        door = Door(
            url=self._address,
            shown=addressing.shown(self.url),
            method=self.method,
            headers=self._headers,
            tls=self._tls,
            secrets=self._secrets,
        )
        return Client(door)

    @cached_property
    def _address(self) -> str:
        """The URL, variables filled in."""
        return addressing.address(self.url)

    @cached_property
    def _headers(self) -> dict[str, str]:
        return addressing.headers(self.headers)

    @cached_property
    def _request(self) -> Object | None:
        return _template.parse(self.request)

    @cached_property
    def _secrets(self) -> tuple[str, ...]:
        return secrets.values({"url": self.url, "headers": self.headers})

    @cached_property
    def _paths(self) -> Paths:
        return Paths(self._placed | ({} if self.session_id is None else {"session_id": self.session_id}))

    @cached_property
    def _tls(self) -> ssl.SSLContext | None:
        if self.ca is None:
            return None
        import ssl

        try:
            return ssl.create_default_context(cafile=self.ca)
        except OSError as error:
            raise ValueError(f"ca: {self.ca} cannot be used as certificates: {error}") from None


class _Conversation:
    """One conversation: its cookies, and the session id that the agent gave it."""

    def __init__(self, client: Client, body: Callable[[Request, JSON], bytes], paths: Paths, limit: int) -> None:
        from vivavoce.targets import _body

        self._client = client
        self._body = body
        self._read = partial(_body.read, paths=paths, limit=limit)
        self._cookies: dict[str, str] = {}
        self._given: JSON = None

    async def send(self, request: Request) -> Reply:
        reply, given = await self._client.call(self._body(request, self._given), self._cookies, self._read)
        if given is not None:
            self._given = given
        return reply

    async def close(self) -> None:
        return None
