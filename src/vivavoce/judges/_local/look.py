"""What a look at evidence gives: numbers for the scale, and findings for the person."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from vivavoce.judges._local import facts, texts
from vivavoce.judges._local.facts import Facts

_QUOTED = 60
_SAME = 0.5
"""Share of words in common from which on two clauses are about the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """What was seen."""

    features: Mapping[str, float]
    findings: tuple[str, ...]
    """What speaks against the answer, gravest first; each names what it is about."""
    weakness: str
    """What is told of a low grade when there is no finding."""
    grounds: tuple[str, ...] = ()
    """What speaks for it."""
    gravest: float = 5.0
    """The best grade that the findings allow, whatever the features say."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """A sentence, with what can be checked in it."""

    text: str
    stems: frozenset[str]
    facts: Facts = field(repr=False)

    @staticmethod
    def of(text: str) -> Sentence:
        """A sentence, read."""
        return Sentence(text=text, stems=frozenset(texts.content(text)), facts=facts.facts(text))


def share(some: Collection[str], of: Collection[str]) -> float:
    """How much of some is in the other; all of nothing."""
    return sum(each in of for each in some) / len(some) if some else 1.0


def quote(text: str) -> str:
    """A text short enough for a reason, in quotation marks."""
    text = " ".join(text.split())
    return f'"{text if len(text) <= _QUOTED else text[: _QUOTED - 3].rstrip() + "..."}"'


def listing(items: Sequence[str], most: int = 3) -> str:
    """A few things, quoted, and how many more."""
    shown = ", ".join(quote(item) for item in items[:most])
    return shown + (f" and {len(items) - most} more" if len(items) > most else "")


_CLAUSE = re.compile(
    r"[,;:，、；()]|\s(?:and|but|or|if|when|while|which|who|that|because|unless|although|und|aber|oder|wenn|et|mais|ou|si|y|pero|o|i|ale|lub"
    r"|jeśli|и|но|или|если)\s",
    re.IGNORECASE,
)


def contradiction(said: str, source: str) -> str | None:
    """Where a sentence says the opposite of another, as a phrase; `None` when it does not.

    Clauses are compared, and only those that are about the same: a negation in another part of the sentence denies nothing.
    """
    there = [Sentence.of(clause) for clause in _clauses(source)]
    for clause in map(Sentence.of, _clauses(said)):
        if not clause.stems or not there:
            continue
        other = max(there, key=lambda each: _common(clause, each))
        if _common(clause, other) >= _SAME:
            found = _opposed(clause.facts, other.facts)
            if found:
                return found
    return None


def _clauses(sentence: str) -> list[str]:
    return [part.strip() for part in _CLAUSE.split(sentence) if part.strip()]


def _common(one: Sentence, other: Sentence) -> float:
    """Words in common, of all words of both; opposites count as common, as they stand in one another's place."""
    union = len(one.stems | other.stems)
    flips = facts.opposites(one.facts, other.facts)
    return (len(one.stems & other.stems) + len(flips)) / max(1, union - len(flips))


def _opposed(said: Facts, source: Facts) -> str | None:
    flips = facts.opposites(said, source)
    negated = (said.negations - source.negations) % 2 == 1
    if negated and len(flips) % 2 == 1:
        return None  # "not open" and "closed"
    if negated:
        return "a negation that the other lacks" if said.negations > source.negations else "no negation where the other has one"
    if flips:
        mine, theirs = flips[0]
        return f'"{mine}" where the other has "{theirs}"'
    return None
