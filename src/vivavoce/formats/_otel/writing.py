"""Suites as spans in OTLP JSON, with a sentence for everything spans cannot hold."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import IO

from vivavoce.core import codec
from vivavoce.core.model import NOTHING, Case, Suite, Turn
from vivavoce.core.reply import JSON, Object, Reply, ToolCall
from vivavoce.wire.losses import Losses
from vivavoce.wire.otel_turns import FAILED, FAILED_BEFORE

Record = dict[str, JSON]

_SECOND = 10**9
_KEPT = frozenset(("traces", "case"))
"""What the reading of spans itself puts beside a case or a turn."""


def write(suite: Suite, out: IO[str]) -> tuple[str, ...]:
    """Write one export a line, each with the spans of one conversation."""
    losses = Losses()
    clock = _SECOND  # when nobody knows when it was, one conversation follows the other
    for case in suite.cases:
        if case.persona is not None or not case.turns:
            losses.add("a case is left out, since nobody has spoken with its simulated user yet", case.id)
            continue
        for what in (*_lost(case), *(_LOST_SPANS if suite.format == "otel" else ())):
            losses.add(what, case.id)
        spans: list[Record] = []
        for index, turn in enumerate(case.turns):
            took = turn.reply.seconds if turn.reply is not None else None
            spans += _spans(case, index, turn, clock)
            clock += _SECOND + (round(took * _SECOND) if took is not None else 0)
        scope = {"scope": {"name": "vivavoce"}, "spans": spans}
        export = {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [scope]}]}
        out.write(codec.encode(export).decode() + "\n")
    about = () if suite.about is None else ("what the suite is about (`about`) has no place in spans",)
    told = () if not suite.metadata else (f"what the suite says of itself ({', '.join(suite.metadata)}) has no place in spans",)
    return (*about, *told, *losses.sentences())


_LOST_SPANS = ("of the spans that were read, what was said, called and found is written, in new spans",)


def _spans(case: Case, index: int, turn: Turn, start: int) -> Iterator[Record]:
    """The span of the agent's work on a turn, and below it those of its tools and searches."""
    trace = _number(16, case.id, index)
    reply = turn.reply or Reply()
    agent = _number(8, case.id, index, "agent")
    named = case.metadata.get("case")
    attributes: Record = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.conversation.id": case.id,
        "viva.reports": "retrievals" if reply.retrievals is not None else None,
        "viva.case": named if isinstance(named, str) else None,
        "gen_ai.input.messages": _message("user", _text(turn.input)),
        "gen_ai.output.messages": _message("assistant", reply.text),
        "gen_ai.tool.definitions": _text(case.tools) if case.tools and not index else None,
        **{f"gen_ai.usage.{name}": each for name, each in reply.usage.items() if name in ("input_tokens", "output_tokens")},
    }
    end = None if reply.seconds is None else start + round(reply.seconds * _SECOND)
    error = None
    if turn.fault is not None and turn.reply is None:
        error = turn.fault.message.removeprefix(FAILED_BEFORE) if turn.fault.code == FAILED else turn.fault.message
    yield _record(trace, agent, None, "invoke_agent", (start, end), attributes, error)
    doings = [(f"execute_tool {call.name}", _called(call), call.error) for call in reply.tool_calls or ()]
    doings += [("retrieval", _searched(each), _failed(each)) for each in reply.retrievals or ()]
    for place, (name, told, failure) in enumerate(doings, 1):
        number = _number(8, case.id, index, "doing", place)
        at = start + place
        yield _record(trace, number, agent, name, (at, at), told, failure)


def _record(
    trace: str, number: str, parent: str | None, name: str, times: tuple[int, int | None], attributes: Record, error: str | None
) -> Record:
    start, end = times
    return {
        "traceId": trace,
        "spanId": number,
        **({} if parent is None else {"parentSpanId": parent}),
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(start),
        **({} if end is None else {"endTimeUnixNano": str(end)}),
        "attributes": [{"key": key, "value": _value(each)} for key, each in attributes.items() if each is not None],
        "status": {} if error is None else {"code": 2, "message": error},
    }


def _called(call: ToolCall) -> Record:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.call.arguments": _text(call.arguments) or ("{}" if call.arguments == "" else None),
        "gen_ai.tool.call.result": _text(call.result),
    }


def _searched(execution: Object) -> Record:
    queries = [each.get("queryString") for each in _objects(execution.get("queries"))]
    hits = execution.get("retrievalHits")
    documents = [
        {
            "id": hit.get("webUrl"),
            "content": "\n\n".join(text for each in _objects(hit.get("extracts")) if isinstance(text := each.get("text"), str)),
        }
        for hit in _objects(hits)
    ]
    capability = execution.get("capability")
    return {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": capability if isinstance(capability, str) and capability.strip() else "retrieval",
        "gen_ai.retrieval.query.text": next((each for each in queries if isinstance(each, str)), None),
        "gen_ai.retrieval.documents": None if hits is None else _text(documents),
    }


def _failed(execution: Object) -> str | None:
    return "" if execution.get("status") == "error" else None


def _objects(given: JSON) -> Iterator[Object]:
    yield from (each for each in (given if isinstance(given, list | tuple) else ()) if isinstance(each, Mapping))


def _message(role: str, text: str | None) -> str | None:
    return None if text is None else _text([{"role": role, "parts": [{"type": "text", "content": text}]}])


def _text(value: JSON) -> str | None:
    return value if isinstance(value, str | None) else codec.encode(value).decode()


def _value(value: JSON) -> Record:
    return {"intValue": str(value)} if type(value) is int else {"stringValue": _text(value)}


def _number(size: int, *parts: str | int) -> str:
    """An id that follows from what it is of."""
    told = "\n".join(str(part) for part in parts)
    return hashlib.blake2b(told.encode(errors="replace"), digest_size=size).hexdigest()


def _lost(case: Case) -> Iterator[str]:
    """Everything of a case that spans do not hold."""
    if case.name is not None or case.category is not None:
        yield "names and categories of cases have no place in spans"
    if case.history:
        yield "what was said before a case begins has no place in spans"
    if any(check.origin != "default" for check in (*case.checks, *(check for turn in case.turns for check in turn.checks))):
        yield "evaluators have no place in spans; name them with --evaluator"
    if any(expect is not NOTHING for expect in (case.expect, *(turn.expect for turn in case.turns))):
        yield "what is expected has no place in spans; keep the suite, and join it with them by --traces"
    if any(turn.context is not None for turn in case.turns):
        yield "the context of a question has no place in spans"
    if case.metadata.keys() - _KEPT or any(turn.metadata.keys() - _KEPT for turn in case.turns):
        yield "metadata have no place in spans"
    if any(not isinstance(turn.input, str) for turn in case.turns):
        yield "an input that is an object is written as JSON text, and none as nothing"
    for turn in case.turns:
        if turn.reply is None:
            yield "of a turn without an answer its question alone is written"
        else:
            yield from _lost_of_reply(turn.reply)


def _lost_of_reply(reply: Reply) -> Iterator[str]:
    more = ("citations", "rows", "intent", "refusal", "insight", "raw")
    found = [name for name in more if getattr(reply, name) is not None]
    if found:
        yield f"of answers spans hold text, tools, searches and tokens, not {', '.join(found)}"
    if reply.tool_calls is None:
        yield "an answer that does not tell of tools becomes one that called none"
    if reply.retrievals is not None:
        yield "of searches the first query is written, and of what they found, text and address"
    if any(not isinstance(call.arguments, Mapping | None) or call.result is not None for call in reply.tool_calls or ()):
        yield "arguments and results of tools that are no object are written as text"
    if reply.usage.keys() - {"input_tokens", "output_tokens"}:
        yield "what an answer cost has no place in spans"
