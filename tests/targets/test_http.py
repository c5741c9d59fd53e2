from __future__ import annotations

import asyncio
import gzip
import ssl
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from aiohttp import web
from conftest_targets import HISTORY, TRIAL, ask, failure, request

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions
from vivavoce.core.model import Use
from vivavoce.core.reply import Citation, Message, Reply, ToolCall
from vivavoce.targets.http import Http

MB = 1024 * 1024


def build(**options: object) -> Http:
    return plugins.build("targets", Use(name="http", options=options), lax=True)


def wrong(**options: object) -> str:
    with pytest.raises(BadOptions) as raised:
        build(**{"url": "http://agent.example/", **options})
    return str(raised.value)


# What is sent


async def test_the_request_is_posted_as_json(server):
    server.says("/a", "ok")
    assert await ask(build(url=server.base + "/a"), {"q": ["é"]}, turn=1, about={"cube": "Sales"}, history=HISTORY) == Reply(
        text="ok"
    )
    (asked, headers, body), *none = server.asked
    assert (asked, none) == ("POST /a", [])
    assert headers["Content-Type"] == "application/json"
    assert body == {
        "input": {"q": ["é"]},
        "session_id": "s-1",
        "case": "c",
        "turn": 1,
        "about": {"cube": "Sales"},
        "history": [{"role": "user", "content": "before"}, {"role": "assistant", "content": "indeed"}],
    }


async def test_headers_are_filled_from_the_environment_and_never_stored(server, monkeypatch):
    monkeypatch.setenv("AGENT_TOKEN", " s3cret-value\n")
    target = build(
        url=server.says("/a", "ok"), headers={"Authorization": "Bearer ${AGENT_TOKEN}", "content-type": "application/x+json"}
    )
    await ask(target)
    sent = server.asked[0][1]
    assert sent["Authorization"] == "Bearer s3cret-value"
    assert sent["Content-Type"] == "application/x+json"
    assert "s3cret" not in repr(target)
    assert target.headers["Authorization"] == "Bearer ${AGENT_TOKEN}"


async def test_a_secret_that_is_echoed_is_not_shown(server, monkeypatch):
    monkeypatch.setenv("AGENT_KEY", "k-123456")
    server.says("/a", text="no such key: k-123456", status=403)
    failed = await failure(build(url=server.base + "/a?key=${AGENT_KEY}", headers={"X-Key": "${AGENT_KEY}"}))
    assert failed.code == "http_403"
    assert failed.message == f"{server.base}/a answered 403 Forbidden: no such key: ***"


async def test_a_template_says_it_in_other_words(server):
    target = build(
        url=server.says("/a", "ok"),
        request={
            "message": "{{input}}",
            "n": 5,
            "meta": {"id": "case {{case}}, turn {{ turn }}", "turn": "{{turn}}", "past": "{{history}}", "cube": "{{about}}"},
            "list": ["{{session_id}}", True, None],
            "told": "{{history}}\nuser: {{input}}",
            "about": "<{{about}}>",
        },
    )
    await ask(target, "what is {{case}}?", turn=3, history=HISTORY)
    past = [{"role": "user", "content": "before"}, {"role": "assistant", "content": "indeed"}]
    assert server.last == {
        "message": "what is {{case}}?",
        "n": 5,
        "meta": {"id": "case c, turn 3", "turn": 3, "past": past, "cube": None},
        "list": ["s-1", True, None],
        "told": "user: before\nassistant: indeed\nuser: what is {{case}}?",
        "about": "<>",
    }


async def test_an_object_keeps_its_type_or_is_written_out(server):
    target = build(url=server.says("/a", "ok"), method="PUT", request='{"whole": "{{input}}", "part": "q={{input}}"}')
    await ask(target, {"a": ["é"]})
    assert server.asked[0][0] == "PUT /a"
    assert server.last == {"whole": {"a": ["é"]}, "part": 'q={"a": ["é"]}'}


async def test_a_session_id_of_the_agents_own(server):
    async def answer(asked):
        body = await asked.json()
        return web.json_response({"reply": "ok", "chat": {"id": body["chat"] or f"chat-{body['q']}"}})

    target = build(
        url=server.answer("/a", answer),
        request={"q": "{{input}}", "chat": "{{session_id}}"},
        text="reply",
        session_id="chat.id",
    )
    one, two = target.session(TRIAL), target.session(TRIAL)
    for turn in range(3):
        await asyncio.gather(one.send(request("a", turn=turn)), two.send(request("b", turn=turn)))
    assert [body["chat"] for _, _, body in server.asked if body["q"] == "a"] == [None, "chat-a", "chat-a"]
    assert [body["chat"] for _, _, body in server.asked if body["q"] == "b"] == [None, "chat-b", "chat-b"]
    await target.close()


async def test_cookies_stay_with_their_conversation(server):
    async def answer(asked):
        count = int(asked.cookies.get("count", "0")) + 1
        response = web.json_response(f"{asked.cookies.get('fixed')} {count}")
        response.set_cookie("count", str(count))
        if count == 3:
            response.del_cookie("count")
        return response

    target = build(url=server.answer("/a", answer), headers={"Cookie": "fixed=x"})
    one, two = target.session(TRIAL), target.session(TRIAL)
    said = [(await each.send(request())).text for each in (one, one, two, one, two, one)]
    assert said == ["x 1", "x 2", "x 1", "x 3", "x 2", "x 1"]
    await target.close()


# What is read


async def test_an_answer_of_the_protocol(server):
    server.says("/a", {"text": "42", "tool_calls": [{"name": "add", "arguments": {"a": 1}}], "citations": [], "model": "m"})
    assert await ask(build(url=server.base + "/a")) == Reply(
        text="42", tool_calls=(ToolCall(name="add", arguments={"a": 1}),), citations=(), raw={"model": "m"}
    )


async def test_paths_lead_into_another_answer(server):
    body = {
        "choices": [
            {
                "message": {
                    "content": "42",
                    "tool_calls": [
                        {"function": {"name": "add", "arguments": '{"a": 1}'}},
                        {"function": {"name": "b", "arguments": "x"}},
                    ],
                }
            }
        ],
        "sources": [{"url": "https://a.example"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
        "text": 5,
    }
    target = build(
        url=server.says("/a", body),
        text="choices[0].message.content",
        tool_calls="choices[0].message.tool_calls[].function",
        citations="sources[].url",
        usage="usage.{input_tokens: prompt_tokens, output_tokens: completion_tokens}",
        rows="table",
    )
    assert await ask(target) == Reply(
        text="42",
        tool_calls=(ToolCall(name="add", arguments={"a": 1}), ToolCall(name="b", arguments="x")),
        citations=(Citation(index=1, source="https://a.example"),),
        usage={"input_tokens": 3, "output_tokens": 4},
        raw=body,
    )


async def test_calls_that_are_nested_as_chat_completions_nest_them(server):
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}, "result": 2}
    target = build(url=server.says("/a", {"said": "42", "calls": [call]}), text="said", tool_calls="calls")
    assert (await ask(target)).tool_calls == (ToolCall(name="add", arguments={"a": 1}, result=2, id="c1"),)


async def test_a_path_beside_the_protocol_replaces_one_key(server):
    server.says("/a", {"text": "42", "meta": {"intent": "QUERY"}})
    reply = await ask(build(url=server.base + "/a", intent="meta.intent"))
    assert (reply.text, reply.intent, reply.raw) == ("42", "QUERY", {"meta": {"intent": "QUERY"}})


ROWS = {
    "rows": 'response.data[].{country: Country, netSales: "Net Sales".value}',
    "intent": "response && 'QUERY' || insight && 'INSIGHT' || viewChange && 'VIEW_CHANGE' || degraded && 'REFUSED' || null",
    "refusal": "reason",
    "insight": "insight.markdown",
}
"""Where the parts of an answer are that has rows and no text, in a service that speaks as Saiku does."""


@pytest.mark.parametrize("with_text", [False, True])
async def test_paths_lead_to_rows_and_intent_of_a_service_s_own(shops, with_text):
    cube = {"cubeName": "Sales"}
    target = build(
        url=f"{shops}/rest/saiku/api/ai/ask",
        headers={"Authorization": "Basic YWRtaW46YWRtaW4="},
        request={"question": "{{input}}", "cube": "{{about}}", "history": "{{history}}"},
        **ROWS,
        **({"text": "viewChange.reason"} if with_text else {}),
    )
    session = target.session(TRIAL)
    query = await session.send(request("net sales by country", about=cube))
    assert (query.intent, query.text, query.refusal, query.insight) == ("QUERY", None, None, None)
    assert query.rows[2:] == ({"country": "Norway", "netSales": 511702.5}, {"country": "Scotland", "netSales": 329164.5})
    insight = await session.send(request("is revenue growing?", about=cube))
    assert (insight.intent, insight.rows) == ("INSIGHT", None)
    assert insight.insight.startswith("**Net Sales, year by year**")
    refused = await session.send(request("who won?", about=cube))
    assert (refused.intent, refused.rows) == ("REFUSED", None)
    assert refused.refusal.startswith("OFF_TOPIC: the Sales cube")
    view = await session.send(request("as a table", about=cube, history=(Message(role="user", content="sales by year"),)))
    assert (view.intent, view.text) == ("VIEW_CHANGE", "Shown as table." if with_text else None)
    await target.close()


async def test_paths_lead_to_rows_in_a_stream(server):
    server.streams(
        "/a", b'data: {"kind": "QUERY"}\n\n', b'data: {"table": [{"n": 1}], "note": "a"}\n\n', b'data: {"note": "b"}\n\n'
    )
    reply = await ask(build(url=server.base + "/a", text="note", rows="table", intent="kind"))
    assert reply == Reply(text="ab", rows=({"n": 1},), intent="QUERY")


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        ({"rows": "table"}, '"rows" of the answer must be a list or null, not an object'),
        ({"rows": "[table.n]"}, '"rows[0]" of the answer must be an object, not a number'),
        ({"intent": "table.n"}, '"intent" of the answer must be text or null, not a number'),
        ({"refusal": "table"}, '"refusal" of the answer must be text or null, not an object'),
        ({"insight": "[table]"}, '"insight" of the answer must be text or null, not a list'),
        ({"rows": "nothing"}, 'the answer has neither "text" nor another part of an answer'),
        ({"rows": "nothing", "text": "nothing"}, "the path of `text`, nothing, leads to nothing in the answer"),
    ],
)
async def test_paths_that_lead_to_what_is_no_rows_or_intent(server, paths, words):
    server.says("/a", {"table": {"n": 1}})
    failed = await failure(build(url=server.base + "/a", **paths))
    assert (failed.code, words in failed.message) == ("bad_payload", True), failed.message


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"text": "plain é"}, "plain é"),
        ({"text": '{"text": "not read"}'}, '{"text": "not read"}'),
        ({"text": "# Title", "content_type": "text/markdown"}, "# Title"),
        ({"body": "é".encode("latin-1"), "content_type": "text/plain", "charset": "latin-1"}, "é"),
        ({"body": b'"untold"'}, "untold"),
        ({"body": b'\xef\xbb\xbf"marked"', "content_type": "application/json"}, "marked"),
        ({"body": '"é"'.encode("utf-16"), "content_type": "application/json", "charset": "utf-16"}, "é"),
        ({"body": b'{"text": "v"}', "content_type": "application/vnd.agent+json"}, "v"),
        ({"body": b'""', "content_type": "application/json"}, ""),
        (
            {"body": gzip.compress(b'"packed"'), "content_type": "application/json", "headers": {"Content-Encoding": "gzip"}},
            "packed",
        ),
        ({"text": '"made"', "content_type": "application/json", "status": 201}, "made"),
    ],
)
async def test_what_is_said_in_each_content_type(server, more, text):
    server.says("/a", **more)
    assert (await ask(build(url=server.base + "/a"))).text == text


async def test_json_called_text_is_read_when_a_path_leads_into_it(server):
    server.says("/a", text='{"reply": "x"}')
    assert (await ask(build(url=server.base + "/a", text="reply"))).text == "x"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"body": b"", "content_type": "application/json"}, "the answer is empty (status 200)"),
        ({"status": 204}, "the answer is empty (status 204)"),
        ({"text": ""}, "the answer is empty (status 200)"),
        ({"text": '{"text": "hal', "content_type": "application/json"}, "the answer is not JSON (it ends too early)"),
        ({"body": b"\x00\x01"}, "the answer is not JSON"),
        ({"text": "[1, 2]", "content_type": "application/json"}, "the answer is a list"),
        ({"text": "null", "content_type": "application/json"}, "the answer is null"),
        ({"text": "{}", "content_type": "application/json"}, "an empty object"),
        ({"text": '{"error": "x"}', "content_type": "application/json"}, '{"error":"x"}'),
        (
            {"text": "<html><title>Sign\n in</title>", "content_type": "text/html"},
            'a web page, not an agent\'s: "Sign in"; is the address right?',
        ),
        ({"body": b"<!DOCTYPE html><p>x", "content_type": "application/json"}, "a web page"),
        ({"text": "<a/>", "content_type": "application/xml"}, "the answer is application/xml; it must be JSON"),
        ({"body": b"\x89PNG", "content_type": "image/png"}, "the answer is image/png"),
        ({"body": b"\xff", "content_type": "text/plain"}, "is not utf-8"),
        ({"body": b"x", "content_type": "text/plain", "charset": "klingon"}, "is not klingon"),
    ],
)
async def test_what_is_no_answer_is_a_bad_payload(server, more, says):
    server.says("/a", **more)
    failed = await failure(build(url=server.base + "/a"))
    assert (failed.code, failed.retriable, failed.answered) == ("bad_payload", False, True)
    assert says in failed.message


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("choices[0].text", "the path of `text`, choices[0].text, leads to nothing in the answer: "),
        ("n", "leads to what is no text: 4"),
        ("join('', n)", "the path of `text`, join('', n), does not fit the answer: "),
    ],
)
async def test_a_path_that_leads_nowhere_is_told(server, path, says):
    server.says("/a", {"n": 4})
    failed = await failure(build(url=server.base + "/a", text=path))
    assert failed.code == "bad_payload"
    assert says in failed.message


async def test_an_answer_over_the_limit_is_not_read_on(server):
    sent = 0

    async def endless(asked):
        nonlocal sent
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(asked)
        while True:
            await response.write(b" " * 65536)
            sent += 65536

    server.answer("/endless", endless)
    server.says("/declared", text=" " * 2 * MB, content_type="application/json")
    packed = gzip.compress(b" " * 30 * MB)
    server.says("/packed", body=packed, content_type="application/json", headers={"Content-Encoding": "gzip"})
    for path in ("/endless", "/declared", "/packed"):
        failed = await failure(build(url=server.base + path, limit=MB))
        assert (failed.code, failed.retriable) == ("too_large", False)
        assert "1,048,576 bytes" in failed.message
    assert sent < 20 * MB


async def test_30_mb_are_too_large_by_default_and_12_are_not(server):
    server.says("/large", text='"' + "x" * 30 * MB + '"', content_type="application/json")
    assert (await failure(build(url=server.base + "/large"))).code == "too_large"
    server.says("/fair", text='"' + "x" * 12 * MB + '"', content_type="application/json")
    assert len((await ask(build(url=server.base + "/fair"))).text) == 12 * MB


# Streams


async def test_a_stream_is_joined(server):
    server.streams("/a", b"data: Hel\n", b"\n", b": still here\n\n", "data: lo é".encode()[:-1], "é".encode()[-1:] + b"\n\n")
    assert await ask(build(url=server.base + "/a")) == Reply(text="Hello é")


async def test_a_stream_ends_when_it_says_so(server):
    held = asyncio.Event()

    async def answer(asked):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await response.prepare(asked)
        await response.write(b'data: {"delta": "done"}\n\ndata: [DONE]\n\n')
        await held.wait()
        return response

    assert (await ask(build(url=server.answer("/a", answer), text="delta"))).text == "done"
    held.set()


async def test_a_stream_with_an_answer_and_a_session_id(server):
    server.streams("/a", b'data: {"chat": 7}\n\n', b'data: {"text": "x", "rows": []}\n\n')
    target = build(url=server.base + "/a", session_id="chat", request={"id": "{{session_id}}"})
    session = target.session(TRIAL)
    assert await session.send(request()) == Reply(text="x", rows=())
    await session.send(request())
    assert server.last == {"id": 7}
    await target.close()


async def test_a_stream_that_is_cut_or_empty_is_a_bad_payload(server, raw):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    cut = await raw(head + b"Transfer-Encoding: chunked\r\n\r\n9\r\ndata: a\n\n\r\n")
    within = await raw(head + b'Connection: close\r\n\r\ndata: a\n\ndata: {"te')
    server.streams("/empty")
    for url, says in (
        (cut, "cut before its end"),
        (within, "cut within an event"),
        (server.base + "/empty", "ended without any data"),
    ):
        failed = await failure(build(url=url))
        assert failed.code == "bad_payload"
        assert says in failed.message


async def test_a_stream_over_the_limit_is_refused(server):
    server.streams("/a", b"data: " + b"x" * 5000 + b"\n\n")
    assert (await failure(build(url=server.base + "/a", limit=1000))).code == "too_large"


# What goes wrong on the way


async def test_nobody_listens(free_port):
    failed = await failure(build(url=f"http://127.0.0.1:{free_port}/a?b=c"))
    assert (failed.code, failed.retriable, failed.sent, failed.answered) == ("connection", True, False, False)
    assert failed.message == f"http://127.0.0.1:{free_port}/a cannot be reached: Connection refused"
    assert (await failure(build(url=f"http://localhost:{free_port}/"))).message.endswith("Connection refused")


async def test_no_such_host():
    failed = await failure(build(url="http://no-such-host.invalid/"))
    assert (failed.code, failed.retriable, failed.sent) == ("connection", True, False)
    assert failed.message.startswith("http://no-such-host.invalid/ cannot be reached: ")


@pytest.mark.parametrize(
    ("reply", "reset"),
    [
        (b"", False),
        (b"", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", True),
    ],
)
async def test_a_connection_that_breaks_may_have_reached_the_agent(raw, reply, reset):
    failed = await failure(build(url=await raw(reply, reset=reset)))
    assert (failed.code, failed.retriable, failed.sent, failed.answered) == ("connection", True, True, False)
    assert "the connection broke" in failed.message


@pytest.mark.parametrize("status", [400, 401, 404, 409, 500, 501, 304, 408, 425, 429, 502, 503, 504])
async def test_a_status_is_a_failure(server, status):
    server.says("/a", status=status, text="" if status == 304 else "the \x1b[31mreason\nwhy")
    failed = await failure(build(url=server.base + "/a"))
    assert (failed.code, failed.sent, failed.answered) == (f"http_{status}", True, True)
    assert failed.retriable is (status in (408, 425, 429, 502, 503, 504))
    assert failed.retry_after is None
    if status != 304:
        assert failed.message.endswith(": the [31mreason why")


async def test_a_long_refusal_is_cut(server):
    server.says("/a", status=500, text="x" * 100_000)
    assert len((await failure(build(url=server.base + "/a"))).message) < 400


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        ("7", 7, 7),
        (" 1.5 ", 1.5, 1.5),
        ("0", 0, 0),
        ("in an hour", 3400, 3600),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
    ],
)
async def test_retry_after(server, value, low, high):
    if value == "in an hour":
        value = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    server.says("/a", status=429, text="slow down", headers={"Retry-After": value})
    wait = (await failure(build(url=server.base + "/a"))).retry_after
    assert wait is not None
    assert low <= wait <= high


@pytest.mark.parametrize("value", ["soon", "-5", "", "٣", "Wed, 99 Foo"])
async def test_a_retry_after_that_cannot_be_read_is_none(server, value):
    server.says("/a", status=503, text="x", headers={"Retry-After": value})
    assert (await failure(build(url=server.base + "/a"))).retry_after is None


async def test_a_redirect_within_the_host_is_followed(server):
    server.says("/b", "moved")
    server.says("/a", status=308, headers={"Location": "/b"})
    server.says("/absolute", status=307, headers={"Location": server.base + "/b"})
    for path in ("/a", "/absolute"):
        assert (await ask(build(url=server.base + path), "q")).text == "moved"
        assert server.asked[-1][0] == "POST /b"
        assert server.last["input"] == "q"


async def test_see_other_is_fetched(server):
    server.says("/b", "ready")
    server.says("/a", status=303, headers={"Location": "b"})
    assert (await ask(build(url=server.base + "/a"))).text == "ready"
    assert server.asked[-1][0] == "GET /b"


async def test_a_redirect_elsewhere_is_not_followed(server, monkeypatch):
    port = server.base.rpartition(":")[2]
    for location in (
        f"http://localhost:{port}/b",
        "http://169.254.169.254/latest",
        "file:///etc/passwd",
        "//other.example/",
        "https://127.0.0.1/",
    ):
        server.says("/a", status=307, headers={"Location": location})
        failed = await failure(build(url=server.base + "/a"))
        assert (failed.code, failed.retriable) == ("redirect", False)
        assert "is not followed" in failed.message
    assert [asked for asked, _, _ in server.asked] == ["POST /a"] * 5


@pytest.mark.parametrize("location", ["http://127.0.0.1:99999/", "http://[::1/", "http://:80", "//"])
async def test_a_redirect_to_no_address_is_told_as_that(server, location):
    server.says("/a", status=307, headers={"Location": location})
    failed = await failure(build(url=server.base + "/a"))
    assert (failed.code, failed.retriable) == ("redirect", False)
    assert "the target failed" not in failed.message


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (OK + b"Content-Encoding: br\r\nContent-Length: 5\r\n\r\nhello", "Can not decode content-encoding: br"),
        (OK + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", "Can not decode content-encoding: gzip"),
        (OK + b"X-Long: " + b"a" * 20_000 + b"\r\nContent-Length: 5\r\n\r\nhello", "more than 8190 bytes"),
        (CHUNKED + b"zz\r\nhello\r\n0\r\n\r\n", "chunk size"),
        (CHUNKED + b'4\r\n"hel\r\nzz\r\n', "chunk size"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "Bad status line"),
        (OK + b"Content-Length: x\r\n\r\nhello", "Content-Length"),
    ],
    ids=["brotli", "gzip", "headers", "chunk", "second chunk", "no http", "length"],
)
async def test_an_answer_that_is_no_http_is_told_as_that(raw, reply, says):
    failed = await failure(build(url=await raw(reply)))
    assert (failed.code, failed.retriable) == ("bad_payload", False)
    assert "gave an answer that cannot be read" in failed.message
    assert says in failed.message


async def test_a_circle_of_redirects_ends(server):
    server.says("/a", status=307, headers={"Location": "/a"})
    failed = await failure(build(url=server.base + "/a"))
    assert (failed.code, len(server.asked)) == ("redirect", 6)


async def test_a_certificate_that_is_not_trusted(server, certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.says("/a", "safe")
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", server.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    url = f"https://127.0.0.1:{runner.addresses[0][1]}/a"
    failed = await failure(build(url=url))
    assert (failed.code, failed.retriable, failed.sent) == ("tls", False, False)
    assert (await ask(build(url=url, ca=str(certificate)))).text == "safe"
    await runner.cleanup()


async def test_a_call_that_is_cancelled_leaves_no_connection(server):
    gone = asyncio.Event()

    async def never(asked):
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    server.answer("/never", never)
    server.says("/a", "ok")
    target = build(url=server.base + "/never")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(target.session(TRIAL).send(request()), 0.1)
    await asyncio.wait_for(target.close(), 20)
    assert len(server.asked) == 1


async def test_connections_are_used_again_and_closed(server):
    target = build(url=server.base + "/echo")
    for number in range(20):
        session = target.session(TRIAL)
        assert (await session.send(request(f"{number}"))).text == f"{number}"
        await session.close()
    assert len(server.sockets) == 1
    await target.close()
    await target.close()


async def test_a_target_serves_again_after_it_was_closed(server):
    target = build(url=server.base + "/echo")
    assert (await ask(target, "a")).text == "a"
    assert (await ask(target, "b")).text == "b"


async def test_many_calls_at_once(server):
    target = build(url=server.base + "/echo")
    replies = await asyncio.gather(*(target.session(TRIAL).send(request(f"{number}")) for number in range(100)))
    assert [reply.text for reply in replies] == [f"{number}" for number in range(100)]
    await target.close()


# What can be told before anything is asked


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"url": "agent.example/chat"}, 'url: "agent.example/chat" is no http:// or https:// address'),
        ({"url": "http:///chat"}, "is no http:// or https:// address"),
        ({"url": "http://a.example:port/"}, "is no address"),
        ({"url": "http://me:pass@a.example/"}, "a password does not belong into an address"),
        ({"url": "http://a.example/?k=${NO_SUCH_VARIABLE}"}, "url names the variable NO_SUCH_VARIABLE, which is not set"),
        (
            {"headers": {"Authorization": "Bearer ${NO_SUCH_VARIABLE}"}},
            "the header Authorization names the variable NO_SUCH_VARIABLE, which is not set in the environment",
        ),
        ({"headers": {"X Key": "a"}}, "'X Key' is no name of a header"),
        ({"headers": {"X-Key": "a\r\nHost: b"}}, "the value of the header X-Key has more than one line"),
        ({"headers": {"X-Key": 4}}, "expected text, got a whole number"),
        ({"text": "choices["}, "text is no JMESPath"),
        ({"rows": ""}, "rows is no JMESPath"),
        ({"request": {"a": ["{{inptu}}"]}}, '{{inptu}}, which is no part of a request (did you mean "input"?)'),
        ({"request": {"a": "{{input.__class__}}"}}, "which is no part of a request"),
        ({"request": "{"}, "request is no JSON"),
        ({"request": "[1]"}, "request must be a JSON object"),
        ({"method": "GET"}, 'method is "GET" (known here: '),
        ({"limit": "0"}, "limit must be at least 1"),
        ({"ca": "no-such-file.pem"}, "ca: no-such-file.pem cannot be used as certificates"),
        ({"heades": {}}, 'unknown option "heades" (did you mean "headers"?)'),
    ],
)
def test_what_is_wrong_is_told_at_once(options, says, monkeypatch):
    monkeypatch.delenv("NO_SUCH_VARIABLE", raising=False)
    message = wrong(**options)
    assert message.startswith("target http: ")
    assert says in message


def test_a_variable_that_is_nearly_there_is_named(monkeypatch):
    monkeypatch.setenv("AGENT_TOKEN", "x")
    assert 'did you mean "AGENT_TOKEN"?' in wrong(headers={"A": "${AGENT_TOKN}"})
