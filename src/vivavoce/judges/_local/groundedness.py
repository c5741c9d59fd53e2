"""Groundedness: whether every sentence of an answer has support in its sources."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from vivavoce.core.errors import Abstain
from vivavoce.judges._local import encoder, texts
from vivavoce.judges._local.look import Look, Sentence, contradiction, listing, quote, share
from vivavoce.judges._local.quantities import Quantity, unknown

SIGNS = MappingProxyType(
    {
        "close": 1,
        "close_best": 1,
        "covered": 1,
        "local_best": 1,
        "figure": -1,
        "name": -1,
        "conflict": -1,
        "claims": 0,
    }
)
"""The features, and whether each can only speak for the answer (1) or only against it (-1)."""

_CANDIDATES = 4
"""Sentences of the sources that a claim is held against."""
_ALIKE = 0.5
"""Closeness or shared words from which on two sentences are about the same."""
_WEAK = 0.35


def look(answer: str, sources: str, question: str) -> Look:
    """Hold each sentence of an answer against the sources.

    Raises:
        Abstain: none of them claims anything.
    """
    source = [Sentence.of(each) for each in texts.sentences(sources, most=None)]
    known = frozenset().union(*(each.stems for each in source)) if source else frozenset()
    figures = [figure for each in source for figure in each.facts.quantities]
    asked = Sentence.of(question)
    claims = [each for each in map(Sentence.of, texts.sentences(answer)) if _is_claim(each, asked)]
    if not claims:
        raise Abstain("the answer makes no claim, so there is nothing to hold against the sources")
    candidates = [_candidates(claim, source) for claim in claims]
    vectors = encoder.encode([*(each.text for each in claims), *(each.text for found in candidates for each in found)])
    rows, at = [], len(claims)
    for index, (claim, found) in enumerate(zip(claims, candidates, strict=True)):
        close = (vectors[at : at + len(found)] @ vectors[index]).tolist()
        at += len(found)
        rows.append(_Support(claim, found, close, known, asked.stems, (*figures, *asked.facts.quantities), sources + question))
    return _sum_up(rows)


class _Support:
    """What one claim rests on."""

    def __init__(
        self,
        claim: Sentence,
        found: Sequence[Sentence],
        close: Sequence[float],
        known: frozenset[str],
        asked: frozenset[str],
        figures: Sequence[Quantity],
        text: str,
    ) -> None:
        self.claim = claim
        self.close = max(close, default=0.0)
        best = found[close.index(self.close)] if found else None
        self.covered = share(claim.stems, known | asked)
        self.local = max((share(claim.stems, each.stems) for each in found), default=0.0)
        self.figures = unknown(claim.facts.quantities, figures)
        folded = text.casefold()
        self.names = sorted(name for name in claim.facts.names if name.casefold() not in folded)
        alike = best is not None and max(self.close, share(claim.stems, best.stems)) >= _ALIKE
        self.conflict = contradiction(claim.text, best.text) if best is not None and alike else None
        self.support = 0.5 * self.close + 0.5 * self.local


def _sum_up(rows: Sequence[_Support]) -> Look:
    worst = min(rows, key=lambda each: each.support)
    findings = []
    gravest = 5.0
    for each in rows:
        if each.figures:
            findings.append(f"{quote(each.figures[0].text)} is not in the sources: {quote(each.claim.text)}")
            gravest = 2.0
        if each.conflict:
            findings.append(f"against the sources, {quote(each.claim.text)} has {each.conflict}")
            gravest = 2.0
        if each.names:
            findings.append(f"not in the sources: {listing(each.names)}")
    if worst.support < _WEAK:
        findings.append(f"without support: {quote(worst.claim.text)}")
    supported = sum(each.support >= _WEAK for each in rows)
    grounds = (f"{supported} of {len(rows)} sentences have support in the sources",)
    return Look(
        features=_features(rows),
        findings=tuple(dict.fromkeys(findings)),
        weakness="the support in the sources is weak",
        grounds=grounds,
        gravest=gravest,
    )


def _features(rows: Sequence[_Support]) -> dict[str, float]:
    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)

    return {
        "close": mean([each.close for each in rows]),
        "close_best": max(each.close for each in rows),
        "covered": mean([each.covered for each in rows]),
        "local_best": max(each.local for each in rows),
        "figure": mean([float(bool(each.figures)) for each in rows]),
        "name": mean([float(bool(each.names)) for each in rows]),
        "conflict": mean([float(each.conflict is not None) for each in rows]),
        "claims": min(len(rows), 8) / 8,
    }


def _is_claim(sentence: Sentence, asked: Sentence) -> bool:
    """Whether a sentence says something: questions do not, nor does what has no word of its own."""
    return bool(sentence.stems) and not sentence.text.rstrip("\"'”’) ").endswith(("?", "？"))


def _candidates(claim: Sentence, source: Sequence[Sentence]) -> list[Sentence]:
    """The sentences that share most words with a claim: what the encoder looks at, however long the sources are."""
    ranked = sorted(range(len(source)), key=lambda index: (-_overlap(claim, source[index]), index))
    return [source[index] for index in ranked[:_CANDIDATES]]


def _overlap(claim: Sentence, source: Sentence) -> float:
    shared = len(claim.stems & source.stems)
    return float(shared / (1 + len(source.stems)) ** 0.3)
