"""Spans of every make become one kind of span, and what is wrong with one is said where it is."""

from __future__ import annotations

import pytest

from vivavoce.wire.otel import DETAILS, Event, Logged, Span, heard
from vivavoce.wire.otel_values import attributes, moment, plain

TRACE, ID = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
RECORD = {"traceId": TRACE, "spanId": ID, "startTimeUnixNano": "5"}


def read(value):
    told = []

    def say(message, path, fix="", *, soft=False):
        told.append(f"{path}: {message}")

    return [found for found, _ in heard(value, "", say)], told


def test_a_span_is_the_same_however_it_is_written():
    span = Span(trace=TRACE, id=ID, parent="aa", name="n", start=1_000_000_000, end=2_000_000_000, attributes={"a": 1})
    camel = {"traceId": TRACE, "spanId": ID, "parentSpanId": "aa", "name": "n"}
    camel |= {"startTimeUnixNano": "1000000000", "endTimeUnixNano": 2_000_000_000}
    typed = camel | {"attributes": [{"key": "a", "value": {"intValue": "1"}}]}
    snake = {"trace_id": TRACE.upper(), "span_id": ID, "parent_span_id": "aa", "name": "n", "attributes": {"a": 1}}
    snake |= {"start_time": "1970-01-01T00:00:01Z", "end_time": "1970-01-01T01:00:02+01:00"}
    printed = {"context": {"trace_id": f"0x{TRACE}", "span_id": f"0x{ID}"}, "parent_id": "0xaa", "name": "n"}
    printed |= {"start_time": "1970-01-01T00:00:01", "end_time": "1970-01-01T00:00:02.000000Z", "attributes": {"a": 1}}
    old = {"resource_spans": [{"instrumentation_library_spans": [{"spans": [typed]}]}]}
    for value in (
        camel | {"attributes": {"a": 1}},
        typed,
        snake,
        printed,
        [typed],
        {"spans": [typed]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [typed]}]}]},
        old,
    ):
        assert read(value) == ([span], [])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (7, ": is no span and no export of spans"),
        ([[None]], "[0][0]: is no span and no export of spans"),
        ({"name": "x"}, ": is no span and no export of spans"),
        ({"resourceSpans": {}}, "resourceSpans: must be a list"),
        ({"resourceSpans": [{"scopeSpans": [{"spans": ["x"]}]}]}, "resourceSpans[0].scopeSpans[0].spans[0]: must be an object"),
        ({**RECORD, "traceId": None}, 'traceId: needs "traceId"'),
        ({**RECORD, "traceId": 12}, "traceId: must be text"),
        ({**RECORD, "spanId": "0000"}, "spanId: must be an id, and is none"),
        ({**RECORD, "parentSpanId": 3}, "parentSpanId: must be text"),
        ({**RECORD, "startTimeUnixNano": None}, 'startTimeUnixNano: needs "startTimeUnixNano"'),
        ({**RECORD, "startTimeUnixNano": "-1"}, "startTimeUnixNano: is no time"),
        ({**RECORD, "startTimeUnixNano": True}, "startTimeUnixNano: is no time"),
        ({**RECORD, "endTimeUnixNano": "99999999999999999999"}, "endTimeUnixNano: is no time"),
        ({**RECORD, "endTimeUnixNano": "4"}, ": ends before it begins"),
        ({**RECORD, "name": 3}, "name: must be text"),
        ({**RECORD, "attributes": "x"}, "attributes: must be a list"),
        ({**RECORD, "attributes": [{"value": {}}]}, 'attributes[0].key: an attribute needs a text as "key"'),
        ({**RECORD, "attributes": [{"key": "a", "value": {"b": 1}}]}, "attributes[0].value: is no typed value"),
        ({**RECORD, "events": [{}]}, "events[0].name: an event needs a name"),
    ],
)
def test_a_damaged_record_is_said_and_left_out(value, message):
    assert read(value) == ([], [message])


def test_a_parent_of_zeros_is_none_and_nothing_wrong():
    (span,), told = read({**RECORD, "parentSpanId": "0000000000000000", "endTimeUnixNano": "0"})
    assert (span.parent, span.end, told) == (None, None, [])


@pytest.mark.parametrize(
    ("record", "failure"),
    [
        ({}, None),
        ({"status": {"code": 1}}, None),
        ({"status": {"code": "UNSET"}}, None),
        ({"status": {"code": 2, "message": "down"}}, "down"),
        ({"status": {"code": "STATUS_CODE_ERROR"}}, ""),
        ({"status": {"status_code": "StatusCode.ERROR", "description": "d"}}, "d"),
        ({"status": "ERROR", "attributes": {"error.type": "Timeout"}}, "Timeout"),
        ({"statusCode": "error", "events": [{"name": "exception", "attributes": {"exception.message": "m"}}]}, "m"),
    ],
)
def test_a_failure_is_what_the_status_says(record, failure):
    (span,), told = read({**RECORD, **record})
    assert (span.failure, told) == (failure, [])


def test_typed_values_become_plain():
    values = [{"stringValue": "x"}, {"intValue": "-7"}, {"intValue": 7}, {"boolValue": False}, {"doubleValue": 0.5}, {}]
    assert [plain(value) for value in values] == ["x", -7, 7, False, 0.5, None]
    assert plain({"arrayValue": {"values": values[:2]}}) == ["x", -7]
    assert plain({"kvlistValue": {"values": [{"key": "k", "value": {"array_value": {}}}]}}) == {"k": []}
    assert plain({"city": "Paris"}) == {"city": "Paris"}
    assert attributes(None, "", None) == {}


@pytest.mark.parametrize(
    ("value", "nanoseconds"),
    [(1_767_348_000, 1_767_348_000 * 10**9), (1_767_348_000_123, 1_767_348_000_123 * 10**6), (10**18, 10**18)],
)
def test_a_time_without_a_unit_is_told_from_its_size(value, nanoseconds):
    assert moment({"startTime": value}, ("startTime",), "", None) == nanoseconds


def test_a_resource_names_the_conversation_of_its_spans():
    tags = [{"key": "session.id", "value": {"stringValue": "s"}}, {"key": "service.name", "value": {"stringValue": "x"}}]
    (span,), _ = read({"resourceSpans": [{"resource": {"attributes": tags}, "scopeSpans": [{"spans": [RECORD]}]}]})
    assert span.attributes == {"session.id": "s"}


def test_log_records_tell_messages_of_their_span():
    said = [{"role": "user", "content": "hello"}]
    record = {"traceId": TRACE, "spanId": ID, "timeUnixNano": 7, "body": {"input": {"messages": said}}}
    event = Event(name=DETAILS, attributes={"gen_ai.input.messages": said})
    assert read(record) == ([Logged(trace=TRACE, id=ID, start=7, event=event)], [])
    older = {**record, "body": {"content": "hello"}, "attributes": {"event.name": "gen_ai.user.message"}}
    assert read(older)[0][0].event == Event(name="gen_ai.user.message", attributes={"content": "hello"})
    newer = {**record, "body": None, "eventName": DETAILS, "attributes": {"gen_ai.output.messages": "[]"}}
    assert read(newer)[0][0].event == Event(name=DETAILS, attributes={"gen_ai.output.messages": "[]"})
    exported = {"kvlistValue": {"values": [{"key": "output", "value": {"arrayValue": {"values": [{"stringValue": "x"}]}}}]}}
    (log,), told = read({"resourceLogs": [{"scopeLogs": [{"logRecords": [{**record, "body": exported}]}]}]})
    assert (log.event.attributes, told) == ({"gen_ai.output.messages": ["x"]}, [])


def test_other_log_records_are_no_concern_of_an_exam():
    assert read({"body": "listening", "traceId": "", "severityNumber": 9}) == ([], [])
    assert read({"body": {"input": {"messages": []}}, "severityNumber": 9, "spanId": ID, "timeUnixNano": 1})[1] == [
        'traceId: needs "traceId"'
    ]
