"""The contract of every target: conversations do not mix, failures are typed, and nothing is left behind."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import inspect
import re
import sys
import textwrap
import threading
import warnings
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from aiohttp import web
from conftest_targets import request, running

from vivavoce.core import plugins, specs
from vivavoce.core.errors import CallError
from vivavoce.core.kinds import Session, Target
from vivavoce.core.model import Case, Trial, Turn, Use
from vivavoce.core.reply import Message, Reply

TARGETS = plugins.names("targets")

PROGRAM = """
import json, os, sys, time
said = []
def answer(request):
    text = request["input"]
    if text == "fail":
        raise SystemExit("told to fail")
    if text == "wait":
        time.sleep(600)
    said.append(text)
    return " | ".join(said)
"""


class Memory:
    """An agent that repeats all that was said to it, fails when told to, and waits when told to."""

    def __init__(self) -> None:
        self.said: list[str] = []

    async def send(self, request: dict[str, object]) -> str:
        if request["input"] == "fail":
            raise ValueError("told to fail")
        if request["input"] == "wait":
            await asyncio.Event().wait()
        self.said.append(str(request["input"]))
        await asyncio.sleep(0)
        return " | ".join(self.said)


@asynccontextmanager
async def python_agent(folder: Path) -> AsyncIterator[dict[str, object]]:
    name = "contract_agent"
    (folder / f"{name}.py").write_text(f"import asyncio\n\n\n{textwrap.dedent(inspect.getsource(Memory))}")
    yield {"spec": f"{name}:Memory"}
    sys.modules.pop(name)
    sys.path.remove(str(folder))


@asynccontextmanager
async def command_agent(folder: Path) -> AsyncIterator[dict[str, object]]:
    loop = "for line in sys.stdin:\n    print(json.dumps(answer(json.loads(line))))\n"
    (folder / "agent.py").write_text(PROGRAM + loop)
    yield {"argv": f"{sys.executable} -S agent.py"}


@asynccontextmanager
async def http_agent(folder: Path) -> AsyncIterator[dict[str, object]]:
    memories: dict[str, Memory] = {}

    async def answer(asked: web.Request) -> web.Response:
        body = await asked.json()
        return web.json_response(await memories.setdefault(body["session_id"], Memory()).send(body))

    async with running() as server:
        yield {"url": server.answer("/chat", answer)}


@asynccontextmanager
async def openai_agent(folder: Path, api: str) -> AsyncIterator[dict[str, object]]:
    kept: dict[str, Memory] = {}

    async def complete(asked: web.Request) -> web.Response:
        memory = Memory()
        for message in (await asked.json())["messages"]:
            if message["role"] == "user":
                text = await answered(memory, message["content"])
        message = {"role": "assistant", "content": text}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})

    async def converse(asked: web.Request) -> web.Response:
        number = f"c-{len(kept)}"
        kept[number] = Memory()
        return web.json_response({"id": number})

    async def respond(asked: web.Request) -> web.Response:
        body = await asked.json()
        before = body.get("previous_response_id", body.get("conversation"))
        memory = kept[before] if before else Memory()
        text = await answered(memory, body["input"][-1]["content"])
        number = f"r-{len(kept)}"
        kept[number] = memory
        output = [{"type": "message", "content": [{"type": "output_text", "text": text}]}]
        return web.json_response({"id": number, "status": "completed", "output": output})

    async with running() as server:
        server.answer("/v1/chat/completions", complete)
        server.answer("/v1/responses", respond)
        server.answer("/project/openai/v1/responses", respond)
        server.answer("/project/openai/v1/conversations", converse)
        yield {"model": "memory", "base_url": f"{server.base}/v1", "api": api}


@asynccontextmanager
async def foundry_agent(folder: Path, memory: str) -> AsyncIterator[dict[str, object]]:
    async with openai_agent(folder, "responses") as options:
        base = str(options["base_url"]).removesuffix("/v1")
        yield {"agent": "memory", "endpoint": f"{base}/project", "api_key": "k-123456", "memory": memory}


@asynccontextmanager
async def saiku_agent(folder: Path, login: str) -> AsyncIterator[dict[str, object]]:
    async def answer(asked: web.Request) -> web.Response:
        body = await asked.json()
        memory = Memory()
        for said in [*(each["content"] for each in body.get("history", ()) if each["role"] == "user"), body["question"]]:
            text = await answered(memory, said)
        return web.json_response({"degraded": False, "insight": {"markdown": text}})

    async def sign_in(asked: web.Request) -> web.Response:
        response = web.Response(status=302, headers={"Location": "/"})
        response.set_cookie("JSESSIONID", "s-1")
        return response

    async with running() as server:
        server.answer("/login", sign_in)
        server.answer("/rest/saiku/api/ai/ask", answer)
        yield {"url": server.base, "cube": "a/b/c/d", "login": login}


@asynccontextmanager
async def a2a_agent(folder: Path, version: str) -> AsyncIterator[dict[str, object]]:
    async with running() as server:
        yield {"url": server.answer("/rpc", rpc()), "card": False, "version": version}


@asynccontextmanager
async def m365_agent(folder: Path) -> AsyncIterator[dict[str, object]]:
    async with running() as server:
        server.answer("/T_memory.declarativeAgent", rpc())
        yield {"agent": "T_memory", "endpoint": server.base, "token": "t-123456"}


@asynccontextmanager
async def agentcore_agent(folder: Path) -> AsyncIterator[dict[str, object]]:
    memories: dict[str, Memory] = {}
    arn = "arn:aws:bedrock-agentcore:us-east-1:123456789012:runtime/memory-0"

    async def invoke(asked: web.Request) -> web.Response:
        session = asked.headers["X-Amzn-Bedrock-AgentCore-Runtime-Session-Id"]
        text = await answered(memories.setdefault(session, Memory()), (await asked.json())["prompt"])
        return web.json_response({"result": text})

    async with running() as server:
        server.answer(f"/runtimes/{arn}/invocations", invoke)
        yield {"arn": arn, "endpoint": server.base, "token": "t-123456"}


def rpc() -> Callable[[web.Request], Awaitable[web.Response]]:
    """An A2A agent of either version, with a memory for each context."""
    memories: dict[str, Memory] = {}

    async def answer(asked: web.Request) -> web.Response:
        said = (await asked.json())["params"]["message"]
        context = said.get("contextId") or f"c-{len(memories)}"
        text = await answered(memories.setdefault(context, Memory()), said["parts"][0]["text"])
        message = {"kind": "message", "contextId": context, "messageId": "m", "parts": [{"kind": "text", "text": text}]}
        new = asked.headers.get("A2A-Version") == "1.0"
        return web.json_response({"jsonrpc": "2.0", "id": "1", "result": {"message": message} if new else message})

    return answer


async def answered(memory: Memory, text: str) -> str:
    """What the agent says, with a failure as a service would tell it."""
    try:
        return await memory.send({"input": text})
    except ValueError as error:
        raise web.HTTPBadRequest(text=str(error)) from None


@asynccontextmanager
async def nothing_needed(folder: Path) -> AsyncIterator[dict[str, object]]:
    yield {}


AGENTS: dict[str, Callable[[Path], object]] = {
    "a2a": partial(a2a_agent, version="1.0"),
    "agentcore": agentcore_agent,
    "a2a 0.3": partial(a2a_agent, version="0.3"),
    "foundry": partial(foundry_agent, memory="response"),
    "foundry conversation": partial(foundry_agent, memory="conversation"),
    "python": python_agent,
    "command": command_agent,
    "http": http_agent,
    "m365": m365_agent,
    "openai": partial(openai_agent, api="chat"),
    "openai responses": partial(openai_agent, api="responses"),
    "recorded": nothing_needed,
    "saiku": partial(saiku_agent, login="basic"),
    "saiku session": partial(saiku_agent, login="session"),
}
"""For each target, and each of its ways, an agent that behaves as `Memory` does; gives the options of the target."""


def trial(name: str, *inputs: str) -> Trial:
    """A case of these turns, with the answers of `Memory` recorded; of "fail" there is none."""
    turns = tuple(
        Turn(input=text, reply=None if text == "fail" else Reply(text=" | ".join(inputs[: number + 1])))
        for number, text in enumerate(inputs)
    )
    return Trial(suite="s", case=Case(id=name, turns=turns), repeat=0, position=0, digest="")


def test_every_target_is_held_to_the_contract():
    assert {name.split()[0] for name in AGENTS} == set(TARGETS), "give each target an agent above"


@pytest.fixture(params=AGENTS)
async def target(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Target]:
    monkeypatch.chdir(tmp_path)
    async with AsyncExitStack() as stack:
        options = await stack.enter_async_context(AGENTS[request.param](tmp_path))
        made = plugins.build("targets", Use(name=request.param.split()[0], options=options))
        yield made
        await made.close()


async def talk(session: Session, name: str, *inputs: str) -> list[str | None]:
    replies: list[str | None] = []
    history: tuple[Message, ...] = ()
    for turn, text in enumerate(inputs):
        replies.append((await session.send(request(text, turn=turn, session=name, history=history))).text)
        history += (Message(role="user", content=text), Message(role="assistant", content=replies[-1]))
    await session.close()
    return replies


async def test_conversations_at_once_do_not_mix(target):
    talks = {name: [f"{name}{turn}" for turn in range(4)] for name in "abcde"}
    sessions = {name: target.session(trial(name, *inputs)) for name, inputs in talks.items()}
    said = await asyncio.gather(*(talk(sessions[name], name, *inputs) for name, inputs in talks.items()))
    assert said == [[" | ".join(inputs[: turn + 1]) for turn in range(4)] for inputs in talks.values()]


async def test_a_failure_is_typed(target):
    session = target.session(trial("a", "hello", "fail"))
    await session.send(request("hello", session="a"))
    with pytest.raises(CallError) as raised:
        await session.send(request("fail", turn=1, session="a"))
    await session.close()
    failure = raised.value.failure
    assert re.fullmatch(r"[a-z][a-z0-9_]+", failure.code)
    assert failure.phase == "target"
    assert failure.message.isprintable()
    assert len(failure.message) > 10
    assert failure.retriable is False


async def test_a_session_closes_after_a_failure_and_unused(target):
    failed, unused = target.session(trial("a", "fail")), target.session(trial("b", "x"))
    with pytest.raises(CallError):
        await failed.send(request("fail", session="a"))
    for session in (failed, unused):
        await session.close()
    # The target serves others all the same.
    assert await talk(target.session(trial("c", "hello")), "c", "hello") == ["hello"]


async def test_nothing_is_left_behind(target):
    before, threads = asyncio.all_tasks(), {thread for thread in threading.enumerate() if not thread.daemon}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        await asyncio.gather(*(talk(target.session(trial(name, "x", "y")), name, "x", "y") for name in "abc"))
        await target.close()
        await asyncio.sleep(0)
        gc.collect()
    assert {task for task in asyncio.all_tasks() - before if "aiohttp/web" not in str(task.get_coro())} == set()
    assert {thread for thread in threading.enumerate() if not thread.daemon} == threads


async def test_a_call_that_is_cancelled_is_over(target):
    session = target.session(trial("a", "wait"))
    if type(target).__name__ == "Recorded":
        # A recording never keeps one waiting: there is nothing to cancel, and the session is as good as before.
        await asyncio.wait_for(session.send(request("wait", session="a")), 20)
    else:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(session.send(request("wait", session="a")), 0.3)
    await asyncio.wait_for(session.close(), 20)
    assert await talk(target.session(trial("b", "hello")), "b", "hello") == ["hello"]


@pytest.mark.parametrize("status", [302, 303, 307])
@pytest.mark.parametrize("name", [name for name in AGENTS if name.split()[0] not in ("python", "command", "recorded")])
async def test_who_is_redirected_to_another_server_sends_it_nothing(name, status, tmp_path):
    async with AGENTS[name](tmp_path) as options, running() as trap, running() as other:

        async def moved(asked: web.Request) -> web.Response:
            return web.Response(status=status, headers={"Location": other.base + asked.path_qs})

        trap.routes = defaultdict(lambda: moved)
        led = {
            key: re.sub(r"http://127\.0\.0\.1:\d+", trap.base, text) if isinstance(text, str) else text
            for key, text in options.items()
        }
        target = plugins.build("targets", Use(name=name.split()[0], options=led))
        session = target.session(trial("a", "hello"))
        with pytest.raises(CallError) as raised:
            await session.send(request("hello", session="a"))
        await session.close()
        await target.close()
        assert raised.value.failure.retriable is False
        assert trap.asked
        assert other.asked == []


@pytest.mark.parametrize("name", TARGETS)
def test_the_manual_is_complete(name):
    made_by = plugins.find("targets", name)
    manual = plugins.manual("targets", name)
    for part in ("Speaks:", "Options:", "Example:", "Limits:", "Source:"):
        assert f"\n{part}" in manual, part
    source = "".join(inspect.getsource(each) for each in made_by.__mro__ if each.__module__.startswith("vivavoce."))
    for option in dataclasses.fields(made_by):
        assert f"`{option.name}`" in manual.partition("\nOptions:")[2].partition("\nExample:")[0], option.name
        assert re.search(rf'\n    {option.name}: [^\n]+\n    """', source), f"{option.name} is not documented"


@pytest.mark.parametrize("name", TARGETS)
def test_the_way_to_name_it_leads_to_it(name):
    made_by = plugins.find("targets", name)
    main = getattr(made_by, "main", None)
    assert main is None or main in {option.name for option in dataclasses.fields(made_by)}
    (way,) = [way for way in specs.ways("targets") if way.startswith(name)]
    typed = way.replace("(s)", "")
    assert specs.parse_spec(typed).name == name
