"""The pages that a browser shows. Each is made from what the store tells, and says so when the store tells nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from types import MappingProxyType

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from vivavoce.core.errors import StoreError
from vivavoce.core.kinds import Store
from vivavoce.web._pages import addresses, case, comparison, run, suites
from vivavoce.web._pages.templates import render
from vivavoce.web.api import MOST, found
from vivavoce.web.context import Context
from vivavoce.web.refusal import Refusal

_TITLES = MappingProxyType({404: "There is no such thing", 503: "The store cannot be read"})

Page = Callable[[Request], Awaitable[Response]]


def routes(context: Context) -> Iterable[BaseRoute]:
    """The addresses of the pages."""
    pages = _Pages(context)
    return (
        Route("/", pages.told(pages.suites)),
        Route("/runs", pages.told(pages.runs)),
        Route("/suites/{suite:path}", pages.told(pages.suite)),
        Route("/runs/{run}", pages.told(pages.run)),
        Route("/runs/{run}/case", pages.told(pages.case)),
        Route("/compare", pages.told(pages.compare)),
        Route("/compare/case", pages.told(pages.both)),
        Mount("/assets", _Assets(packages=[("vivavoce.reports._html", "assets"), ("vivavoce.web", "assets")])),
        Route("/{page}", pages.told(pages.nothing)),
    )


class _Assets(StaticFiles):
    """Styles and scripts; a browser asks each time whether they are others by now."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "no-cache"
        return response


class _Pages:
    def __init__(self, context: Context) -> None:
        self._context = context

    def told(self, page: Page) -> Page:
        """A page that is one also when there is nothing to show."""

        async def made(request: Request) -> Response:
            try:
                return await page(request)
            except Refusal as refusal:
                return self._fault(request, refusal.status, str(refusal))
            except StoreError as error:
                return self._fault(request, 503, str(error))

        return made

    async def suites(self, request: Request) -> Response:
        """How every suite stands."""
        known = await anyio.to_thread.run_sync(self._context.runs.suites.known)
        startable = [each.name for each in known if each.fault is None]
        lines, heads = await self._context.ask(lambda store: (suites.lines(store, startable), suites.newest(store)))
        faults = [each for each in known if each.fault is not None]
        return self._page("suites.html", "suites", lines=lines, heads=heads, startable=startable, faults=faults)

    async def runs(self, request: Request) -> Response:
        """Every run."""
        limit = _limit(request)
        heads = await self._context.ask(lambda store: suites.newest(store, limit))
        return self._page("runs.html", "runs", heads=heads, limit=limit)

    async def suite(self, request: Request) -> Response:
        """A suite over time."""
        name, limit = str(request.path_params["suite"]), _limit(request)
        known = await anyio.to_thread.run_sync(self._context.runs.suites.known)
        history, trend = await self._context.ask(lambda store: suites.history(store, name, limit))
        startable = any(each.name == name and each.fault is None for each in known)
        if not history and not startable:
            raise Refusal(404, "unknown_suite", f'No suite "{name:.200}" was ever run, and this server has none of that name.')
        return self._page("suite.html", "suites", name=name, history=history, trend=trend, limit=limit, startable=startable)

    async def run(self, request: Request) -> Response:
        """A run, and one page of its cases."""
        ref = str(request.path_params["run"])
        top = await self._context.ask(found(partial(run.top, ref=ref)))
        if top.id != ref:
            return RedirectResponse(addresses.run(top.id, **request.query_params))
        filters = run.Filters.of(request.query_params)
        page, before = await self._context.ask(
            lambda store: (run.cases(store, top.id, filters), case.earlier(store, top.id, run.main_suite(top)))
        )
        pages = -(-page.count // run.PAGE)
        repeats = top.run is not None and top.run.header.selection.repeat > 1
        return self._page(
            "run.html",
            "runs",
            top=top,
            filters=filters,
            page=page,
            pages=pages,
            before=before,
            repeats=repeats,
            key=case.row_key,
        )

    async def case(self, request: Request) -> Response:
        """One trial."""
        run_id, given = str(request.path_params["run"]), request.query_params
        filters, wanted = run.Filters.of(given), _case(request)

        def asked(store: Store) -> tuple[case.Shown, case.Neighbours | None, str | None]:
            return (
                case.shown(store, run_id, wanted),
                case.neighbours(store, run_id, filters, given.get("at", ""), wanted),
                case.earlier(store, run_id, wanted[0]),
            )

        shown, near, before = await self._context.ask(found(asked))
        return self._page(
            "case.html", "runs", run_id=run_id, shown=shown, near=near, before=before, filters=filters, key=case.row_key
        )

    async def compare(self, request: Request) -> Response:
        """Two runs side by side, or the choice of two."""
        given = request.query_params
        a, b, check = given.get("a", ""), given.get("b", ""), given.get("check", "")
        heads = await self._context.ask(lambda store: suites.newest(store, suites.MANY))
        sides = None
        if a and b:
            sides = await self._context.ask(found(lambda store: comparison.sides(store, a, b, check)))
            a, b = sides.found.before.id, sides.found.after.id
        elif len(heads) > 1:
            a, b = a or heads[1].id, b or heads[0].id
        ids = {each.id for each in heads}
        return self._page("compare.html", "compare", heads=heads, ids=ids, a=a, b=b, check=check, sides=sides)

    async def both(self, request: Request) -> Response:
        """One trial in two runs."""
        a, b = (request.query_params.get(each, "") for each in ("a", "b"))
        wanted = _case(request)
        before, after = await self._context.ask(found(lambda store: comparison.both(store, a, b, wanted)))
        return self._page("both.html", "compare", a=a, b=b, wanted=wanted, before=before, after=after)

    async def nothing(self, request: Request) -> Response:
        """What stands at every other address."""
        raise Refusal(404, "not_found", f"There is no page at {request.url.path:.200}.")

    def _page(self, template: str, here: str, **given: object) -> Response:
        return HTMLResponse(render(template, token=self._context.page_token, here=here, **given))

    def _fault(self, request: Request, status: int, message: str) -> Response:
        title = _TITLES.get(status, "That cannot be shown")
        again = request.url.path if status == 503 else None
        page = render(
            "fault.html",
            token=self._context.page_token,
            here="",
            title=title,
            message=message[:1].upper() + message[1:],
            again=again,
        )
        return HTMLResponse(page, status_code=status)


def _limit(request: Request) -> int:
    """How many runs are asked for; what makes no sense is as if it were not there."""
    given = request.query_params.get("limit", "")
    return min(MOST, max(1, int(given))) if given.isascii() and given.isdecimal() and len(given) < 9 else suites.MANY


def _case(request: Request) -> tuple[str, str, int]:
    try:
        return case.key(request.query_params)
    except StoreError as error:
        raise Refusal(404, "unknown_case", str(error)) from None
