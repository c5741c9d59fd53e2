"""The rules of what a run writes into an eval document: responses, scores, diagnostics, states."""

from __future__ import annotations

from vivavoce.core.reply import JSON
from vivavoce.formats._m365.words import array, choice, flag, named, nullable, number, record, text, whole

STATES = ("pass", "fail", "partial", "error")
COUNTS = ("turns_total", "turns_passed", "turns_failed", "turns_partial", "turns_errored")
GRADED = ("relevance", "coherence", "groundedness", "similarity")


def turn_fields() -> dict[str, JSON]:
    """What a run adds to a turn."""
    return {
        "response": text("What the agent answered."),
        "citations": array("Sources the agent gave.", named("citation")),
        "scores": named("scores"),
        "diagnostics": named("diagnostics"),
        "status": choice("What came of it.", STATES),
        "error": named("error"),
    }


def definitions() -> dict[str, JSON]:
    """The rules those fields refer to."""
    return {
        "citation": record(
            "A source.",
            {"index": whole("From 1.", minimum=1), "text": text("What is cited."), "source": text("Where it is.")},
            required=("index",),
            closed=False,
        ),
        "error": record("What went wrong.", {"code": text("Short."), "message": text("In words.")}, closed=False),
        "summary": record(
            "What came of a conversation.",
            {**{name: whole("How many.", minimum=0) for name in COUNTS}, "overall_status": choice("Of all.", STATES)},
            closed=False,
        ),
        "diagnostics": _diagnostics(),
        "scores": {
            **record("What evaluators said.", _scores(), closed=False),
            "additionalProperties": _either({"type": "object"}),
        },
        "failed_score": record(
            "An evaluator that failed.",
            {"result": choice("That it failed.", ("error",)), "error": text("Why.", minLength=1)},
            required=("result", "error"),
        ),
    }


def _scores() -> dict[str, JSON]:
    result = {"result": choice("Whether it passed.", ("pass", "fail")), "reason": text("Why.")}
    bound = {"threshold": number("What was needed.")}
    shapes = {
        **{name: {"score": number("The grade.", minimum=1, maximum=5), **bound} for name in GRADED},
        "citations": {"count": whole("How many.", minimum=0), **bound},
        "exactMatch": {"match": flag("Whether it matched.")},
        "partialMatch": {"score": number("The overlap.", minimum=0, maximum=1), **bound},
        "retrievalQuery": {"score": number("1 or 0."), **bound},
        "retrievalResult": {"score": number("The share found."), **bound},
    }
    return {
        name: _either(record(f"Score of {name}.", {**fields, **result}, required=("result",), closed=False))
        for name, fields in shapes.items()
    }


def _either(score: dict[str, JSON]) -> dict[str, JSON]:
    """A score, or that there is none because the evaluator failed."""
    failed = {"properties": {"result": {"const": "error"}}, "required": ["result"]}
    return {"if": failed, "then": named("failed_score"), "else": score}


def _diagnostics() -> dict[str, JSON]:
    words = nullable(text("As the agent reports it."))
    extract = record("A passage.", {"text": text("The passage.")}, closed=False)
    hit = record(
        "Something found.",
        {"rank": nullable(whole("From 1.")), "webUrl": words, "extracts": array("Passages of it.", extract)},
        closed=False,
    )
    query = record("What was searched for.", {"queryString": words, "filterExpression": words}, closed=False)
    execution = record(
        "One search.",
        {
            "capability": words,
            "status": words,
            "totalResultCount": nullable(whole("How many results.")),
            "queries": array("Its queries.", query),
            "retrievalHits": array("What it found.", hit),
        },
        closed=False,
    )
    return record(
        "How the agent came to its answer.", {"retrieval_executions": array("Its searches.", execution)}, closed=False
    )
