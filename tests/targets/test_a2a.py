from __future__ import annotations

import asyncio
import json

import pytest
from aiohttp import web
from conftest_a2a import VERSIONS, card, sdk_agent
from conftest_targets import HISTORY, TRIAL, Server, ask, failure, request

from vivavoce.core import plugins
from vivavoce.core.errors import BadOptions, CallError
from vivavoce.core.model import Use
from vivavoce.core.reply import ToolCall
from vivavoce.targets.a2a import A2a

CARD = "/.well-known/agent-card.json"


def build(url: str, /, **more: object) -> A2a:
    return plugins.build("targets", Use(name="a2a", options={"url": url, **more}))


def served(server: Server, **more: object) -> str:
    """A card that sends messages to `/rpc`."""
    interface = {"url": f"{server.base}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    server.says(CARD, {"name": "Desk", "supportedInterfaces": [interface], **more})
    return server.base


def says(server: Server, *results: object, path: str = "/rpc") -> None:
    """Answers one result after another, the last again and again."""
    left = list(results)

    async def handler(asked: web.Request) -> web.Response:
        given = left.pop(0) if len(left) > 1 else left[0]
        number = (await asked.json())["id"]
        return web.json_response({"jsonrpc": "2.0", "id": number, "result": given})

    server.answer(path, handler)


def streams(server: Server, *results: object, path: str = "/rpc") -> None:
    server.streams(
        path, *(f"data: {json.dumps({'jsonrpc': '2.0', 'id': '1', 'result': each})}\n\n".encode() for each in results)
    )


def task(state: str, *artifacts: object, said: str | None = None, **more: object) -> dict[str, object]:
    status: dict[str, object] = {"state": state}
    if said is not None:
        status["message"] = {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": said}]}
    return {"id": "t-1", "contextId": "c-1", "status": status, "artifacts": list(artifacts), **more}


def artifact(*parts: object, number: str = "a", **more: object) -> dict[str, object]:
    return {"artifactId": number, "parts": [{"text": each} if isinstance(each, str) else each for each in parts], **more}


def bodies(server: Server) -> list[dict[str, object]]:
    return [body for path, _, body in server.asked if path.startswith("POST")]


# With an agent that the protocol's own SDK serves


@pytest.mark.parametrize("stream", [True, False, None])
@pytest.mark.parametrize("version", VERSIONS)
async def test_a_conversation_with_an_agent_of_the_sdk(version, stream):
    async with sdk_agent(version) as (url, echo):
        target = build(url, stream=stream, metadata={"place": "here"})
        session = target.session(TRIAL)
        texts = []
        for turn, said in enumerate(("one", "stream", "data", "ask", "this one", "plainly")):
            texts.append((await session.send(request(said, turn=turn))).text)
        await target.close()
    assert texts == [
        "one",
        "in three pieces",
        '{"rows": [1.0, 2.0]}',
        "Which one?",
        "one | stream | data | ask | this one",
        "a message",
    ]
    assert len({message.context_id for message in echo.messages[1:]}) == 1
    assert len({message.message_id for message in echo.messages}) == 6
    # Only an answer to a question goes on with the task that asked it.
    tasks = [message.task_id for message in echo.messages]
    assert (tasks[3], len(set(tasks))) == (tasks[4], 5)
    assert echo.messages[0].metadata["place"] == "here"


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("version", VERSIONS)
async def test_how_a_task_of_the_sdk_may_end(version, stream):
    async with sdk_agent(version, streaming=stream) as (url, _):
        rejected = await ask(build(url), "reject")
        failed = {said: await failure(build(url), said) for said in ("fail", "cancel", "sign in")}
    assert (rejected.text, rejected.refusal) == ("told to reject", "told to reject")
    assert {said: each.code for said, each in failed.items()} == {
        "fail": "agent_failed",
        "cancel": "agent_canceled",
        "sign in": "agent_auth_required",
    }
    assert all(f"told to {said}" in each.message for said, each in failed.items())
    assert {(each.retriable, each.answered) for each in failed.values()} == {(False, True)}


@pytest.mark.parametrize("version", VERSIONS)
async def test_an_object_is_sent_as_data(version):
    async with sdk_agent(version) as (url, echo):
        await ask(build(url), {"rows": [1]})
    (part,) = echo.messages[0].parts
    assert part.data.struct_value["rows"][0] == 1


async def test_the_wrong_version_is_explained():
    async with sdk_agent("0.3") as (url, _):
        failed = await failure(build(f"{url}/nowhere", card=False))
        assert failed.code == "http_404"
        failed = await failure(build(url, version="1.0"))
        assert "offers no JSON-RPC in version 1.0" in failed.message
        assert "JSONRPC 0.3" in failed.message


# The card


async def test_the_card_is_read_once_and_chooses(server):
    interfaces = [
        {"url": f"{server.base}/grpc", "protocolBinding": "GRPC", "protocolVersion": "1.0"},
        {"url": "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0.1", "tenant": "t-9"},
        {"url": f"{server.base}/old", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
    ]
    server.says(CARD, {"supportedInterfaces": interfaces, "capabilities": {"streaming": False}})
    says(server, {"task": task("TASK_STATE_COMPLETED", artifact("hello"))})
    target = build(f"{server.base}{CARD}", token="s3cret", headers={"X-A": "b"})
    sessions = [target.session(TRIAL) for _ in range(3)]
    replies = await asyncio.gather(*(each.send(request(session=str(at))) for at, each in enumerate(sessions)))
    await target.close()
    assert {reply.text for reply in replies} == {"hello"}
    assert [path for path, _, _ in server.asked] == [f"GET {CARD}", "POST /rpc", "POST /rpc", "POST /rpc"]
    assert {(headers["Authorization"], headers["X-A"], headers["A2A-Version"]) for _, headers, _ in server.asked} == {
        ("Bearer s3cret", "b", "1.0")
    }
    assert {body["method"] for body in bodies(server)} == {"SendMessage"}
    assert {body["params"]["tenant"] for body in bodies(server)} == {"t-9"}
    assert "s3cret" not in repr(target)


async def test_a_card_of_version_03_chooses_too(server):
    others = [{"url": f"{server.base}/rpc", "transport": "JSONRPC"}]
    server.says(
        CARD,
        {
            "protocolVersion": "0.3.0",
            "url": f"{server.base}/rest",
            "preferredTransport": "HTTP+JSON",
            "additionalInterfaces": others,
        },
    )
    says(server, {"kind": "message", "role": "agent", "messageId": "m", "parts": [{"kind": "text", "text": "hello"}]})
    assert (await ask(build(server.base))).text == "hello"
    assert "A2A-Version" not in server.asked[-1][1]
    message = server.last["params"]["message"]
    assert server.last["method"] == "message/send"
    assert server.last["params"]["configuration"] == {"blocking": True}
    assert (message["kind"], message["role"], message["parts"]) == ("message", "user", [{"kind": "text", "text": "hello"}])


async def test_a_card_below_a_path_and_an_address_without_a_card(server):
    server.says(f"/desk{CARD}", {"url": "rpc"})
    says(server, {"kind": "message", "parts": [{"text": "by card"}]}, path="/desk/.well-known/rpc")
    says(server, {"message": {"parts": [{"text": "directly"}]}}, path="/desk/")
    assert (await ask(build(f"{server.base}/desk/"))).text == "by card"
    assert (await ask(build(f"{server.base}/desk/", card=False))).text == "directly"
    assert server.last["method"] == "SendMessage"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ([], "the agent's card is no object"),
        ({}, "names no address"),
        ({"url": "http://0.0.0.0:1/"}, "another host, which is not followed; if that is meant: --target a2a:http://0.0.0.0:1/"),
        ({"url": "file:///etc/passwd"}, "no http:// or https:// address"),
        ({"url": "http://me:pw@127.0.0.1/"}, "a password does not belong into an address"),
        ({"url": "/", "preferredTransport": "GRPC"}, "offers no JSON-RPC, which is what is spoken here; it offers GRPC 0.3.0"),
        ({"supportedInterfaces": [{"url": "/", "protocolBinding": "JSONRPC", "protocolVersion": "2.0"}]}, "JSONRPC 2.0"),
    ],
)
async def test_a_card_that_is_not_followed(server, told, words):
    server.says(CARD, told)
    failed = await failure(build(server.base))
    assert failed.code == "bad_payload"
    assert words in failed.message
    assert [path for path, _, _ in server.asked] == [f"GET {CARD}"]


async def test_a_card_that_is_not_there_says_what_to_do(server):
    server.says(CARD, text="nothing here", status=404)
    failed = await failure(build(server.base))
    assert (failed.code, failed.sent) == ("http_404", False)
    assert "card=false" in failed.message


async def test_a_card_that_cannot_be_read_now_is_read_again(server):
    server.says(CARD, text="busy", status=503)
    target = build(server.base)
    session = target.session(TRIAL)
    with pytest.raises(CallError) as raised:
        await session.send(request())
    assert (raised.value.failure.retriable, raised.value.failure.sent) == (True, False)
    served(server)
    says(server, {"message": {"parts": [{"text": "hello"}]}})
    assert (await session.send(request())).text == "hello"
    await target.close()


# What comes back


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"message": {"parts": [{"text": "a"}, {"text": "b"}]}}, "ab"),
        ({"task": task("TASK_STATE_COMPLETED", artifact("a", "b"), artifact("c", number="b"))}, "ab\n\nc"),
        ({"task": task("TASK_STATE_COMPLETED", artifact("a"), said="done")}, "a"),
        ({"task": task("TASK_STATE_COMPLETED", said="done")}, "done"),
        ({"task": task("TASK_STATE_COMPLETED", artifact(""))}, ""),
        ({"task": task("TASK_STATE_COMPLETED", artifact({"data": {"é": 1}}), said="done")}, '{"é": 1}'),
        ({"task": task("TASK_STATE_COMPLETED", artifact({"data": 1}, {"data": 2}))}, "[1, 2]"),
        ({"task": task("TASK_STATE_COMPLETED", artifact({"data": 1}, "a"))}, "a"),
        ({"task": task("TASK_STATE_INPUT_REQUIRED", artifact("so far"), said="and?")}, "so far\n\nand?"),
        (task("completed", artifact({"kind": "text", "text": "a"}), kind="task"), "a"),
    ],
)
async def test_the_text_of_an_answer(server, result, text):
    says(server, result)
    assert (await ask(build(f"{server.base}/rpc", card=False))).text == text


async def test_what_is_no_text_is_kept(server):
    file = {"url": "https://a.example/f.pdf", "filename": "f.pdf", "mediaType": "application/pdf"}
    says(server, {"task": task("TASK_STATE_COMPLETED", artifact("a", file), metadata={"cost": 3})})
    reply = await ask(build(f"{server.base}/rpc", card=False))
    assert reply.raw["artifacts"][0]["parts"][1] == file
    assert (reply.raw["state"], reply.raw["metadata"]) == ("completed", {"cost": 3})
    assert (reply.tool_calls, reply.citations, reply.retrievals) == (None, None, None)


def step(kind: str, **data: object) -> dict[str, object]:
    return {"data": data, "metadata": {"adk_type": kind}}


CALL = step("function_call", id="1", name="find", args={"q": "x"})
RESULT = step("function_response", id="1", name="find", response={"found": 2})
FOUND = ToolCall(name="find", arguments={"q": "x"}, result={"found": 2}, id="1")


@pytest.mark.parametrize(
    ("result", "calls"),
    [
        ({"message": {"parts": [CALL, RESULT, {"text": "done"}]}}, (FOUND,)),
        ({"task": task("TASK_STATE_COMPLETED", artifact(CALL, CALL, RESULT, "done"))}, (FOUND,)),
        (
            {"task": task("TASK_STATE_COMPLETED", artifact("done"), history=[{"role": "ROLE_AGENT", "parts": [CALL, RESULT]}])},
            (FOUND,),
        ),
        ({"task": task("TASK_STATE_COMPLETED", artifact("done"), history=[{"role": "ROLE_USER", "parts": [CALL]}])}, None),
        (
            {
                "message": {
                    "parts": [
                        {"data": {"tool_calls": [{"name": "a", "arguments": "{}", "error": {"no": 1}}]}},
                        {"text": "done"},
                    ]
                }
            },
            (ToolCall(name="a", arguments={}, error='{"no": 1}'),),
        ),
        ({"message": {"parts": [{"data": {"tool_calls": []}}, {"text": "done"}]}}, ()),
        (
            {"message": {"parts": [step("function_call", name="a"), step("function_call", name="a"), {"text": "done"}]}},
            (ToolCall(name="a"), ToolCall(name="a")),
        ),
        ({"message": {"parts": [{"data": {"function_call": 1}}, {"text": "done"}]}}, None),
    ],
)
async def test_tools_that_an_agent_tells_of(server, result, calls):
    says(server, result)
    reply = await ask(build(f"{server.base}/rpc", card=False))
    assert (reply.text, reply.tool_calls) == ("done", calls)


async def test_tools_told_on_the_way_are_kept(server):
    served(server, capabilities={"streaming": True})
    working = {"taskId": "t-1", "contextId": "c-1"}

    def on_the_way(part: object) -> dict[str, object]:
        status = {"state": "TASK_STATE_WORKING", "message": {"role": "ROLE_AGENT", "parts": [part]}}
        return {"statusUpdate": {**working, "status": status}}

    ended = {"statusUpdate": {**working, "status": {"state": "TASK_STATE_COMPLETED"}}}
    streams(server, on_the_way(CALL), on_the_way(RESULT), {"artifactUpdate": {**working, "artifact": artifact("done")}}, ended)
    reply = await ask(build(server.base))
    assert (reply.text, reply.tool_calls) == ("done", (FOUND,))


async def test_the_pieces_of_a_stream_are_put_together(server):
    served(server, capabilities={"streaming": True})

    def update(*parts: object, append: bool, number: str = "a", last: bool = False) -> dict[str, object]:
        told = {"taskId": "t-1", "contextId": "c-1", "artifact": artifact(*parts, number=number)}
        return {"artifactUpdate": {**told, "append": append, "lastChunk": last}}

    def status(state: str, **more: object) -> dict[str, object]:
        return {"statusUpdate": {"taskId": "t-1", "contextId": "c-1", "status": {"state": state, **more}}}

    progress = {"message": {"parts": [{"text": "looking"}], "metadata": {"step": 1}}}
    streams(
        server,
        {"task": task("TASK_STATE_SUBMITTED")},
        status("TASK_STATE_WORKING", **progress),
        update("thrown away", append=False),
        update("hel", append=False),
        update("lo", append=True),
        update({"data": 1}, append=True, last=True),
        update("again", append=True, number="b"),
        status("TASK_STATE_COMPLETED"),
    )
    reply = await ask(build(server.base))
    assert server.last["method"] == "SendStreamingMessage"
    assert reply.text == "hello\n\nagain"
    assert reply.raw["artifacts"] == [{"artifactId": "a", "parts": [{"text": "hello"}, {"data": 1}]}]
    assert reply.raw["metadata"] == {"step": 1}


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_task_that_works_is_asked_after(server, version):
    wrap = (lambda each: {"task": each}) if version == "1.0" else (lambda each: {**each, "kind": "task"})
    word = "TASK_STATE_{}" if version == "1.0" else "{}"
    state = (lambda each: word.format(each)) if version == "1.0" else (lambda each: each.lower())
    says(
        server,
        wrap(task(state("SUBMITTED"))),
        task(state("WORKING"), said="looking"),
        task(state("COMPLETED"), artifact("found")),
    )
    reply = await ask(build(f"{server.base}/rpc", card=False, version=version))
    assert reply.text == "found"
    first, *later = bodies(server)
    assert first["method"] == {"1.0": "SendMessage", "0.3": "message/send"}[version]
    assert {(body["method"], body["params"]["id"]) for body in later} == {
        ({"1.0": "GetTask", "0.3": "tasks/get"}[version], "t-1")
    }


async def test_a_stream_that_ends_early_is_followed_up(server):
    answers = iter(("stream", "busy", "done"))

    async def handler(asked: web.Request) -> web.StreamResponse:
        match next(answers):
            case "stream":
                response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
                await response.prepare(asked)
                await response.write(
                    b"data: " + json.dumps({"result": {"task": task("TASK_STATE_WORKING")}}).encode() + b"\n\n"
                )
                await response.write(b'data: {"result": {"artif')
                return response
            case "busy":
                return web.Response(status=503)
            case _:
                return web.json_response({"result": task("TASK_STATE_COMPLETED", artifact("found"))})

    server.answer("/rpc", handler)
    assert (await ask(build(f"{server.base}/rpc", card=False, stream=True))).text == "found"
    assert [body["method"] for body in bodies(server)] == ["SendStreamingMessage", "GetTask", "GetTask"]


async def test_a_task_that_gets_lost_is_not_started_anew(server):
    async def handler(asked: web.Request) -> web.StreamResponse:
        if (await asked.json())["method"] == "GetTask":
            return web.Response(status=503, headers={"Retry-After": "1"})
        return web.json_response({"result": {"task": task("TASK_STATE_WORKING")}})

    server.answer("/rpc", handler)
    failed = await failure(build(f"{server.base}/rpc", card=False))
    assert (failed.code, failed.retriable, failed.sent) == ("http_503", False, True)
    assert len(bodies(server)) == 4


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("text", "a result that is no object"),
        ({"a": 1}, "neither a task nor a message"),
        ({"task": {"id": "t"}}, "a task without a state"),
        ({"task": task("TASK_STATE_WORKING") | {"id": ""}}, "that can be asked after"),
        ({"task": task("TASK_STATE_UNSPECIFIED")}, "a task of the state unspecified"),
        ({"task": task("TASK_STATE_COMPLETED")}, "without text or data"),
        ({"task": task("TASK_STATE_COMPLETED", "no object")}, "an artifact that is no object"),
        ({"task": task("TASK_STATE_COMPLETED", artifact({"url": "https://a.example/f.pdf"}))}, "f.pdf"),
    ],
)
async def test_what_is_no_answer_is_a_failure(server, result, words):
    says(server, result)
    failed = await failure(build(f"{server.base}/rpc", card=False))
    assert (failed.code, failed.answered) == ("bad_payload", True)
    assert words in failed.message


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        ({"code": -32601, "message": "Method not found"}, "rpc_32601", "see the option version"),
        ({"code": -32004, "message": "no"}, "rpc_32004", "see the option stream"),
        ({"code": -32603, "message": "oh\x1b[31m", "data": {"at": 3}}, "rpc_32603", 'error -32603: oh [31m ({"at":3})'),
        ("odd", "rpc_error", "odd"),
    ],
)
async def test_an_error_of_json_rpc(server, error, code, words):
    server.says("/rpc", {"jsonrpc": "2.0", "id": "1", "error": error})
    failed = await failure(build(f"{server.base}/rpc", card=False))
    assert (failed.code, failed.answered, failed.retriable) == (code, True, False)
    assert words in failed.message


async def test_an_error_within_a_stream(server):
    server.streams("/rpc", b'event: error\ndata: {"error": {"code": -32603, "message": "lost it"}}\n\n')
    failed = await failure(build(f"{server.base}/rpc", card=False, stream=True))
    assert (failed.code, "lost it" in failed.message) == ("rpc_32603", True)


@pytest.mark.parametrize(
    ("status", "words", "retriable"),
    [(401, "set the option token", False), (503, "answered 503", True), (500, "answered 500", False)],
)
async def test_a_refused_request(server, status, words, retriable):
    server.says("/rpc", text="no: s3cret-token", status=status)
    failed = await failure(build(f"{server.base}/rpc", card=False, token="s3cret-token"))
    assert (failed.code, failed.retriable) == (f"http_{status}", retriable)
    assert words in failed.message
    assert "s3cret" not in failed.message


async def test_what_is_no_json_rpc_and_what_is_too_large(server):
    server.says("/rpc", {"text": "x" * 5000})
    assert "no JSON-RPC" in (await failure(build(f"{server.base}/rpc", card=False))).message
    assert (await failure(build(f"{server.base}/rpc", card=False, limit=1000))).code == "too_large"


async def test_a_history_cannot_be_told(server):
    failed = await failure(build(f"{server.base}/rpc", card=False), history=HISTORY)
    assert (failed.code, failed.sent) == ("history_unsaid", False)
    assert "begins with 2 earlier messages" in failed.message
    assert server.asked == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"url": "agent.example"}, "no http:// or https:// address"),
        ({"version": "0.2"}, "version"),
        ({"limit": 0}, "limit must be at least 1"),
        ({"token": "${NO_SUCH_TOKEN}"}, "NO_SUCH_TOKEN, which is not set"),
        ({"token": "a\nb"}, "cannot be sent"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_run(options, words):
    with pytest.raises(BadOptions, match=words):
        plugins.build("targets", Use(name="a2a", options={"url": "https://agent.example", **options}))


def test_the_card_of_the_sdk_is_what_it_says():
    assert [each.protocol_version for each in card("http://a/", *VERSIONS).supported_interfaces] == list(VERSIONS)
