"""The admin shapes of Saiku over the same runs, so that its own command line works against this server."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import vivavoce
from vivavoce.core.errors import DatasetError, VivaError
from vivavoce.core.kinds import Store
from vivavoce.core.overview import SuiteRun
from vivavoce.core.reply import JSON, Object
from vivavoce.web import suites
from vivavoce.web.api import MOST, RUNS, TREND, limit_of
from vivavoce.web.context import Context
from vivavoce.web.refusal import Refusal
from vivavoce.web.suites import Known

PREFIXES = ("", "/rest")
_ADMIN = "/saiku/admin/ai-evals"
_PARTS = ("connectionName", "catalog", "schema", "cubeName")


def routes(context: Context) -> Iterable[Route]:
    """The addresses of Saiku, with and without what its launcher puts before them."""
    door = _Door(context)
    for prefix in PREFIXES:
        yield Route(f"{prefix}/saiku/api/info", _info)
        yield Route(f"{prefix}{_ADMIN}", door.suites)
        yield Route(f"{prefix}{_ADMIN}/run", door.run, methods=["POST"])
        yield Route(f"{prefix}{_ADMIN}/{{suite:path}}/runs", door.history)
        yield Route(f"{prefix}{_ADMIN}/{{suite:path}}/trend", door.trend)


async def _info(request: Request) -> Response:
    return JSONResponse({"name": "viva", "version": vivavoce.__version__})


class _Door:
    def __init__(self, context: Context) -> None:
        self._context = context

    async def suites(self, request: Request) -> Response:
        """Every suite that ever ran, with its latest run."""
        about = {each.name: each.about for each in await self._known()}

        def asked(store: Store) -> list[SuiteRun]:
            newest = [each.latest for each in store.suites()]
            whole = (
                each if each.run.state == "complete" else next(iter(_whole(store, each.suite, 1)), None) for each in newest
            )
            return [each for each in whole if each is not None]

        found = await self._context.ask(asked)
        return JSONResponse([{"name": each.suite, "latest": _run(each, about.get(each.suite))} for each in found])

    async def history(self, request: Request) -> Response:
        """A suite's runs, newest first; nothing where it never ran."""
        suite, limit = str(request.path_params["suite"]), limit_of(request, RUNS)
        about = {each.name: each.about for each in await self._known()}
        found = await self._context.ask(lambda store: _whole(store, suite, limit))
        return JSONResponse([_run(each, about.get(suite)) for each in found])

    async def trend(self, request: Request) -> Response:
        """The same runs as points in time, oldest first."""
        suite, limit = str(request.path_params["suite"]), limit_of(request, TREND)
        found = await self._context.ask(lambda store: _whole(store, suite, limit))
        runs = [_run(each, None) for each in reversed(found)]
        return JSONResponse([{name: each[name] for name in ("startedAt", "passRate", "total")} for each in runs])

    async def run(self, request: Request) -> Response:
        """Run every suite, one after another, and tell what came of each."""
        results: list[dict[str, JSON]] = []
        skipped: list[dict[str, JSON]] = []
        for each in await self._known():
            try:
                results.append(await self._examine(each))
            except _Skip as skip:
                skipped.append({"suiteName": skip.name, "reason": str(skip)})
        passed = sum(each["passed"] for each in results)
        total = sum(each["total"] for each in results)
        summary = f"{passed}/{total} cases passed across {len(results)} suite(s), {len(skipped)} skipped"
        # Of a skipped case nothing is known that is wrong, so it fails no suite here either.
        failures = any(each["failed"] or each["degraded"] for each in results)
        return JSONResponse({"summary": summary, "hasFailures": failures, "results": results, "skipped": skipped})

    async def _known(self) -> tuple[Known, ...]:
        return await anyio.to_thread.run_sync(self._context.runs.suites.known)

    async def _examine(self, known: Known) -> dict[str, JSON]:
        file = known.path.rpartition("/")[2]
        if known.fault is not None:
            raise _Skip(file, known.fault)
        try:
            live = await self._context.runs.start(known.name)
        except DatasetError as error:
            raise _Skip(file, suites.reason(error.problems, error.total)) from None
        except (Refusal, VivaError) as error:
            raise _Skip(known.name, f"run failed: {error}") from None
        await self._context.runs.ended(live)
        if live.state != "complete":
            raise _Skip(known.name, f"run failed: {live.fault or f'it was {live.state}'}")
        history = await self._context.ask(lambda store: store.history(known.name, RUNS))
        run = next((_run(each, known.about) for each in history if each.run.id == live.run_id), None)
        if run is None:
            raise _Skip(known.name, "run failed: it is not in the store any more")
        return {**run, "oneLine": _one_line(run)}


class _Skip(Exception):
    """A suite that was not run to its end."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.name = name


def _whole(store: Store, suite: str, limit: int) -> list[SuiteRun]:
    """A suite's newest runs that came to their end: Saiku tells of no others, and in its shapes nothing tells them apart."""
    return [each for each in store.history(suite, MOST) if each.run.state == "complete"][:limit]


def _run(each: SuiteRun, about: Object | None) -> dict[str, JSON]:
    """A suite in one run. An error of ours is what Saiku calls degraded."""
    tally, started = each.tally, _milliseconds(each.run.started)
    total = tally.passed + tally.failed + tally.errored + tally.skipped
    return {
        "runId": each.run.id,
        "suiteName": each.suite,
        "cubeRef": "/".join(str((about or {}).get(part) or "") for part in _PARTS) if about else "",
        "startedAt": started,
        "elapsedMs": _milliseconds(each.run.finished) - started if each.run.finished is not None else 0,
        "total": total,
        "passed": tally.passed,
        "failed": tally.failed,
        "degraded": tally.errored,
        "skipped": tally.skipped,
        "passRate": tally.passed / total if total else 0.0,
    }


def _one_line(run: Object) -> str:
    parts = (f"{run[name]} {name}" for name in ("failed", "degraded", "skipped"))
    return f"{run['passed']}/{run['total']} passed, {', '.join(parts)} (elapsed {run['elapsedMs']}ms)"


def _milliseconds(time: str) -> int:
    return round(datetime.fromisoformat(time).timestamp() * 1000)
