"""A value that a mapping gives an evaluator's parameter, as evidence."""

from __future__ import annotations

from vivavoce.core import codec
from vivavoce.core.reply import JSON, Message, ToolCall
from vivavoce.formats._foundry import calls
from vivavoce.formats._foundry.conversing import converse
from vivavoce.formats._foundry.names import EVIDENCE
from vivavoce.formats._foundry.saying import Say, text_of

_TEXTS = frozenset({"context", "expected"})


def evidence(param: str, value: JSON, say: Say) -> dict[str, JSON]:
    """Evidence by name, as plain data; a parameter that the vendor does not have is evidence of its own name."""
    name = EVIDENCE.get(param, param)
    if name in ("input", "response", "conversation") and param in EVIDENCE:
        return _said(param, value, say)
    if param == "ground_truth" and isinstance(value, list):
        name = "trajectory"
    if name in _TEXTS:
        return {name: text_of(value)}
    if param == "tool_definitions":
        return {name: list(calls.definitions(value, param, say) or ())}
    if param == "tool_calls":
        return {name: _called(calls.calls(_structured(value), param, say) or ())}
    if param == "actions":
        said = converse({"actions": _structured(value)}.get, say)
        return {name: _called(said.reply.tool_calls or () if said.reply is not None else ())}
    if name == "trajectory":
        names, arguments = calls.expected(_structured(value), param, say) or ((), None)
        return {name: list(names)} | ({} if arguments is None else {"arguments": dict(arguments)})
    return {name: _structured(value)} if param in EVIDENCE else {name: value}


def _said(param: str, value: JSON, say: Say) -> dict[str, JSON]:
    """A question, an answer or a conversation; messages bring what was said before and the tools that were called."""
    if param in ("messages", "conversation"):
        value = _structured(value)
    said = converse({param: value}.get, say)
    made: dict[str, JSON] = {} if said.input is None else {"input": said.input}
    if param != "response" and said.history:
        made["history"] = [codec.plain(each) for each in said.history]
    if said.reply is not None:
        made |= {} if said.reply.text is None else {"response": said.reply.text}
        made |= {} if said.reply.tool_calls is None else {"tool_calls": _called(said.reply.tool_calls)}
    if param in ("messages", "conversation"):
        made["conversation"] = _paragraphs(said.history, made)
    return made


def _paragraphs(history: tuple[Message, ...], made: dict[str, JSON]) -> str:
    said = [*((each.role, each.content) for each in history), ("user", made.get("input"))]
    said += [("tool", {"name": each["name"], "arguments": each["arguments"]}) for each in made.get("tool_calls", ())]
    said += [("assistant", made["response"])] if "response" in made else []
    return "\n\n".join(f"{role}: {text_of(content)}" for role, content in said if content is not None)


def _called(made: tuple[ToolCall, ...]) -> list[JSON]:
    return [codec.plain(each) for each in made]


def _structured(value: JSON) -> JSON:
    """A cell's JSON text as what it says."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return calls.value(value)
        except ValueError:
            return value
    return value
