"""The runner that gives averages over all scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from os import fspath

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from vivavoce._agentcore.config import BatchEvaluationRunConfig
from vivavoce._agentcore.dataset import Dataset
from vivavoce._agentcore.invoking import AgentInvokerFn
from vivavoce._agentcore.results import NOT_EVALUATED, ScenarioResult
from vivavoce._agentcore.running import Outcome, Runner, examine
from vivavoce.core.reply import JSON
from vivavoce.core.secrets import redact


class FailedScenario(BaseModel):
    """A scenario whose agent failed."""

    scenario_id: str
    error_message: str


class EvaluatorStatistics(BaseModel):
    """An evaluator in numbers."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    average_score: float | None = None
    """Over what was evaluated; `None` when nothing was."""


class EvaluatorSummary(BaseModel):
    """What one evaluator said of all scenarios."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    evaluator_id: str | None = None
    statistics: EvaluatorStatistics | None = None
    total_evaluated: int | None = None
    total_failed: int | None = None
    """How often it failed. What it had nothing to go by for, or nobody to ask, counts neither here nor there."""


class BatchEvaluationSummary(BaseModel):
    """All evaluators, and how many sessions there were."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    number_of_sessions_completed: int | None = None
    number_of_sessions_in_progress: int | None = None
    number_of_sessions_failed: int | None = None
    """Sessions of which some evaluator failed."""
    total_number_of_sessions: int | None = None
    number_of_sessions_ignored: int | None = None
    """Sessions of which nothing was evaluated."""
    evaluator_summaries: list[EvaluatorSummary] | None = None


class CloudWatchOutputDataConfig(BaseModel):
    """Where single scores are: here the store's file, and the run in it."""

    log_group_name: str
    log_stream_name: str


class BatchEvaluationResult(BaseModel):
    """What came of a batch."""

    batch_evaluation_id: str
    """Of the run in the store: `viva show ID`."""
    batch_evaluation_arn: str
    batch_evaluation_name: str
    description: str | None = None
    status: str
    """`COMPLETED`, `COMPLETED_WITH_ERRORS` or `FAILED`; the last when nothing was evaluated."""
    created_at: datetime
    evaluation_results: BatchEvaluationSummary | None = None
    error_details: list[str] | None = None
    agent_invocation_failures: list[FailedScenario] = Field(default_factory=list)
    output_data_config: CloudWatchOutputDataConfig | None = None
    scenario_results: list[ScenarioResult] = Field(default_factory=list)
    """Every scenario, in the dataset's order."""


class BatchEvaluationRunner(Runner):
    """Holds every scenario's conversation, evaluates all, and gives the averages."""

    def run_dataset_evaluation(
        self, config: BatchEvaluationRunConfig, dataset: Dataset, agent_invoker: AgentInvokerFn
    ) -> BatchEvaluationResult:
        """The averages, once everything is evaluated.

        Raises:
            ValueError: the agent failed in every scenario.
            VivaError: the dataset or an option is wrong; nothing was called.
        """
        outcome = examine(
            dataset,
            config.evaluator_config.evaluator_ids,
            agent_invoker,
            self._settings,
            name=config.batch_evaluation_name,
            concurrency=config.max_concurrent_scenarios,
            simulation=config.simulation_config,
        )
        if len(outcome.failures) == len(outcome.scenarios):
            told = "; ".join(f"{name}: {why}" for name, why in outcome.failures.items())
            raise ValueError(f"the agent failed in all {len(outcome.failures)} scenarios: {told}")
        store = CloudWatchOutputDataConfig(
            log_group_name=str(redact(fspath(self._settings.store))), log_stream_name=outcome.run.id
        )
        summary, errors = _summary(outcome)
        evaluated = any(each.total_evaluated for each in summary.evaluator_summaries or ())
        return BatchEvaluationResult(
            batch_evaluation_id=outcome.run.id,
            batch_evaluation_arn=f"arn:viva:::batch-evaluation/{outcome.run.id}",
            batch_evaluation_name=config.batch_evaluation_name,
            description=config.description,
            status="FAILED" if not evaluated else "COMPLETED_WITH_ERRORS" if errors else "COMPLETED",
            created_at=datetime.fromisoformat(outcome.run.started),
            evaluation_results=summary,
            error_details=errors or None,
            agent_invocation_failures=[
                FailedScenario(scenario_id=name, error_message=why) for name, why in outcome.failures.items()
            ],
            output_data_config=store,
            scenario_results=outcome.scenarios,
        )

    def fetch_evaluation_events(self, result: BatchEvaluationResult) -> list[dict[str, JSON]]:
        """Every score as an event of OpenTelemetry's names, one a turn, call or conversation and evaluator."""
        return [
            event
            for scenario in result.scenario_results
            for each in scenario.evaluator_results
            for event in _events(scenario, each.evaluator_id, each.results)
        ]


def _summary(outcome: Outcome) -> tuple[BatchEvaluationSummary, list[str]]:
    """All in numbers, over the sessions whose agent did not fail; and what kept evaluators from their work."""
    sessions = [each for each in outcome.scenarios if each.scenario_id not in outcome.failures]
    entries: dict[str, list[dict[str, JSON]]] = {}
    for session in sessions:
        for each in session.evaluator_results:
            entries.setdefault(each.evaluator_id, []).extend(each.results)
    ignored = [each for each in sessions if each.status == "FAILED"]
    failed = [each for each in sessions if each.status != "FAILED" and any(map(_failures, _said(each)))]
    errors = [f"{name}: {why}" for name, said in entries.items() for why in dict.fromkeys(_failures(said) or _idle(said))]
    summary = BatchEvaluationSummary(
        number_of_sessions_completed=len(sessions) - len(failed) - len(ignored),
        number_of_sessions_in_progress=0,
        number_of_sessions_failed=len(failed),
        number_of_sessions_ignored=len(ignored),
        total_number_of_sessions=len(sessions),
        evaluator_summaries=[_of_evaluator(name, said) for name, said in entries.items()],
    )
    return summary, errors


def _said(session: ScenarioResult) -> list[list[dict[str, JSON]]]:
    return [each.results for each in session.evaluator_results]


def _failures(entries: list[dict[str, JSON]]) -> list[str]:
    """What kept an evaluator from its work, where it should have done it."""
    return [entry["errorMessage"] for entry in entries if entry.get("errorCode", NOT_EVALUATED) != NOT_EVALUATED]


def _idle(entries: list[dict[str, JSON]]) -> list[str]:
    """Why an evaluator did nothing at all; nothing when it did something."""
    return [] if any("value" in entry for entry in entries) else [entry["errorMessage"] for entry in entries]


def _of_evaluator(evaluator_id: str, entries: list[dict[str, JSON]]) -> EvaluatorSummary:
    values = [entry["value"] for entry in entries if entry.get("value") is not None]
    return EvaluatorSummary(
        evaluator_id=evaluator_id,
        statistics=EvaluatorStatistics(average_score=sum(values) / len(values) if values else None),
        total_evaluated=len(values),
        total_failed=len(_failures(entries)),
    )


def _events(scenario: ScenarioResult, evaluator_id: str, entries: list[dict[str, JSON]]) -> Iterator[dict[str, JSON]]:
    for entry in entries:
        where = entry.get("context", {}).get("spanContext", {})
        told = {
            "session.id": scenario.session_id,
            "gen_ai.evaluation.name": evaluator_id,
            "gen_ai.evaluation.score.value": entry.get("value"),
            "gen_ai.evaluation.score.label": entry.get("label"),
            "gen_ai.evaluation.explanation": entry.get("explanation"),
            "error.type": entry.get("errorCode"),
            "error.message": entry.get("errorMessage"),
        }
        attributes = {name: value for name, value in told.items() if value is not None}
        yield {"name": "gen_ai.evaluation.result", **where, "attributes": attributes}
