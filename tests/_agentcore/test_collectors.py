"""Collectors of spans: what they tell of an agent that says nothing of its tools itself, and what becomes of their failures."""

from __future__ import annotations

import json

import pytest

from vivavoce.agentcore import (
    AgentInvokerOutput,
    AgentSpanCollector,
    CloudWatchAgentSpanCollector,
    Dataset,
    OnDemandEvaluationDatasetRunner,
    PredefinedScenario,
    Turn,
)
from vivavoce.samples.desk import Desks

TRAJECTORY = "Builtin.TrajectoryExactOrderMatch"
TALK = PredefinedScenario(
    scenario_id="order/mug",
    turns=[Turn(input="Where is order HW-1042?"), Turn(input="Is the blue Tarn mug in stock?")],
    expected_trajectory=["look_up_order", "find_product", "check_stock"],
)


class Memory(AgentSpanCollector):
    """The sample agent, whose doings are in spans of OpenTelemetry's SDK alone, and who has those spans."""

    def __init__(self) -> None:
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        self._desks = Desks()
        self._kept = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._kept))
        self._tracer = provider.get_tracer("desk")
        self.asked: list[tuple[str, bool]] = []

    def answer(self, given) -> str:
        tags = {"gen_ai.operation.name": "invoke_agent", "session.id": given.session_id}
        with self._tracer.start_as_current_span("desk", attributes=tags) as span:
            answer = self._desks.send({"input": given.payload, "session_id": given.session_id})
            for call in answer["tool_calls"]:
                told = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": call["name"]}
                self._tracer.start_span("tool", attributes=told).end()
            span.set_attribute("output.value", answer["text"])
        return answer["text"]

    def collect(self, session_id, start_time, end_time):
        self.asked.append((session_id, start_time <= end_time))
        spans = [json.loads(span.to_json()) for span in self._kept.get_finished_spans()]
        traces = {each["context"]["trace_id"] for each in spans if each["attributes"].get("session.id") == session_id}
        return [each for each in spans if each["context"]["trace_id"] in traces]


@pytest.fixture
def held(config):
    """What came of a scenario whose answers and spans are given by these."""

    def held(invoke, collector):
        runner = OnDemandEvaluationDatasetRunner(judge="none")
        run = runner.run(config(TRAJECTORY), Dataset(scenarios=[TALK]), invoke, collector)
        (scenario,) = run.scenario_results
        return scenario

    return held


@pytest.mark.parametrize("kind", ["text", "nothing", "async"])
def test_spans_tell_of_tools_that_the_answer_does_not(held, kind):
    memory = Memory()

    async def later(given):
        return AgentInvokerOutput(agent_output=memory.answer(given))

    def now(given):
        text = memory.answer(given)
        return AgentInvokerOutput(agent_output=text) if kind == "text" else None

    scenario = held(later if kind == "async" else now, memory)
    assert (scenario.status, scenario.outcome, scenario.error) == ("COMPLETED", "pass", None)
    assert [[call["name"] for call in turn.tool_calls] for turn in scenario.turns] == [
        ["look_up_order"],
        ["find_product", "check_stock"],
    ], "each turn has the spans that came with it"
    assert all(turn.agent_output for turn in scenario.turns)
    assert memory.asked == [(scenario.session_id, True)] * 2


def test_what_the_answer_tells_itself_counts(held):
    memory = Memory()

    def invoke(given):
        memory.answer(given)
        return {"text": "Mine", "tool_calls": [{"name": "own", "arguments": {}}]}

    scenario = held(invoke, memory)
    assert [(turn.agent_output, [call["name"] for call in turn.tool_calls]) for turn in scenario.turns] == [
        ("Mine", ["own"])
    ] * 2


class Given(AgentSpanCollector):
    """Gives what it was given, however often it is asked; raises what is an error."""

    def __init__(self, spans) -> None:
        self._spans = spans

    def collect(self, session_id, start_time, end_time):
        if isinstance(self._spans, Exception):
            raise self._spans
        return self._spans


ROOT = {"traceId": "a1", "spanId": "b1", "startTimeUnixNano": 1, "attributes": {"http.route": "/"}}


@pytest.mark.parametrize(
    ("spans", "told"),
    [
        ([], "has no span of this turn of session order-mug-"),
        ([ROOT], "in which an agent, a model or a tool is at work"),
        (None, "is no span and no export of spans"),
        ([{**ROOT, "traceId": ""}], "[0].traceId: must be an id, and is none"),
        (RuntimeError("logs are closed"), r"the span collector failed: RuntimeError: logs are closed (test_collectors.py:"),
    ],
)
def test_no_spans_are_an_error_and_never_a_completed_run(held, spans, told):
    scenario = held(lambda given: "Hello", Given(spans))
    assert (scenario.status, scenario.outcome) == ("FAILED", "error")
    assert told in scenario.error
    assert [turn.error is not None for turn in scenario.turns] == [True, True]


def test_spans_of_an_earlier_turn_are_not_those_of_a_later_one(held):
    agent = {**ROOT, "attributes": {"gen_ai.operation.name": "invoke_agent", "output.value": "Hello"}}
    scenario = held(lambda given: "Hello", Given([agent, agent]))
    assert [turn.error is None for turn in scenario.turns] == [True, False]
    assert "no span of this turn" in scenario.error


def test_the_collector_of_logs_is_not_asked_unless_it_is_given_something_to_say(held):
    class Mine(CloudWatchAgentSpanCollector):
        def collect(self, session_id, start_time, end_time):
            return []

    plain = held(lambda given: {"text": "Hello", "tool_calls": []}, CloudWatchAgentSpanCollector(log_group_name="/logs"))
    assert plain.status == "COMPLETED"
    assert "no span" in held(lambda given: "Hello", Mine(log_group_name="/logs")).error
