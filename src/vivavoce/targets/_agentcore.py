"""An agent in AgentCore's runtime: the ARN that names it, the session ids it takes, and the answers such agents give."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from vivavoce.core import codec
from vivavoce.core.errors import CallError
from vivavoce.core.reply import JSON, Reply, Request
from vivavoce.net.exchange import Client, Door, Refused
from vivavoce.net.failures import bad_payload, excerpt, refuse_error
from vivavoce.targets import _answer, _body
from vivavoce.targets._paths import Paths

SESSION = "X-Amzn-Bedrock-AgentCore-Runtime-Session-Id"
_LEGAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{32,255}")
_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]+")
_KEPT = 60
"""Characters of an id of another shape that are kept, so that a person finds the session again."""
_TEXTS = ("result", "response", "output", "message", "answer", "completion", "content", "data")
"""Where agents put their text who do not call it `text`; the first of these that an answer has."""


def session_id(given: str) -> str:
    """A session id of the shape that the runtime takes, 33 to 256 characters: the one given, or one that follows from it."""
    if _LEGAL.fullmatch(given):
        return given
    begin = _ILLEGAL.sub("-", given[:_KEPT]).strip("-_")
    digest = hashlib.blake2b(given.encode("utf-8", "replace"), digest_size=16).hexdigest()
    return f"{begin}-{digest}" if begin else f"s{digest}"


class Answers(Paths):
    """Answers of any shape: by paths, where there are any, else by the places where agents of this kind put their text."""

    def reply(self, answer: JSON) -> Reply:
        """An answer as a reply.

        Raises:
            CallError: it is a `bad_payload`, or the agent reports an error in place of one.
        """
        refuse_error(answer)
        return super().reply(answer)

    def known(self, answer: JSON) -> JSON:
        """An answer in the words of the protocol, as far as they are found."""
        if not isinstance(answer, Mapping) or answer.get("text") is not None:
            return answer
        name = next((each for each in _TEXTS if answer.get(each) is not None), None)
        text = None if name is None else _text(answer[name])
        if text is None and any(answer.get(key) is not None for key in _answer.CONTENT):
            return answer
        if text is None:
            shown = excerpt(codec.encode(answer))
            raise bad_payload(
                f"the text of the answer is at none of the known places (text, {', '.join(_TEXTS)}): {shown}; say where by the "
                "option text, a JMESPath such as result.content[0].text, or event.contentBlockDelta.delta.text in a stream"
            )
        return {**{key: each for key, each in answer.items() if key != name}, "text": text}


def _text(value: JSON) -> str | None:
    """The text of a value that is one, of a message, or of the blocks of one; `None` where there is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        inner = next((value[key] for key in ("text", "content", "message", "output") if value.get(key) is not None), None)
        return None if inner is None else _text(inner)
    if isinstance(value, list):
        texts = [each["text"] for each in value if isinstance(each, Mapping) and isinstance(each.get("text"), str)]
        return "".join(texts) if texts else None
    return None


@dataclass(frozen=True, kw_only=True, slots=True)
class Manner:
    """What every conversation with one agent has in common."""

    body: Callable[[Request], bytes]
    answers: Answers
    hints: Mapping[int, str]
    """What to do about a status."""
    limit: int
    """Bytes of an answer."""


class Line:
    """The connections to one agent."""

    def __init__(self, door: Door, manner: Manner) -> None:
        self._client = Client(door)
        self._manner = manner
        self._read = partial(_body.read, paths=manner.answers, limit=manner.limit)

    async def ask(self, request: Request, cookies: dict[str, str]) -> Reply:
        """The answer to one request. Raises `CallError`."""
        headers = {SESSION: session_id(request.session_id)}
        try:
            reply, _ = await self._client.call(self._manner.body(request), cookies, self._read, headers=headers)
        except Refused as refused:
            hint = self._manner.hints.get(refused.status)
            if hint is None:
                raise
            failure = replace(refused.failure, message=f"{refused.failure.message}; {hint}")
            raise CallError(failure) from None
        return reply

    async def close(self) -> None:
        """Close every connection."""
        await self._client.close()


class Conversation:
    """One conversation, in a session of its own."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._cookies: dict[str, str] = {}

    async def send(self, request: Request) -> Reply:
        """Say one thing, and wait for the answer."""
        return await self._line.ask(request, self._cookies)

    async def close(self) -> None:
        """The runtime ends the session by itself, once nothing is said for a while."""
