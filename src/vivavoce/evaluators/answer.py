"""Compare the kind of an answer, and the text of a refusal or an insight, with what is expected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from vivavoce.core.evidence import Evidence
from vivavoce.core.result import Verdict
from vivavoce.evaluators._quote import listing, quote

__all__ = ["InsightContains", "Intent", "RefusalContains"]

_OFF_TOPIC = "OFF_TOPIC:"
"""Stands before the reason of a refusal that some servers give, and is no part of it."""


@dataclass(frozen=True, kw_only=True)
class Intent:
    """Whether the answer is of the expected kind: a query, an insight, a change of view, a refusal.

    Measures: 1 when the agent reports the expected intent, else 0. It is examined before all else, and when it differs, the
    other checks of the case skip: an answer of another kind is not compared further.
    Needs: an expected intent, and the intent the agent reports.
    Example: intent "query", expected `QUERY` -> 1; intent `QUERY`, expected `REFUSED` -> 0, and the rest is skipped.
    Limits: upper and lower case and white space around are equal, nothing else is. An agent that reports no intent is not
    guessed at.
    Source: Saiku agent evals, `expectedIntent`.
    """

    needs: ClassVar[tuple[str, ...]] = ("expected_intent", "intent")
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)
    decides: ClassVar[bool] = True

    def score(self, evidence: Evidence) -> Verdict:
        """1 when the intent is the expected one."""
        expected, got = evidence.expected_intent.strip().upper(), evidence.intent.strip().upper()
        if expected == got:
            return Verdict(value=1.0, passed=True, reason=f"the intent is {got}, as expected")
        return _differs("intent", [f"expected {expected}, got {got or 'none'}"])


@dataclass(frozen=True, kw_only=True)
class RefusalContains:
    """Whether the reason that the agent gives for declining contains the expected text.

    Measures: 1 when the text stands in the reason, to the letter, else 0.
    Needs: a text to look for, and the reason of the refusal; an answer reported to be of another kind is no refusal, and fails.
    Example: reason "This is not about the sales cube.", expected "cube" -> 1; expected "Cube" -> 0.
    Limits: upper and lower case differ. `OFF_TOPIC:`, which servers put before a reason, is no part of it.
    Source: Saiku agent evals, `expectedRefusalContains`.
    """

    needs: ClassVar[tuple[str, ...]] = ("expected_refusal", "refusal")
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    def score(self, evidence: Evidence) -> Verdict:
        """1 when the reason contains the text."""
        expected, reason = evidence.expected_refusal, evidence.refusal.strip().removeprefix(_OFF_TOPIC).strip()
        if expected in reason:
            return Verdict(value=1.0, passed=True, reason=f"the refusal contains {quote(expected)}")
        return _differs("refusal", [_lacks(expected, reason)])


@dataclass(frozen=True, kw_only=True)
class InsightContains:
    """Whether the insight contains each of the expected texts.

    Measures: 1 when all of the texts stand in the insight, to the letter, else 0.
    Needs: texts to look for, and the insight; an answer reported to be of another kind is none, and fails.
    Example: insight "Store Sales are up 12 %", expected "Store Sales" and "up 20 %" -> 0: the second is missing.
    Limits: upper and lower case differ, and Markdown is part of the text: `**up** 12 %` does not contain "up 12 %".
    Source: Saiku agent evals, `expectedInsightContains`.
    """

    needs: ClassVar[tuple[str, ...]] = ("expected_insights", "insight")
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    def score(self, evidence: Evidence) -> Verdict:
        """1 when every text is contained."""
        expected, insight = evidence.expected_insights, evidence.insight
        missing = [text for text in expected if text not in insight]
        if not missing:
            said = f"the insight contains {listing(expected)}" if expected else "no text is expected in the insight"
            return Verdict(value=1.0, passed=True, reason=said)
        return _differs("insight", [_lacks(text, insight) for text in missing])


def _lacks(expected: str, text: str) -> str:
    if not text.strip():
        return f"expected to contain {quote(expected)}, got none"
    only = " (only upper and lower case differ)" if expected.casefold() in text.casefold() else ""
    return f"expected to contain {quote(expected)}, got {quote(text)}{only}"


def _differs(path: str, messages: Sequence[str]) -> Verdict:
    return Verdict(
        value=0.0,
        passed=False,
        reason="; ".join(f"{path}: {message}" for message in messages),
        details={"mismatches": [{"path": path, "message": message} for message in messages]},
    )
