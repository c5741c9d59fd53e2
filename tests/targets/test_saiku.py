"""Saiku as a target: against the sample service, which speaks as Saiku does, and against servers that do not."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

import pytest
from aiohttp import web
from conftest_targets import HISTORY, TRIAL, ask, failure, request

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions, CallError
from vivavoce.core.model import Use
from vivavoce.core.reply import Message
from vivavoce.core.result import Failure
from vivavoce.core.specs import parse_spec
from vivavoce.run.calls import Calls, Limits
from vivavoce.targets.saiku import Saiku

CUBE = {"connectionName": "hollinwake", "catalog": "Shops", "schema": "Shops", "cubeName": "Sales"}
ASK = "/rest/saiku/api/ai/ask"
BY_COUNTRY = [
    {"Country": "Iceland", "Net Sales": 91734.5},
    {"Country": "Ireland", "Net Sales": 519161.0},
    {"Country": "Norway", "Net Sales": 511702.5},
    {"Country": "Scotland", "Net Sales": 329164.5},
]


@pytest.fixture(autouse=True)
def no_credentials(monkeypatch):
    for name in ("SAIKU_USER", "SAIKU_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


def build(url: str, /, **more: object) -> Saiku:
    return plugins.build("targets", Use(name="saiku", options={"url": url, "cube": CUBE, **more}))


def envelope(**more: object) -> dict[str, object]:
    return {"degraded": False, "model": "m-1", **more}


def answered(*rows: object, **more: object) -> dict[str, object]:
    response = {"status": "SUCCESS", "format": "records", "data": list(rows), "totalRows": len(rows), **more}
    return envelope(response=response, request={"measures": []})


# Against the sample service


@pytest.mark.parametrize("more", [{}, {"stream": True}, {"login": "session"}, {"login": "session", "stream": True}])
async def test_every_kind_of_answer_is_told_by_its_intent(shops, more):
    query = await ask(build(shops, **more), "net sales by country")
    assert (query.intent, query.text, query.refusal, query.insight) == ("QUERY", None, None, None)
    assert list(query.rows) == BY_COUNTRY
    assert query.raw["model"] == "sales-rules-1"
    assert query.raw["request"]["measures"] == [{"name": "Net Sales"}]
    assert query.raw["response"]["totalRows"] == 4
    assert "data" not in query.raw["response"]
    assert (query.tool_calls, query.citations, query.retrievals) == (None, None, None)
    insight = await ask(build(shops, **more), "are net sales trending up?")
    assert (insight.intent, insight.rows, insight.text) == ("INSIGHT", (), insight.insight)
    assert insight.insight.startswith("**Net Sales, year by year**: €594,561.50 in 2024")
    view = await ask(build(shops, **more), "show it as a pie chart", history=(Message(role="user", content="sales by year"),))
    assert (view.intent, view.text, view.rows) == ("VIEW_CHANGE", "Shown as pie chart.", ())
    assert view.raw["viewChange"]["viewMode"] == "pie chart"
    refused = await ask(build(shops, **more), "Who won the election?")
    assert (refused.intent, refused.rows) == ("REFUSED", ())
    assert refused.refusal.startswith("the Sales cube")
    assert "OFF_TOPIC" not in refused.text


async def test_history_seeds_the_conversation(shops):
    history = (Message(role="user", content="show net sales by country in 2025"), Message(role="assistant", content="4 rows."))
    reply = await ask(build(shops), "and by product family?", history=history)
    assert [row["Product Family"] for row in reply.rows] == ["Carrying", "Drinkware", "Lanterns", "Textiles"]
    assert sum(row["Net Sales"] for row in reply.rows) == 857201.0


async def test_the_suite_says_which_cube(shops):
    target = build(shops, cube=None)
    assert (await ask(target, "sales by year", about=CUBE)).intent == "QUERY"
    assert (await failure(build(shops, cube=None), "sales by year")).code == "no_cube"
    assert (await failure(build(shops, cube="a/b/c/Budget"), "sales by year")).message.count("there is no cube Budget") == 1


async def test_a_space_needs_no_cube(shops):
    assert (await ask(build(shops, cube=None, space="shops"), "sales by year")).intent == "QUERY"
    failed = await failure(build(shops, cube=None, space="finance & co"), "sales by year")
    assert failed.code == "http_404"
    assert "there is no space finance & co" in failed.message


async def test_a_model_is_asked_for(shops):
    assert (await ask(build(shops, model="sales-rules-1"), "sales by year")).raw["model"] == "sales-rules-1"
    failed = await failure(build(shops, model="other"), "sales by year")
    assert (failed.code, "no provider is configured for the model other" in failed.message) == ("degraded", True)


async def test_a_reference_query_runs_on_the_same_cube(shops):
    target = build(shops, cube=None)
    session = target.session(SimpleNamespace(about=CUBE))
    query = {
        "measures": [{"name": "net sales"}],
        "rows": [{"dimension": "Shop", "hierarchy": "Places", "level": "Country"}],
        "filters": [{"dimension": "Time", "level": "Year", "members": ["[Time].[Calendar].[Year].&[2025]"]}],
        "order": [{"by": "Net Sales", "direction": "asc"}],
        "limit": 2,
    }
    rows = await session.rows(query)
    assert list(rows) == [{"Country": "Iceland", "Net Sales": 91734.5}, {"Country": "Scotland", "Net Sales": 185456.5}]
    with pytest.raises(CallError) as raised:
        await session.rows({"measures": [{"name": "Footfall"}]})
    assert raised.value.failure.code == "query_failed"
    assert "there is no measure 'Footfall'; it is about measures[].name; there are Net Sales" in str(raised.value)
    with pytest.raises(CallError) as raised:
        await session.rows({"cube": "a/b/c/Budget", "measures": [{"name": "net sales"}]})
    assert "CUBE_NOT_FOUND" in str(raised.value)
    await session.close()
    await target.close()


@pytest.mark.parametrize("shops", [{"prefix": "", "user": "ines", "password": "geheim:12345"}], indirect=True)
async def test_another_prefix_and_other_credentials(shops, monkeypatch):
    assert (await failure(build(shops), "sales by year")).code == "http_404"
    failed = await failure(build(shops, prefix=""), "sales by year")
    assert failed.code == "http_401"
    assert "SAIKU_PASSWORD" in failed.message
    monkeypatch.setenv("SAIKU_USER", "ines")
    monkeypatch.setenv("SAIKU_PASSWORD", "geheim:12345")
    for more in ({"prefix": "/"}, {"login": "session", "prefix": ""}):
        assert (await ask(build(shops, **more), "sales by year")).intent == "QUERY"
    assert (await ask(build(f"{shops}/saiku/api/ai/ask"), "sales by year")).intent == "QUERY"
    monkeypatch.setenv("SAIKU_PASSWORD", "wrong")
    failed = await failure(build(shops, prefix="", login="session"), "sales by year")
    assert (failed.code, failed.retriable) == ("sign_in", False)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("question", "code", "words"),
    [
        ("!degraded", "degraded", "gave no answer: HTTP 503 from the provider"),
        ("!failed", "query_failed", "could not carry out the query: EXECUTION_ERROR: the warehouse closed the connection"),
        (
            "!invalid",
            "query_failed",
            "VALIDATION_ERROR: there is no measure 'Footfall'; it is about measures[].name; there are",
        ),
        ("!draft", "degraded", "it drafted an e-mail"),
        ("!empty", "bad_payload", "neither a response, an insight, a change of view nor a refusal: nothing"),
        ("!down", "degraded", "AI ask is not configured"),
        ("!page", "bad_payload", "a web page"),
    ],
)
async def test_failures_are_told_apart(shops, stream, question, code, words):
    failed = await failure(build(shops, stream=stream), question)
    assert (failed.code, failed.retriable, failed.answered) == (code, False, True)
    assert words in failed.message


async def test_an_answer_that_is_cut_off(shops):
    assert (await failure(build(shops), "!cut")).code == "connection"
    assert (await failure(build(shops, stream=True), "!cut")).code == "bad_payload"


async def test_too_many_requests_are_waited_for_as_the_server_asks(shops):
    target = build(shops)
    session = target.session(TRIAL)
    with pytest.raises(CallError) as raised:
        await session.send(request("!busy 1 sales by year"))
    failed: Failure = raised.value.failure
    assert (failed.code, failed.retriable, failed.retry_after, failed.answered) == ("http_429", True, 0.0, True)
    calls = Calls(Limits(retries=3), phase="target", timeout=None, idempotent=False)
    reply = await calls.make(lambda: session.send(request("!busy 2 sales by year")))
    assert not isinstance(reply, Failure)
    assert len(reply.rows) == 2
    await session.close()
    await target.close()


async def test_one_sign_in_serves_all_who_wait_and_a_session_that_ended_is_renewed(server):
    signed: list[str] = []

    async def sign_in(asked: web.Request) -> web.Response:
        assert (await asked.text()) == "username=admin&password=admin"
        signed.append(f"s-{len(signed)}")
        response = web.Response(status=302, headers={"Location": "/"})
        response.set_cookie("JSESSIONID", signed[-1])
        response.set_cookie("XSRF-TOKEN", f"t-{signed[-1]}")
        return response

    async def answer(asked: web.Request) -> web.Response:
        known = asked.cookies.get("JSESSIONID") == signed[-1] and asked.headers.get("X-XSRF-TOKEN") == f"t-{signed[-1]}"
        return web.json_response(answered({"n": 1})) if known else web.Response(status=401)

    server.answer("/login", sign_in)
    server.answer(ASK, answer)
    target = build(server.base, login="session")
    sessions = [target.session(TRIAL) for _ in range(5)]
    replies = await asyncio.gather(*(session.send(request("x")) for session in sessions))
    assert [len(reply.rows) for reply in replies] == [1] * 5
    assert signed == ["s-0"]
    signed.append("ended elsewhere")
    replies = await asyncio.gather(*(session.send(request("x")) for session in sessions))
    assert signed == ["s-0", "ended elsewhere", "s-2"]
    await target.close()


# What is sent


async def test_what_is_sent(server):
    server.says(ASK, answered())
    history = (Message(role="system", content="Be brief."), *HISTORY, Message(role="assistant", content=None))
    target = build(
        server.base, model="m-9", extra={"forceTool": "query"}, headers={"X-Team": "a"}, user="ines", password="pw:1"
    )
    await ask(target, {"text": "sales"}, history=history, about={"cube": "c/a/s/Sales"})
    path, headers, body = server.asked[0]
    assert (path, headers["Authorization"], headers["X-Team"]) == (f"POST {ASK}", "Basic aW5lczpwdzox", "a")
    assert body == {
        "question": '{"text": "sales"}',
        "cube": CUBE,
        "history": [{"role": "user", "content": "before"}, {"role": "assistant", "content": "indeed"}],
        "model": "m-9",
        "forceTool": "query",
    }


async def test_what_the_suite_is_about_goes_before_the_option(server):
    server.says(ASK, answered())
    target = build(server.base)
    session = target.session(SimpleNamespace(about={"cube": "c/a/s/Budget"}))
    await session.send(request("x"))
    await target.close()
    assert server.last["cube"] == {"connectionName": "c", "catalog": "a", "schema": "s", "cubeName": "Budget"}


async def test_without_credentials_none_are_sent(server):
    server.says(ASK, answered())
    await ask(build(server.base, login="none"))
    assert "Authorization" not in server.asked[0][1]


@pytest.mark.parametrize(
    ("url", "prefix", "path"),
    [
        ("{}", "/rest", "/rest/saiku/api/ai/ask"),
        ("{}/", "rest/", "/rest/saiku/api/ai/ask"),
        ("{}/rest", "/rest", "/rest/saiku/api/ai/ask"),
        ("{}", "", "/saiku/api/ai/ask"),
        ("{}/bi", "/v2/rest", "/bi/v2/rest/saiku/api/ai/ask"),
        ("{}/other/saiku/api/ai/ask?x=1", "/rest", "/other/saiku/api/ai/ask"),
    ],
)
async def test_the_address(server, url, prefix, path):
    server.says(path, answered())
    await ask(build(url.format(server.base), prefix=prefix))
    assert server.asked[0][0] == f"POST {path}"


# Servers that lie


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([], "what is no JSON object"),
        ("text", "what is no JSON object"),
        (envelope(insight={"text": "x"}), "an insight that has no `markdown`"),
        (envelope(insight={"markdown": 5}), "`insight.markdown` that is no text"),
        (envelope(response=[]), "a response that has no `status`"),
        (envelope(response={"status": "SUCCESS"}), "whose `data` is no list of rows"),
        (envelope(response={"status": "SUCCESS", "data": [[1]]}), "whose `data` is no list of rows"),
        (envelope(response={"status": "SUCCESS", "data": [], "matrix": [{"0": {}}]}), "a matrix"),
        (envelope(request={}), "neither a response, an insight, a change of view nor a refusal: degraded, model, request"),
    ],
)
async def test_what_is_no_answer(server, body, words):
    server.says(ASK, body)
    failed = await failure(build(server.base))
    assert failed.code == "bad_payload"
    assert words in failed.message


@pytest.mark.parametrize("more", [{"text": "nope"}, {"body": b"\xff\xfe", "content_type": "application/octet-stream"}])
async def test_what_is_no_json(server, more):
    server.says(ASK, **more)
    assert (await failure(build(server.base))).code == "bad_payload"


async def test_nobody_there(free_port):
    failed = await failure(build(f"http://127.0.0.1:{free_port}"))
    assert (failed.code, failed.sent, failed.retriable) == ("connection", False, True)


async def test_more_than_anyone_would_read(server):
    server.says(ASK, answered(*({"n": "x" * 100} for _ in range(100))))
    assert (await failure(build(server.base, limit=1000))).code == "too_large"


@pytest.mark.parametrize("status", [403, 413, 500])
async def test_a_status_that_is_no_success(server, status):
    server.says(ASK, text="no", status=status)
    failed = await failure(build(server.base))
    assert (failed.code, failed.retriable) == (f"http_{status}", False)


async def test_a_query_that_is_refused_for_haste_may_be_asked_again(server):
    server.says(ASK, envelope(response={"status": "RATE_LIMITED", "error": "later"}))
    failed = await failure(build(server.base))
    assert (failed.code, failed.retriable, failed.answered) == ("query_failed", True, True)


async def test_a_stream_without_an_end(server):
    url = "/rest/saiku/api/ai/ask/stream"
    server.streams(url, b"event: model\ndata: {}\n\n", b'event: chunk\ndata: {"delta": "a"}\n\n')
    failed = await failure(build(server.base, stream=True))
    assert (failed.code, "without the event `final`" in failed.message) == ("bad_payload", True)
    final = json.dumps(answered({"n": {"value": 1.0}})).encode()
    beats = (b": here\n\n", b"event: ping\ndata: {}\n\n", b"event: intent\ndata: not JSON\n\n")
    server.streams(url, *beats, b"event: final\ndata: " + final + b"\n\n", b"event: note\ndata: later\n\n")
    assert (await ask(build(server.base, stream=True))).rows == ({"n": 1.0},)


async def test_a_password_goes_no_further(server, monkeypatch):
    monkeypatch.setenv("SAIKU_USER", "ines")
    monkeypatch.setenv("SAIKU_PASSWORD", "geheim-12345")
    server.says(ASK, envelope(insight={"markdown": "with geheim-12345 and aW5lczpnZWhlaW0tMTIzNDU="}))
    target = build(server.base)
    assert (await ask(target)).text == "with *** and ***"
    assert "geheim" not in repr(target)
    server.says(ASK, text="you are ines:geheim-12345", status=500)
    assert "geheim" not in (await failure(build(server.base))).message


# Options


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"url": "localhost:8080"}, "no http:// or https:// address"),
        ({"url": "http://me:pw@host/"}, "a password does not belong into an address"),
        ({"cube": "Sales"}, "cube must be"),
        ({"cube": {"catalog": "a"}}, "cube must be"),
        ({"user": "ines"}, "there is no password for this user"),
        ({"user": "a:b", "password": "x"}, "no colon"),
        ({"password": "${NO_SUCH_PASSWORD}"}, "NO_SUCH_PASSWORD"),
        ({"space": "a/../b"}, "is no id of a space"),
        ({"space": ".."}, "is no id of a space"),
        ({"limit": 0}, "limit must be at least 1"),
        ({"headers": {"X Y": "1"}}, "no name of a header"),
    ],
)
def test_options_that_cannot_be_meant(more, words):
    with pytest.raises(BadOptions) as raised:
        build("http://localhost:8080", **more)
    assert words in str(raised.value)


def test_it_is_named_by_its_address():
    assert parse_spec("saiku:http://localhost:8080") == Use(name="saiku", options={"url": "http://localhost:8080"})
