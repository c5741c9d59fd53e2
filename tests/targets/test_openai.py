from __future__ import annotations

import json

import pytest
from aiohttp import web
from conftest_targets import HISTORY, TRIAL, ask, failure, request

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions, CallError
from vivavoce.core.model import Use
from vivavoce.core.reply import Citation, Message, ToolCall
from vivavoce.targets.openai import Openai

CHAT = "/v1/chat/completions"
RESPONSES = "/v1/responses"


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def build(server=None, /, **more: object) -> Openai:
    base = {} if server is None else {"base_url": f"{server.base}/v1"}
    return plugins.build("targets", Use(name="openai", options={"model": "desk", **base, **more}))


def completion(message: object = None, /, reason: str = "stop", **more: object) -> dict[str, object]:
    told = {"role": "assistant", "content": "hello"} if message is None else message
    choice = {"index": 0, "message": told, "finish_reason": reason}
    return {"id": "c-1", "object": "chat.completion", "model": "desk-7", "choices": [choice], **more}


def response(*output: object, **more: object) -> dict[str, object]:
    return {"id": "r-1", "object": "response", "status": "completed", "output": list(output), **more}


def said(text: str, **more: object) -> dict[str, object]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text, **more}]}


def events(*given: object) -> list[bytes]:
    return [f"data: {each if isinstance(each, str) else json.dumps(each)}\n\n".encode() for each in given]


# What is sent


async def test_all_that_was_said_is_sent_as_messages(server):
    server.says(CHAT, completion())
    history = (Message(role="system", content="Be brief."), *HISTORY, Message(role="assistant", content=None))
    target = build(server, system="You are a desk.", api_key="k-123", extra={"temperature": 0, "messages": "not these"})
    assert (await ask(target, history=history)).text == "hello"
    path, headers, body = server.asked[0]
    assert (path, headers["Authorization"]) == (f"POST {CHAT}", "Bearer k-123")
    assert body == {
        "model": "desk",
        "temperature": 0,
        "messages": [
            {"role": "system", "content": "You are a desk."},
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "before"},
            {"role": "assistant", "content": "indeed"},
            {"role": "assistant", "content": ""},
            {"role": "user", "content": "hello"},
        ],
    }


@pytest.mark.parametrize(
    ("given", "content"),
    [
        ({"a": "é"}, '{"a": "é"}'),
        ([1], "[1]"),
        ([{"type": "text", "text": "look"}], [{"type": "text", "text": "look"}]),
    ],
)
async def test_an_input_that_is_no_text(server, given, content):
    server.says(CHAT, completion())
    await ask(build(server), given)
    assert server.last["messages"] == [{"role": "user", "content": content}]


async def test_results_of_tools_in_the_history_are_left_out(server):
    server.says(CHAT, completion())
    await ask(build(server), history=(Message(role="tool", content="42"),))
    assert [each["role"] for each in server.last["messages"]] == ["user"]


async def test_the_key_and_the_address_come_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", " k-from-env\n")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.base}/v1/")
    server.says(CHAT, completion())
    target = build()
    await ask(target)
    assert server.asked[0][1]["Authorization"] == "Bearer k-from-env"
    assert "k-from-env" not in repr(target)


@pytest.mark.parametrize("copied", ["/v1", "/v1/", "/v1/chat/completions"])
async def test_an_address_copied_with_its_path(server, copied):
    server.says(CHAT, completion())
    assert (await ask(build(base_url=server.base + copied))).text == "hello"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "there is no key: set the variable OPENAI_API_KEY"),
        ({"base_url": "ftp://a"}, "no http:// or https:// address"),
        ({"base_url": "http://a/v1", "model": " "}, "model is empty"),
        ({"base_url": "http://a/v1", "api": "talk"}, "api"),
        ({"base_url": "http://a/v1", "limit": 0}, "limit must be at least 1"),
        ({"base_url": "http://a/v1", "api_key": "a\nb"}, "cannot be sent"),
        ({"base_url": "http://a/v1", "api_key": "${NO_SUCH_KEY}"}, "NO_SUCH_KEY, which is not set"),
        ({"base_url": "http://a/v1", "headers": {"a b": "c"}}, "no name of a header"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_run(options, words):
    with pytest.raises(BadOptions, match=words):
        build(**options)


# What is answered: chat completions


async def test_everything_of_a_completion_is_read(server):
    call = {"id": "t-1", "type": "function", "function": {"name": "find", "arguments": '{"q": "é"}'}}
    broken = {"id": "t-2", "type": "function", "function": {"name": "send", "arguments": '{"q": '}}
    link = {"type": "url_citation", "url_citation": {"url": "https://a.example/", "title": "A", "start_index": 0}}
    message = {"content": "hello", "tool_calls": [call, broken], "annotations": [link, link], "mood": "good"}
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    server.says(CHAT, completion(message, usage=usage))
    reply = await ask(build(server))
    assert reply.text == "hello"
    assert reply.tool_calls == (
        ToolCall(name="find", arguments={"q": "é"}, id="t-1"),
        ToolCall(name="send", arguments='{"q": ', id="t-2"),
    )
    assert reply.citations == (Citation(index=1, text="A", source="https://a.example/"),)
    assert reply.usage == {"input_tokens": 3, "output_tokens": 4}
    assert reply.refusal is None
    assert (reply.raw["model"], reply.raw["finish_reason"], reply.raw["mood"]) == ("desk-7", "stop", "good")


@pytest.mark.parametrize(
    ("message", "options", "calls"),
    [
        ({"content": "a"}, {}, None),
        ({"content": "a", "tool_calls": []}, {}, ()),
        ({"content": "a"}, {"extra": {"tools": [{"type": "function"}]}}, ()),
        ({"content": None, "function_call": {"name": "f", "arguments": ""}}, {}, (ToolCall(name="f", arguments={}),)),
        ({"tool_calls": [{"type": "custom", "custom": {"name": "f", "input": "x"}}]}, {}, (ToolCall(name="f", arguments="x"),)),
    ],
)
async def test_what_is_not_spoken_of_is_unknown(server, message, options, calls):
    server.says(CHAT, completion(message))
    reply = await ask(build(server, **options))
    assert reply.tool_calls == calls
    assert (reply.citations, reply.retrievals, reply.text) == (None, None, message.get("content"))


@pytest.mark.parametrize(
    ("answer", "text", "refusal"),
    [
        (completion({"content": None, "refusal": "I cannot."}), "I cannot.", "I cannot."),
        (completion({"content": "So far"}, "content_filter"), "So far", "the content filter of the service stopped the answer"),
        (completion({"content": None}, "content_filter"), "", "the content filter of the service stopped the answer"),
        (completion({"content": ""}), "", None),
    ],
)
async def test_a_refusal_is_an_answer(server, answer, text, refusal):
    server.says(CHAT, answer)
    reply = await ask(build(server))
    assert (reply.text, reply.refusal) == (text, refusal)


async def test_a_request_that_a_filter_refuses_is_answered_too(server):
    error = {"error": {"code": "content_filter", "message": "The prompt was filtered.", "type": None}}
    server.says(CHAT, text=json.dumps(error), status=400, content_type="application/json")
    reply = await ask(build(server))
    assert (reply.text, reply.refusal) == ("", "The prompt was filtered.")


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ({"choices": []}, "bad_payload", "without choices"),
        (completion({"content": None}), "bad_payload", 'without text or tool calls (finish_reason "stop")'),
        (completion({"tool_calls": [{"function": {}}]}), "bad_payload", "a tool call without a name"),
        (completion({"tool_calls": 3}), "bad_payload", "tool_calls that are no list"),
        ({"error": {"message": "overloaded"}}, "agent_error", "an error (overloaded)"),
        ([], "bad_payload", "without choices"),
    ],
)
async def test_what_is_no_completion_is_a_failure(server, body, code, words):
    server.says(CHAT, body)
    failed = await failure(build(server))
    assert (failed.code, failed.retriable, failed.answered) == (code, False, True)
    assert words in failed.message


async def test_a_web_page_is_no_answer(server):
    server.says(CHAT, text="<!doctype html><p>Sign in", content_type="text/html")
    assert "a web page" in (await failure(build(server))).message


@pytest.mark.parametrize(
    ("status", "error", "words", "retriable"),
    [
        (401, {"message": "bad key k-123456"}, 'bad key ***"}}; the key is wrong or missing', False),
        (404, {"message": "no model"}, "there is no desk here", False),
        (429, {"message": "slow down", "code": "rate_limit_exceeded"}, "slow down", True),
        (429, {"message": "pay", "code": "insufficient_quota"}, "no credit left", False),
        (503, {"message": "later"}, "later", True),
        (500, {"message": "oh"}, "oh", False),
    ],
)
async def test_a_refused_request_says_what_to_do(server, status, error, words, retriable):
    server.says(CHAT, text=json.dumps({"error": error}), status=status, headers={"Retry-After": "7"})
    failed = await failure(build(server, api_key="k-123456"))
    assert (failed.code, failed.retriable, failed.retry_after) == (f"http_{status}", retriable, 7.0)
    assert words in failed.message


# Streams of chat completions


def chunk(delta: object, reason: str | None = None, index: int = 0) -> dict[str, object]:
    return {"id": "c-1", "model": "desk-7", "choices": [{"index": index, "delta": delta, "finish_reason": reason}]}


async def test_the_pieces_of_a_stream_are_put_together(server):
    pieces = [
        chunk({"role": "assistant", "content": ""}),
        chunk({"content": "hel"}),
        chunk({"content": "another choice"}, index=1),
        chunk({"content": "lo"}),
        chunk({"tool_calls": [{"index": 0, "id": "t-1", "function": {"name": "find", "arguments": '{"q":'}}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": " 1}"}}]}),
        chunk({"tool_calls": [{"index": 1, "id": "t-2", "function": {"name": "send", "arguments": ""}}]}),
        chunk({}, "stop"),
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}},
        "[DONE]",
    ]
    server.streams(CHAT, b": ping\n\n", *events(*pieces))
    reply = await ask(build(server, stream=True))
    assert (server.last["stream"], server.last["stream_options"]) == (True, {"include_usage": True})
    assert reply.text == "hello"
    assert reply.tool_calls == (
        ToolCall(name="find", arguments={"q": 1}, id="t-1"),
        ToolCall(name="send", arguments={}, id="t-2"),
    )
    assert reply.usage == {"input_tokens": 3, "output_tokens": 4}


async def test_a_service_that_does_not_stream_is_understood(server):
    server.says(CHAT, completion())
    assert (await ask(build(server, stream=True))).text == "hello"


@pytest.mark.parametrize(
    ("parts", "code", "words"),
    [
        (events(chunk({"content": "a"}), {"error": {"message": "lost it"}}), "agent_error", "an error (lost it)"),
        (events("[DONE]"), "bad_payload", "a stream without choices"),
        (events("nonsense"), "bad_payload", "an event of the stream is not JSON"),
        ([*events(chunk({"content": "a"})), b'data: {"choices"'], "bad_payload", "cut within an event"),
    ],
)
async def test_a_stream_that_goes_wrong(server, parts, code, words):
    server.streams(CHAT, *parts)
    failed = await failure(build(server, stream=True))
    assert (failed.code, failed.answered) == (code, True)
    assert words in failed.message


async def test_a_stream_is_bounded(server):
    server.streams(CHAT, *events(chunk({"content": "a" * 5000})))
    assert (await failure(build(server, stream=True, limit=1000))).code == "too_large"


# Responses


async def test_later_turns_name_the_response_before(server):
    numbers = iter("12")

    async def handler(_: web.Request) -> web.Response:
        number = next(numbers)
        return web.json_response(response(said(f"answer {number}"), id=f"r-{number}"))

    server.answer(RESPONSES, handler)
    target = build(server, api="responses", system="You are a desk.")
    session = target.session(TRIAL)
    first = await session.send(request("one", history=HISTORY))
    second = await session.send(request("two", turn=1, history=(*HISTORY, Message(role="user", content="one"))))
    await target.close()
    assert (first.text, second.text) == ("answer 1", "answer 2")
    assert [body for _, _, body in server.asked] == [
        {
            "model": "desk",
            "instructions": "You are a desk.",
            "input": [
                {"role": "user", "content": "before"},
                {"role": "assistant", "content": "indeed"},
                {"role": "user", "content": "one"},
            ],
        },
        {
            "model": "desk",
            "instructions": "You are a desk.",
            "input": [{"role": "user", "content": "two"}],
            "previous_response_id": "r-1",
        },
    ]


@pytest.mark.parametrize("waits", [False, True])
async def test_everything_is_said_again_where_nothing_can_follow(server, waits):
    call = {"type": "function_call", "call_id": "t-1", "name": "find", "arguments": "{}"}
    server.says(RESPONSES, response(*([call] if waits else []), said("yes")))
    target = build(server, api="responses", stateful=waits)
    session = target.session(TRIAL)
    for turn in range(2):
        await session.send(request("hello", turn=turn, history=HISTORY))
    await target.close()
    for _, _, body in server.asked:
        assert len(body["input"]) == 3
        assert "previous_response_id" not in body
        assert body.get("store") is (None if waits else False)


async def test_parts_of_a_history_are_named_as_responses_name_them(server):
    server.says(RESPONSES, response(said("yes")))
    part = [{"type": "text", "text": "a"}]
    history = (Message(role="user", content=part), Message(role="assistant", content=part))
    await ask(build(server, api="responses"), history=history)
    assert [each["content"][0]["type"] for each in server.last["input"][:2]] == ["input_text", "output_text"]


async def test_everything_of_a_response_is_read(server):
    link = {"type": "url_citation", "url": "https://a.example/", "title": "A"}
    file = {"type": "file_citation", "file_id": "f-1", "filename": "rules.md"}
    found = [{"file_id": "f-1", "filename": "rules.md", "score": 0.9, "text": "30 days"}]
    output = [
        {"type": "reasoning", "id": "x", "summary": []},
        {"type": "function_call", "id": "fc", "call_id": "t-1", "name": "find", "arguments": '{"q": 1}'},
        {"type": "function_call_output", "call_id": "t-1", "output": '{"n": 2}'},
        {"type": "mcp_call", "id": "m-1", "name": "send", "arguments": "{}", "output": "sent", "error": None},
        {"type": "mcp_call", "id": "m-2", "name": "send", "arguments": "{}", "output": None, "error": {"code": 5}},
        {"type": "file_search_call", "id": "fs", "status": "completed", "queries": ["returns"], "results": found},
        {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "search", "query": "hours"}},
        said("30 ", annotations=[link]),
        said("days", annotations=[file, link]),
    ]
    server.says(RESPONSES, response(*output, usage={"input_tokens": 5, "output_tokens": 6}, tools=[]))
    reply = await ask(build(server, api="responses"))
    assert reply.text == "30 days"
    assert reply.tool_calls == (
        ToolCall(name="find", arguments={"q": 1}, result={"n": 2}, id="t-1"),
        ToolCall(name="send", arguments={}, result="sent", id="m-1"),
        ToolCall(name="send", arguments={}, error='{"code": 5}', id="m-2"),
        ToolCall(name="file_search", arguments={"queries": ["returns"]}, result=found, id="fs"),
        ToolCall(name="web_search", arguments={"action": {"type": "search", "query": "hours"}}, id="ws"),
    )
    assert reply.citations == (
        Citation(index=1, text="A", source="https://a.example/"),
        Citation(index=2, text="rules.md", source="rules.md"),
    )
    assert reply.retrievals == (
        {
            "capability": "file_search",
            "status": "completed",
            "queries": [{"queryString": "returns"}],
            "totalResultCount": 1,
            "retrievalHits": [{"rank": 1, "webUrl": "rules.md", "extracts": [{"text": "30 days"}]}],
        },
        {"capability": "web_search", "status": "completed", "queries": [{"queryString": "hours"}]},
    )
    assert reply.usage == {"input_tokens": 5, "output_tokens": 6}


@pytest.mark.parametrize(("more", "calls"), [({}, None), ({"tools": []}, ()), ({"tools": [{"type": "function"}]}, ())])
async def test_tools_are_unknown_unless_a_response_lists_them(server, more, calls):
    server.says(RESPONSES, response(said("yes"), **more))
    reply = await ask(build(server, api="responses"))
    assert (reply.tool_calls, reply.citations, reply.retrievals) == (calls, None, None)


@pytest.mark.parametrize(
    ("answer", "text", "refusal"),
    [
        (response({"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]}), "I cannot.", "I cannot."),
        (
            response(status="incomplete", incomplete_details={"reason": "content_filter"}),
            "",
            "the content filter of the service stopped the answer",
        ),
        (response(said("half a"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}), "half a", None),
    ],
)
async def test_a_response_that_refuses_or_is_cut(server, answer, text, refusal):
    server.says(RESPONSES, answer)
    reply = await ask(build(server, api="responses"))
    assert (reply.text, reply.refusal) == (text, refusal)


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ({}, "bad_payload", "without output"),
        (response(status="failed", error={"code": "server_error", "message": "oh"}), "agent_error", "that it failed (oh)"),
        (response(status="queued"), "bad_payload", "in the background"),
        (response(status="incomplete", incomplete_details={"reason": "max_output_tokens"}), "bad_payload", "max_output_tokens"),
        (response({"type": "function_call"}), "bad_payload", "a tool call without a name"),
    ],
)
async def test_what_is_no_response_is_a_failure(server, body, code, words):
    server.says(RESPONSES, body)
    failed = await failure(build(server, api="responses"))
    assert (failed.code, failed.answered) == (code, True)
    assert words in failed.message


async def test_a_service_that_keeps_nothing_is_explained(server):
    error = {"error": {"message": "Previous response with id 'r-1' not found.", "param": "previous_response_id"}}
    server.says(RESPONSES, text=json.dumps(error), status=400)
    assert "with the option stateful=false" in (await failure(build(server, api="responses"))).message


async def test_a_response_is_streamed(server):
    whole = response(said("hello"), usage={"input_tokens": 1, "output_tokens": 2})
    deltas = [{"type": "response.output_text.delta", "output_index": 0, "delta": each} for each in ("hel", "lo")]
    server.streams(RESPONSES, *events(*deltas, {"type": "response.completed", "response": whole}))
    reply = await ask(build(server, api="responses", stream=True))
    assert (reply.text, reply.usage) == ("hello", {"input_tokens": 1, "output_tokens": 2})


async def test_a_last_event_without_output_is_filled_from_those_before(server):
    done = {"type": "response.output_item.done", "output_index": 0, "item": said("hello")}
    server.streams(RESPONSES, *events(done, {"type": "response.completed", "response": response()}))
    assert (await ask(build(server, api="responses", stream=True))).text == "hello"


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ([{"type": "response.output_text.delta", "delta": "a"}], "bad_payload", "ended before the response was complete"),
        ([{"type": "error", "message": "lost it", "code": "server_error"}], "agent_error", "an error (lost it)"),
        (
            [{"type": "response.failed", "response": response(status="failed", error={"message": "oh"})}],
            "agent_error",
            "that it failed (oh)",
        ),
    ],
)
async def test_a_streamed_response_that_goes_wrong(server, given, code, words):
    server.streams(RESPONSES, *events(*given))
    failed = await failure(build(server, api="responses", stream=True))
    assert failed.code == code
    assert words in failed.message


async def test_the_same_session_goes_on_after_a_failure(server):
    target = build(server)
    session = target.session(TRIAL)
    server.says(CHAT, text="busy", status=503)
    with pytest.raises(CallError):
        await session.send(request())
    server.says(CHAT, completion())
    assert (await session.send(request())).text == "hello"
    await target.close()
