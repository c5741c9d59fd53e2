from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.agentcore import AgentInvokerInput, AgentInvokerOutput, EvaluationRunConfig, EvaluatorConfig
from vivavoce.samples.desk import Desks


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs are kept where the test is."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def invoker():
    """The sample agent as an agent invoker."""
    desks = Desks()

    def invoke(invoker_input: AgentInvokerInput) -> AgentInvokerOutput:
        request = {"input": invoker_input.payload, "session_id": invoker_input.session_id}
        return AgentInvokerOutput(agent_output=desks.send(request))

    return invoke


@pytest.fixture
def config():
    """A configuration that names evaluators."""

    def config(*evaluators: str, **options) -> EvaluationRunConfig:
        return EvaluationRunConfig(evaluator_config=EvaluatorConfig(evaluator_ids=list(evaluators)), **options)

    return config
