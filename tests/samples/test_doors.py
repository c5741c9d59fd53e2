"""The other doors of the sample agent: each refuses what it would not be sent, and says why."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest

A2A = {"A2A-Version": "1.0"}
SAID = {"role": "ROLE_USER", "messageId": "m-1", "parts": [{"text": "Where is order HW-1036?"}]}
PLACE = {"Location": {"timeZone": "Europe/Vienna", "timeZoneOffset": 60}}
TEXT = "Order HW-1036 was cancelled."


def post(http, path: str, body: object, **headers: str) -> tuple[int, dict]:
    status, text = http.post(body if isinstance(body, bytes) else json.dumps(body).encode(), path, **headers)
    return status, json.loads(text)


def call(method: str, params: object, **more: object) -> dict:
    return {"jsonrpc": "2.0", "id": "1", "method": method, "params": params, **more}


# As OpenAI


def test_the_openai_door(http):
    said = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Where is HW-1036?"}]},
    ]
    status, told = post(http, "/v1/chat/completions", {"model": "help-desk", "messages": said})
    assert (status, told["choices"][0]["message"]["content"]) == (200, TEXT)
    (called,) = told["choices"][0]["message"]["tool_calls"]
    assert called["function"] == {"name": "look_up_order", "arguments": '{"number": "HW-1036"}'}
    status, told = post(http, "/v1/responses", {"model": "help-desk", "input": "Where is order HW-1036?"})
    assert (status, told["output"][-1]["content"][0]["text"]) == (200, TEXT)
    status, told = post(
        http, "/v1/responses", {"model": "help-desk", "input": "What is in it?", "previous_response_id": told["id"]}
    )
    assert "HW-1036" in told["output"][-1]["content"][0]["text"]


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("chat/completions", b"nope", 400, "a request is JSON"),
        ("chat/completions", [], 400, "a request is a JSON object"),
        ("chat/completions", {"messages": []}, 400, "`model` must be the name of a model"),
        ("chat/completions", {"model": "gpt", "messages": []}, 404, "the model `gpt` does not exist"),
        ("chat/completions", {"model": "help-desk"}, 400, "`messages` must be a list"),
        ("chat/completions", {"model": "help-desk", "messages": []}, 400, "must be of the role user"),
        ("chat/completions", {"model": "help-desk", "messages": [{"role": "me"}]}, 400, "messages[0].role"),
        (
            "chat/completions",
            {"model": "help-desk", "messages": [{"role": "user", "content": None}]},
            400,
            "content must be text",
        ),
        (
            "chat/completions",
            {"model": "help-desk", "messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            400,
            "reads parts of text alone",
        ),
        (
            "chat/completions",
            {"model": "help-desk", "messages": [{"role": "tool", "content": "4"}, {"role": "user", "content": "a"}]},
            400,
            "tool_call_id is missing",
        ),
        ("responses", {"model": "help-desk"}, 400, "`input` must be text or a list"),
        ("responses", {"model": "help-desk", "input": []}, 400, "holds nothing that a user says"),
        ("responses", {"model": "help-desk", "input": "a", "previous_response_id": "r"}, 400, "no response r is kept"),
    ],
)
def test_the_openai_door_refuses(http, path, body, status, words):
    got, told = post(http, f"/v1/{path}", body)
    assert got == status
    assert words in told["error"]["message"]
    assert told["error"]["type"] == "invalid_request_error"


# As A2A


def test_the_a2a_door(http):
    status, told = post(http, "/a2a", call("SendMessage", {"message": SAID}), **A2A)
    task = told["result"]["task"]
    assert (status, task["status"]["state"], task["artifacts"][0]["parts"]) == (200, "TASK_STATE_COMPLETED", [{"text": TEXT}])
    _, told = post(http, "/a2a", call("GetTask", {"id": task["id"]}), **A2A)
    assert told["result"] == task
    later = {**SAID, "contextId": task["contextId"], "parts": [{"text": "What is in it?"}]}
    _, told = post(http, "/a2a", call("SendMessage", {"message": later}), **A2A)
    assert "HW-1036" in told["result"]["task"]["artifacts"][0]["parts"][0]["text"]


@pytest.mark.parametrize(
    ("body", "headers", "status", "words"),
    [
        (b"nope", A2A, 400, "a request is JSON"),
        ({"method": "SendMessage"}, A2A, 400, '"jsonrpc": "2.0"'),
        (call("SendMessage", {"message": SAID}), {"A2A-Version": "2.0"}, 400, "A2A-Version must be one of 1.0, 0.3"),
        (call("SendMessage", {"message": SAID}), {}, 400, "version 0.3 has the methods message/send"),
        (call("SendMessage", []), A2A, 400, "`params` must be an object"),
        (call("SendMessage", {}), A2A, 400, "`message` must be a message"),
        (call("SendMessage", {"message": {**SAID, "role": "user"}}), A2A, 400, "message.role must be ROLE_USER"),
        (call("SendMessage", {"message": {**SAID, "messageId": None}}), A2A, 400, "`messageId` must be"),
        (
            call("SendMessage", {"message": {**SAID, "parts": [{"kind": "text", "text": "a"}]}}),
            A2A,
            400,
            "a part has no `kind`",
        ),
        (call("SendMessage", {"message": {**SAID, "parts": [{"data": 1}]}}), A2A, 400, "reads text alone"),
        (call("SendMessage", {"message": {**SAID, "contextId": "c"}}), A2A, 400, "there is no conversation c"),
        (call("GetTask", {"id": "t"}), A2A, 404, "there is no task t"),
        (
            call("message/send", {"message": {**SAID, "role": "user", "parts": [{"kind": "text", "text": "a"}]}}),
            {},
            400,
            "message.kind must be message",
        ),
    ],
)
def test_the_a2a_door_refuses(http, body, headers, status, words):
    got, told = post(http, "/a2a", body, **headers)
    assert got == status
    assert words in told["error"]["message"]
    assert told["error"]["code"] in (-32600, -32602)


# As the gateway to Copilot agents


def test_the_gateway_tells_what_an_answer_stands_on(http):
    said = {**SAID, "metadata": PLACE, "parts": [{"text": "What is the return policy?"}]}
    status, told = post(http, "/workiq/a2a/T_desk.declarativeAgent", call("SendMessage", {"message": said}), **A2A)
    assert status == 200
    answer, _, retrieval = told["result"]["task"]["artifacts"]
    assert answer["name"] == "Answer"
    (execution,) = retrieval["parts"][0]["data"]["retrieval_executions"]
    assert execution["queries"]
    (cited, *_) = told["result"]["task"]["status"]["message"]["metadata"]["attributions"]
    assert cited["attributionType"] == "Citation"
    assert cited["seeMoreWebUrl"].startswith("https://")


@pytest.mark.parametrize(
    ("agent", "metadata", "status", "words"),
    [
        ("desk", PLACE, 404, "there is no agent desk"),
        ("T_desk.declarativeAgent", None, 400, "metadata.Location must have timeZone"),
        ("T_desk.declarativeAgent", {"Location": {"timeZone": "UTC"}}, 400, "and timeZoneOffset"),
        ("T_desk.declarativeAgent", {"Location": "here"}, 400, "metadata.Location"),
    ],
)
def test_the_gateway_refuses(http, agent, metadata, status, words):
    said = {**SAID, "metadata": metadata}
    got, told = post(http, f"/workiq/a2a/{agent}", call("SendMessage", {"message": said}), **A2A)
    assert got == status
    assert words in told["error"]["message"]


@pytest.mark.parametrize("path", ["/v1/responses", "/a2a", "/workiq/a2a/T_desk.declarativeAgent"])
def test_every_door_is_bounded_and_takes_json_alone(http, path):
    status, _ = post(http, path, b'{"a": "' + b"x" * (2 * 1024 * 1024) + b'"}')
    assert status == 413
    status, told = post(http, path, {}, **{"Content-Type": "text/plain"})
    assert (status, told["error"]["message"]) == (415, "the Content-Type must be application/json")


# As a project of Microsoft Foundry

PROJECT = "/foundry/api/projects/desk/openai/v1"
AGENT = {"agent_reference": {"type": "agent_reference", "name": "help-desk"}}


def test_the_foundry_door(http):
    _, begun = post(http, f"{PROJECT}/conversations", {})
    for text in ("Where is order HW-1036?", "What is in it?"):
        asked = {**AGENT, "conversation": begun["id"], "input": [{"role": "user", "content": text}]}
        status, told = post(http, f"{PROJECT}/responses", asked)
        assert status == 200
    assert "HW-1036" in told["output"][-1]["content"][0]["text"]
    with urllib.request.urlopen(f"{http.url}{PROJECT}/responses/{told['id']}", timeout=30) as kept:
        assert json.load(kept) == told
    with urllib.request.urlopen(f"{http.url}{PROJECT}/responses/{told['id']}/input_items", timeout=30) as kept:
        assert json.load(kept)["data"][0]["content"][0]["text"] == "What is in it?"


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("responses", {"input": "hello"}, 400, "`agent_reference` must be"),
        ("responses", {"agent_reference": {"type": "agent_reference", "name": "dusk"}, "input": "hello"}, 404, "no agent dusk"),
        ("responses", {**AGENT, "input": "hello", "conversation": "conv_9"}, 400, "conversation: none such as conv_9"),
        ("conversations", b"nope", 400, "a request is JSON"),
    ],
)
def test_the_foundry_door_refuses(http, path, body, status, words):
    found, told = post(http, f"{PROJECT}/{path}", body)
    assert found == status
    assert words in told["error"]["message"]


@pytest.mark.parametrize("path", ["responses/resp_9", "responses/resp_9/input_items"])
def test_a_response_that_is_not_kept_is_not_found(http, path):
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{http.url}{PROJECT}/{path}", timeout=30)
    with refused.value as error:
        assert error.code == 404
        assert "no response resp_9 is kept here" in error.read().decode()
