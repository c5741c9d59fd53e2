"""Requests to an endpoint that speaks as OpenAI's, answered in one piece or as a stream; and the conversations made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import aiohttp

from vivavoce.core import codec, secrets
from vivavoce.core.errors import CallError
from vivavoce.core.reply import JSON, Object, Reply, Request
from vivavoce.core.result import Failure
from vivavoce.net.exchange import Client, Door, Refused, whole
from vivavoce.net.failures import bad_payload, excerpt
from vivavoce.targets import _answer
from vivavoce.targets._sse import BEATS, DONE, arriving
from vivavoce.wire import openai, openai_chat

T = TypeVar("T")


class Joined(Protocol):
    """The events of a stream, put together to the answer that would have come in one piece."""

    def take(self, event: JSON) -> bool:
        """Take one in; whether it was the last."""

    def payload(self) -> dict[str, JSON]:
        """The answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Manner:
    """What every request of a target says."""

    body: Mapping[str, JSON]
    """Fields of every request, the model among them."""
    system: str | None
    hints: Mapping[int, str]
    """What to do about a status."""
    limit: int
    """Bytes of an answer."""


class Asking(Protocol):
    """Where requests go."""

    @property
    def manner(self) -> Manner:
        """What every request says."""

    async def ask(self, fields: Object, read: Callable[[JSON], Reply], below: str = "") -> tuple[Reply, Object]:
        """The reply to a request of these fields, and the answer it was read from. Raises `CallError`."""

    async def fetch(self, below: str, read: Callable[[JSON], T], fields: Object | None = None) -> T:
        """What is read from the answer at a path below the address: to fields, or to the mere question. Raises `CallError`."""


class Line:
    """One endpoint: a request goes out, what it answers comes back as JSON."""

    def __init__(self, door: Door, manner: Manner, joined: Callable[[], Joined]) -> None:
        self.manner = manner
        self._shown = door.shown
        self._hidden = door.secrets
        self._client = Client(door)
        self._joined = joined

    async def ask(self, fields: Object, read: Callable[[JSON], Reply], below: str = "") -> tuple[Reply, Object]:
        """The reply to a request of these fields, and the answer it was read from.

        Raises:
            CallError: there is none, with a typed failure.
        """
        body = codec.encode({**self.manner.body, **fields})
        try:
            with self._told():
                payload = await self._client.call(body, {}, self._payload, below=below)
                return read(payload), payload
        except Refused as refused:
            fault = openai.fault(refused.body)
            if fault.filtered:
                # The filter's word is what a person would have been shown.
                return Reply(text="", refusal=fault.message, raw={"status": refused.status, "code": fault.code}), {}
            raise self._explained(refused, fault) from None

    async def fetch(self, below: str, read: Callable[[JSON], T], fields: Object | None = None) -> T:
        """What is read from the answer at a path below the address: to fields, or to the mere question.

        Raises:
            CallError: there is none, with a typed failure.
        """
        body, method = (b"", "GET") if fields is None else (codec.encode(fields), "POST")
        try:
            with self._told():
                return read(await self._client.call(body, {}, self._payload, below=below, method=method))
        except Refused as refused:
            raise self._explained(refused, openai.fault(refused.body)) from None

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What is wrong with an answer, as a failure that says who answered."""
        try:
            yield
        except openai.Reported as error:
            message = f"{self._shown} answered {excerpt(str(error), 400)}"
            raise CallError(Failure(code="agent_error", message=message, answered=True)) from None
        except ValueError as error:
            raise bad_payload(f"{self._shown} answered {excerpt(str(error), 400)}") from None

    async def close(self) -> None:
        """Close every connection."""
        await self._client.close()

    async def _payload(self, response: aiohttp.ClientResponse) -> JSON:
        if response.content_type != "text/event-stream":
            body = await whole(response, self.manner.limit)
            if body.lstrip()[:1] == b"<":
                said = excerpt(secrets.blot(body.decode(errors="replace"), self._hidden))
                raise ValueError(f"a web page, not as an agent does: {said}; is the address right?")
            return _answer.decode(body, hidden=self._hidden)
        joined = self._joined()
        async with aclosing(arriving(response, self.manner.limit)) as events:
            async for event in events:
                if event.kind in BEATS:
                    continue
                if event.data.strip() == DONE:
                    break
                if joined.take(_answer.decode(event.data.encode(), "an event of the stream", self._hidden)):
                    break
        # Whole, since a secret may come in pieces.
        return secrets.blot_all(joined.payload(), self._hidden)

    def _explained(self, refused: Refused, fault: openai.Fault) -> CallError:
        """The failure, with what to do about it."""
        failure: Failure = refused.failure
        hint = self.manner.hints.get(refused.status, "")
        retriable = failure.retriable
        if "insufficient_quota" in fault.code:
            retriable, hint = False, "the account has no credit left"
        if fault.names("previous_response"):
            hint = "it keeps no responses: with the option stateful=false, every turn says again what was said before"
        return CallError(
            replace(failure, message=f"{failure.message}; {hint}" if hint else failure.message, retriable=retriable)
        )


class Chat:
    """A conversation by chat completions: every turn says again what was said before."""

    def __init__(self, line: Asking) -> None:
        self._line = line

    async def send(self, request: Request) -> Reply:
        """Say one thing, and wait for the answer."""
        manner = self._line.manner
        said = openai_chat.messages(manner.system, request.history, request.input)
        offered = bool(manner.body.get("tools"))
        reply, _ = await self._line.ask({"messages": said}, lambda payload: openai_chat.reply(payload, offered=offered))
        return reply

    async def close(self) -> None:
        """Nothing of it is left."""
