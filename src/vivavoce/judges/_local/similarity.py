"""Similarity: whether an answer says what the expected one says."""

from __future__ import annotations

import re
from types import MappingProxyType

from vivavoce.judges._local import encoder, texts
from vivavoce.judges._local.look import Look, Sentence, contradiction, listing, quote, share
from vivavoce.judges._local.quantities import unknown

SIGNS = MappingProxyType(
    {
        "whole": 1,
        "best": 1,
        "recall": 1,
        "contained": 1,
        "same_figure": 1,
        "missing_figure": -1,
        "other_figure": -1,
        "conflict": -1,
        "other_name": -1,
    }
)
"""The features, and whether each can only speak for the answer or only against it."""

_YES = re.compile(r"^\W*(?:yes|ja|oui|sí|tak|да|是)\b", re.IGNORECASE)
_NO = re.compile(r"^\W*(?:no|nein|non|nie|нет|不)\b", re.IGNORECASE)
_SHORT = 3
"""Words of matter up to which an expected response is a mere point, which an answer has or has not."""
_APART = 0.6
"""Closeness under which an answer without a word of such a point does not have it in other words."""


def look(answer: str, expected: str) -> Look:
    """Hold an answer against the expected one."""
    said = [Sentence.of(each) for each in texts.sentences(answer)] or [Sentence.of(answer)]
    wanted, whole = Sentence.of(expected), Sentence.of(answer)
    vectors = encoder.encode([answer, expected, *(each.text for each in said)])
    close = vectors @ vectors[1]
    best = said[int(close[2:].argmax())]
    recall = share(wanted.stems, whole.stems)
    missing = unknown(wanted.facts.quantities, whole.facts.quantities)
    added = unknown(whole.facts.quantities, wanted.facts.quantities)
    agreed = len(wanted.facts.quantities) > len(missing)
    conflict = contradiction(best.text, expected) or _answers_otherwise(answer, expected)
    lost = sorted(name for name in wanted.facts.names if name.casefold() not in answer.casefold())
    others = sorted(name for name in whole.facts.names if name.casefold() not in expected.casefold())
    nearest = float(max(close[0], close[2:].max()))
    missed = len(wanted.stems) <= _SHORT and not agreed and recall == 0 and nearest < _APART
    misnamed = bool(lost and others) and len(lost) == len(wanted.facts.names)
    features = {
        "whole": float(close[0]),
        "best": nearest,
        "recall": recall,
        "contained": float(recall == 1 and not missing and conflict is None),
        "same_figure": float(agreed and not missing),
        "missing_figure": float(bool(missing)),
        "other_figure": float(bool(missing and added)),
        "conflict": float(conflict is not None),
        "other_name": float(misnamed),
    }
    findings = []
    if missing and added:
        findings.append(f"a figure differs: {quote(added[0].text)} instead of {quote(missing[0].text)}")
    elif missing:
        findings.append(f"a figure is missing: {listing([each.text for each in missing])}")
    if conflict:
        findings.append(f"the answer has {conflict}: {quote(best.text)}")
    if misnamed:
        findings.append(f"a name differs: {quote(others[0])} instead of {quote(lost[0])}")
    grave = bool(findings) and not (missing and not added)
    if missed:
        findings.append(f"the point is not found: {quote(expected)}")
        grave = True
    grounds = (f"closeness to the expected response {features['best']:.2f}, {recall:.0%} of its words found",)
    weakness = "the answer is not close to the expected response"
    return Look(features=features, findings=tuple(findings), weakness=weakness, grounds=grounds, gravest=2.0 if grave else 5.0)


def _answers_otherwise(answer: str, expected: str) -> str | None:
    if _YES.match(expected) and _NO.match(answer):
        return '"no" where the other has "yes"'
    if _NO.match(expected) and _YES.match(answer):
        return '"yes" where the other has "no"'
    return None
