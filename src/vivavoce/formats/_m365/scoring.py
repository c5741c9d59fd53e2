"""Viva's scores and states in the vendor's words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from vivavoce.core.plugins import fold
from vivavoce.core.reply import JSON
from vivavoce.core.result import Exchange, Score
from vivavoce.formats._m365.outputs import GRADED, STATES
from vivavoce.formats._m365.rules import BUILT_IN, NAME

_KEYS: Mapping[str, str] = MappingProxyType({fold(name): name[0].lower() + name[1:] for name in BUILT_IN})
"""How the vendor calls each evaluator's score."""
_DETAILS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "retrievalQuery": ("diagnostic_code", "matched_queries", "includes_missing", "excludes_found"),
        "retrievalResult": (
            "diagnostic_code",
            "results_evaluated",
            "matched_items",
            "missing_items",
            "extract_failures",
        ),
    }
)


def written(scores: Iterable[Score], kept: dict[str, JSON]) -> dict[str, JSON]:
    """The field `scores`; what it has no words for goes to `kept`: skips, and reasons where an entry has no place for one."""
    entries: dict[str, JSON] = {}
    skipped: dict[str, JSON] = {}
    reasons: dict[str, JSON] = {}
    for score in scores:
        if score.status == "skip":
            skipped[score.name] = score.reason
            continue
        key = _key(score, entries)
        entries[key] = entry = _entry(score, key)
        if "reason" not in entry and "error" not in entry:
            reasons[score.name] = score.reason
    for name, found in (("skipped", skipped), ("reasons", reasons)):
        if found:
            kept[name] = found
    return entries


def outcome(exchange: Exchange, scores: Sequence[Score]) -> dict[str, JSON]:
    """The fields `status` and `error` of a turn; neither when it was answered and nothing scored it."""
    if exchange.reply is None:
        fault = exchange.error
        code = "turnSkipped" if fault is not None and fault.code == "not_sent" else "agentRequestFailed"
        return _failed("error", code, fault.message if fault is not None and fault.message else "The agent did not answer.")
    found = Counter(score.status for score in scores)
    judged = found["pass"] + found["fail"] + found["error"]
    if found["error"]:
        message = f"Agent response obtained. {found['error']} of {judged} evaluators failed to run."
        return _failed("partial", "evaluatorsFailed", message)
    if not judged:
        return {}
    return {"status": "fail" if found["fail"] else "pass"}


def summary(states: Sequence[str], whole: Iterable[Score]) -> dict[str, JSON]:
    """The field `summary` of a conversation; `whole` are the scores of the conversation itself."""
    found = Counter(states)
    statuses = {score.status for score in whole}
    worst = [state for state in STATES if found[state]]
    worst += ["partial"] if "error" in statuses else []
    worst += ["fail"] if "fail" in statuses else []
    return {
        "turns_total": len(states),
        "turns_passed": found["pass"],
        "turns_failed": found["fail"],
        "turns_partial": found["partial"],
        "turns_errored": found["error"],
        "overall_status": max(worst, key=STATES.index, default="pass"),
    }


def _failed(status: str, code: str, message: str) -> dict[str, JSON]:
    return {"status": status, "error": {"code": code, "message": message}}


def _key(score: Score, taken: Mapping[str, JSON]) -> str:
    """The vendor's key, or for other evaluators, calls and names given by hand, one that nothing has yet."""
    known = _KEYS.get(fold(score.evaluator))
    if known is not None and fold(score.name) == fold(score.evaluator) and score.call is None and known not in taken:
        return known
    plain = re.sub(r"\W+", "_", score.name, flags=re.ASCII).strip("_")
    if score.call is not None:
        plain += f"_{score.call}"
    if not re.match(NAME, plain) or fold(plain) in _KEYS:
        plain = f"score_{plain}"
    key, number = plain, 1
    while key in taken:
        number += 1
        key = f"{plain}_{number}"
    return key


def _entry(score: Score, key: str) -> dict[str, JSON]:
    if score.status == "error":
        return {"result": "error", "error": score.reason.strip() or "The evaluator failed."}
    value, bound = _plain(score.value), _plain(score.threshold)
    if key == "exactMatch":
        return {"match": score.status == "pass", "result": score.status, "reason": score.reason}
    if key == "citations":
        entry = {"count": int(score.value or 0), "result": score.status, "threshold": 1 if bound is None else bound}
        given = score.details.get("citation_format")
        return {**entry, "format": given} if isinstance(given, str) else entry
    if key in _DETAILS:
        shown = {name: score.details[name] for name in _DETAILS[key] if name in score.details}
        return {"score": value or 0, "result": score.status, "threshold": 1, **shown}
    if bound is None and (key in GRADED or key == "partialMatch"):
        bound = 0.5 if key == "partialMatch" else 3
    numbers = {name: number for name, number in (("score", value), ("threshold", bound)) if number is not None}
    return {**numbers, "result": score.status, "reason": score.reason}


def _plain(number: float | None) -> float | None:
    """A number as a person writes it: 4 rather than 4.0."""
    return int(number) if isinstance(number, float) and number.is_integer() else number
