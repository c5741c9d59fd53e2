"""The target `agentcore`, before a runtime that looks at signatures, tokens and session ids as Amazon's does."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest
from aiohttp import web
from conftest_aws import ID, SECRET, TOKEN, signed
from conftest_models import no_account
from conftest_targets import HISTORY, TRIAL, Server, ask, failure, request, running
from hypothesis import given
from hypothesis import strategies as st

import vivavoce
from vivavoce.core import environment, plugins, specs
from vivavoce.core.errors import BadOptions, CallError, MissingExtra
from vivavoce.core.model import Use
from vivavoce.core.reply import ToolCall
from vivavoce.targets._agentcore import SESSION, session_id
from vivavoce.targets.agentcore import Agentcore

ARN = "arn:aws:bedrock-agentcore:eu-central-1:123456789012:runtime/desk-a1b2c3d4e5"
AT = "/runtimes/"
BEARER = "b-0123456789"


@pytest.fixture(autouse=True)
def signed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    no_account(monkeypatch)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)


class Runtime:
    """AgentCore's runtime with one agent, which answers as it is told."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.answer = {"result": "We open at 9."}
        self.kind = "application/json"
        self.status = 200
        self.headers: dict[str, str] = {}
        self.token: str | None = None
        self.sessions: list[str] = []
        self.covered: list[set[str]] = []
        self.asked: list[web.Request] = []
        self.payloads: list[object] = []
        for runtime in (ARN, "desk-a1b2c3d4e5"):
            server.answer(f"{AT}{runtime}/invocations", self.invoke)

    async def invoke(self, asked: web.Request) -> web.Response:
        self.asked.append(asked)
        if not asked.headers["Authorization"].startswith("Bearer "):
            self.covered.append(await signed(asked, service="bedrock-agentcore", region="eu-central-1", token=self.token))
        elif asked.headers["Authorization"] != f"Bearer {BEARER}":
            raise web.HTTPUnauthorized(text=f'{{"message": "no access by {asked.headers["Authorization"]}"}}')
        session = asked.headers[SESSION]
        if not 33 <= len(session) <= 256:
            raise web.HTTPBadRequest(text='{"message": "runtimeSessionId must be of 33 to 256 characters"}')
        self.sessions.append(session)
        self.payloads.append(await asked.json())
        body = self.answer if isinstance(self.answer, bytes) else json.dumps(self.answer).encode()
        headers = {**self.headers, SESSION: session, "Content-Type": self.kind}
        return web.Response(body=body, status=self.status, headers=headers)


@pytest.fixture
async def runtime() -> AsyncIterator[Runtime]:
    async with running() as server:
        yield Runtime(server)


def build(runtime: Runtime | None = None, **options: object) -> Agentcore:
    where = {} if runtime is None else {"endpoint": runtime.server.base}
    made = plugins.build("targets", Use(name="agentcore", options={"arn": ARN, **where, **options}))
    assert isinstance(made, Agentcore)
    return made


# What is sent


async def test_what_is_sent(runtime: Runtime) -> None:
    reply = await ask(build(runtime, headers={"X-Amzn-Bedrock-AgentCore-Runtime-User-Id": "u-1"}), "When? ¿Cuándo?")
    (asked,) = runtime.asked
    assert (asked.method, asked.query) == ("POST", {"qualifier": "DEFAULT"})
    assert asked.raw_path == f"/runtimes/{quote(ARN, safe='')}/invocations?qualifier=DEFAULT", "every part is escaped"
    assert asked.headers["Content-Type"] == "application/json"
    assert {SESSION.lower(), "x-amzn-bedrock-agentcore-runtime-user-id"} <= runtime.covered[0]
    assert runtime.payloads == [{"prompt": "When? ¿Cuándo?"}]
    assert reply.text == "We open at 9."
    assert SECRET not in json.dumps(dict(asked.headers))


async def test_an_object_is_sent_as_it_is(runtime: Runtime) -> None:
    await ask(build(runtime), {"question": "When?", "account": 1})
    await ask(build(runtime, prompt="inputText"), "When?")
    await ask(build(runtime, request='{"q": "{{input}}", "before": "{{history}}"}'), {"a": 1}, history=HISTORY)
    before = [{"role": "user", "content": "before"}, {"role": "assistant", "content": "indeed"}]
    assert runtime.payloads == [{"question": "When?", "account": 1}, {"inputText": "When?"}, {"q": {"a": 1}, "before": before}]


@pytest.mark.parametrize(
    ("options", "query"),
    [
        ({"qualifier": "canary v2"}, "qualifier=canary%20v2"),
        ({"arn": f"{ARN}/runtime-endpoint/prod"}, "qualifier=prod"),
        ({"arn": f"{ARN}/runtime-endpoint/prod", "qualifier": "next"}, "qualifier=next"),
        ({"account": "123456789012"}, "qualifier=DEFAULT&accountId=123456789012"),
        (
            {"arn": "desk-a1b2c3d4e5", "account": "123456789012", "region": "eu-central-1"},
            "qualifier=DEFAULT&accountId=123456789012",
        ),
    ],
)
async def test_which_agent_is_asked(runtime: Runtime, options: dict[str, object], query: str) -> None:
    await ask(build(runtime, **options))
    assert runtime.asked[0].raw_path.partition("?")[2] == query


@pytest.mark.parametrize("way", ["option", "header"])
async def test_a_bearer_token_instead_of_a_signature(runtime: Runtime, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)  # nor is anything of Amazon's needed
    with environment.known({"AGENT_TOKEN": f" {BEARER} "}):
        told = {"token": "${AGENT_TOKEN}"} if way == "option" else {"headers": {"authorization": "Bearer ${AGENT_TOKEN}"}}
        target = build(runtime, **told)
    target.sign_in()
    assert (await ask(target)).text == "We open at 9."
    assert runtime.covered == []
    assert BEARER not in repr(target)


async def test_a_token_of_a_session_is_signed_too(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN)
    runtime.token = TOKEN
    await ask(build(runtime))
    assert "x-amz-security-token" in runtime.covered[0]


async def test_the_turns_of_a_case_share_a_session(runtime: Runtime) -> None:
    target = build(runtime)
    for session in ("one", "two"):
        conversation = target.session(TRIAL)
        for turn in range(2):
            await conversation.send(request(turn=turn, session=session))
        await conversation.close()
    await target.close()
    assert runtime.sessions[0] == runtime.sessions[1] != runtime.sessions[2] == runtime.sessions[3]
    assert runtime.sessions[0].startswith("one-")


def test_a_session_id_of_legal_shape_stays_as_it_is() -> None:
    for legal in ("411ac99e-0690-4d8e-a39a-25ce1dfa60df", "a" * 33, "a" * 256):
        assert session_id(legal) == legal


@given(st.text(max_size=400), st.text(max_size=400))
def test_every_session_id_is_of_legal_shape_and_none_becomes_another(one: str, other: str) -> None:
    made = session_id(one)
    assert 33 <= len(made) <= 256
    assert made.replace("-", "").replace("_", "").isalnum()
    assert made.isascii()
    assert made[0].isalnum()
    assert (made == session_id(other)) is (one == other)


def test_where_each_region_is() -> None:
    made = build(token=BEARER)
    assert (
        made._url
        == f"https://bedrock-agentcore.eu-central-1.amazonaws.com{AT}{quote(ARN, safe='')}/invocations?qualifier=DEFAULT"
    )
    china = ARN.replace("arn:aws:", "arn:aws-cn:").replace("eu-central-1", "cn-north-1")
    assert build(arn=china, token=BEARER)._url.startswith("https://bedrock-agentcore.cn-north-1.amazonaws.com.cn/")


# What comes back


@pytest.mark.parametrize(
    "answer",
    [
        {"text": "Hi"},
        "Hi",
        {"result": "Hi"},
        {"response": "Hi", "metadata": {"n": 1}},
        {"result": {"role": "assistant", "content": [{"text": "H"}, {"toolUse": {}}, {"text": "i"}]}},
        {"message": {"content": [{"text": "Hi"}]}},
        {"output": {"message": {"content": [{"text": "Hi"}]}}},
        {"output": {"text": "Hi"}},
        {"content": [{"type": "text", "text": "Hi"}]},
        {"result": None, "answer": "Hi"},
    ],
)
async def test_the_text_is_found_where_agents_put_it(runtime: Runtime, answer: object) -> None:
    runtime.answer = answer
    assert (await ask(build(runtime))).text == "Hi"


async def test_the_rest_of_an_answer_is_kept(runtime: Runtime) -> None:
    runtime.answer = {"result": "Hi", "tool_calls": [{"name": "look_up", "arguments": {"n": 1}}], "trace": "t-1"}
    reply = await ask(build(runtime))
    assert reply.tool_calls == (ToolCall(name="look_up", arguments={"n": 1}),)
    assert reply.raw == {"trace": "t-1"}
    runtime.answer = {"result": "Hi"}
    assert (await ask(build(runtime))).tool_calls is None, "what is not reported is unknown"
    runtime.answer = {"rows": [{"n": 1}], "data": 7}
    reply = await ask(build(runtime))
    assert (reply.text, reply.rows, reply.raw) == (None, ({"n": 1},), {"data": 7})


async def test_paths_lead_to_anything_else(runtime: Runtime) -> None:
    runtime.answer = {
        "out": [{"say": "Hi"}],
        "steps": [{"name": "look_up", "arguments": '{"n": 1}'}],
        "cost": {"input_tokens": 3},
    }
    reply = await ask(build(runtime, text="out[0].say", tool_calls="steps", usage="cost"))
    assert (reply.text, reply.usage) == ("Hi", {"input_tokens": 3})
    assert reply.tool_calls == (ToolCall(name="look_up", arguments={"n": 1}),)
    runtime.answer = {"result": "Hi", "steps": ["look_up"]}
    reply = await ask(build(runtime, tool_calls="steps"))
    assert (reply.text, reply.tool_calls) == ("Hi", (ToolCall(name="look_up"),))


def events(*data: object) -> bytes:
    return b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in data)


def delta(text: str) -> dict[str, object]:
    return {"event": {"contentBlockDelta": {"delta": {"text": text}, "contentBlockIndex": 0}}}


@pytest.mark.parametrize(
    ("stream", "options"),
    [
        (events("We open", " at", " 9."), {}),
        (b"data: We open\n\ndata:  at 9.\n\n", {}),
        (events({"init_event_loop": True}, {"result": "We open at 9."}), {}),
        (events("We open", " at 9.", {"result": "We open at 9.", "stop_reason": "end_turn"}), {}),
        (
            events({"event": {"messageStart": {}}}, delta("We open"), delta(" at 9."), {"event": {"messageStop": {}}}),
            {"text": "event.contentBlockDelta.delta.text"},
        ),
        (events({"data": "We open"}, {"data": " at 9."}, {"complete": True}), {"text": "data"}),
    ],
)
async def test_an_answer_in_pieces(runtime: Runtime, stream: bytes, options: dict[str, object]) -> None:
    runtime.answer, runtime.kind = stream, "text/event-stream"
    assert (await ask(build(runtime, **options))).text == "We open at 9."


async def test_plain_text(runtime: Runtime) -> None:
    runtime.answer, runtime.kind = "Grüezi".encode(), "text/plain; charset=utf-8"
    assert (await ask(build(runtime))).text == "Grüezi"


REPORTED = {"error": "no such book", "error_type": "KeyError", "message": "it went wrong"}


@pytest.mark.parametrize(
    ("begun", "options"), [(delta("We"), {}), ("We", {}), (delta("We"), {"text": "event.contentBlockDelta.delta.text"})]
)
async def test_an_error_that_the_agent_reports_is_no_answer(
    runtime: Runtime, begun: object, options: dict[str, object]
) -> None:
    runtime.answer, runtime.kind = events(begun, REPORTED), "text/event-stream"
    failed = await failure(build(runtime, **options))
    assert (failed.code, failed.answered, failed.retriable) == ("agent_error", True, False)
    assert failed.message == "the agent reported an error: KeyError: no such book"
    runtime.answer, runtime.kind = {"error": {"why": "it broke"}}, "application/json"
    assert "it broke" in (await failure(build(runtime, **options))).message


@pytest.mark.parametrize(
    ("answer", "says_so"),
    [
        ({"status": "ok"}, "the text of the answer is at none of the known places (text, result, response"),
        ({"result": [1]}, "say where by the option text, a JMESPath such as result.content[0].text"),
        ([1], "the answer is a list"),
        (b"", "the answer is empty"),
        (b'{"half', "is not JSON"),
    ],
)
async def test_what_is_no_answer_is_told(runtime: Runtime, answer: object, says_so: str) -> None:
    runtime.answer = answer
    failed = await failure(build(runtime))
    assert (failed.code, failed.answered) == ("bad_payload", True)
    assert says_so in failed.message


# What goes wrong


@pytest.mark.parametrize(
    ("status", "kind", "retriable", "says_so"),
    [
        (400, "ValidationException", False, "(ValidationException): "),
        (402, "ServiceQuotaExceededException", False, "has reached a quota"),
        (403, "AccessDeniedException", False, "bedrock-agentcore:InvokeAgentRuntime"),
        (404, "ResourceNotFoundException", False, "there is no such agent in eu-central-1"),
        (424, "RuntimeClientError", False, "the agent itself failed; its log says why"),
        (429, "ThrottlingException", True, "429 Too Many Requests (ThrottlingException)"),
        (500, "InternalServerException", False, "(InternalServerException)"),
        (503, "ServiceUnavailableException", True, "(ServiceUnavailableException)"),
    ],
)
async def test_failures_are_typed_and_explained(
    runtime: Runtime, status: int, kind: str, retriable: bool, says_so: str
) -> None:
    runtime.answer, runtime.status = {"message": "Not now."}, status
    runtime.headers = {"X-Amzn-ErrorType": f"{kind}:http://internal.amazon.com/", "Retry-After": "3"}
    failed = await failure(build(runtime))
    assert (failed.code, failed.phase, failed.retriable, failed.answered) == (f"http_{status}", "target", retriable, True)
    assert failed.retry_after == 3
    assert says_so in failed.message
    assert "Not now." in failed.message


async def test_a_wrong_token_is_not_shown(runtime: Runtime) -> None:
    failed = await failure(build(runtime, token="b-of-another"))
    assert failed.code == "http_401"
    assert "b-of-another" not in failed.message
    assert "the token is wrong or has expired" in failed.message


async def test_nobody_who_could_sign(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    target = build(runtime)
    with pytest.raises(CallError, match="nobody is signed in to AWS here: set AWS_ACCESS_KEY_ID"):
        target.sign_in()
    failed = await failure(target)
    assert (failed.code, failed.sent) == ("sign_in", False)
    assert runtime.asked == []


def test_to_sign_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"target agentcore needs the package boto3, .*: pip install boto3"):
        build()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"arn": "arn:aws:bedrock:eu-central-1:123456789012:agent/X"},
            "is no ARN of a runtime; one is arn:aws:bedrock-agentcore",
        ),
        ({"arn": "a b"}, "is no ARN of a runtime"),
        ({"arn": "desk-a1b2c3d4e5"}, "is an id, no ARN: name the account too, by the option account"),
        ({"arn": "desk-a1b2c3d4e5", "account": "123456789012"}, "there is no region: set the variable AWS_REGION"),
        ({"account": "12"}, "account must be the 12 digits"),
        ({"region": "here"}, '"here" is no region of AWS'),
        ({"endpoint": "there"}, "is no http:// or https:// address"),
        ({"token": "a\nb"}, "cannot be sent"),
        ({"token": "${NO_SUCH_TOKEN}"}, "NO_SUCH_TOKEN, which is not set"),
        ({"prompt": ""}, "prompt is empty"),
        ({"request": "[1]"}, "request must be a JSON object"),
        ({"request": '{"a": "{{imput}}"}'}, "request names {{imput}}"),
        ({"text": "a["}, "text is no JMESPath"),
        ({"limit": 0}, "limit must be at least 1"),
        ({"headers": {"a b": "c"}}, "no name of a header"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_run(options: dict[str, object], words: str) -> None:
    with pytest.raises(BadOptions) as raised:
        build(**options)
    assert words in str(raised.value)


# As it is typed


def test_how_it_is_named() -> None:
    assert specs.parse_spec(f"agentcore:{ARN}") == Use(name="agentcore", options={"arn": ARN})
    assert "agentcore:ARN" in specs.ways("targets")


async def test_a_dataset_is_put_to_it(runtime: Runtime, tmp_path: Path) -> None:
    """The whole way, from a file to the run."""
    file = tmp_path / "cases.jsonl"
    turns = [{"input": {"prompt": "When?", "account_id": 1}, "expected": "We open at 9."}, {"input": "Sure?"}]
    file.write_text(json.dumps({"id": "c", "turns": turns}))
    use = Use(name="agentcore", options={"arn": ARN, "endpoint": runtime.server.base})
    run = await vivavoce.evaluate_async(file, target=use, evaluators=["ExactMatch"], store=str(tmp_path / "runs.db"))
    (result,) = run.results
    assert [turn.reply.text for turn in result.turns] == ["We open at 9."] * 2
    assert runtime.payloads == [{"prompt": "When?", "account_id": 1}, {"prompt": "Sure?"}]
    assert len(set(runtime.sessions)) == 1
    assert SECRET not in json.dumps(run.to_dict())
