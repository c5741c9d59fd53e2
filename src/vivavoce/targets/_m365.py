"""Conversations with an agent behind Work IQ: as in A2A, with a token that is renewed once, and refusals explained."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from vivavoce.core import codec
from vivavoce.core.environment import variables
from vivavoce.core.errors import CallError
from vivavoce.core.reply import Object, Reply, Request
from vivavoce.net.exchange import Refused
from vivavoce.targets._a2a import Conversation as Talk
from vivavoce.targets._a2a import Line
from vivavoce.targets._gate import Gate
from vivavoce.wire import workiq

_NO_POLICY = (
    "no billing policy covers this person: an admin sets one up for Copilot's pay-as-you-go services, or gives a licence"
)
_REFUSALS: tuple[tuple[int, str, str], ...] = (
    (401, "", "the token has expired, or is not meant for Work IQ (its audience is api://workiq.svc.cloud.microsoft): {renew}"),
    (403, r"required ?scopes?", "an admin must consent to the permission WorkIQAgent.Ask for the app that asks"),
    (403, "no_?policy", _NO_POLICY),
    (403, "quota|credit", "the credits for agents are used up: an admin can raise the limit of the spending policy"),
    (403, "billing|pay-as-you-go|spending", _NO_POLICY),
    (
        403,
        "",
        "this person may not ask this agent: a Microsoft 365 Copilot licence may be missing (a new one takes up to half an "
        "hour), or the agent is not shared",
    ),
    (404, "", "there is no such agent for this person; its id stands in the address bar when it is open in Copilot Chat"),
)
"""By status and what the gateway says: the way out."""


class Conversation:
    """One conversation."""

    def __init__(self, gate: Gate[Line], metadata: Object) -> None:
        self._gate = gate
        self._talk = Talk(gate.line, workiq.reply, metadata)

    async def send(self, request: Request) -> Reply:
        """Say one thing, and wait for the answer; the gateway takes text alone."""
        if not isinstance(request.input, str):
            request = replace(request, input=codec.encode(request.input).decode())
        line = await self._gate.line()
        try:
            return await self._talk.send(request)
        except Refused as refused:
            if refused.status != 401 or not self._gate.renewable:
                raise self._explained(refused) from None
        await self._gate.renew(line)
        try:
            return await self._talk.send(request)
        except Refused as refused:
            raise self._explained(refused) from None

    async def close(self) -> None:
        """Nothing of it is left."""

    def _explained(self, refused: Refused) -> CallError:
        for status, words, way_out in _REFUSALS:
            if status == refused.status and re.search(words, refused.body, re.IGNORECASE):
                renew = "sign in again" if self._gate.renewable else "set WORK_IQ_ACCESS_TOKEN anew"
                message = f"{refused.failure.message}; {way_out.format(renew=renew)}"
                return CallError(replace(refused.failure, message=message))
        return refused


def zone_of(given: str | None) -> tuple[str, ZoneInfo]:
    """The time zone of the person who asks: by option, by the variable `TZ`, by the system, else UTC.

    Raises:
        ValueError: the option names none.
    """
    if given is not None:
        try:
            return given, ZoneInfo(given)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f'timezone: "{given}" is no time zone, such as Europe/Vienna') from None
    link = str(Path("/etc/localtime").resolve())
    for name in (variables().get("TZ", "").strip().lstrip(":"), link.partition("zoneinfo/")[2]):
        try:
            if name:
                return name, ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            continue
    return "UTC", ZoneInfo("UTC")


def minutes_ahead(zone: ZoneInfo) -> int:
    """How far a time zone is ahead of UTC now."""
    offset = datetime.now(zone).utcoffset()
    return 0 if offset is None else round(offset.total_seconds() / 60)
