"""Conversations by the Responses API: held now, or held before and fetched."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from vivavoce.core.errors import CallError
from vivavoce.core.model import Case
from vivavoce.core.reply import JSON, Reply, Request
from vivavoce.core.result import Failure
from vivavoce.net.failures import excerpt
from vivavoce.targets._openai import Asking
from vivavoce.wire import openai_responses

Memory = Literal["response", "conversation", "none"]
"""By what a later turn follows on an earlier one: the response before it, a conversation, or by saying everything again."""
_ID = re.compile(r"[A-Za-z0-9_-]{1,512}")


class Responses:
    """A conversation; `at` is the path of responses below the line's address."""

    def __init__(self, line: Asking, *, memory: Memory, at: str = "") -> None:
        self._line = line
        self._memory = memory
        self._at = at
        self._before: str | None = None
        self._conversation: str | None = None

    async def send(self, request: Request) -> Reply:
        """Say one thing, and wait for the answer."""
        manner = self._line.manner
        fields: dict[str, JSON] = {"instructions": manner.system} if manner.system else {}
        follows = self._before is not None or self._conversation is not None
        fields["input"] = openai_responses.items(() if follows else request.history, request.input)
        conversation = self._conversation
        if self._memory == "conversation":
            # Known from the first answer on: one that failed half way is not gone on with.
            conversation = conversation or await self._line.fetch("conversations", _number, fields={})
            fields["conversation"] = conversation
        elif self._before is not None:
            fields["previous_response_id"] = self._before
        if self._memory == "none":
            fields["store"] = False
        reply, payload = await self._line.ask(fields, openai_responses.reply, self._at)
        self._conversation = conversation
        number = payload.get("id")
        kept = self._memory == "response" and isinstance(number, str) and not openai_responses.left_open(payload)
        self._before = number if kept else None
        return reply

    async def close(self) -> None:
        """Nothing of it is left."""


class Fetched:
    """A conversation that was held before: the response that a column of each row names is fetched, nobody is asked."""

    def __init__(self, line: Asking, case: Case, column: str, *, at: str = "") -> None:
        self._line = line
        self._case = case
        self._column = column
        self._at = at
        self.asked: JSON = None
        """What the fetched response was an answer to, where the row does not say."""

    async def send(self, request: Request) -> Reply:
        """The answer that was given then."""
        self.asked = None
        path = f"{self._at}/{self._number(request)}".lstrip("/")
        reply = await self._line.fetch(path, openai_responses.reply)
        if request.input is None:
            self.asked = await self._line.fetch(f"{path}/input_items", openai_responses.asked)
        return reply

    async def close(self) -> None:
        """Nothing of it is left."""

    def _number(self, request: Request) -> str:
        """The id of the turn's response; a case of one turn may name it for the whole."""
        turns = self._case.turns
        own = turns[request.turn].metadata if request.turn < len(turns) else {}
        found = own.get(self._column, self._case.metadata.get(self._column) if len(turns) == 1 else None)
        if isinstance(found, str) and _ID.fullmatch(found.strip()):
            return found.strip()
        which = f"turn {request.turn} of case {self._case.id}"
        if found is None:
            message = f'{which} has no "{self._column}", by which its answer could be fetched'
        else:
            message = f'{which}: "{self._column}" is {excerpt(str(found), 60)}, which is no id of a response'
        raise CallError(Failure(code="not_recorded", message=message, sent=False))


def _number(payload: JSON) -> str:
    """The id of a conversation that was begun."""
    number = payload.get("id") if isinstance(payload, Mapping) else None
    if not isinstance(number, str) or not number:
        raise ValueError("without the id of a conversation")
    return number
