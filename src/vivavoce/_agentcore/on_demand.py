"""The runner that gives results scenario by scenario."""

from __future__ import annotations

from os import PathLike

from vivavoce._agentcore.config import EvaluationRunConfig
from vivavoce._agentcore.dataset import Dataset
from vivavoce._agentcore.invoking import AgentInvokerFn
from vivavoce._agentcore.results import EvaluationResult
from vivavoce._agentcore.running import STORE, Settings, examine
from vivavoce._agentcore.spans import AgentSpanCollector
from vivavoce.core.model import Use


class OnDemandEvaluationDatasetRunner:
    """Holds every scenario's conversation, and evaluates it at once.

    Args:
        region: Accepted; nothing is sent to AWS.
        judge: Who answers what no rule can decide, as on the command line: `"local"`, `"openai:gpt-5-mini"`, `"none"`.
        simulator: Who plays simulated users, as on the command line.
        store: The SQLite file where the run is kept.
        timeout: Seconds a call of the invoker may take.
    """

    def __init__(
        self,
        region: str | None = None,
        *,
        judge: str | Use | None = None,
        simulator: str | None = None,
        store: str | PathLike[str] = STORE,
        timeout: float | None = None,
    ) -> None:
        self.region = region
        self._settings = Settings(judge=judge, simulator=simulator, store=store, timeout=timeout)

    def run(
        self,
        config: EvaluationRunConfig,
        dataset: Dataset,
        agent_invoker: AgentInvokerFn,
        span_collector: AgentSpanCollector | None = None,
    ) -> EvaluationResult:
        """Every scenario's result, in the dataset's order.

        `span_collector` is accepted: the answers of the invoker are what is examined.

        Raises:
            VivaError: the dataset or an option is wrong; nothing was called.
        """
        outcome = examine(
            dataset,
            config.evaluator_config.evaluator_ids,
            agent_invoker,
            self._settings,
            concurrency=config.max_concurrent_scenarios,
            simulation=config.simulation_config,
        )
        return EvaluationResult(scenario_results=outcome.scenarios, run_id=outcome.run.id)
