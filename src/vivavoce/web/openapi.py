"""What the API takes and gives, as an OpenAPI description, and the same as a page to read."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

import vivavoce
from vivavoce.core.reply import JSON, Object
from vivavoce.web.api import MOST, RUNS, TREND
from vivavoce.web.saiku import PREFIXES

_STYLE = "/api/docs.css"
Answers = Mapping[int, tuple[str, str]]
"""By status: what it means, and the schema of what is answered."""


def routes() -> Iterable[Route]:
    """The addresses of the description."""
    return (Route("/api/openapi.json", _description), Route("/api/docs", _page), Route(_STYLE, _style))


def description() -> Object:
    """The OpenAPI description."""
    paths: dict[str, JSON] = {}
    for path, method, told in (*_api(), *_saiku()):
        paths.setdefault(path, {})[method] = told
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Viva",
            "version": vivavoce.__version__,
            "description": "Suites, their runs and trends, run documents and comparisons; runs begun and watched.",
        },
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"basic": {"type": "http", "scheme": "basic"}, "token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"basic": []}, {"token": []}, {}],
    }


def _api() -> Iterator[tuple[str, str, Object]]:
    suite, run = _in_path("suite", "The name of a suite."), _in_path("run", "A run: its id, the beginning of it, last, last~1.")
    yield "/api/health", "get", _told("Whether the server is there; asks for no credential.", {200: ("It is.", "Health")})
    yield "/api/suites", "get", _told("Every suite that may be run or ever was, and how it stands.", {200: ("", "Suites")})
    answers = {200: ("", "History"), 404: ("There is no such suite.", "Error")}
    told = "The runs of a suite, newest first."
    yield "/api/suites/{suite}/runs", "get", _told(told, answers, (suite, _limit(RUNS)))
    answers = {**answers, 200: ("", "Trend")}
    told = "The runs of a suite as points in time, oldest first."
    yield "/api/suites/{suite}/trend", "get", _told(told, answers, (suite, _limit(TREND)))
    answers = {
        202: ("It has begun.", "Begun"),
        400: ("The body cannot be meant.", "Error"),
        403: ("A page of another site asks.", "Error"),
        404: ("There is no such suite.", "Error"),
        409: ("It is under way already, or no suites are named.", "Error"),
        413: ("The body is too large.", "Error"),
        415: ("The body is not said to be JSON.", "Error"),
        422: ("It cannot be run: a dataset or a setting is wrong.", "Error"),
        503: ("The server is about to end.", "Error"),
    }
    told = "Begin a run of one suite that the server's settings name, or of all."
    yield "/api/runs", "post", {**_told(told, answers), "requestBody": {"content": _json("Wanted")}}
    none = ("There is no such run.", "Error")
    yield "/api/runs/{run}", "get", _told("The run document.", {200: ("", "Run"), 404: none}, (run,))
    told = "How a run goes, as server-sent events: progress, a result for each case, and finished at the end."
    events = _told(told, {404: none}, (run,))
    streamed = {
        "description": "A stream that ends with the run.",
        "content": {"text/event-stream": {"schema": _ref("Event")}},
    }
    yield "/api/runs/{run}/events", "get", {**events, "responses": {"200": streamed, **events["responses"]}}
    both = (_in_query("a", "The earlier run."), _in_query("b", "The later run."))
    answers = {200: ("", "Comparison"), 400: ("One is not named.", "Error"), 404: none}
    yield "/api/compare", "get", _told("What broke and what was fixed from one run to another.", answers, both)


def _saiku() -> Iterator[tuple[str, str, Object]]:
    suite = _in_path("suite", "The name of a suite.")
    for prefix in PREFIXES:
        admin = f"{prefix}/saiku/admin/ai-evals"
        yield f"{prefix}/saiku/api/info", "get", _told("What this server is.", {200: ("", "Info")})
        yield (
            admin,
            "get",
            _told("Every suite that ever ran, with its latest run, as Saiku tells it.", {200: ("", "SaikuSuites")}),
        )
        answers = {200: ("", "SaikuRuns")}
        yield f"{admin}/{{suite}}/runs", "get", _told("The runs of a suite, newest first.", answers, (suite, _limit(RUNS)))
        answers = {200: ("", "SaikuTrend")}
        told = "The same runs as points in time, oldest first."
        yield f"{admin}/{{suite}}/trend", "get", _told(told, answers, (suite, _limit(TREND)))
        answers = {200: ("", "SaikuSweep"), 403: ("A page of another site asks.", "Error"), 415: ("", "Error")}
        yield f"{admin}/run", "post", _told("Run every suite, and answer when all are done.", answers)


def _schemas() -> Object:
    text, number, whole, flag = ({"type": name} for name in ("string", "number", "integer", "boolean"))
    maybe = {"type": ["string", "null"]}
    rate = {"type": ["number", "null"], "description": "pass / (pass + fail); null when nothing was scored."}
    revision = {"oneOf": [_object(commit=text, dirty=flag), {"type": "null"}]}
    state = {"type": "string", "enum": ["running", "complete", "interrupted", "stopped"]}
    counts = dict.fromkeys(("cases", "pass", "fail", "skip", "error"), whole)
    head = {"id": text, "started": text, "state": state, "revision": revision}
    suite_run = {**head, "finished": maybe, "target": text, "judge": text, "version": text, "suite": text, **counts}
    saiku = dict.fromkeys(("startedAt", "elapsedMs", "total", "passed", "failed", "degraded", "skipped"), whole)
    saiku_run = {"runId": text, "suiteName": text, "cubeRef": text, **saiku, "passRate": number}
    skipped = _object(suiteName=text, reason=text)
    return {
        "Error": _object(error=_object(code=text, message=text)),
        "Health": _object(status=text),
        "Info": _object(name=text, version=text),
        "Wanted": {"type": "object", "properties": {"suite": maybe}, "additionalProperties": False},
        "Begun": _object(id=text, suites=_list(text), run=text, events=text, warnings=_list(text)),
        "SuiteRun": _object(**suite_run, pass_rate=rate),
        "Suites": _object(
            suites=_list(
                _object(
                    name=text,
                    runnable=flag,
                    fault=maybe,
                    running={**maybe, "description": "The run that it is in."},
                    change={"type": ["number", "null"]},
                    latest={"oneOf": [_ref("SuiteRun"), {"type": "null"}]},
                )
            )
        ),
        "History": _object(suite=text, runs=_list(_ref("SuiteRun"))),
        "Trend": _object(suite=text, trend=_list(_object(**head, cases=whole, pass_rate=rate))),
        "Run": {"type": "object", "description": "The run document, as docs/reference/run-document.md tells it."},
        "Event": {**_object(event=text, data=text), "description": "One event of the stream; its data is JSON."},
        "Comparison": {"type": "object", "description": "As viva compare --json gives it."},
        "SaikuRun": _object(**saiku_run),
        "SaikuRuns": _list(_ref("SaikuRun")),
        "SaikuSuites": _list(_object(name=text, latest=_ref("SaikuRun"))),
        "SaikuTrend": _list(_object(startedAt=whole, passRate=number, total=whole)),
        "SaikuSweep": _object(
            summary=text, hasFailures=flag, results=_list(_object(**saiku_run, oneLine=text)), skipped=_list(skipped)
        ),
    }


def _told(summary: str, answers: Answers, parameters: Iterable[Object] = ()) -> dict[str, JSON]:
    parameters = list(parameters)
    known: dict[int, tuple[str, str]] = {
        401: ("A credential is needed.", "Error"),
        421: ("The server is not called like this.", "Error"),
        429: ("Too many wrong credentials came from the same address.", "Error"),
    }
    if parameters:
        known |= {400: ("A parameter cannot be meant.", "Error"), 404: ("There is nothing of this name.", "Error")}
    known |= answers
    responses = {
        str(status): {"description": what or "What was asked for.", "content": _json(schema)}
        for status, (what, schema) in sorted(known.items())
    }
    return {"summary": summary, "parameters": parameters, "responses": responses}


def _in_path(name: str, what: str) -> Object:
    return {"name": name, "in": "path", "required": True, "description": what, "schema": {"type": "string", "minLength": 1}}


def _in_query(name: str, what: str) -> Object:
    return {"name": name, "in": "query", "required": True, "description": what, "schema": {"type": "string", "minLength": 1}}


def _limit(default: int) -> Object:
    schema = {"type": "integer", "minimum": 1, "maximum": MOST, "default": default}
    return {"name": "limit", "in": "query", "required": False, "description": "How many, at most.", "schema": schema}


def _object(**properties: JSON) -> Object:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(items: JSON) -> Object:
    return {"type": "array", "items": items}


def _ref(name: str) -> Object:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(schema: str) -> Object:
    return {"application/json": {"schema": _ref(schema)}}


async def _description(request: Request) -> Response:
    return JSONResponse(description())


async def _page(request: Request) -> Response:
    return HTMLResponse("".join(_html(description())))


async def _style(request: Request) -> Response:
    style = files("vivavoce.web").joinpath("assets", "docs.css").read_text(encoding="utf-8")
    return Response(style, media_type="text/css")


def _html(told: Object) -> Iterator[str]:
    """The description as a page."""
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Viva: HTTP API</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<link rel="stylesheet" href="{_STYLE}"></head><body><main><h1>HTTP API</h1>'
    yield f"<p>{html.escape(told['info']['description'])} The same for programs: "
    yield '<a href="/api/openapi.json">openapi.json</a>.</p>'
    for path, methods in told["paths"].items():
        for method, each in methods.items():
            yield f"<section><h2><code>{method.upper()} {html.escape(path)}</code></h2><p>{html.escape(each['summary'])}</p>"
            yield from _parameters(each["parameters"])
            yield "<dl>"
            for status, answer in each["responses"].items():
                yield f"<dt>{status}</dt><dd>{html.escape(answer['description'])}{_names(answer)}</dd>"
            yield "</dl></section>"
    yield "<h1>What is answered</h1>"
    for name, schema in told["components"]["schemas"].items():
        yield f'<section><h2 id="{name}">{name}</h2><p><code>{html.escape(_shape(schema))}</code></p></section>'
    yield "</main></body></html>"


def _parameters(parameters: Iterable[Object]) -> Iterator[str]:
    rows = [f"<li><code>{each['name']}</code> {html.escape(each['description'])}</li>" for each in parameters]
    yield f"<ul>{''.join(rows)}</ul>" if rows else ""


def _names(answer: Object) -> str:
    schema = answer["content"].get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
    return f' <a href="#{schema}">{schema}</a>' if schema else ""


def _shape(schema: Object) -> str:
    """A schema as a person writes the JSON that fits it."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "oneOf" in schema:
        return " or ".join(_shape(each) for each in schema["oneOf"])
    if schema.get("type") == "array":
        return f"[{_shape(schema['items'])}, ...]"
    if schema.get("type") == "object" and "properties" in schema:
        return "{" + ", ".join(f'"{name}": {_shape(each)}' for name, each in schema["properties"].items()) + "}"
    kind = schema.get("type", "")
    plain = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return " or ".join(f'"{each}"' for each in schema["enum"]) if "enum" in schema else schema.get("description", plain)
