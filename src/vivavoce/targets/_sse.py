"""Server-sent events: bytes to events, as they come, and events to one answer."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass

import aiohttp

from vivavoce.core.errors import CallError
from vivavoce.core.reply import JSON, Object, Reply
from vivavoce.core.result import Failure
from vivavoce.net.failures import bad_payload, excerpt, refuse_error, too_large
from vivavoce.targets import _answer
from vivavoce.targets._paths import Paths

_BREAK = re.compile(rb"\r\n|\n|\r")
DONE = "[DONE]"
"""The data of an event that ends a stream."""
BEATS = frozenset({"ping", "heartbeat", "keepalive", "keep-alive"})
"""Events that say only that the service is still there."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream."""

    kind: str
    data: str


class Events:
    """Takes bytes in any pieces, and gives the events that are complete."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._after_return = False
        self._started = False
        self._kind = ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that this piece completes."""
        if self._after_return and piece.startswith(b"\n"):
            piece = piece[1:]  # the second half of a line break
            self._after_return = False
        if not piece:
            return
        self._after_return = piece.endswith(b"\r")
        first, *more = _BREAK.split(piece)
        self._line.append(first)
        for part in more:
            line = b"".join(self._line)
            self._line = [part]
            yield from self._take(line)

    def end(self) -> Iterator[Event]:
        """The last event, where only the blank line behind it is missing.

        Raises:
            CallError: the stream ended within a line.
        """
        rest = b"".join(self._line)
        if rest.strip() == b"data: [DONE]" or rest.strip() == b"data:[DONE]":
            yield from self._take(rest)
        elif rest.strip() and not rest.startswith(b":"):
            raise bad_payload(f"the stream was cut within an event: {excerpt(rest, tail=True)}")
        yield from self._take(b"")

    def _take(self, line: bytes) -> Iterator[Event]:
        if not self._started:
            line, self._started = line.removeprefix(b"\xef\xbb\xbf"), True
        if not line:
            if self._data:
                yield Event(self._kind, "\n".join(self._data))
            self._kind, self._data = "", []
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field in (b"data", b"event"):
            try:
                text = value.decode()
            except UnicodeDecodeError:
                raise bad_payload(f"an event of the stream is not UTF-8: {excerpt(value)}") from None
            if field == b"data":
                self._data.append(text)
            else:
                self._kind = text


async def arriving(response: aiohttp.ClientResponse, limit: int) -> AsyncGenerator[Event, None]:
    """The events of an answer, as they come.

    Raises:
        CallError: the stream is cut before its end, holds what is no event, or is larger than `limit` bytes.
    """
    events, size = Events(), 0
    try:
        while part := await response.content.readany():
            size += len(part)
            if size > limit:
                raise too_large("the stream", limit)
            for event in events.feed(part):
                yield event
    except aiohttp.ClientPayloadError:
        raise bad_payload("the stream was cut before its end") from None
    for event in events.end():
        yield event


class Stream:
    """Joins events to one answer.

    With a path for the text, each event is an object of the service's own, and the texts it leads to are joined. Without,
    data is a part of the text, as it is or as a JSON string; an object is an answer of the protocol, of which the last counts.
    """

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._texts: list[str] = []
        self._found: dict[str, JSON] = {}
        self._last: Object | None = None
        self._events = 0
        self.session: JSON = None
        """The session id that an event gave."""

    def take(self, event: Event) -> bool:
        """Take an event in; whether the stream says that it was the last."""
        if event.data.strip() == DONE:
            return True
        if event.kind in BEATS:
            return False
        if event.kind == "error":
            message = f"the agent reported an error in its stream: {excerpt(event.data)}"
            raise CallError(Failure(code="agent_error", message=message, answered=True))
        self._events += 1
        if self._paths.has_text:
            self._pick(_answer.decode(event.data.encode(), "an event of the stream"))
        else:
            self._read(event.data)
        return False

    def reply(self) -> Reply:
        """What all events together say.

        Raises:
            CallError: they say nothing, or nothing that can be read.
        """
        if not self._events:
            raise bad_payload("the stream ended without any data")
        if self._paths.has_text:
            text = "".join(self._texts) if self._texts else None
            return self._paths.read_found({**self._found, "text": text}, [self._last])
        text = _joined(self._texts) if self._texts else None
        if self._last is None:
            return _answer.read(text)
        missing = text is not None and self._last.get("text") is None
        return self._paths.reply({**self._last, "text": text} if missing else self._last)

    def _pick(self, value: JSON) -> None:
        refuse_error(value)
        self._keep_session(value)
        self._last = value
        for name, found in self._paths.find(value).items():
            if found is None:
                continue
            if name != "text":
                self._found[name] = found
            elif isinstance(found, str):
                self._texts.append(found)
            else:
                self._paths.read_found({"text": found}, [value])  # which refuses it

    def _read(self, data: str) -> None:
        if data.lstrip().startswith("{"):
            try:
                value = _answer.decode(data.encode())
            except CallError:
                value = None  # a piece of text that begins with a brace
            if isinstance(value, dict):
                refuse_error(value)
                self._keep_session(value)
                self._last = value
                return
        self._texts.append(data)

    def _keep_session(self, value: JSON) -> None:
        given = self._paths.session(value)
        self.session = self.session if given is None else given


def _joined(texts: list[str]) -> str:
    """The parts of a text; if every one is a JSON string, what these say."""
    if all(text.startswith('"') for text in texts):
        try:
            values = [_answer.decode(text.encode()) for text in texts]
        except CallError:
            return "".join(texts)
        if all(isinstance(value, str) for value in values):
            return "".join(values)
    return "".join(texts)
