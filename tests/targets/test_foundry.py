"""The target `foundry`, before a project that checks what it is sent."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from conftest_targets import HISTORY, TRIAL, Server, ask, failure, request, running

import vivavoce
from vivavoce.core import plugins, specs
from vivavoce.core.errors import BadOptions, CallError, DatasetError, Missing, MissingExtra, UsageError
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Trial, Turn, Use
from vivavoce.core.reply import ToolCall
from vivavoce.targets.foundry import Foundry

PROJECT = "/api/projects/shop"
KEY = "k-0123456789"
VARIABLES = (
    *("AZURE_AI_PROJECT_ENDPOINT", "FOUNDRY_PROJECT_ENDPOINT", "AZURE_AI_API_KEY", "AZURE_AI_AUTH_TOKEN"),
    *("AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE", "MSI_ENDPOINT"),
)


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


class Project:
    """A project of Foundry: agents that repeat what was said, responses and conversations that are kept."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.said: dict[str, list[str]] = {}
        self.inputs: dict[str, list[object]] = {}
        self.tokens = {KEY, "t-0123456789"}
        self.wrong: list[str] = []
        for base in (f"{PROJECT}/openai/v1", f"{PROJECT}/openai", f"{PROJECT}/agents/desk/endpoint/protocols/openai"):
            server.answer(f"{base}/responses", self.respond)
            server.answer(f"{base}/conversations", self.converse)
            server.answer(f"{base}/responses/resp_0", self.kept)
            server.answer(f"{base}/responses/resp_0/input_items", self.listed)

    @property
    def endpoint(self) -> str:
        return self.server.base + PROJECT

    def check(self, asked: web.Request) -> None:
        """Refuse what the service would."""
        shown = asked.headers.get("api-key") or asked.headers.get("Authorization", "").removeprefix("Bearer ")
        if shown not in self.tokens:
            raise web.HTTPUnauthorized(text=json.dumps({"error": {"code": "401", "message": f"no access for {shown}"}}))
        version = asked.query.get("api-version")
        if ("/openai/v1/" in asked.path) is (version is not None):
            raise web.HTTPBadRequest(text=json.dumps({"error": {"message": f"api-version {version} at {asked.path}"}}))

    async def respond(self, asked: web.Request) -> web.StreamResponse:
        self.check(asked)
        body = await asked.json()
        agent = body.get("agent_reference", body.get("agent"))
        if "/agents/" not in asked.path and (agent is None) is ("model" not in body):
            raise web.HTTPBadRequest(text=json.dumps({"error": {"message": "needs a model or an agent_reference"}}))
        if agent is not None and (agent["type"] != "agent_reference" or agent["name"] != "desk"):
            raise web.HTTPNotFound(text=json.dumps({"error": {"code": "not_found", "message": "no such agent"}}))
        new = [each["content"] for each in body["input"] if each["role"] == "user"]
        before = body.get("previous_response_id") or body.get("conversation")
        said = [*(self.said[before] if before else []), *new]
        number = f"resp_{len(self.inputs)}"
        self.said[number] = said
        self.inputs[number] = body["input"]
        if body.get("conversation"):
            self.said[body["conversation"]] = said
        made = response(number, " | ".join(said))
        if not body.get("stream"):
            return web.json_response(made)
        stream = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await stream.prepare(asked)
        for event in ({"type": "response.created"}, {"type": "response.completed", "response": made}):
            await stream.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        return stream

    async def converse(self, asked: web.Request) -> web.Response:
        self.check(asked)
        assert await asked.json() == {}
        number = f"conv_{len(self.said)}"
        self.said[number] = []
        return web.json_response({"id": number, "object": "conversation"})

    async def kept(self, asked: web.Request) -> web.Response:
        self.check(asked)
        assert (asked.method, await asked.read()) == ("GET", b"")
        call = {"type": "function_call", "call_id": "c-1", "name": "find", "arguments": '{"q": 1}'}
        return web.json_response({**response("resp_0", "Paris"), "output": [call, *response("resp_0", "Paris")["output"]]})

    async def listed(self, asked: web.Request) -> web.Response:
        self.check(asked)
        items = [
            {"type": "function_call_output", "call_id": "c-1", "output": "{}"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "And of France?"}]},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Of Spain?"}]},
        ]
        return web.json_response({"object": "list", "data": items, "has_more": False})


def response(number: str, text: str) -> dict[str, object]:
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]
    return {"id": number, "object": "response", "status": "completed", "output": output, "usage": {"input_tokens": 3}}


@pytest.fixture
async def project() -> AsyncIterator[Project]:
    async with running() as server:
        yield Project(server)


def build(project: Project | None = None, /, **more: object) -> Foundry:
    base = {} if project is None else {"endpoint": project.endpoint, "api_key": KEY}
    named = {} if {"agent", "model", "fetch"} & more.keys() else {"agent": "desk"}
    made: Foundry = plugins.build("targets", Use(name="foundry", options={**base, **named, **more}))
    return made


async def talk(target: Foundry, *inputs: str) -> list[str | None]:
    session = target.session(TRIAL)
    replies = [(await session.send(request(text, turn=turn, history=HISTORY))).text for turn, text in enumerate(inputs)]
    await session.close()
    await target.close()
    return replies


# What is sent


async def test_an_agent_is_named_in_every_turn_and_later_ones_name_the_response_before(project: Project) -> None:
    assert await talk(build(project), "one", "two") == ["before | one", "before | one | two"]
    (path, headers, first), (_, _, second) = project.server.asked
    assert path == f"POST {PROJECT}/openai/v1/responses"
    assert headers["api-key"] == KEY
    assert "Authorization" not in headers
    assert first == {
        "agent_reference": {"type": "agent_reference", "name": "desk"},
        "input": [
            {"role": "user", "content": "before"},
            {"role": "assistant", "content": "indeed"},
            {"role": "user", "content": "one"},
        ],
    }
    assert second == {
        "agent_reference": {"type": "agent_reference", "name": "desk"},
        "input": [{"role": "user", "content": "two"}],
        "previous_response_id": "resp_0",
    }


async def test_a_conversation_is_begun_once_for_each_case(project: Project) -> None:
    target = build(project, memory="conversation", version="3")
    assert await talk(target, "one", "two") == ["before | one", "before | one | two"]
    paths = [path for path, *_ in project.server.asked]
    base = f"POST {PROJECT}/openai/v1"
    assert paths == [f"{base}/conversations", f"{base}/responses", f"{base}/responses"]
    bodies = [body for *_, body in project.server.asked[1:]]
    assert {body["conversation"] for body in bodies} == {"conv_0"}
    assert all("previous_response_id" not in body and "store" not in body for body in bodies)
    assert bodies[0]["agent_reference"]["version"] == "3"
    assert [len(body["input"]) for body in bodies] == [3, 1]


async def test_everything_is_said_again_where_nothing_is_to_be_kept(project: Project) -> None:
    await talk(build(project, memory="none"), "one", "two")
    assert [(len(body["input"]), body["store"]) for *_, body in project.server.asked] == [(3, False), (3, False)]


async def test_a_model_is_asked_instead_of_an_agent(project: Project) -> None:
    assert (await ask(build(project, model="gpt-small", extra={"temperature": 0}))).text == "hello"
    assert project.server.last == {"model": "gpt-small", "temperature": 0, "input": [{"role": "user", "content": "hello"}]}


async def test_a_dated_version_has_another_path_and_another_word(project: Project) -> None:
    assert (await ask(build(project, api_version="2025-11-15-preview", agent="desk:7"))).text == "hello"
    assert project.server.asked[0][0] == f"POST {PROJECT}/openai/responses"
    assert project.server.last["agent"] == {"type": "agent_reference", "name": "desk", "version": "7"}


async def test_a_hosted_agent_has_an_address_of_its_own(project: Project) -> None:
    assert await talk(build(project, hosted=True), "one", "two") == ["before | one", "before | one | two"]
    path, headers, body = project.server.asked[0]
    assert path == f"POST {PROJECT}/agents/desk/endpoint/protocols/openai/responses"
    assert headers["Foundry-Features"] == "HostedAgents=V1Preview"
    assert body.keys() == {"input"}


async def test_an_answer_may_come_in_pieces(project: Project) -> None:
    assert (await ask(build(project, stream=True))).text == "hello"
    assert project.server.last["stream"] is True


@pytest.mark.parametrize(
    "copied", ["", "/", "/openai/v1", "/openai/v1/", "/openai", "/openai/v1/responses", "/openai?api-version=1"]
)
async def test_an_endpoint_copied_with_its_path(project: Project, copied: str) -> None:
    assert (await ask(build(project, endpoint=project.endpoint + copied))).text == "hello"


async def test_everything_comes_from_the_environment(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_AI_PROJECT_ENDPOINT", project.endpoint)
    monkeypatch.setenv("AZURE_AI_AUTH_TOKEN", " t-0123456789\n")
    target = build()
    assert (await ask(target)).text == "hello"
    assert project.server.asked[0][1]["Authorization"] == "Bearer t-0123456789"
    assert "t-0123456789" not in repr(target)


# Who asks


@pytest.fixture
async def identity(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[str]]:
    """A host that gives whatever runs on it tokens of its own identity; the tokens, the next one first."""
    tokens: list[str] = []

    async def give(asked: web.Request) -> web.Response:
        assert asked.headers["X-IDENTITY-HEADER"] == "let-me-in"
        assert asked.query["resource"] == "https://ai.azure.com"
        if not tokens:
            raise web.HTTPBadRequest(text=json.dumps({"statusCode": 400, "message": "no identity"}))
        return web.json_response({"access_token": tokens.pop(0), "expires_on": "4102444800", "token_type": "Bearer"})

    async with running() as host:
        monkeypatch.setenv("IDENTITY_ENDPOINT", host.answer("/msi/token", give))
        monkeypatch.setenv("IDENTITY_HEADER", "let-me-in")
        monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
        yield tokens


async def test_whoever_is_signed_in_is_taken_once_and_again_when_refused(project: Project, identity: list[str]) -> None:
    identity += ["t-expired-0123", "t-0123456789", "never asked for"]
    target = build(project, api_key=None)
    assert await talk(target, "one", "two") == ["before | one", "before | one | two"]
    shown = [headers["Authorization"] for _, headers, _ in project.server.asked]
    assert shown == ["Bearer t-expired-0123", "Bearer t-0123456789", "Bearer t-0123456789"]
    assert identity == ["never asked for"]


async def test_a_token_that_is_refused_again_is_a_failure(project: Project, identity: list[str]) -> None:
    identity += ["t-expired-0123", "t-expired-4567"]
    failed = await failure(build(project, api_key=None))
    assert failed.code == "http_401"
    assert "the key or token is wrong or has expired" in failed.message
    assert "t-expired" not in failed.message


async def test_nobody_signed_in_says_what_to_do(project: Project, identity: list[str]) -> None:
    failed = await failure(build(project, api_key=None))
    assert (failed.code, failed.sent) == ("sign_in", False)
    assert "run az login, or set AZURE_AI_AUTH_TOKEN or AZURE_AI_API_KEY" in failed.message
    assert project.server.asked == []


async def test_a_key_needs_no_sign_in(project: Project, identity: list[str]) -> None:
    identity.append("never asked for")
    build(project).sign_in()
    assert identity == ["never asked for"]


def test_what_signing_in_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="pip install azure-identity"):
        build(endpoint="http://a")


# What goes wrong


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "there is no endpoint: set the variable AZURE_AI_PROJECT_ENDPOINT"),
        ({"endpoint": "shop"}, "no http:// or https:// address"),
        ({"endpoint": "http://a", "agent": ""}, "name either an agent, as foundry:AGENT, or a model"),
        ({"endpoint": "http://a", "agent": "desk", "model": "gpt"}, "name either"),
        ({"endpoint": "http://a", "agent": "desk:1", "version": "2"}, "named with version 1, and the option version is 2"),
        ({"endpoint": "http://a", "model": "gpt", "hosted": True}, "hosted is for an agent"),
        ({"endpoint": "http://a", "api_key": "a\nb"}, "cannot be sent"),
        ({"endpoint": "http://a", "api_key": "${NO_SUCH_KEY}"}, "NO_SUCH_KEY, which is not set"),
        ({"endpoint": "http://a", "api_key": KEY, "limit": 0}, "limit must be at least 1"),
        ({"endpoint": "http://a", "api_key": KEY, "memory": "all"}, "memory"),
        ({"endpoint": "http://a", "api_key": KEY, "headers": {"a b": "c"}}, "no name of a header"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_run(options: dict[str, object], words: str) -> None:
    with pytest.raises(BadOptions, match=words):
        build(**options)


async def test_refusals_say_what_to_do(project: Project) -> None:
    nobody = await failure(build(project, agent="dusk:2"))
    assert (nobody.code, nobody.retriable) == ("http_404", False)
    assert "there is no dusk, version 2, here, or endpoint is not the address of its project" in nobody.message
    stranger = await failure(build(project, api_key="k-9876543210"))
    assert "is not meant for https://ai.azure.com" in stranger.message
    assert "k-9876543210" not in stranger.message


async def test_a_conversation_without_an_id_is_no_conversation(project: Project) -> None:
    project.server.says(f"{PROJECT}/openai/v1/conversations", {"object": "conversation"})
    failed = await failure(build(project, memory="conversation"))
    assert failed.code == "bad_payload"
    assert "without the id of a conversation" in failed.message


# Responses that were given before


def recorded(*ids: object, said: object = None, whole: bool = False) -> Trial:
    turns = tuple(Turn(input=said, metadata={} if whole else {"response_id": each}) for each in ids)
    return Trial(
        suite="s",
        case=Case(id="c", turns=turns, metadata={"response_id": ids[0]} if whole else {}),
        repeat=0,
        position=0,
        digest="",
    )


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("kind", ["foundry", "openai"])
async def test_a_response_is_fetched_with_what_it_had_been_asked(project: Project, whole: bool, kind: str) -> None:
    options = {"base_url": f"{project.endpoint}/openai/v1", "model": "any", "headers": {"api-key": KEY}}
    target = (
        build(project, fetch="response_id")
        if kind == "foundry"
        else plugins.build("targets", Use(name="openai", options={**options, "fetch": "response_id"}))
    )
    session = target.session(recorded("resp_0", whole=whole))
    reply = await session.send(request(None))
    await target.close()
    assert (reply.text, reply.tool_calls) == ("Paris", (ToolCall(name="find", arguments={"q": 1}, id="c-1"),))
    assert session.asked == "And of France?"
    base = f"GET {PROJECT}/openai/v1/responses/resp_0"
    assert [(path, body) for path, _, body in project.server.asked] == [(base, None), (f"{base}/input_items", None)]
    assert target.idempotent


async def test_what_the_row_says_is_not_asked_for(project: Project) -> None:
    target = build(project, fetch="response_id", api_version="2025-11-15-preview")
    session = target.session(recorded("resp_0", said="Of France?"))
    assert (await session.send(request("Of France?"))).text == "Paris"
    await target.close()
    assert session.asked is None
    assert len(project.server.asked) == 1


@pytest.mark.parametrize(
    ("ids", "turn", "words"),
    [
        ((None,), 0, 'turn 0 of case c has no "response_id", by which its answer could be fetched'),
        (("../agents",), 0, '"response_id" is ../agents, which is no id of a response'),
        ((7,), 0, "which is no id of a response"),
        (("resp_0", None), 1, 'turn 1 of case c has no "response_id"'),
    ],
)
async def test_an_id_that_is_none_is_never_sent(project: Project, ids: tuple[object, ...], turn: int, words: str) -> None:
    target = build(project, fetch="response_id")
    with pytest.raises(CallError, match=words) as caught:
        await target.session(recorded(*ids)).send(request(None, turn=turn))
    await target.close()
    assert (caught.value.failure.code, caught.value.failure.sent) == ("not_recorded", False)
    assert project.server.asked == []


async def test_a_response_that_is_gone_says_so(project: Project) -> None:
    path = f"{PROJECT}/openai/v1/responses/resp_9"
    project.server.says(path, text='{"error": {"message": "gone"}}', status=404)
    target = build(project, fetch="response_id")
    with pytest.raises(CallError, match="there is no response of this id, or none any more, here"):
        await target.session(recorded("resp_9")).send(request(None))
    await target.close()


async def test_a_list_of_items_that_is_none_is_a_bad_payload(project: Project) -> None:
    project.server.says(f"{PROJECT}/openai/v1/responses/resp_0/input_items", {"data": None})
    target = build(project, fetch="response_id")
    with pytest.raises(CallError, match="without a list of input items") as caught:
        await target.session(recorded("resp_0")).send(request(None))
    await target.close()
    assert caught.value.failure.code == "bad_payload"


# As it is typed


def test_how_it_is_named() -> None:
    assert specs.parse_spec("foundry:desk:3") == Use(name="foundry", options={"agent": "desk:3"})
    assert specs.parse_spec("foundry") == Use(name="foundry")
    assert "foundry:AGENT" in specs.ways("targets")


async def test_rows_of_ids_are_scored(project: Project, tmp_path: Path) -> None:
    """The whole way, from a file to the run."""
    file = tmp_path / "rows.jsonl"
    file.write_text('{"response_id": "resp_0", "ground_truth": "Paris"}\n')
    use = Use(name="foundry", options={"endpoint": project.endpoint, "api_key": KEY, "fetch": "response_id"})
    run = await vivavoce.evaluate_async(file, target=use, evaluators=["ExactMatch"], store=str(tmp_path / "runs.db"))
    (result,) = run.results
    (turn,) = result.turns
    assert (turn.input, turn.reply.text, result.status) == ("And of France?", "Paris", "pass")
    out = io.StringIO()
    plugins.build("formats", Use(name="foundry")).report(run, out)
    again = tmp_path / "evaluated.jsonl"
    again.write_text(out.getvalue())
    (result,) = vivavoce.evaluate(again, evaluators=["ExactMatch"], store=str(tmp_path / "runs.db")).results
    assert (result.turns[0].input, result.turns[0].reply.text, result.status) == ("And of France?", "Paris", "pass")


@pytest.mark.parametrize("given", ["7", '""', '["resp_0"]'])
async def test_a_column_of_ids_that_holds_none_is_told_before_anything_is_run(tmp_path: Path, given: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(f'{{"response_id": {given}, "ground_truth": "Paris"}}\n')
    use = Use(name="foundry", options={"endpoint": "http://a", "api_key": KEY, "fetch": "response_id"})
    with pytest.raises(DatasetError, match="response_id: must be the id of a response"):
        await vivavoce.evaluate_async(file, target=use, store=str(tmp_path / "runs.db"))


async def test_rows_of_ids_alone_are_not_put_to_an_agent(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"response_id": "resp_0"}\n')
    use = Use(name="foundry", options={"endpoint": "http://a", "api_key": KEY, "agent": "desk"})
    with pytest.raises(DatasetError, match="says nothing to the agent"):
        await vivavoce.evaluate_async(file, target=use, store=str(tmp_path / "runs.db"))
    with pytest.raises(UsageError, match=r"neither questions nor answers; .*--target-option fetch=COLUMN"):
        await vivavoce.evaluate_async(file, store=str(tmp_path / "runs.db"))


def test_what_was_asked_is_missing_where_nobody_knows() -> None:
    turn = Turn(input=None)
    with pytest.raises(Missing) as caught:
        _ = Evidence(case=Case(id="c", turns=(turn,)), turn=turn).input
    assert caught.value.names == ("input",)
