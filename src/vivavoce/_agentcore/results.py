"""What came of a run, scenario by scenario: the vendor's shape, and beside it what was said."""

from __future__ import annotations

import hashlib
from typing import Literal

from pydantic import BaseModel, Field

from vivavoce.core import codec
from vivavoce.core.reply import JSON
from vivavoce.core.result import USAGE, Exchange, Result, Score

NOT_EVALUATED = "NotEvaluated"
"""The code of an evaluator that had nothing to go by, or nobody to ask."""
FAILED = "EvaluationError"
"""The code of an evaluator that failed, or was kept from its work by an agent that did."""
_ARN = "arn:aws:bedrock-agentcore:::evaluator/"
UNKNOWN = "UnknownEvaluator"
"""The code of an evaluator that exists in somebody's account alone."""


class EvaluatorResult(BaseModel):
    """What one evaluator said of a scenario."""

    evaluator_id: str
    results: list[dict[str, JSON]] = Field(default_factory=list)
    """One for each turn, call or conversation: `value`, `label` and `explanation`, or `errorCode` and `errorMessage`."""


class TurnResult(BaseModel):
    """One turn as it went."""

    input: JSON
    expected_response: str | None = None
    agent_output: str | None = None
    tool_calls: list[dict[str, JSON]] | None = None
    """`None` when the agent did not tell."""
    error: str | None = None
    seconds: float | None = None


class ScenarioResult(BaseModel):
    """What came of one scenario."""

    scenario_id: str
    session_id: str
    status: Literal["COMPLETED", "FAILED"]
    """Failed when the agent failed, or when nothing was evaluated."""
    error: str | None = None
    evaluator_results: list[EvaluatorResult] = Field(default_factory=list)
    turns: list[TurnResult] = Field(default_factory=list)
    """The conversation, as far as it went."""
    outcome: str
    """`pass`, `fail`, `skip` or `error`, as in Viva's reports."""
    stop: str | None = None
    """Why a simulated conversation ended."""
    scenario_description: str | None = None
    metadata: dict[str, JSON] = Field(default_factory=dict)


class EvaluationResult(BaseModel):
    """What came of a run."""

    scenario_results: list[ScenarioResult] = Field(default_factory=list)
    """In the dataset's order."""
    run_id: str = ""
    """Of the run in the store: `viva show ID`."""


def of_scenario(result: Result, session_id: str, evaluators: dict[str, str], unknown: dict[str, str]) -> ScenarioResult:
    """A result in the vendor's shape; `evaluators` are ids with what they are called here, `unknown` ids with the reason."""
    said = [
        EvaluatorResult(evaluator_id=each, results=_entries(each, kind, result, session_id))
        for each, kind in evaluators.items()
    ]
    said += [EvaluatorResult(evaluator_id=each, results=[_fault(UNKNOWN, why)]) for each, why in unknown.items()]
    error = None if result.error is None else result.error.message
    if error is None and not any("value" in entry for each in said for entry in each.results):
        reasons = dict.fromkeys(entry["errorMessage"] for each in said for entry in each.results)
        error = "nothing was evaluated: " + ("; ".join(reasons) or "no evaluator applies")
    description = result.metadata.get("scenario_description")
    return ScenarioResult(
        scenario_id=result.case,
        session_id=session_id,
        status="COMPLETED" if error is None else "FAILED",
        error=error,
        evaluator_results=said,
        turns=[_turn(each) for each in result.turns],
        outcome=result.status,
        stop=result.stop,
        scenario_description=description if isinstance(description, str) else None,
        metadata=codec.plain(result.metadata),
    )


def _turn(turn: Exchange) -> TurnResult:
    reply = turn.reply
    return TurnResult(
        input=codec.plain(turn.input),
        expected_response=turn.expected,
        agent_output=None if reply is None else reply.text,
        tool_calls=None if reply is None or reply.tool_calls is None else codec.plain(reply.tool_calls),
        error=None if turn.error is None else turn.error.message,
        seconds=None if reply is None else reply.seconds,
    )


def _entries(evaluator_id: str, kind: str, result: Result, session_id: str) -> list[dict[str, JSON]]:
    placed = [(index, score) for index, turn in enumerate(result.turns) for score in turn.scores]
    whole: list[tuple[int | None, Score]] = [*placed, *((None, score) for score in result.scores)]
    return [_entry(evaluator_id, score, session_id, turn) for turn, score in whole if score.evaluator == kind]


def _entry(evaluator_id: str, score: Score, session_id: str, turn: int | None) -> dict[str, JSON]:
    where: dict[str, JSON] = {"sessionId": session_id}
    if turn is not None:
        where["traceId"] = _hex(32, session_id, turn)
        if score.call is not None:
            where["spanId"] = _hex(16, session_id, turn, score.call)
    entry: dict[str, JSON] = {
        "evaluatorId": evaluator_id,
        "evaluatorName": evaluator_id,
        "evaluatorArn": f"{_ARN}{evaluator_id}" if evaluator_id.startswith("Builtin.") else evaluator_id,
        "context": {"spanContext": where},
        "outcome": score.status,
        "turn": turn,
        "rubric": score.rubric,
        "judge": score.judge,
        "details": codec.plain(score.details),
    }
    if score.status in ("pass", "fail"):
        usage = score.details.get(USAGE) or {}
        counted = {name: usage.get(name) or 0 for name in ("input_tokens", "output_tokens")}
        tokens = {"inputTokens": counted["input_tokens"], "outputTokens": counted["output_tokens"]}
        return entry | {
            "value": score.value,
            "label": score.label,
            "explanation": score.reason,
            "tokenUsage": {**tokens, "totalTokens": sum(tokens.values())},
        }
    return entry | _fault(FAILED if score.status == "error" else NOT_EVALUATED, score.reason)


def _fault(code: str, message: str) -> dict[str, JSON]:
    return {"errorCode": code, "errorMessage": message}


def _hex(length: int, *parts: object) -> str:
    """An id of its own for a turn or a call, the same each time it is asked for."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=length // 2).hexdigest()
