"""An agent behind the Responses API: a conversation to items, a response to a reply, the events of a stream to a response."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from vivavoce.core.reply import JSON, Citation, Message, Object, Reply, ToolCall
from vivavoce.wire import openai
from vivavoce.wire.openai_chat import content

_AWAITED = ("function_call", "custom_tool_call")  # tuples, as what is looked for in them may be any JSON
_CALLS = (*_AWAITED, "mcp_call")
"""Items that call a tool by its name."""
_RESULTS = ("function_call_output", "custom_tool_call_output")
_NO_CALLS = ("message", "reasoning", "mcp_list_tools", "mcp_approval_request", "compaction", *_RESULTS)
_LAST = ("response.completed", "response.incomplete", "response.failed")
_READ = frozenset({"output", "usage", "object", "instructions"})
_FILTERED = "the content filter of the service stopped the answer"


def items(history: Iterable[Message], said: JSON) -> list[dict[str, JSON]]:
    """A conversation as a request carries it; results of tools are left out, as nothing tells whose they are."""
    before = [{"role": each.role, "content": _spoken(each)} for each in history if each.role != "tool"]
    return [*before, {"role": "user", "content": content(said)}]


def reply(payload: JSON) -> Reply:
    """A response as a reply.

    Raises:
        Reported: it has failed.
        ValueError: it is none; the message completes "answered ...".
    """
    output = payload.get("output") if isinstance(payload, Mapping) else None
    if not isinstance(payload, Mapping) or (not isinstance(output, list) and not payload.get("error")):
        raise ValueError("without output")
    output = output if isinstance(output, list) else []
    if payload.get("status") in ("failed", "cancelled") or (payload.get("error") and not output):
        raise openai.Reported(f"that it {payload.get('status', 'failed')} ({openai.fault(json.dumps(payload)).message})")
    if payload.get("status") in ("queued", "in_progress"):
        raise ValueError(f"that it is {payload['status']}: a response in the background is not waited for")
    found = [each for each in output if isinstance(each, Mapping)]
    parts = list(_parts(found))
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    refusal = _refusal(payload, parts)
    calls = _calls(found, payload.get("tools"))
    if not texts and refusal is None and not calls:
        raise ValueError(f"without text or tool calls ({_why(payload)})")
    return Reply(
        text="".join(texts) if texts else refusal if any("refusal" in part for part in parts) else "" if refusal else None,
        tool_calls=calls,
        citations=_citations(parts),
        retrievals=_retrievals(found),
        refusal=refusal,
        usage=openai.usage(payload.get("usage")),
        raw={key: each for key, each in payload.items() if key not in _READ and each is not None} or None,
    )


def asked(payload: JSON) -> JSON:
    """What a response was an answer to, from its list of input items: the last that a user said.

    Raises:
        ValueError: it is no such list; the message completes "answered ...".
    """
    listed = payload.get("data") if isinstance(payload, Mapping) else None
    if not isinstance(listed, list):
        raise ValueError("without a list of input items")
    # The newest comes first.
    said = next((each for each in listed if isinstance(each, Mapping) and each.get("role") == "user"), {})
    parts = said.get("content")
    return openai.text_of(parts) if parts else None


def left_open(payload: Object) -> bool:
    """Whether a response waits for the results of tools, so that no other message can follow it."""
    called = {_number(each) for each in _of(payload, _AWAITED)}
    return bool(called - {_number(each) for each in _of(payload, _RESULTS)})


class Joined:
    """The events of a streamed response, of which the last holds it whole."""

    def __init__(self) -> None:
        self._last: dict[str, JSON] | None = None
        self._done: dict[int, JSON] = {}

    def take(self, event: JSON) -> bool:
        """Take one in; whether it was the last.

        Raises:
            Reported: it is an error of the service's.
        ValueError: it is no event; the message completes "answered ...".
        """
        if not isinstance(event, Mapping):
            raise ValueError("an event that is no object")
        kind = event.get("type")
        if kind == "error" or (kind is None and event.get("error")):
            raise openai.Reported(f"an error ({openai.fault(json.dumps(event)).message})")
        if kind == "response.output_item.done" and type(event.get("output_index")) is int:
            self._done[event["output_index"]] = event.get("item")
        if kind in _LAST and isinstance(event.get("response"), Mapping):
            self._last = dict(event["response"])
        return self._last is not None

    def payload(self) -> dict[str, JSON]:
        """The response.

        Raises:
            ValueError: the stream ended before it was whole.
        """
        if self._last is None:
            raise ValueError("a stream that ended before the response was complete")
        if not self._last.get("output") and self._done:
            # Some services leave out of the last event what earlier ones said.
            return {**self._last, "output": [item for _, item in sorted(self._done.items())]}
        return self._last


def _spoken(message: Message) -> JSON:
    """Parts of text are told by who said them; those of other interfaces are all called `text`."""
    said = content(message.content)
    if not isinstance(said, list | tuple):
        return said
    kind = "output_text" if message.role == "assistant" else "input_text"
    return [{**part, "type": kind} if part["type"] == "text" else part for part in said]


def _number(item: Object) -> str | None:
    """What a call and its result share."""
    number = item.get("call_id")
    return number if isinstance(number, str) else None


def _of(payload: Object, kinds: tuple[str, ...]) -> list[Object]:
    output = payload.get("output")
    found = output if isinstance(output, list) else []
    return [each for each in found if isinstance(each, Mapping) and each.get("type") in kinds]


def _parts(output: Iterable[Object]) -> Iterator[Object]:
    """The parts of all messages."""
    for item in output:
        parts = item.get("content") if item.get("type", "message") == "message" else None
        yield from (part for part in (parts if isinstance(parts, list) else ()) if isinstance(part, Mapping))


def _refusal(payload: Object, parts: Iterable[Object]) -> str | None:
    said = "".join(part["refusal"] for part in parts if isinstance(part.get("refusal"), str))
    return said or (_FILTERED if _why(payload) == "content_filter" else None)


def _why(payload: Object) -> str:
    """Why a response is not complete."""
    details = payload.get("incomplete_details")
    return str(details.get("reason") if isinstance(details, Mapping) else payload.get("status"))


def _calls(output: Iterable[Object], tools: JSON) -> tuple[ToolCall, ...] | None:
    """The calls, each with its result where the response holds it; without any they are unknown, unless it lists its tools."""
    found = list(output)
    results = {_number(each): each.get("output") for each in found if each.get("type") in _RESULTS}
    calls = tuple(_call(each, results) for each in found if each.get("type", "message") not in _NO_CALLS)
    return calls if calls or isinstance(tools, list) else None


def _call(item: Object, results: Mapping[str | None, JSON]) -> ToolCall:
    """A call by its name; what the service runs itself has none, and is told by what it is, such as `file_search`."""
    kind = item.get("type")
    number = item.get("call_id") or item.get("id")
    call = ToolCall(name=str(kind).removesuffix("_call"), id=number if isinstance(number, str) else None)
    if kind not in _CALLS:
        asked = {key: item[key] for key in ("queries", "action", "code") if item.get(key) is not None}
        return replace(call, arguments=asked or None, result=item.get("results", item.get("outputs")))
    name, error = item.get("name"), item.get("error")
    if not isinstance(name, str) or not name:
        raise ValueError("a tool call without a name")
    return replace(
        call,
        name=name,
        arguments=openai.arguments(item.get("arguments", item.get("input"))),
        result=openai.result(results.get(_number(item), item.get("output"))),
        error=error if error is None or isinstance(error, str) else json.dumps(error, ensure_ascii=False),
    )


def _citations(parts: Iterable[Object]) -> tuple[Citation, ...] | None:
    lists = [part["annotations"] for part in parts if isinstance(part.get("annotations"), list)]
    if not lists:
        return None
    return openai.citations(each for some in lists for each in some if isinstance(each, Mapping))


def _retrievals(output: Iterable[Object]) -> tuple[Object, ...] | None:
    """Searches that the service made itself."""
    found = [each for each in output if each.get("type") in ("file_search_call", "web_search_call")]
    return tuple(_search(each) for each in found) or None


def _search(item: Object) -> Object:
    action = item.get("action")
    asked = item.get("queries") or [action.get("query") if isinstance(action, Mapping) else None]
    made: dict[str, JSON] = {
        "capability": str(item["type"]).removesuffix("_call"),
        "status": item.get("status"),
        "queries": [{"queryString": each} for each in asked if isinstance(each, str)] if isinstance(asked, list) else [],
    }
    results = item.get("results")
    if isinstance(results, list):
        hits = [each for each in results if isinstance(each, Mapping)]
        made["totalResultCount"] = len(hits)
        made["retrievalHits"] = [_hit(each, rank) for rank, each in enumerate(hits, 1)]
    return made


def _hit(result: Object, rank: int) -> Object:
    text = result.get("text")
    where = result.get("url") or result.get("filename") or result.get("file_id")
    return {"rank": rank, "webUrl": where, "extracts": [{"text": text}] if isinstance(text, str) else []}
