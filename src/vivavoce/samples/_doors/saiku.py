"""The analytics agent as Saiku is spoken to, below `/rest/saiku/api/ai`: questions, queries, cubes, and failures on demand.

A question that begins with one of the words of `trouble` fails as that word says. Who asks shows a user and a password with
each request, or signs in at `/login` and shows the cookies that are given there.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import secrets
from collections.abc import Iterator
from http.cookies import CookieError, SimpleCookie

from aiohttp import web

from vivavoce.core.reply import JSON, Object
from vivavoce.samples._cube import counting, schema
from vivavoce.samples._cube.query import Invalid
from vivavoce.samples._doors import trouble
from vivavoce.samples._doors.checked import Answer, Refusal, body_of, opened, pieces, refusing, written
from vivavoce.samples.analytics import INTENTS, MODEL, Analyst, preview
from vivavoce.samples.desk import BadRequest

PREFIX = "/rest"
"""What stands before `/saiku/api` in every address."""
SPACE = "shops"
"""The one space there is: questions in it need not name a cube."""
_SESSIONS = 1000
"""Sessions that are remembered."""


class Door:
    """The agent, and who is let in."""

    def __init__(self, delay: float, user: str, password: str) -> None:
        self._delay = delay
        self._shown = f"{user}:{password}"
        self._analyst = Analyst()
        self._trouble = trouble.Trouble()
        self._sessions: dict[str, str] = {}

    def routes(self, prefix: str = PREFIX) -> list[web.RouteDef]:
        """The addresses of this door."""
        api = f"{prefix}/saiku/api"
        ai = f"{api}/ai"
        asks = [
            web.post(f"{place}/ask{way}", self._let_in(self._streamed if way else self._asked))
            for place in (ai, f"{ai}/spaces/{{space}}")
            for way in ("", "/stream")
        ]
        information = [web.get(path, _info) for path in dict.fromkeys((f"{api}/info", "/saiku/api/info"))]
        return [
            *asks,
            *information,
            web.post("/login", self._sign_in),
            web.post(f"{ai}/query", self._let_in(self._query)),
            web.post(f"{ai}/query/preview", self._let_in(self._preview)),
            web.get(f"{ai}/ask/health", self._let_in(_configured)),
            web.get(f"{ai}/cubes", self._let_in(_cubes)),
            web.get(f"{ai}/schema/{{cube:.+}}", self._let_in(_schema)),
        ]

    def _let_in(self, answer: Answer) -> Answer:
        async def checked(request: web.Request) -> web.StreamResponse:
            if not self._knows(request):
                headers = {"WWW-Authenticate": 'Basic realm="Saiku"'}
                return web.json_response({"error": "sign in first"}, status=401, headers=headers)
            return await answer(request)

        return refusing(checked, lambda message, status: {"error": message})

    def _knows(self, request: web.Request) -> bool:
        """Whether a request shows the password, or the cookies of a session with the token that belongs to it."""
        scheme, _, told = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "basic":
            try:
                shown = base64.b64decode(told, validate=True).decode()
            except (binascii.Error, UnicodeDecodeError):
                return False
            return secrets.compare_digest(shown.encode(), self._shown.encode())
        token = self._sessions.get(_cookie(request, "JSESSIONID"))
        # Reading does no harm; whatever else a session does must not be another page's doing.
        return token is not None and (request.method == "GET" or request.headers.get("X-XSRF-TOKEN") == token)

    async def _sign_in(self, request: web.Request) -> web.Response:
        form = await request.post()
        shown = f"{form.get('username', '')}:{form.get('password', '')}"
        if not secrets.compare_digest(shown.encode(), self._shown.encode()):
            return web.Response(status=302, headers={"Location": "/login?error"})
        session, token = secrets.token_hex(16), secrets.token_hex(16)
        self._sessions[session] = token
        if len(self._sessions) > _SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        response = web.Response(status=302, headers={"Location": "/"})
        response.set_cookie("JSESSIONID", session, httponly=True)
        response.set_cookie("XSRF-TOKEN", token)
        return response

    async def _asked(self, request: web.Request) -> web.StreamResponse:
        answer = await self._answer(request)
        if self._trouble.cuts(answer):
            return _broken_off(request, web.Response())
        return web.json_response(answer)

    async def _streamed(self, request: web.Request) -> web.StreamResponse:
        answer = await self._answer(request)
        response = await opened(request)
        for kind, event in _events(answer):
            await response.write(written(event, kind))
            if self._trouble.cuts(answer):
                return _broken_off(request, response)
        await response.write_eof()
        return response

    async def _answer(self, request: web.Request) -> JSON:
        """What is answered to a question, or what goes wrong with it."""
        body = dict(await body_of(request))
        space = request.match_info.get("space")
        if space is not None:
            if space != SPACE:
                raise Refusal(f"there is no space {space}; there is {SPACE}", 404)
            body.setdefault("cube", dict(schema.CUBE))
        await asyncio.sleep(self._delay)
        troubled = await self._trouble.answer(body)
        if troubled is not None:
            return troubled
        model = body.get("model") or MODEL
        if model != MODEL:
            return {"degraded": True, "reason": f"no provider is configured for the model {model}"}
        return self._analyst.ask(body)

    async def _query(self, request: web.Request) -> web.Response:
        try:
            return web.json_response(self._analyst.count(await body_of(request)))
        except Invalid as error:
            return _invalid(error)

    async def _preview(self, request: web.Request) -> web.Response:
        try:
            return web.json_response(preview(await body_of(request)))
        except Invalid as error:
            return _invalid(error)


def _events(answer: Object) -> Iterator[tuple[str, JSON]]:
    """An answer in the pieces in which it is streamed: whose it is, what kind it is, its text, and the whole."""
    if answer.get("model"):
        yield "model", {"model": answer["model"]}
    if answer.get("degraded"):
        yield "error", {"reason": answer["reason"]}
    else:
        kind = next((kind for key, kind in _KINDS if key in answer), "query")
        yield "intent", {"kind": INTENTS[kind]}
        text = answer.get("insight", {}).get("markdown") or answer.get("viewChange", {}).get("reason") or ""
        for piece in pieces(text):
            yield "chunk", {"delta": piece}
    yield "final", answer


def _broken_off(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """The connection, closed before the answer is complete."""
    assert request.transport is not None
    request.transport.close()
    return response


_KINDS = (("insight", "insight"), ("viewChange", "view_change"))


def _invalid(error: Invalid) -> web.Response:
    return web.json_response(counting.refusal(error), status=404 if error.status == "CUBE_NOT_FOUND" else 400)


async def _info(request: web.Request) -> web.Response:
    """That the service is there: anybody may know."""
    return web.json_response({"name": "sales of Hollin & Wake", "model": MODEL})


async def _configured(request: web.Request) -> web.Response:
    return web.json_response({"configured": True})


async def _cubes(request: web.Request) -> web.Response:
    return web.json_response([schema.summary()])


async def _schema(request: web.Request) -> web.Response:
    described = schema.described()
    if request.match_info["cube"] != described["cubeId"]:
        raise BadRequest(f"there is no cube {request.match_info['cube']}; there is {described['cubeId']}")
    return web.json_response(described)


def _cookie(request: web.Request, name: str) -> str:
    try:
        return SimpleCookie(request.headers.get("Cookie", ""))[name].value
    except (KeyError, CookieError):
        return ""
