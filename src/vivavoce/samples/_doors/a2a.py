"""The sample agent as A2A agents are spoken to, in versions 0.3 and 1.0; and as Work IQ, which is one of them, is."""

from __future__ import annotations

import asyncio
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from aiohttp import web

from vivavoce.core.reply import JSON, Object, Reply
from vivavoce.samples._doors.checked import Refusal, body_of, needed, pieces, refusing, stream
from vivavoce.samples.desk import BadRequest, Desk

CARD = "/.well-known/agent-card.json"
_KEPT = 1000
"""Conversations, and tasks that may be asked after."""
_METHODS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {"1.0": ("SendMessage", "SendStreamingMessage", "GetTask"), "0.3": ("message/send", "message/stream", "tasks/get")}
)
"""To send, to send and have a stream, to ask after a task."""

Dressed = Callable[[Reply], tuple[list[dict[str, JSON]], Object]]
"""A reply as artifacts, and metadata of the status."""
Check = Callable[[web.Request, Object], None]
"""Raises `BadRequest` for a message that this agent does not take."""


def routes(delay: float) -> list[web.RouteDef]:
    """The addresses of this door; `delay` in seconds before each answer."""
    door = Door(delay)
    return [web.get(CARD, _card), web.post("/a2a", refusing(door.answer, refusal))]


async def _card(request: web.Request) -> web.Response:
    """Who is spoken to, and where: the address at which the card was asked for."""
    url = f"{request.url.origin()}/a2a"
    interfaces = [{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": version} for version in ("1.0", "0.3")]
    skill = {"id": "help", "name": "Help", "description": "Orders, products, deliveries, the handbook.", "tags": ["shop"]}
    card = {
        "name": "Help desk",
        "description": "The help desk of Hollin & Wake.",
        "version": "1.0.0",
        "supportedInterfaces": interfaces,
        "capabilities": {"streaming": True},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [skill],
    }
    return web.json_response({**card, "protocolVersion": "0.3.0", "url": url, "preferredTransport": "JSONRPC"})


def refusal(message: str, status: int) -> JSON:
    """What is wrong with a request, in JSON-RPC."""
    return {"jsonrpc": "2.0", "id": None, "error": {"code": -32602 if status == 400 else -32600, "message": message}}


def plain(reply: Reply) -> tuple[list[dict[str, JSON]], Object]:
    """The text alone: A2A has no words for more."""
    return [{"artifactId": "answer", "name": "Answer", "parts": [{"text": reply.text}]}], {}


class Door:
    """Conversations by the context that each was given, and the tasks they were answered with."""

    def __init__(self, delay: float, dressed: Dressed = plain, check: Check | None = None) -> None:
        self._delay = delay
        self._dressed = dressed
        self._check = check
        self._desks: OrderedDict[str, Desk] = OrderedDict()
        self._tasks: OrderedDict[str, dict[str, JSON]] = OrderedDict()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """A request in JSON-RPC."""
        body = await body_of(request)
        version = request.headers.get("A2A-Version", "0.3")
        if version not in _METHODS:
            raise BadRequest(f"A2A-Version must be one of {', '.join(_METHODS)}, not {version}")
        send, streamed, get = _METHODS[version]
        if body.get("jsonrpc") != "2.0" or not isinstance(body.get("id"), str | int):
            raise BadRequest('a request has `"jsonrpc": "2.0"` and an `id`')
        method, params = body.get("method"), needed(body, "params", dict, "an object")
        if method == get:
            task = self._tasks.get(needed(params, "id", str, "the id of a task"))
            if task is None:
                raise Refusal(f"there is no task {params['id']}", 404)
            return _result(body, _as(version, "task", task))
        if method not in (send, streamed):
            raise BadRequest(f"version {version} has the methods {send}, {streamed} and {get}, not {method}")
        task = self._work(version, request, needed(params, "message", dict, "a message"))
        await asyncio.sleep(self._delay)
        if method == send:
            return _result(body, _wrapped(version, "task", task))
        results = ({"jsonrpc": "2.0", "id": body["id"], "result": each} for each in _steps(version, task))
        return await stream(request, results)

    def _work(self, version: str, request: web.Request, message: Object) -> dict[str, JSON]:
        """The task that a message is answered with."""
        text = _text(version, message)
        if self._check is not None:
            self._check(request, message)
        context = message.get("contextId")
        if context is not None and context not in self._desks:
            raise BadRequest(f"message.contextId: there is no conversation {context}")
        context = str(uuid.uuid4()) if context is None else context
        desk = self._desks.pop(context, None) or Desk()
        artifacts, metadata = self._dressed(desk.reply(text))
        self._desks[context] = desk
        said = {"messageId": str(uuid.uuid4()), "role": "ROLE_AGENT", "parts": [], "metadata": metadata}
        status = {"state": "TASK_STATE_COMPLETED", **({"message": said} if metadata else {})}
        number = str(uuid.uuid4())
        task = {"id": number, "contextId": context, "status": status, "artifacts": artifacts}
        self._tasks[number] = task
        for kept in (self._desks, self._tasks):
            if len(kept) > _KEPT:
                kept.popitem(last=False)
        return task


def _text(version: str, message: Object) -> str:
    """What a message says, of the form that its version has."""
    role = "ROLE_USER" if version == "1.0" else "user"
    if message.get("role") != role:
        raise BadRequest(f"message.role must be {role} in version {version}")
    needed(message, "messageId", str, "the id of the message")
    texts = []
    for part in needed(message, "parts", list, "a list of parts"):
        kind = part.get("kind") if isinstance(part, Mapping) else None
        if not isinstance(part, Mapping) or (kind is None) is not (version == "1.0"):
            raise BadRequest(f"message.parts: a part has {'no' if version == '1.0' else 'a'} `kind` in version {version}")
        if not isinstance(part.get("text"), str):
            raise BadRequest("message.parts: this agent reads text alone")
        texts.append(part["text"])
    if version == "0.3" and message.get("kind") != "message":
        raise BadRequest("message.kind must be message in version 0.3")
    return "".join(texts)


def _result(body: Object, result: JSON) -> web.Response:
    return web.json_response({"jsonrpc": "2.0", "id": body["id"], "result": result})


def _steps(version: str, task: Object) -> Iterator[JSON]:
    """A task as it comes about, the text of its artifacts word by word."""
    head = {"taskId": task["id"], "contextId": task["contextId"]}
    begun = {"id": task["id"], "contextId": task["contextId"], "status": {"state": "TASK_STATE_WORKING"}}
    yield _wrapped(version, "task", begun)
    for artifact in task["artifacts"]:
        (part,) = artifact["parts"]
        parts = [{"text": piece} for piece in pieces(part["text"])] if "text" in part else [part]
        for at, each in enumerate(parts):
            told = {**head, "artifact": {**artifact, "parts": [each]}, "append": at > 0, "lastChunk": at == len(parts) - 1}
            yield _wrapped(version, "artifactUpdate", told)
    final = {"final": True} if version == "0.3" else {}
    yield _wrapped(version, "statusUpdate", {**head, "status": task["status"], **final})


def _wrapped(version: str, name: str, told: Object) -> JSON:
    """By 1.0 a key says what is sent, by 0.3 its `kind` does."""
    return {name: told} if version == "1.0" else _as(version, name, told)


def _as(version: str, name: str, told: Object) -> JSON:
    kinds = {"artifactUpdate": "artifact-update", "statusUpdate": "status-update"}
    return told if version == "1.0" else {"kind": kinds.get(name, name), **_older(told)}


def _older(value: JSON) -> JSON:
    """What 1.0 says, in the words of 0.3: parts and messages have a kind, states and roles are in lower case."""
    if isinstance(value, list):
        return [_older(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    made = {key: each if key in ("data", "metadata") else _older(each) for key, each in value.items()}
    if "state" in made:
        made["state"] = made["state"].removeprefix("TASK_STATE_").lower().replace("_", "-")
    if "messageId" in made:
        made |= {"kind": "message", "role": "agent"}
    for kind in ("text", "data"):
        if kind in made and "parts" not in made and "extracts" not in made:
            made["kind"] = kind
    if "mediaType" in made:
        made["metadata"] = {"mediaType": made.pop("mediaType")}
    return made
