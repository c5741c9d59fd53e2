"""What the sample agent does, as spans of OpenTelemetry in a file: written by its own SDK, in OTLP JSON, one export a line.

The package opentelemetry-sdk is no dependency of Viva: install it to have the agent write spans.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.core.errors import UsageError
from vivavoce.core.reply import JSON, Object

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import Tracer

Send = Callable[[JSON], dict[str, JSON]]


class Spans:
    """Writes the spans of everything that is said to the agent.

    Raises:
        UsageError: the SDK is not installed.
    """

    def __init__(self, path: Path) -> None:
        try:
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        except ImportError as error:
            raise UsageError(f"spans are written by opentelemetry-sdk, so install that: {error}") from None
        self._provider = TracerProvider(resource=Resource({"service.name": "hollin-wake-desk"}))
        self._provider.add_span_processor(SimpleSpanProcessor(_exporter(path)))

    def told(self, send: Send) -> Send:
        """The agent, each of whose answers leaves its spans."""
        tracer = self._provider.get_tracer("vivavoce.samples.desk")

        def send_and_tell(request: JSON) -> dict[str, JSON]:
            with tracer.start_as_current_span("invoke_agent help desk", attributes=_asked(request)) as span:
                answer = send(request)
                span.set_attribute("gen_ai.output.messages", _message("assistant", answer["text"]))
                _tell_doings(tracer, answer)
            return answer

        return send_and_tell

    def close(self) -> None:
        """Write what is left."""
        self._provider.shutdown()


def _exporter(path: Path):  # type: ignore[no-untyped-def] # of a class that is known only once the SDK is imported
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class File(SpanExporter):
        """Appends each export as a line."""

        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            resource = {"attributes": _attributes(spans[0].resource.attributes if spans else {})}
            scopes = [{"scope": {"name": "vivavoce.samples.desk"}, "spans": [_record(span) for span in spans]}]
            line = json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": scopes}]}, ensure_ascii=False)
            with path.open("a", encoding="utf-8") as out:
                out.write(line + "\n")
            return SpanExportResult.SUCCESS

    return File()


def _asked(request: JSON) -> dict[str, str]:
    """What a request tells, as attributes of the agent's span."""
    told = request if isinstance(request, Mapping) else {}
    said = told.get("input")
    named = {"gen_ai.conversation.id": told.get("session_id"), "viva.case": told.get("case")}
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "help desk",
        "viva.reports": "retrievals",
        "gen_ai.input.messages": _message("user", said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)),
        **{name: value for name, value in named.items() if isinstance(value, str)},
    }


def _tell_doings(tracer: Tracer, answer: Object) -> None:
    """A span for each tool that was called and each search that was made, in their order."""
    began = time.time_ns()
    doings = [(f"execute_tool {call['name']}", _called(call)) for call in answer.get("tool_calls", ())]
    doings += [("retrieval", _searched(each)) for each in answer.get("retrievals", ())]
    for place, (name, attributes) in enumerate(doings):
        # They were done a moment ago; what counts of their times is their order.
        tracer.start_span(name, attributes=attributes, start_time=began + place).end(began + place + 1)


def _called(call: Object) -> dict[str, str]:
    told = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call["name"],
        "gen_ai.tool.call.arguments": json.dumps(call["arguments"], ensure_ascii=False),
    }
    result = call["result"]
    return told if result is None else {**told, "gen_ai.tool.call.result": json.dumps(result, ensure_ascii=False)}


def _searched(execution: Object) -> dict[str, str]:
    documents = [
        {"id": hit.get("webUrl"), "content": "\n".join(each["text"] for each in hit.get("extracts", ()))}
        for hit in execution.get("retrievalHits", ())
    ]
    return {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": execution["capability"],
        "gen_ai.retrieval.query.text": execution["queries"][0]["queryString"],
        "gen_ai.retrieval.documents": json.dumps(documents, ensure_ascii=False),
    }


def _message(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}], ensure_ascii=False)


def _record(span: ReadableSpan) -> dict[str, JSON]:
    """A span of the SDK as OTLP JSON has it."""
    context = span.get_span_context()
    assert context is not None
    return {
        "traceId": f"{context.trace_id:032x}",
        "spanId": f"{context.span_id:016x}",
        **({} if span.parent is None else {"parentSpanId": f"{span.parent.span_id:016x}"}),
        "name": span.name,
        "kind": span.kind.value + 1,
        "startTimeUnixNano": str(span.start_time),
        "endTimeUnixNano": str(span.end_time),
        "attributes": _attributes(span.attributes or {}),
        "status": {"code": span.status.status_code.value, "message": span.status.description or ""},
    }


def _attributes(given: Mapping[str, object]) -> list[JSON]:
    return [{"key": key, "value": {"stringValue": str(each)}} for key, each in given.items()]
