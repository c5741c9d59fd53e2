"""What was said and found, as the texts that evidence shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from vivavoce.core.reply import JSON, Message, Object, Reply, ToolCall


def exchanged(said: JSON, reply: Reply | None) -> list[Message]:
    """Question, where it is known, and answer, with the tools that were called on the way."""
    messages = [] if said is None else [Message(role="user", content=said)]
    if reply is not None:
        for call in reply.tool_calls or ():
            called = {"name": call.name, "arguments": call.arguments}
            outcome = {"error": call.error} if call.error is not None else {"result": call.result}
            messages.append(Message(role="tool", content={**called, **outcome}))
        if reply.text is not None:
            messages.append(Message(role="assistant", content=reply.text))
    return messages


def called(history: Sequence[Message]) -> Iterator[ToolCall]:
    """The calls that a history tells, in the form in which `exchanged` tells them."""
    for message in history:
        content = message.content
        if message.role == "tool" and isinstance(content, Mapping) and isinstance(content.get("name"), str):
            arguments, result = content.get("arguments"), content.get("result")
            yield ToolCall(name=content["name"], arguments=arguments, result=result, error=content.get("error"))


def plain(content: object) -> str:
    """A message's content; what is no text as JSON."""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def extract_texts(executions: Sequence[Object]) -> Iterator[str]:
    """Every extract's text; parts of another shape than they should be have none."""
    for execution in _objects(executions):
        for hit in _objects(execution.get("retrievalHits")):
            for extract in _objects(hit.get("extracts")):
                if isinstance(text := extract.get("text"), str) and text:
                    yield text


def _objects(value: object) -> Iterator[Object]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        yield from (each for each in value if isinstance(each, Mapping))
