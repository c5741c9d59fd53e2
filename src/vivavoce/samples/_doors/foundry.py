"""The sample agent as an agent of a project in Microsoft Foundry is spoken to, below `/foundry/api/projects/desk`."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web

from vivavoce.core.reply import Object
from vivavoce.samples._doors.checked import Answer, Refusal
from vivavoce.samples._doors.openai import MODEL, Door
from vivavoce.samples.desk import BadRequest

PROJECT = "/foundry/api/projects/desk"


def routes(delay: float, token: str | None) -> list[web.RouteDef]:
    """The addresses of this door; with a token, requests that show neither it nor it as a key are refused."""

    def let_in(answer: Answer) -> Answer:
        async def checked(request: web.Request) -> web.StreamResponse:
            shown = request.headers.get("api-key") or request.headers.get("Authorization", "").removeprefix("Bearer ")
            if token is not None and shown != token:
                raise Refusal("the key or token is missing, or not valid here", 401)
            return await answer(request)

        return checked

    return Door(delay, _names_agent).responses(f"{PROJECT}/openai/v1", let_in)


def _names_agent(body: Object) -> None:
    agent = body.get("agent_reference")
    if not isinstance(agent, Mapping) or agent.get("type") != "agent_reference":
        raise BadRequest('`agent_reference` must be {"type": "agent_reference", "name": ...}')
    if agent.get("name") != MODEL:
        raise Refusal(f"there is no agent {agent.get('name')}; there is {MODEL}", 404)
