"""JSON Schema of spans, for editors."""

from __future__ import annotations

from vivavoce.core.reply import JSON, Object


def made() -> Object:
    """Of an export, one a document or one a line; and of a single span."""
    text = {"type": "string"}
    time = {"type": ["string", "integer"], "description": "Nanoseconds since 1970."}
    span: dict[str, JSON] = {
        "type": "object",
        "required": ["traceId", "spanId", "startTimeUnixNano"],
        "properties": {
            "traceId": text,
            "spanId": text,
            "parentSpanId": text,
            "name": text,
            "kind": {},
            "startTimeUnixNano": time,
            "endTimeUnixNano": time,
            "attributes": {"type": ["array", "object"], "description": "Typed attributes of OTLP, or a plain object."},
            "events": {"type": "array", "items": {"type": "object"}},
            "status": {"type": "object"},
            "resource": {"type": "object"},
            "scope": {"type": "object"},
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Spans of OpenTelemetry",
        "anyOf": [{"$ref": "#/$defs/export"}, {"$ref": "#/$defs/span"}, {"type": "array", "items": {"$ref": "#/$defs/span"}}],
        "$defs": {
            "export": {
                "type": "object",
                "required": ["resourceSpans"],
                "properties": {"resourceSpans": {"type": "array", "items": {"$ref": "#/$defs/resource"}}},
            },
            "resource": {
                "type": "object",
                "properties": {
                    "resource": {"type": "object"},
                    "scopeSpans": {"type": "array", "items": {"$ref": "#/$defs/scope"}},
                },
            },
            "scope": {
                "type": "object",
                "properties": {"scope": {"type": "object"}, "spans": {"type": "array", "items": {"$ref": "#/$defs/span"}}},
            },
            "span": span,
        },
    }
