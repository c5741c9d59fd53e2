"""The runner that gives results scenario by scenario."""

from __future__ import annotations

from vivavoce._agentcore.config import EvaluationRunConfig
from vivavoce._agentcore.dataset import Dataset
from vivavoce._agentcore.invoking import AgentInvokerFn
from vivavoce._agentcore.results import EvaluationResult
from vivavoce._agentcore.running import Runner, examine
from vivavoce._agentcore.spans import AgentSpanCollector


class OnDemandEvaluationDatasetRunner(Runner):
    """Holds every scenario's conversation, and evaluates it at once."""

    def run(
        self,
        config: EvaluationRunConfig,
        dataset: Dataset,
        agent_invoker: AgentInvokerFn,
        span_collector: AgentSpanCollector | None = None,
    ) -> EvaluationResult:
        """Every scenario's result, in the dataset's order.

        What the invoker returns is examined, and with it what the spans of `span_collector` tell beside: tools, searches, the
        answer itself. That of CloudWatch is not asked.

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
            collector=span_collector,
        )
        return EvaluationResult(scenario_results=outcome.scenarios, run_id=outcome.run.id)
