"""Conversations in A2A: a message goes out, and what comes back is waited for until the agent is done, or asks back."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace

import aiohttp

from vivavoce.core import codec
from vivavoce.core.errors import CallError
from vivavoce.core.reply import JSON, Object, Reply, Request
from vivavoce.core.result import Failure
from vivavoce.net.exchange import Client, Door, Refused, whole
from vivavoce.net.failures import bad_payload, excerpt
from vivavoce.targets import _answer
from vivavoce.targets._sse import BEATS, arriving
from vivavoce.wire import a2a
from vivavoce.wire.a2a import Act, Heard, Version

_FIRST_WAIT, _LONGEST_WAIT = 0.2, 3.0
"""Seconds before a task is asked after, first and at most."""
_MISSES = 3
"""Times in a row that asking after a task may fail for a passing reason."""
_HINTS = (
    (-32601, "it may speak the other version of A2A: see the option version"),
    (-32009, "it may speak the other version of A2A: see the option version"),
    (-32004, "it may not answer in streams: see the option stream"),
    (-32005, "it does not take what was sent, such as data in place of text"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """How an agent is spoken to."""

    version: Version
    stream: bool
    limit: int
    """Bytes of an answer."""
    tenant: str | None = None
    """As its card names it."""
    hints: Mapping[int, str] = field(default_factory=dict)
    """What to do about a status."""


class Line:
    """The connection to one agent."""

    def __init__(self, door: Door, terms: Terms) -> None:
        self.terms = terms
        self.shown = door.shown
        self._hidden = door.secrets
        self._client = Client(door)

    async def tell(self, act: Act, params: Object, number: str, heard: Heard) -> None:
        """Make a request, and take in all that comes back.

        Raises:
            CallError: it failed, or was answered with an error.
        """
        tenant = {"tenant": self.terms.tenant} if self.terms.tenant else {}
        body = codec.encode(a2a.call(self.terms.version, act, {**tenant, **params}, number))

        async def read(response: aiohttp.ClientResponse) -> None:
            if response.content_type != "text/event-stream":
                body = await whole(response, self.terms.limit)
                self._take(_answer.decode(body, hidden=self._hidden), heard)
                return
            async with aclosing(arriving(response, self.terms.limit)) as events:
                async for event in events:
                    if event.kind not in BEATS:
                        data = event.data.encode()
                        self._take(_answer.decode(data, "an event of the stream", self._hidden), heard)

        try:
            await self._client.call(body, {}, read)
        except Refused as refused:
            hint = self.terms.hints.get(refused.status)
            failure = refused.failure if hint is None else replace(refused.failure, message=f"{refused}; {hint}")
            raise Refused(failure, refused.status, refused.body) from None

    async def close(self) -> None:
        """Close every connection."""
        await self._client.close()

    def _take(self, payload: JSON, heard: Heard) -> None:
        told = payload if isinstance(payload, dict) else {}
        if told.get("error") is not None:
            raise self._refused(told["error"])
        if "result" not in told:
            raise bad_payload(f"{self.shown} answered what is no JSON-RPC: {excerpt(codec.encode(payload))}")
        try:
            heard.take(told["result"])
        except ValueError as error:
            raise bad_payload(f"{self.shown} answered {excerpt(str(error), 400)}") from None

    def _refused(self, error: JSON) -> CallError:
        told = error if isinstance(error, dict) else {}
        code, message = told.get("code"), told.get("message")
        said = message if isinstance(message, str) else codec.encode(error).decode()
        data = f" ({excerpt(codec.encode(told['data']))})" if told.get("data") else ""
        hint = next((f"; {words}" for number, words in _HINTS if number == code), "")
        return CallError(
            Failure(
                code=f"rpc_{abs(code)}" if isinstance(code, int) else "rpc_error",
                message=f"{self.shown} answered error {code}: {excerpt(said)}{data}{hint}",
                answered=True,
            )
        )


class Conversation:
    """One conversation: the context that the agent gives it, and the task that waits for what is said next."""

    def __init__(self, line: Callable[[], Awaitable[Line]], read: Callable[[Heard], Reply], metadata: Object) -> None:
        self._line = line
        self._read = read
        self._metadata = metadata
        self._context: str | None = None
        self._task: str | None = None

    async def send(self, request: Request) -> Reply:
        """Say one thing, and wait for the answer."""
        if self._context is None and request.history and not request.turn:
            raise unsaid(request)
        line = await self._line()
        number = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{request.session_id}/{request.turn}"))
        version = line.terms.version
        message = a2a.message(version, request.input, number, context=self._context, task=self._task, metadata=self._metadata)
        heard = Heard()
        act: Act = "stream" if line.terms.stream else "send"
        params = {"message": message, **(a2a.waiting(version) if act == "send" else {})}
        await _until_known(line.tell(act, params, number, heard), heard)
        await self._wait(line, heard)
        reply = self._settle(line, heard)
        self._context = heard.context or self._context
        self._task = heard.task if heard.state == "input-required" else None
        return reply

    async def close(self) -> None:
        """Nothing of it is left."""

    async def _wait(self, line: Line, heard: Heard) -> None:
        """Ask after the task until it is done; how long, the caller's time limit says."""
        wait, missed = _FIRST_WAIT, 0
        while heard.waits:
            if heard.task is None:
                raise bad_payload(f"{line.shown} answered neither a message nor a task that can be asked after")
            await asyncio.sleep(wait)
            wait = min(1.5 * wait, _LONGEST_WAIT)
            try:
                await line.tell("get", {"id": heard.task}, str(uuid.uuid4()), heard)
                missed = 0
            except CallError as error:
                missed += 1
                if not error.failure.retriable or missed == _MISSES:
                    # The message has been taken, so saying it again would do it twice.
                    raise CallError(replace(error.failure, retriable=False, sent=True)) from None

    def _settle(self, line: Line, heard: Heard) -> Reply:
        """The reply to make of what was heard.

        Raises:
            CallError: the task came to another end than an answer.
        """
        said = heard.status_text()
        if heard.state in ("failed", "canceled", "auth-required"):
            way_out = "; it wants a sign-in of its own, which an exam cannot give" if heard.state == "auth-required" else ""
            message = f"{line.shown} says that its task is {heard.state}{': ' if said else ''}{excerpt(said, 400)}{way_out}"
            raise CallError(Failure(code=f"agent_{heard.state.replace('-', '_')}", message=message, answered=True))
        if heard.state not in (None, "completed", "input-required", "rejected"):
            raise bad_payload(f"{line.shown} answered a task of the state {heard.state}")
        reply = self._read(heard)
        if heard.state == "rejected":
            reply = replace(reply, text=reply.text or said, refusal=said or "the agent rejected the task")
        if reply.text is None:
            raise bad_payload(f"{line.shown} answered without text or data: {excerpt(codec.encode(heard.raw()), 400)}")
        return reply


def unsaid(request: Request) -> CallError:
    """The failure of a case that begins amid a conversation, which A2A has no words for."""
    message = (
        f"the case begins with {len(request.history)} earlier messages, which an A2A agent cannot be told; "
        "make them turns of the case, or reach the agent another way"
    )
    return CallError(Failure(code="history_unsaid", message=message, sent=False))


def reply(heard: Heard) -> Reply:
    """What was heard, as a reply; sources are not what A2A speaks of, and tools only where the agent does."""
    return Reply(text=heard.text(), tool_calls=heard.calls(), raw=heard.raw() or None)


async def _until_known(telling: Awaitable[None], heard: Heard) -> None:
    """Make a request; where its answer breaks off after the task is known, that can be asked after instead."""
    try:
        await telling
    except CallError as error:
        broken = error.failure.code in ("connection", "bad_payload")
        if not (broken and heard.task is not None and heard.waits):
            raise
