"""The application: every address, with the guard before them and the background work beside them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.types import ASGIApp

from vivavoce.web import api, openapi, pages, saiku
from vivavoce.web.context import Context
from vivavoce.web.guard import Guard
from vivavoce.web.guesses import Guesses
from vivavoce.web.refusal import handlers
from vivavoce.web.schedule import Schedule, holder, keep


def application(context: Context, schedule: Schedule | None = None) -> ASGIApp:
    """The server's application; with a schedule, it also runs all suites by that."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        work = keep(schedule, holder(context.runs, context.say)) if schedule is not None else None
        task = asyncio.create_task(work) if work is not None else None
        try:
            yield
        finally:
            if task is not None:
                task.cancel()
            await context.runs.close()

    app = Starlette(
        routes=[*api.routes(context), *saiku.routes(context), *openapi.routes(), *pages.routes(context)],
        exception_handlers=handlers(context.say),
        lifespan=lifespan,
    )
    # Around all of it, so that what is answered to a defect is dressed too.
    return Guard(app, context.access, context.page_token, Guesses(time.monotonic))
