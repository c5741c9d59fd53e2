"""Spans of OpenTelemetry, in every JSON they are written in, as one plain kind of span."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from vivavoce.core.place import join
from vivavoce.core.reply import JSON, Object
from vivavoce.wire.otel_values import WHAT, Say, attributes, identifier, moment, objects, plain

DETAILS = "gen_ai.client.inference.operation.details"
"""The event that tells all messages of a call of a model."""
_MESSAGES = frozenset(("gen_ai.input.messages", "gen_ai.output.messages"))
_EXPORTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        name: (inner, leaf)
        for names, inner, leaf in (
            (
                ("resourceSpans", "resource_spans"),
                ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans"),
                ("spans",),
            ),
            (("resourceLogs", "resource_logs"), ("scopeLogs", "scope_logs"), ("logRecords", "log_records")),
        )
        for name in names
    }
)
"""What an export begins with, and what its two inner lists are called."""
_TRACE = ("traceId", "trace_id")
_SPAN = ("spanId", "span_id")
_STARTS = ("startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")
_KNOWN = frozenset((*_EXPORTS, *_TRACE, *_SPAN, *_STARTS, "context", "spans", "body"))
"""Names without any of which nothing is a record of any kind."""
_OF_LOGS = frozenset(("body", "severityNumber", "severity_number", "eventName", "event_name", "observedTimeUnixNano"))
"""Names that only log records have."""
_INHERITED = re.compile(r"gen_ai\.conversation\.id|session\.id|viva\.case|scenario[._]id|test\.case\.name")
"""Attributes that may stand at the resource instead of at each of its spans."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """Something that happened within a span."""

    name: str
    attributes: Object = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """One piece of work."""

    trace: str
    id: str
    parent: str | None = None
    name: str = ""
    start: int
    """Nanoseconds since 1970."""
    end: int | None = None
    attributes: Object = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    failure: str | None = None
    """What the span's status says, when it is an error; perhaps nothing, `""`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Logged:
    """A log record that belongs to a span: what was said, where spans do not hold it themselves."""

    trace: str
    id: str
    """Of the span."""
    start: int
    event: Event
    attributes: Object = field(default_factory=dict)


Found = tuple[Span | Logged, str]
"""A record, and its path."""


def heard(value: JSON, path: str, say: Say) -> Iterator[Found]:
    """Every span, and every log record that tells messages, of an export, of one record, or of a list of them."""
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from heard(each, join(path, index), say)
    elif not isinstance(value, Mapping) or _KNOWN.isdisjoint(value):
        say("is no span and no export of spans", path, WHAT)
    elif exports := [name for name in _EXPORTS if name in value]:
        for name in exports:
            yield from _exported(value[name], join(path, name), *_EXPORTS[name], say)
    elif isinstance(value.get("spans"), list):
        yield from heard(value["spans"], join(path, "spans"), say)
    else:
        yield from _read(value, path, _inherited(value, path, say), say)


def _exported(given: JSON, path: str, inner: tuple[str, ...], leaf: tuple[str, ...], say: Say) -> Iterator[Found]:
    """What stands in an export, two lists deep."""
    for each, at in objects(given, path, say):
        resource = _inherited(each, at, say)
        for scope, where in _within(each, at, inner, say):
            for record, place in _within(scope, where, leaf, say):
                yield from _read(record, place, resource, say)


def _within(holder: Object, path: str, names: tuple[str, ...], say: Say) -> Iterator[tuple[Object, str]]:
    for name in names:
        if holder.get(name) is not None:
            yield from objects(holder[name], join(path, name), say)


def _read(record: Object, path: str, resource: Object, say: Say) -> Iterator[Found]:
    """A span or a log record, when it is whole; what is wrong with it is said."""
    found = (_span if _OF_LOGS.isdisjoint(record) else _log)(record, path, resource, say)
    if found is not None:
        yield found, path


def _span(record: Object, at: str, resource: Object, say: Say) -> Span | None:
    wrong = False

    def told(message: str, path: str, fix: str = "", *, soft: bool = False) -> None:
        nonlocal wrong
        wrong = True
        say(message, path, fix, soft=soft)

    trace = identifier(record, _TRACE, at, told)
    number = identifier(record, _SPAN, at, told)
    parent = identifier(record, ("parentSpanId", "parent_span_id", "parentId", "parent_id"), at, told, needed=False)
    start = moment(record, _STARTS, at, told)
    end = moment(record, ("endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time"), at, told, needed=False)
    if start is not None and end is not None and end < start:
        told("ends before it begins", at)
    name = record.get("name")
    if not isinstance(name, str | None):
        told("must be text", join(at, "name"))
    own = attributes(record.get("attributes"), join(at, "attributes"), told)
    events = tuple(_events(record, at, told))
    if wrong or trace is None or number is None or start is None:
        return None
    return Span(
        trace=trace,
        id=number,
        parent=parent,
        name=name or "",
        start=start,
        end=end,
        attributes={**resource, **own},
        events=events,
        failure=_failure(record, own, events),
    )


def _events(record: Object, path: str, say: Say) -> Iterator[Event]:
    for each, at in _within(record, path, ("events", "span_events"), say):
        name = each.get("name", each.get("event_name"))
        if isinstance(name, str):
            yield Event(name=name, attributes=attributes(each.get("attributes"), join(at, "attributes"), say))
        else:
            say("an event needs a name", join(at, "name"))


def _failure(record: Object, own: Object, events: tuple[Event, ...]) -> str | None:
    given = record.get("status")
    status = given if isinstance(given, Mapping) else {"code": given}
    code = next((each for key in ("code", "status_code", "statusCode") if (each := status.get(key)) is not None), None)
    code = record.get("status_code", record.get("statusCode")) if code is None else code
    if code != 2 and str(code).upper().rpartition(".")[2].removeprefix("STATUS_CODE_") != "ERROR":
        return None
    said = [status.get("message"), status.get("description"), record.get("status_message")]
    said += [event.attributes.get("exception.message") for event in events]
    said.append(own.get("error.type"))
    return next((each for each in said if isinstance(each, str) and each), "")


def _log(record: Object, path: str, resource: Object, say: Say) -> Logged | None:
    """A log record, if it tells messages: what an application logs beside is no concern of an exam."""
    own = attributes(record.get("attributes"), join(path, "attributes"), say)
    name = own.get("event.name", record.get("eventName", record.get("event_name")))
    event = Event(name=name, attributes=own) if name == DETAILS and _MESSAGES & own.keys() else None
    event = event or _event_of(plain(record.get("body")), name if isinstance(name, str) else "")
    if event is None:
        return None
    trace = identifier(record, _TRACE, path, say)
    number = identifier(record, _SPAN, path, say)
    times = ("timeUnixNano", "time_unix_nano", "observedTimeUnixNano", "observed_time_unix_nano", "timestamp")
    start = moment(record, times, path, say)
    if trace is None or number is None or start is None:
        return None
    return Logged(trace=trace, id=number, start=start, event=event, attributes={**resource, **own})


def _event_of(body: JSON, name: str) -> Event | None:
    """What a log record tells, as an event of its span."""
    if not isinstance(body, Mapping):
        return None
    told: dict[str, JSON] = {}
    for side in ("input", "output"):
        given = body.get(side)
        messages = given.get("messages") if isinstance(given, Mapping) else given
        if isinstance(messages, list):
            told[f"gen_ai.{side}.messages"] = messages
    if told:
        return Event(name=DETAILS, attributes=told)
    of_old = name == "gen_ai.choice" or (name.startswith("gen_ai.") and name.endswith(".message"))
    return Event(name=name, attributes=body) if of_old else None


def _inherited(holder: Object, path: str, say: Say) -> dict[str, JSON]:
    """Those attributes of a resource that its spans inherit."""
    resource = holder.get("resource")
    if not isinstance(resource, Mapping):
        return {}
    found = attributes(resource.get("attributes"), join(path, "resource", "attributes"), say)
    return {key: each for key, each in found.items() if _INHERITED.fullmatch(key)}
