"""The sample agent as an agent of Microsoft 365 Copilot, behind a gateway of the shape of Work IQ's: `/workiq/a2a/AGENT`."""

from __future__ import annotations

import re

from aiohttp import web

from vivavoce.core.reply import JSON, Object, Reply
from vivavoce.samples._doors.a2a import Door, refusal
from vivavoce.samples._doors.checked import Answer, Refusal, refusing
from vivavoce.samples.desk import BadRequest

RETRIEVAL = "application/vnd.ms-workiq-internal.retrieval"
_AGENT = re.compile(r"[A-Z]_[\w-]+\.[\w-]+")


def routes(delay: float, token: str | None) -> list[web.RouteDef]:
    """The addresses of this door; with a token, requests without it are refused."""
    door = Door(delay, _dressed, _placed)
    return [web.post("/workiq/a2a/{agent}", refusing(_let_in(door.answer, token), refusal))]


def _let_in(answer: Answer, token: str | None) -> Answer:
    async def checked(request: web.Request) -> web.StreamResponse:
        if token is not None and request.headers.get("Authorization") != f"Bearer {token}":
            raise Refusal("the token is missing, or not valid here", 401)
        agent = request.match_info["agent"]
        if not _AGENT.fullmatch(agent):
            raise Refusal(f"there is no agent {agent}; its id is such as T_desk.declarativeAgent", 404)
        return await answer(request)

    return checked


def _placed(request: web.Request, message: Object) -> None:
    """Where the person is must be told, since "today" depends on it."""
    metadata = message.get("metadata")
    place = metadata.get("Location") if isinstance(metadata, dict) else None
    place = place if isinstance(place, dict) else {}
    if not isinstance(place.get("timeZone"), str) or type(place.get("timeZoneOffset")) is not int:
        raise BadRequest("message.metadata.Location must have timeZone, text, and timeZoneOffset, minutes")


def _dressed(reply: Reply) -> tuple[list[dict[str, JSON]], Object]:
    """The answer, the searches it stands on, and what it cites."""
    found = {"data": {"retrieval_executions": list(reply.retrievals or ())}, "mediaType": RETRIEVAL}
    attributions = [
        {
            "attributionType": "Citation",
            "attributionSource": "Grounding",
            "providerDisplayName": each.text,
            "seeMoreWebUrl": each.source,
        }
        for each in reply.citations or ()
    ]
    artifacts: list[dict[str, JSON]] = [
        {"artifactId": "answer", "name": "Answer", "parts": [{"text": reply.text}]},
        {"artifactId": "developer", "name": "Developer Info", "parts": [{"text": "no developer information"}]},
        {"artifactId": "retrieval", "name": "Retrieval Info", "parts": [found]},
    ]
    return artifacts, {"attributions": attributions}
