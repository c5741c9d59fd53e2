"""What the contract tests of several kinds share: results and cases made here."""

from __future__ import annotations

from typing import Any

from vivavoce.core.model import Case, Check, Expectation, File, Header, Selection, Trial, Turn, Use
from vivavoce.core.reply import Citation, Reply, ToolCall
from vivavoce.core.result import Exchange, Fault, Result, Score

HEADER = Header(
    digest="b2:0",
    selection=Selection(paths=("a.jsonl",), target=Use(name="python", options={"spec": "a:b"}), judge=Use(name="none")),
    files=(File(path="a.jsonl", sha256="00", format="native", suite="a"),),
    version="0.0.0",
    trials=20,
)


def make_trial(number: int, *, repeat: int = 0, position: int | None = None) -> Trial:
    case = Case(
        id=f"case-{number}",
        turns=(
            Turn(
                input=f"question {number} — ¿qué?", expect=Expectation(response="42"), checks=(Check(evaluator="ExactMatch"),)
            ),
        ),
        metadata={"note": "näin"},
    )
    return Trial(suite="a", case=case, repeat=repeat, position=number if position is None else position, digest=f"b2:{number}")


def make_result(trial: Trial, **changes: Any) -> Result:
    reply = Reply(
        text="42 \U0001f600",
        tool_calls=(ToolCall(name="add", arguments={"a": [1, None]}, result=3),),
        citations=(Citation(index=1, text="a", source="b"),),
        retrievals=(),
        rows=({"x": None},),
        usage={"input_tokens": 3},
        seconds=0.25,
        raw={"extra": 1},
    )
    score = Score(
        name="ExactMatch", evaluator="ExactMatch", status="pass", value=1.0, unit_value=1.0, reason="same", details={"n": 1}
    )
    fields: dict[str, Any] = {
        "suite": trial.suite,
        "case": trial.case.id,
        "category": "kb",
        "metadata": trial.case.metadata,
        "repeat": trial.repeat,
        "position": trial.position,
        "status": "pass",
        "digest": trial.digest,
        "turns": (Exchange(input=trial.case.turns[0].input, expected="42", reply=reply, scores=(score,)),),
        "scores": (Score(name="Whole", evaluator="Whole", status="skip", reason="none"),),
    }
    return Result(**{**fields, **changes})


def make_error(trial: Trial) -> Result:
    fault = Fault(code="timeout", message="no answer")
    return make_result(trial, status="error", error=fault, turns=(Exchange(input="x", error=fault),), scores=())
