"""Failures of a service, on demand: a question such as `!busy 2` is answered as a service in that trouble answers."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from aiohttp import web

from vivavoce.core.reply import JSON, Object
from vivavoce.samples.analytics import MODEL

_DEMAND = re.compile(r"!(\w+)(?:\s+(\d+(?:\.\d+)?))?\s*(.*)", re.DOTALL)
_CUT = "!cut"

ANSWERS: Mapping[str, Object] = MappingProxyType(
    {
        "degraded": {"degraded": True, "model": MODEL, "reason": "HTTP 503 from the provider of the model"},
        "failed": {
            "degraded": False,
            "model": MODEL,
            "response": {"status": "EXECUTION_ERROR", "error": "the warehouse closed the connection"},
        },
        "invalid": {
            "degraded": False,
            "model": MODEL,
            "response": {
                "status": "VALIDATION_ERROR",
                "error": "there is no measure 'Footfall'",
                "field": "measures[].name",
                "available": ["Net Sales", "Units Sold"],
            },
        },
        "draft": {"degraded": False, "model": MODEL, "emailDraft": {"to": "shops@hollinwake.example", "subject": "Sales"}},
        "empty": {},
        "cut": {"degraded": False, "model": MODEL, "insight": {"markdown": "Net Sales went up and then"}, "reason": _CUT},
    }
)
"""Answers that are no answer, by the word that brings them about."""


class Trouble:
    """Remembers how often each demand was made, since a service that is busy is not so for ever."""

    def __init__(self) -> None:
        self._made: Counter[str] = Counter()

    async def answer(self, body: Object) -> JSON:
        """What goes wrong with a question, when it asks for that; `None` when it does not, or has waited long enough.

        Raises:
            web.HTTPException: an answer of another status than success, or one that is no JSON.
        """
        question = body.get("question")
        demand = _DEMAND.fullmatch(question.strip()) if isinstance(question, str) else None
        if demand is None:
            return None
        word, number = demand[1], float(demand[2] or 1)
        if word in ANSWERS:
            return ANSWERS[word]
        if word == "down":
            raise _told(web.HTTPServiceUnavailable, '{"degraded": true, "reason": "AI ask is not configured on this server"}')
        if word == "page":
            raise web.HTTPOk(text="<!doctype html><title>Sign in</title>", content_type="text/html")
        if word == "slow":
            await asyncio.sleep(number)
        if word == "busy":
            self._made[str(question)] += 1
            if self._made[str(question)] <= number:
                refused = _told(web.HTTPTooManyRequests, '{"error": "10 questions a minute and no more"}')
                refused.headers["Retry-After"] = "0"
                raise refused
        if word in ("slow", "busy") and isinstance(body, dict):
            body["question"] = demand[3] or "total sales"
        return None

    def cuts(self, answer: Object) -> bool:
        """Whether a stream of this answer breaks off."""
        return answer.get("reason") == _CUT


def _told(kind: type[web.HTTPException], text: str) -> web.HTTPException:
    return kind(text=text, content_type="application/json")
