"""The sample agent as a model at OpenAI is spoken to: `/v1/models`, `/v1/chat/completions`, `/v1/responses` and more."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping

from aiohttp import web

from vivavoce.core.reply import JSON, Object, Reply, ToolCall
from vivavoce.samples._doors.checked import Answer, Refusal, body_of, needed, pieces, refusing, stream
from vivavoce.samples.desk import BadRequest, Desk

MODEL = "help-desk"
_KEPT = 1000
"""Responses that a later one may name."""
_ROLES = ("system", "developer", "user", "assistant", "tool")


def routes(delay: float) -> list[web.RouteDef]:
    """The addresses of this door; `delay` in seconds before each answer."""
    door = Door(delay, _names_model)
    return [
        web.get("/v1/models", door.models),
        web.post("/v1/chat/completions", refusing(door.complete, refusal)),
        *door.responses("/v1", lambda answer: answer),
    ]


def refusal(message: str, status: int) -> JSON:
    code = "model_not_found" if status == 404 else None
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


class Door:
    """Keeps for each response what was said up to it, so that a later one can follow on; `names` refuses who is not here."""

    def __init__(self, delay: float, names: Callable[[Object], None]) -> None:
        self._delay = delay
        self._names = names
        self._said: OrderedDict[str, list[str]] = OrderedDict()
        self._made: OrderedDict[str, Object] = OrderedDict()

    def responses(self, base: str, let_in: Callable[[Answer], Answer]) -> list[web.RouteDef]:
        """The addresses of responses and conversations below a path, each behind `let_in`."""
        asked: tuple[tuple[str, Answer], ...] = (("responses", self.respond), ("conversations", self.converse))
        given: tuple[tuple[str, Answer], ...] = (("", self.made), ("/input_items", self.items))
        return [
            *(web.post(f"{base}/{path}", refusing(let_in(answer), refusal)) for path, answer in asked),
            *(web.get(f"{base}/responses/{{id}}{path}", refusing(let_in(answer), refusal)) for path, answer in given),
        ]

    async def models(self, request: web.Request) -> web.Response:
        """The one model there is."""
        return web.json_response({"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "hollin-wake"}]})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Chat completions."""
        body = await body_of(request)
        self._names(body)
        messages = needed(body, "messages", list, "a list of messages")
        said = list(_said(messages, "messages"))
        if not said or messages[-1]["role"] != "user":
            raise BadRequest("the last of `messages` must be of the role user")
        reply = _answer(said)
        await asyncio.sleep(self._delay)
        head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": 0, "model": MODEL}
        usage = {"prompt_tokens": _words(said), "completion_tokens": _words([reply.text or ""])}
        if body.get("stream"):
            return await stream(request, _chunks(head, reply, usage), "[DONE]")
        message = {"role": "assistant", "content": reply.text, "tool_calls": _tool_calls(reply)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return web.json_response({**head, "object": "chat.completion", "choices": [choice], "usage": usage})

    async def respond(self, request: web.Request) -> web.StreamResponse:
        """Responses."""
        body = await body_of(request)
        self._names(body)
        given = body.get("input")
        new = [given] if isinstance(given, str) else list(_said(needed(body, "input", list, "text or a list"), "input"))
        if not new:
            raise BadRequest("`input` holds nothing that a user says")
        conversation = body.get("conversation")
        before = body.get("previous_response_id", conversation)
        if before is not None and before not in self._said:
            what = "previous_response_id: no response" if conversation is None else "conversation: none such as"
            raise BadRequest(f"{what} {before} is kept here")
        said = [*(self._said[before] if before is not None else ()), *new]
        reply = _answer(said)
        await asyncio.sleep(self._delay)
        made = _response(said, reply)
        if body.get("store") is not False:
            self._said[made["id"]] = said
            self._made[made["id"]] = made
        if conversation is not None:
            self._said[conversation] = said
        for kept in (self._said, self._made):
            if len(kept) > _KEPT:
                kept.popitem(last=False)
        return await stream(request, _events(made)) if body.get("stream") else web.json_response(made)

    async def converse(self, request: web.Request) -> web.StreamResponse:
        """Begin a conversation."""
        await body_of(request)
        number = f"conv_{uuid.uuid4().hex}"
        self._said[number] = []
        return web.json_response({"id": number, "object": "conversation", "created_at": 0, "metadata": {}})

    async def made(self, request: web.Request) -> web.StreamResponse:
        """A response that was given before."""
        return web.json_response(self._kept(request))

    async def items(self, request: web.Request) -> web.StreamResponse:
        """What was said up to a response, the last first."""
        said = self._said[self._kept(request)["id"]]
        data = [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]} for text in reversed(said)
        ]
        return web.json_response({"object": "list", "data": data, "has_more": False})

    def _kept(self, request: web.Request) -> Object:
        number = request.match_info["id"]
        if number not in self._made:
            raise Refusal(f"no response {number} is kept here", 404)
        return self._made[number]


def _names_model(body: Object) -> None:
    model = needed(body, "model", str, "the name of a model")
    if model != MODEL:
        raise Refusal(f"the model `{model}` does not exist; there is `{MODEL}`", 404)


def _said(messages: list[JSON], at: str) -> Iterator[str]:
    """What the user said; everything else of a conversation is checked alone."""
    for number, message in enumerate(messages):
        if not isinstance(message, Mapping) or message.get("role") not in _ROLES:
            raise BadRequest(f"{at}[{number}].role must be one of {', '.join(_ROLES)}")
        content = message.get("content")
        if isinstance(content, list):
            texts = [each.get("text") if isinstance(each, Mapping) else None for each in content]
            parts = [text for text in texts if isinstance(text, str)]
            if len(parts) < len(texts):
                raise BadRequest(f"{at}[{number}].content: this model reads parts of text alone")
            content = "".join(parts)
        if not isinstance(content, str):
            raise BadRequest(f"{at}[{number}].content must be text")
        if message["role"] == "tool" and not isinstance(message.get("tool_call_id"), str):
            raise BadRequest(f"{at}[{number}].tool_call_id is missing")
        if message["role"] == "user":
            yield content


def _answer(said: list[str]) -> Reply:
    desk = Desk()
    for each in said[:-1]:
        desk.reply(each)
    return desk.reply(said[-1])


def _words(texts: list[str]) -> int:
    """It has no model and so no tokens; words are counted instead."""
    return sum(len(text.split()) for text in texts)


def _tool_calls(reply: Reply) -> list[JSON]:
    return [
        {"id": f"call_{at}", "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for at, call in enumerate(reply.tool_calls or ())
    ]


def _chunks(head: Object, reply: Reply, usage: JSON) -> Iterator[JSON]:
    head = {**head, "object": "chat.completion.chunk"}
    deltas: list[JSON] = [{"role": "assistant"}, *({"content": piece} for piece in pieces(reply.text or ""))]
    deltas += [{"tool_calls": [{**call, "index": at}]} for at, call in enumerate(_tool_calls(reply))]
    for delta in deltas:
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {**head, "choices": [], "usage": usage}


def _response(said: list[str], reply: Reply) -> dict[str, JSON]:
    output: list[JSON] = [item for at, call in enumerate(reply.tool_calls or ()) for item in _items(call, f"call_{at}")]
    annotations = [
        {"type": "url_citation", "url": each.source, "title": each.text, "start_index": 0, "end_index": 0}
        for each in reply.citations or ()
    ]
    part = {"type": "output_text", "text": reply.text, "annotations": annotations}
    output.append({"type": "message", "role": "assistant", "status": "completed", "content": [part]})
    return {
        "id": f"resp_{uuid.uuid4().hex}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": MODEL,
        "output": output,
        "tools": [],
        "usage": {"input_tokens": _words(said), "output_tokens": _words([reply.text or ""])},
    }


def _items(call: ToolCall, number: str) -> list[JSON]:
    """A call, and what came of it."""
    called = {"type": "function_call", "call_id": number, "name": call.name, "arguments": json.dumps(call.arguments)}
    return [called, {"type": "function_call_output", "call_id": number, "output": json.dumps(call.result)}]


def _events(response: Object) -> Iterator[JSON]:
    yield {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}
    *_, message = response["output"]
    for piece in pieces(message["content"][0]["text"]):
        yield {"type": "response.output_text.delta", "output_index": len(response["output"]) - 1, "delta": piece}
    yield {"type": "response.completed", "response": response}
