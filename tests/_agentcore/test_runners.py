"""The vendor's runners over the sample agent: results per scenario, averages, and what becomes of everything that fails."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from pydantic import BaseModel, ValidationError

from vivavoce._agentcore.invoking import answer, session_name
from vivavoce.agentcore import (
    ActorProfile,
    AgentInvokerOutput,
    BatchEvaluationRunConfig,
    BatchEvaluationRunner,
    BatchEvaluatorConfig,
    CloudWatchAgentSpanCollector,
    CloudWatchDataSourceConfig,
    Dataset,
    EvaluationResult,
    EvaluationRunConfig,
    EvaluatorConfig,
    OnDemandEvaluationDatasetRunner,
    PredefinedScenario,
    SimulatedScenario,
    SimulationConfig,
    Turn,
)
from vivavoce.core.errors import DatasetError, PluginError, UsageError

SHIPPED = "Order HW-1042 is on its way with Fellside Post and should arrive on 31 March 2026."
ORDER = PredefinedScenario(
    scenario_id="order",
    scenario_description="An order on its way",
    turns=[Turn(input="Where is order HW-1042?", expected_response=SHIPPED)],
    expected_trajectory=["look_up_order"],
    metadata={"owner": "Ines"},
)
MUG = PredefinedScenario(
    scenario_id="mug",
    turns=[Turn(input={"prompt": "Is the blue Tarn mug in stock?"}), Turn(input="And the Ember flask in red?")],
    expected_trajectory=["find_product", "check_stock", "find_product", "check_stock"],
)
TRAJECTORY = "Builtin.TrajectoryExactOrderMatch"


def dataset(*scenarios: PredefinedScenario) -> Dataset:
    return Dataset(scenarios=list(scenarios or (ORDER, MUG)))


def values(result, evaluator: str) -> list:
    (found,) = [each for each in result.evaluator_results if each.evaluator_id == evaluator]
    return [entry.get("value") for entry in found.results]


def test_results_come_scenario_by_scenario(invoker, config):
    result = OnDemandEvaluationDatasetRunner(region="eu-west-1").run(
        config=config(TRAJECTORY, "ExactMatch", evaluation_delay_seconds=180),
        dataset=dataset(),
        agent_invoker=invoker,
        span_collector=CloudWatchAgentSpanCollector(log_group_name="/logs", region="eu-west-1"),
    )
    order, mug = result.scenario_results
    assert (order.scenario_id, order.status, order.error, order.outcome) == ("order", "COMPLETED", None, "pass")
    assert (values(order, TRAJECTORY), values(order, "ExactMatch")) == ([1.0], [1.0])
    assert (values(mug, TRAJECTORY), values(mug, "ExactMatch")) == ([1.0], [None, None])
    assert (order.turns[0].agent_output, order.turns[0].tool_calls[0]["name"]) == (SHIPPED, "look_up_order")
    assert (order.scenario_description, order.metadata["owner"]) == ("An order on its way", "Ines")
    assert [turn.input for turn in mug.turns] == [{"prompt": "Is the blue Tarn mug in stock?"}, "And the Ember flask in red?"]
    first = order.evaluator_results[0].results[0]
    assert {"value", "label", "explanation", "tokenUsage", "context", "evaluatorArn"} <= first.keys()
    assert first["context"]["spanContext"]["sessionId"] == order.session_id
    assert mug.evaluator_results[1].results[0]["errorCode"] == "NotEvaluated"
    assert EvaluationResult.model_validate_json(result.model_dump_json(indent=2)) == result


def test_turns_of_a_scenario_share_a_session_and_two_scenarios_none(config):
    heard: list[tuple[str, object]] = []

    def invoke(invoker_input):
        heard.append((invoker_input.session_id, invoker_input.payload))
        return AgentInvokerOutput(agent_output="Hello")

    result = OnDemandEvaluationDatasetRunner().run(config("F1Score", max_concurrent_scenarios=1), dataset(), invoke)
    assert [session for session, _ in heard] == [each.session_id for each in result.scenario_results for _ in each.turns]
    assert len({session for session, _ in heard}) == 2
    assert heard[1][1] == {"prompt": "Is the blue Tarn mug in stock?"}


@pytest.mark.parametrize("name", ['a "quoted" one', "a/b c", "x" * 100, "_-", "名前", "ok"])
def test_session_ids_are_of_a_legal_shape(name):
    session = session_name(name, "0b5c8a34-7f1e-4b7d-9a54-0d7f3c2b1a00")
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{32,99}", session)


def test_a_turn_that_fails_keeps_the_talk_and_harms_no_other(invoker, config):
    said: list[object] = []

    def invoke(invoker_input):
        said.append(invoker_input.payload)
        if invoker_input.payload == "Fail":
            raise RuntimeError("the agent is out of order")
        return invoker(invoker_input)

    broken = PredefinedScenario(
        scenario_id="broken",
        turns=[Turn(input="Where is order HW-1042?", expected_response=SHIPPED), Turn(input="Fail"), Turn(input="Never said")],
        expected_trajectory=["look_up_order"],
    )
    result = OnDemandEvaluationDatasetRunner().run(config(TRAJECTORY, "ExactMatch"), dataset(broken, ORDER), invoke)
    first, second = result.scenario_results
    assert (first.status, first.outcome, second.status) == ("FAILED", "error", "COMPLETED")
    assert "out of order" in first.error
    assert [turn.agent_output for turn in first.turns] == [SHIPPED, None, None]
    assert "Never said" not in said
    assert values(first, TRAJECTORY) == [None]
    assert first.evaluator_results[0].results[0]["errorCode"] == "EvaluationError"
    assert values(first, "ExactMatch") == [1.0, None]


def test_nothing_evaluated_is_no_success(config):
    def invoke(invoker_input):
        return AgentInvokerOutput(agent_output="Hello")

    (result,) = OnDemandEvaluationDatasetRunner().run(config(TRAJECTORY), dataset(ORDER), invoke).scenario_results
    assert (result.status, result.outcome) == ("FAILED", "skip")
    assert result.error.startswith("nothing was evaluated: ")
    assert "tool calls" in result.error
    batch = BatchEvaluationRunner().run_dataset_evaluation(batch_config(TRAJECTORY), dataset(ORDER), invoke)
    assert (batch.status, batch.evaluation_results.number_of_sessions_ignored) == ("FAILED", 1)
    assert "tool calls" in batch.error_details[0]


def test_an_answer_of_nothing_is_a_failure(config):
    (result,) = (
        OnDemandEvaluationDatasetRunner().run(config("ExactMatch"), dataset(ORDER), lambda invoker_input: None).scenario_results
    )
    assert result.status == "FAILED"


def test_async_invokers_are_awaited(config):
    async def invoke(invoker_input):
        await asyncio.sleep(0)
        return AgentInvokerOutput(agent_output={"result": SHIPPED})

    for each in (invoke, lambda invoker_input: invoke(invoker_input)):
        (result,) = OnDemandEvaluationDatasetRunner().run(config("ExactMatch"), dataset(ORDER), each).scenario_results
        assert values(result, "ExactMatch") == [1.0]


def test_objects_become_what_the_agent_takes(config):
    class Words(BaseModel):
        prompt: str

    heard: list[object] = []

    def invoke(invoker_input):
        heard.append(invoker_input.payload)
        return AgentInvokerOutput(agent_output="Hello")

    only = PredefinedScenario(scenario_id="a", turns=[Turn(input={"prompt": "Hi"}), Turn(input='{"prompt": "Ho"}')])
    told = config("F1Score", simulation_config=SimulationConfig(model_id="any", input_type=Words))
    OnDemandEvaluationDatasetRunner().run(told, dataset(only), invoke)
    assert heard == [Words(prompt="Hi"), Words(prompt="Ho")]


class Said:
    """A result of an agent's library, whose text is what it prints as."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text


@pytest.mark.parametrize(
    "output", [{"error": "no model"}, {"error": {"why": "no model"}, "error_type": "Boom", "message": "x"}]
)
def test_an_error_that_the_runtime_reports_is_no_answer(config, output):
    (result,) = (
        OnDemandEvaluationDatasetRunner().run(config("ExactMatch"), dataset(ORDER), lambda given: output).scenario_results
    )
    assert (result.status, result.outcome) == ("FAILED", "error")
    assert "no model" in result.error


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("plain", "plain"),
        (b"bytes", "bytes"),
        ({"result": "x", "status": "ok"}, "x"),
        ({"response": {"content": [{"text": "a"}, {"text": "b"}]}}, "a\nb"),
        ({"message": {"role": "assistant", "content": "x"}}, "x"),
        (["a", "b"], "a\nb"),
        ({"status": "ok"}, '{"status": "ok"}'),
        (42, "42"),
        (True, "true"),
        (Said("as a library's own result tells it"), "as a library's own result tells it"),
    ],
)
def test_the_text_of_an_answer_is_found(output, text):
    found = answer(AgentInvokerOutput(agent_output=output))
    assert (found["text"] if isinstance(found, dict) else found) == text


@pytest.mark.parametrize(
    "call",
    [
        {"name": "find", "arguments": {"q": 1}},
        {"name": "find", "input": {"q": 1}},
        {"function": {"name": "find", "arguments": '{"q": 1}'}},
        {"toolUse": {"name": "find", "input": {"q": 1}, "toolUseId": "t"}},
    ],
)
def test_calls_of_tools_are_read_in_the_usual_shapes(call):
    (found,) = answer({"text": "x", "tool_calls": [call]})["tool_calls"]
    assert (found["name"], found["arguments"]) == ("find", {"q": 1})


def batch_config(*evaluators: str, **options) -> BatchEvaluationRunConfig:
    return BatchEvaluationRunConfig(
        batch_evaluation_name="desk",
        evaluator_config=BatchEvaluatorConfig(evaluator_ids=list(evaluators)),
        data_source=CloudWatchDataSourceConfig(service_names=["desk.DEFAULT"], log_group_names=["aws/spans", "/logs"]),
        **options,
    )


def test_a_batch_gives_averages(invoker):
    runner = BatchEvaluationRunner(region="eu-west-1")
    wrong = ORDER.model_copy(update={"scenario_id": "wrong", "expected_trajectory": ["find_product"]})
    result = runner.run_dataset_evaluation(
        config=batch_config(TRAJECTORY, "ExactMatch", polling_timeout_seconds=1800, polling_interval_seconds=30),
        dataset=dataset(ORDER, MUG, wrong),
        agent_invoker=invoker,
    )
    assert (result.status, result.agent_invocation_failures, result.error_details) == ("COMPLETED", [], None)
    summary = result.evaluation_results
    assert (summary.total_number_of_sessions, summary.number_of_sessions_completed) == (3, 3)
    told = {
        each.evaluator_id: (each.statistics.average_score, each.total_evaluated, each.total_failed)
        for each in summary.evaluator_summaries
    }
    assert told == {TRAJECTORY: (pytest.approx(2 / 3), 3, 0), "ExactMatch": (1.0, 2, 0)}
    events = runner.fetch_evaluation_events(result)
    assert len(events) == 7
    scores = [each["attributes"].get("gen_ai.evaluation.score.value") for each in events]
    assert scores.count(None) == 2
    assert {each["attributes"]["session.id"] for each in events} == {each.session_id for each in result.scenario_results}
    assert json.loads(result.model_dump_json())["batch_evaluation_name"] == "desk"
    assert summary.model_dump(by_alias=True)["numberOfSessionsCompleted"] == 3


def test_a_batch_tells_whose_agent_failed(invoker):
    def invoke(invoker_input):
        if "HW-1042" in str(invoker_input.payload):
            raise RuntimeError("out of order")
        return invoker(invoker_input)

    runner = BatchEvaluationRunner()
    result = runner.run_dataset_evaluation(batch_config(TRAJECTORY), dataset(), invoke)
    assert [each.scenario_id for each in result.agent_invocation_failures] == ["order"]
    assert result.evaluation_results.total_number_of_sessions == 1
    assert [each.total_evaluated for each in result.evaluation_results.evaluator_summaries] == [1]
    with pytest.raises(ValueError, match=r"the agent failed in all 1 scenarios: order: .*out of order"):
        runner.run_dataset_evaluation(batch_config(TRAJECTORY), dataset(ORDER), invoke)


def test_an_evaluator_of_somebodys_account_harms_no_other(invoker, config):
    own = "arn:aws:bedrock-agentcore:eu-west-1:123456789012:evaluator/tone-x7"
    (result,) = (
        OnDemandEvaluationDatasetRunner().run(config(own, TRAJECTORY, TRAJECTORY), dataset(ORDER), invoker).scenario_results
    )
    assert [each.evaluator_id for each in result.evaluator_results] == [TRAJECTORY, own]
    assert result.evaluator_results[1].results[0]["errorCode"] == "UnknownEvaluator"
    batch = BatchEvaluationRunner().run_dataset_evaluation(batch_config(own, TRAJECTORY), dataset(ORDER), invoker)
    assert (batch.status, batch.evaluation_results.evaluator_summaries[1].total_failed) == ("COMPLETED_WITH_ERRORS", 1)


def test_a_name_means_the_vendors_own(config):
    reply = AgentInvokerOutput(agent_output="Hello")
    ids = ("Coherence", "Builtin.Coherence", "foundry.Groundedness", "Groundedness")
    result = OnDemandEvaluationDatasetRunner(judge="none").run(config(*ids), dataset(ORDER), lambda each: reply)
    found = result.scenario_results[0].evaluator_results
    assert [each.evaluator_id for each in found] == list(ids)
    assert [each.results[0]["rubric"].partition("@")[0] for each in found[:2]] == ["agentcore.Coherence"] * 2


def test_simulated_users_hold_conversations(invoker, config):
    heard: list[object] = []

    def invoke(invoker_input):
        heard.append(invoker_input.payload)
        return invoker(invoker_input)

    gift = SimulatedScenario(
        scenario_id="gift",
        scenario_description="Somebody looks for a present",
        actor_profile=ActorProfile(context="Looks for a present", goal="Find a mug that is in stock"),
        input="Hello, I am looking for a present.",
        max_turns=3,
    )
    short = gift.model_copy(update={"scenario_id": "short", "max_turns": 1, "input": {"prompt": "Hello"}})
    results = [
        OnDemandEvaluationDatasetRunner(simulator="scripted")
        .run(config("ToolCallSuccess", "IfEval"), dataset(gift, short), invoke)
        .scenario_results
        for _ in range(2)
    ]
    first, one = results[0]
    assert (first.turns[0].input, first.scenario_description) == (
        "Hello, I am looking for a present.",
        "Somebody looks for a present",
    )
    assert 1 < len(first.turns) <= 3
    assert (first.stop, one.stop) == ("goal_completed", "max_turns")
    assert ([turn.input for turn in one.turns], heard.count({"prompt": "Hello"})) == ([{"prompt": "Hello"}], 2)
    assert [[turn.agent_output for turn in each.turns] for each in results[0]] == [
        [turn.agent_output for turn in each.turns] for each in results[1]
    ]


@pytest.mark.parametrize(
    ("simulation", "simulator", "told"),
    [
        ({"model_id": "some.model"}, None, "model_id of simulation_config: not used; scripted"),
        ({"model_id": "m", "system_prompt_template": "Be {{x}}"}, "scripted", "^system_prompt_template of"),
        ({"model_id": "m"}, "scripted", None),
        ({"input_type": None}, None, None),
    ],
)
def test_how_users_are_to_be_played_is_not_ignored_in_silence(config, recwarn, simulation, simulator, told):
    profile = ActorProfile(context="Looks for a present", goal="Find a mug")
    short = SimulatedScenario(scenario_id="short", actor_profile=profile, input="Hello", max_turns=1)
    runner = OnDemandEvaluationDatasetRunner(simulator=simulator, judge="none")
    runner.run(
        config("ToolCallSuccess", simulation_config=SimulationConfig(**simulation)), dataset(short), lambda given: "Hello"
    )
    warned = [(str(each.message), each.filename) for each in recwarn]
    assert len(warned) == (told is not None)
    for message, filename in warned:
        assert re.search(str(told), message)
        assert filename == __file__


@pytest.mark.parametrize(
    ("evaluators", "error"),
    [
        (("Builtin.Corectnes", TRAJECTORY), PluginError),
        (("ExactMach",), PluginError),
        (("arn:aws:x:::evaluator/y",), UsageError),
    ],
)
def test_evaluators_that_cannot_be_meant_stop_it_before_any_call(config, evaluators, error):
    def invoke(invoker_input):
        raise AssertionError("nothing is to be called")

    with pytest.raises(error):
        OnDemandEvaluationDatasetRunner().run(config(*evaluators), dataset(ORDER), invoke)


def test_what_a_file_may_not_hold_a_dataset_may_not_either(config):
    slips = [PredefinedScenario(scenario_id=name, turns=[Turn(input="x", expectedResponse="y")]) for name in "ab"]
    with pytest.raises(DatasetError) as caught:
        OnDemandEvaluationDatasetRunner().run(config(TRAJECTORY), dataset(*slips), lambda each: "x")
    assert [problem.path for problem in caught.value.problems] == [
        "scenarios[0].turns[0].expectedResponse",
        "scenarios[1].turns[0].expectedResponse",
    ]
    with pytest.raises(UsageError, match="agent_invoker must be a function"):
        OnDemandEvaluationDatasetRunner().run(config(TRAJECTORY), dataset(ORDER), "desk")


@pytest.mark.parametrize(
    "made",
    [
        lambda: EvaluationRunConfig(evaluator_config=EvaluatorConfig(evaluator_ids=["x"]), max_concurrent_scenarios=0),
        lambda: BatchEvaluatorConfig(evaluator_ids=[]),
        lambda: CloudWatchDataSourceConfig(service_names=["a", "b"], log_group_names=["c"]),
        lambda: batch_config("x", polling_timeout_seconds=30),
        lambda: batch_config("x", max_concurrent_scenarios=0),
    ],
)
def test_configurations_are_checked_when_they_are_made(made):
    with pytest.raises(ValidationError):
        made()
