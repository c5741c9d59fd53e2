"""Chat models over HTTP: what every provider does, in whichever dialect its endpoint speaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import aiohttp

from vivavoce.core import codec, secrets
from vivavoce.core.errors import CallError
from vivavoce.core.reply import JSON, Completion, Message, Object
from vivavoce.net.exchange import Client, Door, Refused, whole
from vivavoce.net.failures import bad_payload, excerpt
from vivavoce.providers._dialect import Dialect
from vivavoce.providers._prices import Price
from vivavoce.wire import openai
from vivavoce.wire.openai import Fault

_LIMIT = 16 * 1024 * 1024
"""Bytes of an answer; no model says as much."""
_ABOUT_THE_REQUEST = frozenset({400, 404, 405, 415, 422, 501})
"""Statuses by which endpoints say that they do not take a part of a request."""
_NEVER = frozenset({501, 505})
_SPENT = ("insufficient_quota", "enforced_spend_limit", "credit balance is too low")
"""How endpoints say that nothing more is answered until somebody pays."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """What is said with every request, and what is made of the answers."""

    model: str
    """For messages, and for endpoints that do not say which model answered."""
    body: Mapping[str, JSON]
    """Fields of every request."""
    temperature: float | None
    max_tokens: int | None
    price: Callable[[str], Price | None]
    """What the model that answered costs."""
    hints: Mapping[int, str] = field(default_factory=dict)
    """What to do about a status, for the person who reads the message."""


class Completions:
    """What one endpoint answers. It remembers what the endpoint does not take."""

    def __init__(self, door: Door, terms: Terms, dialect: Dialect) -> None:
        self._door = door
        self._terms = terms
        self._dialect = dialect
        self._manners = dialect.manners
        self._client = Client(door)

    async def complete(self, messages: Sequence[Message], schema: Object | None) -> Completion:
        """What the model answers.

        Raises:
            CallError: it did not, with a typed failure.
        """
        terms = self._terms
        said = {**terms.body, **self._dialect.said(messages)}
        while True:  # ends, since manners only ever get milder
            manners = self._manners
            fields = manners.fields(schema=schema, temperature=terms.temperature, max_tokens=terms.max_tokens)
            try:
                return self._read(await self._client.call(codec.encode({**said, **fields}), {}, _body))
            except Refused as refused:
                fault = openai.fault(refused.body)
                if fault.filtered:
                    return Completion(text="", model=terms.model, refused=True)
                milder = manners.after(fault, fields) if refused.status in _ABOUT_THE_REQUEST else None
                if milder is None:
                    raise self._explained(refused, fault) from None
                # Another call may have found out something else meanwhile: then that is tried first.
                self._manners = milder if self._manners == manners else self._manners

    async def close(self) -> None:
        """Close every connection."""
        await self._client.close()

    def _read(self, body: bytes) -> Completion:
        # Whatever comes back is kept in results, so a key that is sent back goes no further than this.
        hidden = self._client.secrets
        text = secrets.blot(body.decode(errors="replace"), hidden)
        try:
            payload = secrets.blot_all(codec.decode(body, object), hidden)
        except (ValueError, RecursionError) as error:
            raise self._unreadable("a web page" if text.lstrip()[:1] == "<" else f"no JSON ({error})", text) from None
        try:
            read = self._dialect.read(payload, self._terms.model)
        except ValueError as error:
            raise self._unreadable(str(error), text) from None
        price = self._terms.price(read.model)
        cost = None if price is None else price.of(read.usage)
        return read if cost is None else replace(read, usage={**read.usage, "cost_usd": cost})

    def _unreadable(self, what: str, text: str) -> CallError:
        return bad_payload(
            f"{self._door.shown} answered {what}, not as a chat model does: {excerpt(text) or 'nothing'}", "judge"
        )

    def _explained(self, refused: Refused, fault: Fault) -> CallError:
        """The failure, with what to do about it."""
        failure = refused.failure
        hint = self._terms.hints.get(refused.status, "")
        retriable = failure.retriable or (refused.status >= 500 and refused.status not in _NEVER)
        if any(word in f"{fault.code} {refused.body}".lower() for word in _SPENT):
            retriable, hint = False, "the account has no credit left"
        message = f"{failure.message}; {hint}" if hint else failure.message
        return CallError(replace(failure, message=message, retriable=retriable))


async def _body(response: aiohttp.ClientResponse) -> bytes:
    return await whole(response, _LIMIT, "judge")
