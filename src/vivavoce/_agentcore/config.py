"""How a runner is told what to do. What only AWS needs is accepted, and means nothing here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vivavoce.core.reply import JSON


class SimulationConfig(BaseModel):
    """How simulated users are played."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    model_id: str | None = None
    """Not used, which a warning says unless the runner's `simulator` names who plays."""
    system_prompt_template: str | None = None
    """Not used, which a warning says."""
    input_type: type[BaseModel] | None = None
    """What an object that is said to the agent is made into."""
    output_type: type[BaseModel] | None = None
    """Not needed: an answer of any type is read."""


class EvaluatorConfig(BaseModel):
    """Who examines."""

    evaluator_ids: list[str] = Field(min_length=1)
    """Such as `Builtin.Correctness`; Viva's others by name. A name means the vendor's, if it has it."""


class EvaluationRunConfig(BaseModel):
    """A run of the on-demand runner."""

    evaluator_config: EvaluatorConfig
    evaluation_delay_seconds: int = 180
    """Accepted; nothing is waited for."""
    max_concurrent_scenarios: int = Field(default=5, ge=1)
    simulation_config: SimulationConfig | None = None


class BatchEvaluatorConfig(BaseModel):
    """Who examines a batch."""

    evaluator_ids: list[str] = Field(min_length=1)


class DataSourceConfig(ABC):
    """Where a service would find what an agent did; here its answers tell."""

    def pre_evaluation_run_hook(self) -> None:
        """What the vendor's runner calls before it evaluates; this one does not."""
        return None

    @abstractmethod
    def to_data_source_config(self, session_ids: list[str], start_time: datetime, end_time: datetime) -> dict[str, JSON]:
        """What the vendor's service would be told."""


class CloudWatchDataSourceConfig(BaseModel, DataSourceConfig):
    """Log groups; accepted, and not read."""

    service_names: list[str] = Field(min_length=1, max_length=1)
    log_group_names: list[str] = Field(min_length=1, max_length=5)
    ingestion_delay_seconds: int = Field(default=180, ge=0)
    """Accepted; nothing is waited for."""

    def to_data_source_config(self, session_ids: list[str], start_time: datetime, end_time: datetime) -> dict[str, JSON]:
        """What the vendor's service would be told."""
        times = {"startTime": start_time, "endTime": end_time}
        logs = {
            "serviceNames": self.service_names,
            "logGroupNames": self.log_group_names,
            "filterConfig": {"sessionIds": session_ids, "timeRange": times},
        }
        return {"cloudWatchLogs": logs}


class BatchEvaluationRunConfig(BaseModel):
    """A run of the batch runner."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    batch_evaluation_name: str
    description: str | None = None
    evaluator_config: BatchEvaluatorConfig
    data_source: DataSourceConfig | None = None
    """Accepted, and not read."""
    max_concurrent_scenarios: int = Field(default=5, ge=1)
    polling_timeout_seconds: int = 1800
    """Accepted; the outcome is there when the run ends."""
    polling_interval_seconds: int = 30
    simulation_config: SimulationConfig | None = None
    kms_key_arn: str | None = None
    tags: dict[str, str] | None = None

    @model_validator(mode="after")
    def _poll_within_the_limit(self) -> BatchEvaluationRunConfig:
        if self.polling_timeout_seconds <= self.polling_interval_seconds:
            raise ValueError("polling_timeout_seconds must be greater than polling_interval_seconds")
        return self
