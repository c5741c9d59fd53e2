"""What tests of providers and chat judges share: a real endpoint of chat completions, which answers as it is told."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web
from conftest_dialects import told

from vivavoce.core.errors import CallError
from vivavoce.core.result import Failure

KEY = "sk-very-secret-1234"
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]

OPTIONS: dict[str, Callable[[str], dict[str, Any]]] = {
    "openai": lambda base: {"model": "tutor", "base_url": f"{base}/v1", "api_key": KEY},
    "azure": lambda base: {"deployment": "tutor", "endpoint": base, "api_key": KEY},
    "anthropic": lambda base: {"model": "tutor", "base_url": base, "api_key": KEY},
    "bedrock": lambda base: {"model": "tutor", "endpoint": base, "region": "us-east-1", "api_key": KEY},
}
"""How each provider is sent to the endpoint of the tests."""


def completion(content: object, *, finish: str = "stop", model: str | None = "tutor-1", **message: object) -> dict[str, Any]:
    """A chat completion, as an endpoint sends it."""
    said = {"role": "assistant", "content": content, **message}
    body = {"id": "c-1", "object": "chat.completion", "choices": [{"index": 0, "message": said, "finish_reason": finish}]}
    return {**body, "usage": USAGE, **({"model": model} if model else {})}


def says(content: object, **more: Any) -> Answer:
    """Answers with a completion of this content; what is no text is sent as JSON text."""
    text = content if isinstance(content, str | list) or content is None else json.dumps(content)
    return sends(completion(text, **more))


def sends(body: object, status: int = 200, **more: Any) -> Answer:
    """Answers with this body as it is."""

    async def answer(_: web.Request) -> web.StreamResponse:
        if isinstance(body, bytes):
            return web.Response(body=body, status=status, **more)
        return web.json_response(body, status=status, **more)

    return answer


def refuses(status: int, message: str = "no", headers: dict[str, str] | None = None, **error: object) -> Answer:
    """Answers with an error in OpenAI's shape."""
    return sends({"error": {"message": message, "type": "invalid_request_error", **error}}, status, headers=headers)


async def grades(request: web.Request) -> web.StreamResponse:
    """Answers as a judge would: with a grade, or with a label where the question names one."""
    asked = json.dumps(await request.json())
    verdict = {"label": "kind"} if "unkind" in asked else {"score": 4}
    return web.json_response(completion(json.dumps({"reason": "It says what it should, and says it plainly.", **verdict})))


async def hangs(_: web.Request) -> web.StreamResponse:
    """Never answers."""
    await asyncio.Event().wait()
    raise AssertionError("nobody waits for this")


@dataclass
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Models:
    """An endpoint that gives its answers in order, the last again and again, and lacks what it is told to lack."""

    answers: list[Answer] = field(default_factory=list)
    lacks: dict[str, Answer] = field(default_factory=dict)
    """A field of the request, or `field=type` of a `response_format`, that is refused in this way."""
    asked: list[Asked] = field(default_factory=list)
    base: str = ""

    def __call__(self, *answers: Answer) -> str:
        """From now on these are the answers; gives the address of the API."""
        self.answers[:] = answers
        self.asked.clear()
        return f"{self.base}/v1"

    @property
    def last(self) -> Asked:
        return self.asked[-1]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.asked.append(Asked(request.method, request.path, dict(request.query), dict(request.headers), body))
        for lacked, answer in self.lacks.items():
            name, _, kind = lacked.partition("=")
            if name in body and (not kind or body[name]["type"] == kind):
                return told(request, body, await answer(request))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return told(request, body, await answer(request))


@asynccontextmanager
async def endpoint() -> AsyncIterator[Models]:
    """The endpoint, listening on a free port."""
    made = Models()
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_route("*", "/{tail:.*}", made.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()


async def failure(call: Awaitable[object]) -> Failure:
    """How a call fails."""
    with pytest.raises(CallError) as raised:
        await call
    return raised.value.failure


@pytest.fixture
async def models() -> AsyncIterator[Models]:
    """An endpoint for one test."""
    async with endpoint() as made:
        yield made


def no_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is signed in to AWS."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, os.devnull)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key or address of whoever runs the tests."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    no_account(monkeypatch)
    for name in ("OPENAI_ENDPOINT", "API_KEY", "MODEL_NAME", "API_VERSION"):
        monkeypatch.delenv(f"AZURE_AI_{name}", raising=False)
