"""Spans, each made in a word."""

from __future__ import annotations

import json


def span(number: str, start: int, *, trace: str = "a1", parent: str = "", end: int | None = None, events=(), **attributes):
    """A span; a double underscore in the name of an attribute is a dot."""
    given = {name.replace("__", "."): value for name, value in attributes.items()}
    made = {"traceId": trace, "spanId": number, "name": number, "startTimeUnixNano": start, "attributes": given}
    made |= {"parentSpanId": parent} if parent else {}
    made |= {"endTimeUnixNano": end} if end is not None else {}
    return made | ({"events": list(events)} if events else {})


def said(role: str, text: str) -> str:
    """One message, as attributes hold it."""
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def agent(number: str, start: int, asked: str = "", answered: str = "", **more):
    """A span of an agent."""
    messages = {"gen_ai__input__messages": said("user", asked)} if asked else {}
    messages |= {"gen_ai__output__messages": said("assistant", answered)} if answered else {}
    return span(number, start, **{"gen_ai__operation__name": "invoke_agent", **messages, **more})


def tool(number: str, start: int, name: str, **more):
    """A span of a tool."""
    return span(number, start, **{"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": name, **more})


def chat(number: str, start: int, inputs: list, outputs: list, **more):
    """A span of a call of a model."""
    messages = {"gen_ai__input__messages": json.dumps(inputs), "gen_ai__output__messages": json.dumps(outputs)}
    return span(number, start, **{"gen_ai__operation__name": "chat", **messages, **more})


def text(role: str, content: str) -> dict:
    """A message of text."""
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def calls(number: str | None, name: str, arguments: object) -> dict:
    """A message that calls a tool."""
    return {"role": "assistant", "parts": [{"type": "tool_call", "id": number, "name": name, "arguments": arguments}]}


def answers(number: str, response: object) -> dict:
    """A message of what a tool gave back."""
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": number, "response": response}]}
