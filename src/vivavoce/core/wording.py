"""What evidence is called in a message to a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "input": "an input (`prompt`, `input`, `query`)",
        "response": "a text answer from the agent",
        "expected": "an expected response (`expected_response`, `expected`, `ground_truth`)",
        "context": "a `context`",
        "history": "earlier messages",
        "retrievals": "the agent's retrievals (`retrieval_executions`), which it did not report",
        "extracts": "extracts the agent retrieved, which it did not report",
        "citations": "the agent's citations, which it did not report",
        "tool_calls": "the agent's tool calls, which it did not report",
        "tool_definitions": "definitions of the agent's tools (`tool_definitions`)",
        "call": "one of the agent's tool calls",
        "assertions": "statements that should hold of the conversation (`assertions`)",
        "trajectory": "the expected tool calls (`expected_trajectory`, `expected_actions`, `trajectory`)",
        "rows": "the answer's rows, which the agent did not report",
        "expected_rows": "expected rows (`expectedRows`, `referenceQuery`, `rows`)",
        "intent": "the intent of the answer, which the agent did not report",
        "expected_intent": "an expected intent (`expectedIntent`, `intent`)",
        "refusal": "the reason of a refusal, which the agent did not report",
        "expected_refusal": "a text the refusal is to contain (`expectedRefusalContains`, `refusal`)",
        "insight": "the text of an insight, which the agent did not report",
        "expected_insights": "texts the insight is to contain (`expectedInsightContains`, `insights`)",
        "conversation": "a conversation",
        "retrieved_documents": "`retrieved_documents`",
        "retrieval_ground_truth": "`retrieval_ground_truth`",
        "instruction_id_list": "`instruction_id_list`",
        "instruction_kwargs": "`instruction_kwargs`",
    }
)
"""What each name of `Evidence` is called in a message to a person."""


def asked_for(names: Sequence[str]) -> str:
    """The names of a `Missing`, in words."""
    return " or ".join(WORDS.get(name, f"`{name}`") for name in names)
