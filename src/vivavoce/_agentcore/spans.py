"""Who would fetch what an agent did from where its telemetry goes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime

from vivavoce.core.reply import JSON


class AgentSpanCollector(ABC):
    """Somebody who has an agent's spans."""

    @abstractmethod
    def collect(self, session_id: str, start_time: datetime, end_time: datetime) -> list[dict[str, JSON]]:
        """The spans of a session."""


class CloudWatchAgentSpanCollector(AgentSpanCollector):
    """Spans in CloudWatch; accepted, and never asked, since the answers themselves are examined."""

    def __init__(
        self,
        log_group_name: str,
        region: str | None = None,
        max_wait_seconds: int = 300,
        poll_interval_seconds: int = 30,
    ) -> None:
        self.log_group_name = log_group_name
        self.region = region
        self.max_wait_seconds = max_wait_seconds
        self.poll_interval_seconds = poll_interval_seconds

    def collect(self, session_id: str, start_time: datetime, end_time: datetime) -> list[dict[str, JSON]]:
        """Nothing: no log is read."""
        return []
