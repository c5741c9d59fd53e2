"""The pages that a browser shows."""

from __future__ import annotations

import html
from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from vivavoce.web.context import Context


def routes(context: Context) -> Iterable[Route]:
    """The addresses of the pages."""

    async def index(request: Request) -> Response:
        states = await context.ask(lambda store: store.suites())
        rows = "".join(f"<li>{html.escape(each.suite)}</li>" for each in states)
        return HTMLResponse(f'<!doctype html><html lang="en"><title>Viva</title><h1>Suites</h1><ul>{rows}</ul></html>')

    return (Route("/", index),)
