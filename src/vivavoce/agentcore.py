"""The dataset classes and runners of AWS Bedrock AgentCore, carried out by Viva: change the import, and the code runs.

What is called `Dataset`, `FileDatasetProvider` or `OnDemandEvaluationDatasetRunner` in `bedrock_agentcore.evaluation` has the
same name and the same shape here. Nothing is sent to AWS: the invoker's answers are examined as they come.
"""

from __future__ import annotations

from vivavoce._agentcore.batch import (
    BatchEvaluationResult,
    BatchEvaluationRunner,
    BatchEvaluationSummary,
    CloudWatchOutputDataConfig,
    EvaluatorStatistics,
    EvaluatorSummary,
    FailedScenario,
)
from vivavoce._agentcore.config import (
    BatchEvaluationRunConfig,
    BatchEvaluatorConfig,
    CloudWatchDataSourceConfig,
    DataSourceConfig,
    EvaluationRunConfig,
    EvaluatorConfig,
    SimulationConfig,
)
from vivavoce._agentcore.dataset import (
    ActorProfile,
    Dataset,
    Input,
    PredefinedScenario,
    Scenario,
    SimulatedScenario,
    Turn,
)
from vivavoce._agentcore.invoking import AgentInvokerFn, AgentInvokerInput, AgentInvokerOutput
from vivavoce._agentcore.on_demand import OnDemandEvaluationDatasetRunner
from vivavoce._agentcore.providers import DatasetProvider, FileDatasetProvider
from vivavoce._agentcore.results import EvaluationResult, EvaluatorResult, ScenarioResult, TurnResult
from vivavoce._agentcore.spans import AgentSpanCollector, CloudWatchAgentSpanCollector

__all__ = [
    "ActorProfile",
    "AgentInvokerFn",
    "AgentInvokerInput",
    "AgentInvokerOutput",
    "AgentSpanCollector",
    "BatchEvaluationResult",
    "BatchEvaluationRunConfig",
    "BatchEvaluationRunner",
    "BatchEvaluationSummary",
    "BatchEvaluatorConfig",
    "CloudWatchAgentSpanCollector",
    "CloudWatchDataSourceConfig",
    "CloudWatchOutputDataConfig",
    "DataSourceConfig",
    "Dataset",
    "DatasetProvider",
    "EvaluationResult",
    "EvaluationRunConfig",
    "EvaluatorConfig",
    "EvaluatorResult",
    "EvaluatorStatistics",
    "EvaluatorSummary",
    "FailedScenario",
    "FileDatasetProvider",
    "Input",
    "OnDemandEvaluationDatasetRunner",
    "PredefinedScenario",
    "Scenario",
    "ScenarioResult",
    "SimulatedScenario",
    "SimulationConfig",
    "Turn",
    "TurnResult",
]
