"""The endpoint of the tests in other services' words: a chat completion as Anthropic or Bedrock would have sent it."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web


def told(request: web.Request, asked: dict[str, Any], response: web.StreamResponse) -> web.StreamResponse:
    """An answer in the words of whoever is asked at this path."""
    words = next((words for end, words in _WORDS.items() if request.path.endswith(end)), None)
    if words is None or not isinstance(response, web.Response):
        return response
    try:
        said = json.loads(response.body)
    except ValueError:
        return response
    if not isinstance(said, dict) or not {"choices", "error"} & said.keys():
        return response
    headers = {name: value for name, value in response.headers.items() if not name.startswith("Content-")}
    return web.json_response(words(said, asked), status=response.status, headers=headers)


def said_last(asked: dict[str, Any]) -> str:
    """The text of the last message of a request, in any dialect."""
    content = asked["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(each["text"] for each in content)


def _anthropic(said: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    if "error" in said:
        return {"type": "error", "error": {"type": "invalid_request_error", **said["error"]}}
    text, reason = _answer(said, {"length": "max_tokens", "content_filter": "refusal", "stop": "end_turn"})
    given = _given(text) if asked.get("tool_choice") else None
    called = {"type": "tool_use", "id": "t-1", "name": "answer", "input": given}
    usage = {"input_tokens": 100, "output_tokens": 20}
    content = [called if given else {"type": "text", "text": text}]
    made = {"id": "m-1", "type": "message", "role": "assistant", "content": content, "stop_reason": reason, "usage": usage}
    return {**made, **({"model": said["model"]} if "model" in said else {})}


def _bedrock(said: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    if "error" in said:
        return {"message": said["error"]["message"]}
    text, reason = _answer(said, {"length": "max_tokens", "content_filter": "guardrail_intervened", "stop": "end_turn"})
    given = _given(text) if "toolChoice" in asked.get("toolConfig", {}) else None
    content = [{"toolUse": {"toolUseId": "t-1", "name": "answer", "input": given}} if given else {"text": text}]
    usage = {"inputTokens": 100, "outputTokens": 20, "totalTokens": 120}
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason, "usage": usage}


def _answer(said: dict[str, Any], reasons: dict[str, str]) -> tuple[str, str]:
    (choice,) = said["choices"]
    reason = "content_filter" if choice["message"].get("refusal") else choice["finish_reason"]
    return choice["message"]["content"] or "", reasons[reason]


def _given(text: str) -> dict[str, Any] | None:
    try:
        given = json.loads(text)
    except ValueError:
        return None
    return given if isinstance(given, dict) else None


_WORDS = {"/v1/messages": _anthropic, "/converse": _bedrock}
