"""The HTTP API: suites, their runs and trends, run documents, comparisons; runs begun and watched."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import partial
from typing import IO, TypeVar

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from vivavoce.analysis.compare import compare, document
from vivavoce.core import plugins
from vivavoce.core.errors import StoreError
from vivavoce.core.kinds import Report, Store
from vivavoce.core.model import Use
from vivavoce.core.overview import SuiteRun
from vivavoce.core.reply import JSON
from vivavoce.web import told
from vivavoce.web.context import Context
from vivavoce.web.events import events
from vivavoce.web.refusal import Refusal

T = TypeVar("T")

RUNS = 50
TREND = 100
MOST = 1000
"""How many runs are told of unless asked otherwise, and at most."""
_IN_MEMORY = 4 * 1024 * 1024
"""Bytes of a run document that are not written to disk while it is made."""
_PIECE = 64 * 1024


def routes(context: Context) -> Iterable[Route]:
    """The addresses of the API."""
    api = _Api(context)
    return (
        Route("/api/health", _health),
        Route("/api/suites", api.suites),
        Route("/api/suites/{suite:path}/runs", api.history),
        Route("/api/suites/{suite:path}/trend", api.trend),
        Route("/api/runs", api.start, methods=["POST"]),
        Route("/api/runs/{run}", api.run),
        Route("/api/runs/{run}/events", api.events),
        Route("/api/compare", api.compare),
    )


async def _health(request: Request) -> Response:
    return JSONResponse({"status": "ok"})


class _Api:
    def __init__(self, context: Context) -> None:
        self._context = context

    async def suites(self, request: Request) -> Response:
        """Every suite that may be run here or ever was."""
        runs = self._context.runs
        known = await anyio.to_thread.run_sync(runs.suites.known)
        states = {each.suite: each for each in await self._context.ask(lambda store: store.suites())}
        here = {each.name: each for each in known}
        names = [*here, *(name for name in states if name not in here)]
        listed = [told.suite(name, states.get(name), here.get(name), runs.under_way(name)) for name in names]
        return JSONResponse({"suites": listed})

    async def history(self, request: Request) -> Response:
        """A suite's runs, newest first."""
        suite, found = await self._history(request, RUNS)
        return JSONResponse({"suite": suite, "runs": [told.suite_run(each) for each in found]})

    async def trend(self, request: Request) -> Response:
        """A suite's runs as points in time, oldest first."""
        suite, found = await self._history(request, TREND)
        return JSONResponse({"suite": suite, "trend": [told.point(each) for each in reversed(found)]})

    async def _history(self, request: Request, default: int) -> tuple[str, list[SuiteRun]]:
        suite, limit = str(request.path_params["suite"]), limit_of(request, default)
        found = list(await self._context.ask(lambda store: store.history(suite, limit)))
        if not found:
            known = await anyio.to_thread.run_sync(self._context.runs.suites.known)
            if suite not in {each.name for each in known}:
                raise Refusal(404, "unknown_suite", f'there is no suite "{suite:.200}"')
        return suite, found

    async def start(self, request: Request) -> Response:
        """Begin a run."""
        live = await self._context.runs.start(_wanted(await request.body()))
        where = f"/api/runs/{live.run_id}"
        answer: dict[str, JSON] = {"id": live.run_id, "suites": list(live.suites), "run": where, "events": f"{where}/events"}
        answer["warnings"] = list(live.warnings)
        return JSONResponse(answer, status_code=202, headers={"Location": where})

    async def run(self, request: Request) -> Response:
        """A run document."""
        made = await self._context.ask(found(partial(_written, ref=request.path_params["run"])))
        return StreamingResponse(_pieces(made), media_type="application/json")

    async def events(self, request: Request) -> Response:
        """How a run goes, as it goes."""
        ref = str(request.path_params["run"])
        live = self._context.runs.live(ref)
        if live is None:
            ref = await self._context.ask(found(lambda store: store.run(ref).id))
        last = request.headers.get("last-event-id", "0")
        stream = events(self._context, ref, int(last) if last.isdecimal() and len(last) < 10 else 0)
        return StreamingResponse(stream, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    async def compare(self, request: Request) -> Response:
        """What broke and what was fixed from one run to another."""
        before, after = (_needed(request, name) for name in ("a", "b"))

        def compared(store: Store) -> bytes:
            return json.dumps(document(compare(store.run(before), store.run(after))), ensure_ascii=False).encode()

        return Response(await self._context.ask(found(compared)), media_type="application/json")


def limit_of(request: Request, default: int) -> int:
    """How many are asked for."""
    given = request.query_params.get("limit", str(default))
    if not (given.isascii() and given.isdecimal() and len(given) < 10 and 1 <= int(given) <= MOST):
        raise Refusal(400, "bad_request", f"limit must be a whole number from 1 to {MOST}")
    return int(given)


def found(question: Callable[[Store], T]) -> Callable[[Store], T]:
    """A question to the store about runs by name; that there is none such is told apart from a store that cannot be read."""

    def asked(store: Store) -> T:
        try:
            return question(store)
        except StoreError as error:
            store.heads(1)  # which fails too, where the store is at fault
            raise Refusal(404, "unknown_run", str(error)) from None

    return asked


def _needed(request: Request, name: str) -> str:
    given = request.query_params.get(name)
    if not given:
        raise Refusal(400, "bad_request", f"{name} is needed: a run's id, the beginning of it, last, or last~1")
    return given


def _wanted(body: bytes) -> str | None:
    """The suite that a request names, `None` for all."""
    try:
        given = json.loads(body) if body.strip() else {}
    except (ValueError, RecursionError):
        raise Refusal(400, "bad_request", "the body is not JSON") from None
    if not isinstance(given, dict) or not given.keys() <= {"suite"}:
        raise Refusal(400, "bad_request", 'the body must be an object with nothing but "suite", or empty for all suites')
    suite = given.get("suite")
    if suite is not None and not isinstance(suite, str):
        raise Refusal(400, "bad_request", "suite must be the name of a suite")
    return suite


def _written(store: Store, ref: str) -> IO[bytes]:
    """A run document, whole, before the first byte of it is sent."""
    report: Report = plugins.build("reports", Use(name="json"))
    kept = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 # closed by whoever sends it
    text = io.TextIOWrapper(kept, encoding="utf-8", newline="")
    report.render(store.run(ref), text)
    text.flush()
    text.detach()
    kept.seek(0)
    return kept


async def _pieces(made: IO[bytes]) -> AsyncIterator[bytes]:
    def pieces() -> Iterator[bytes]:
        return iter(partial(made.read, _PIECE), b"")

    with made:
        for piece in pieces():
            yield piece
