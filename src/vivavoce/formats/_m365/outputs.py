"""The rules of what a run writes into an eval document: responses, scores, diagnostics, states."""

from __future__ import annotations

from vivavoce.core.reply import JSON
from vivavoce.formats._m365.words import array, choice, flag, named, nullable, number, record, text, whole

STATES = ("pass", "fail", "partial", "error")
COUNTS = ("turns_total", "turns_passed", "turns_failed", "turns_partial", "turns_errored")
GRADED = ("relevance", "coherence", "groundedness", "similarity")


def turn_fields() -> dict[str, JSON]:
    """What a run adds to a turn."""
    fields = {
        "response": text("What the agent answered."),
        "citations": array("Sources the agent gave.", named("citation")),
        "scores": named("scores"),
        "diagnostics": named("diagnostics"),
        "status": choice("What came of it.", STATES),
        "error": named("error"),
    }
    return {name: {**rule, "readOnly": True} for name, rule in fields.items()}


def definitions(*, strict: bool) -> dict[str, JSON]:
    """The rules those fields refer to; `strict` asks for every part that the newest version asks for."""

    def whole_record(says: str, fields: dict[str, JSON], required: tuple[str, ...]) -> dict[str, JSON]:
        return record(says, fields, required=required if strict else (), closed=strict)

    citation = {"index": whole("From 1.", minimum=1), "text": text("What is cited."), "source": text("Where it is.")}
    summary = {**{name: whole("How many.", minimum=0) for name in COUNTS}, "overall_status": choice("Of all.", STATES)}
    least = {"minLength": 1} if strict else {}
    error = {"code": text("Short.", **least), "message": text("In words.", **least)}
    return {
        "citation": record("A source.", citation, required=("index",), closed=strict),
        "error": whole_record("What went wrong.", error, tuple(error)),
        "summary": whole_record("What came of a conversation.", summary, tuple(summary)),
        "diagnostics": _diagnostics(),
        "scores": {
            **record("What evaluators said.", _scores(strict=strict), closed=False),
            "additionalProperties": _either(_score("Score of an evaluator of your own.", {}, strict=strict)),
        },
        "failed_score": record(
            "An evaluator that failed.",
            {"result": choice("That it failed.", ("error",)), "error": text("Why.", minLength=1)},
            required=("result", "error"),
        ),
    }


def _scores(*, strict: bool) -> dict[str, JSON]:
    bound = {"threshold": number("What was needed.")}
    shapes = {
        **{name: {"score": number("The grade.", minimum=1, maximum=5), **bound} for name in GRADED},
        "citations": {"count": whole("How many.", minimum=0), **bound},
        "exactMatch": {"match": flag("Whether it matched.")},
        "partialMatch": {"score": number("The overlap.", minimum=0, maximum=1), **bound},
        "retrievalQuery": {"score": number("1 or 0.")},
        "retrievalResult": {"score": number("The share found.")},
    }
    return {name: _either(_score(f"Score of {name}.", fields, strict=strict)) for name, fields in shapes.items()}


def _score(says: str, fields: dict[str, JSON], *, strict: bool) -> dict[str, JSON]:
    result = {"result": choice("Whether it passed.", ("pass", "fail")), "reason": text("Why.")}
    return record(says, {**fields, **result}, required=("result", *fields) if strict else (), closed=False)


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
