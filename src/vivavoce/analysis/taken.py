"""What calls took, counted: tokens, cost, and how many there were."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from vivavoce.core.amounts import is_amount
from vivavoce.core.result import Usage


class Taken(msgspec.Struct):
    """What the agent, the judge and the simulator took."""

    agent_calls: int = 0
    judge_calls: int = 0
    simulator_calls: int = 0
    input_tokens: float = 0.0
    output_tokens: float = 0.0
    cost_usd: float = 0.0

    def add(self, usage: object) -> None:
        """Count in what an agent reports; as it is another party's, anything but amounts is left out."""
        if isinstance(usage, Mapping):
            self.input_tokens += _number(usage.get("input_tokens"))
            self.output_tokens += _number(usage.get("output_tokens"))
            self.cost_usd += _number(usage.get("cost_usd"))

    def add_judge(self, usage: object) -> None:
        """Count in what a judge's calls took; a judge that calls nobody reports nothing."""
        if isinstance(usage, Mapping):
            self.judge_calls += int(_number(usage.get("calls")))
            self.add(usage)

    def add_simulator(self, usage: object) -> None:
        """Count in what a simulator's calls took; one that calls nobody reports nothing."""
        if isinstance(usage, Mapping):
            self.simulator_calls += int(_number(usage.get("calls")))
            self.add(usage)

    def include(self, other: Taken) -> None:
        """Count in what others took."""
        self.agent_calls += other.agent_calls
        self.judge_calls += other.judge_calls
        self.simulator_calls += other.simulator_calls
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.cost_usd += other.cost_usd

    def total(self) -> Usage:
        """The sum."""
        return Usage(
            agent_calls=self.agent_calls,
            judge_calls=self.judge_calls,
            simulator_calls=self.simulator_calls,
            input_tokens=int(self.input_tokens),
            output_tokens=int(self.output_tokens),
            cost_usd=round(self.cost_usd, 9),
        )


def tokens_and_cost(usage: object) -> tuple[float, float]:
    """Tokens in and out, and USD, of what a call says it took."""
    total = Taken()
    total.add(usage)
    return total.input_tokens + total.output_tokens, total.cost_usd


def _number(value: object) -> float:
    return value if is_amount(value) else 0.0
