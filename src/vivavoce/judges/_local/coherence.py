"""Coherence: whether an answer hangs together and can be followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from types import MappingProxyType

from vivavoce.judges._local import encoder, texts
from vivavoce.judges._local.look import Look, Sentence, contradiction, quote, share
from vivavoce.judges._local.words import terms

SIGNS = MappingProxyType(
    {
        "spread_worst": 1,
        "repeated": -1,
        "twice": -1,
        "fragments": -1,
        "unfinished": -1,
        "chained": 1,
        "variety": 1,
        "disorder": -1,
        "taken_back": -1,
    }
)
"""The features, and whether each can only speak for the answer (1) or only against it (-1)."""

_ENDS = (".", "!", "?", "…", ":", '"', "'", ")", "”", "。", "！", "？", "`")
_ODD = 0.5
"""Share of what is no word from which on an answer has no coherence at all."""
_DENSE = 12
"""Words to a place out of order from which on an answer cannot be followed."""
_BREAK = 0.05
"""Closeness under which two neighbouring sentences have nothing to do with one another."""


def look(answer: str) -> Look:
    """Look at how the sentences of an answer follow one another."""
    said = [Sentence.of(each) for each in texts.sentences(answer)] or [Sentence.of(answer)]
    own = encoder.encode([each.text for each in said])
    steps = [float(own[index] @ own[index + 1]) for index in range(len(said) - 1)]
    centre = own.mean(axis=0)
    spread = [float(each @ centre) for each in own]
    words = [word.casefold() for word in texts.words(answer)]
    repeated, twice = _repeated(words), _twice(said)
    taken_back = _taken_back(said, steps)
    disorder = [place for each in said for place in _disorder(each.text)]
    unfinished = len(words) > 8 and not answer.rstrip().endswith(_ENDS)
    features = {
        "spread_worst": min(spread),
        "repeated": repeated,
        "twice": float(twice is not None),
        "fragments": (sum(_is_fragment(each.text) for each in said) / len(said) if steps else 0.0),
        "unfinished": float(unfinished),
        "chained": _mean([float(bool(a.stems & b.stems or terms("links") & b.facts.words)) for a, b in pairwise(said)], 0.5),
        "variety": len(set(words)) / max(1, len(words)),
        "disorder": min(len(disorder), 5) / 5,
        "taken_back": float(taken_back is not None),
    }
    findings = []
    if taken_back:
        findings.append(f"one sentence takes back another: {quote(taken_back)}")
    if twice:
        findings.append(f"said twice: {quote(twice)}")
    elif repeated > 0.2:
        findings.append(f"{repeated:.0%} of the wording is repeated")
    if steps and min(steps) < _BREAK:
        findings.append(f"the thread breaks before {quote(said[steps.index(min(steps)) + 1].text)}")
    if disorder:
        findings.append(f"words out of order: {quote(disorder[0])}")
    odd = _odd(words)
    if odd > _ODD:
        findings.insert(0, "most of it is no words")
    if unfinished:
        findings.append(f"it ends in the middle: {quote(answer[-40:])}")
    grounds = (f"{len(said)} sentence{'s' if len(said) > 1 else ''}, closeness of neighbours {_mean(steps, 1.0):.2f}",)
    weakness = "little holds the answer together"
    return Look(
        features=features,
        findings=tuple(findings),
        weakness=weakness,
        grounds=grounds if steps else ("one sentence",),
        gravest=_gravest(odd, len(disorder), len(words)),
    )


def _gravest(odd: float, disorder: int, words: int) -> float:
    if odd > _ODD:
        return 1.0
    return 2.0 if disorder * _DENSE >= words and disorder else 5.0


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _repeated(words: Sequence[str]) -> float:
    """Share of the runs of three words that were there before."""
    runs = Counter(zip(words, words[1:], words[2:], strict=False))
    total = sum(runs.values())
    return (total - len(runs)) / total if total else 0.0


def _twice(said: Sequence[Sentence]) -> str | None:
    for index, each in enumerate(said):
        if len(each.stems) >= 3 and any(
            share(each.stems, other.stems) > 0.9 and share(other.stems, each.stems) > 0.9 for other in said[:index]
        ):
            return each.text
    return None


def _taken_back(said: Sequence[Sentence], steps: Sequence[float]) -> str | None:
    """A sentence that says the opposite of the one before it."""
    for index, step in enumerate(steps):
        before, after = said[index], said[index + 1]
        if step > 0.5 and share(after.stems, before.stems) >= 0.6 and contradiction(after.text, before.text):
            return after.text
    return None


def _disorder(sentence: str) -> Iterator[str]:
    """Places where an English function word stands before another that cannot follow it, or ends the sentence."""
    found = [word.casefold() for word in texts.words(sentence)]
    for word, after in pairwise([*found, "."]):
        article = word in terms("articles") and (after == "." or after in terms("never_after_articles"))
        if article or (word in terms("prepositions") and after in terms("never_after_prepositions")):
            yield f"{word} {after}"


def _is_fragment(text: str) -> bool:
    return len(text.split()) < 4 and text.isascii()


def _odd(words: Sequence[str]) -> float:
    """Share of what looks like words and is none: without a vowel, or of endless length."""
    letters = [word for word in words if word.isalpha() and word.isascii()]
    odd = sum((len(word) > 3 and not set(word) & set("aeiouy")) or len(word) > 25 for word in letters)
    return odd / len(letters) if letters else 0.0
