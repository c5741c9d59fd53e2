"""A goal, taken apart into what a user asks for, one thing at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from vivavoce.core.model import Persona
from vivavoce.simulators._scripted import person
from vivavoce.simulators._scripted.vocabulary import is_english, stems, terms

Kind = Literal["question", "wish", "topic", "need", "plain"]
"""A clause with a question word, something to be done, to be told of, to have; or a sentence to be said as it is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One thing a user wants."""

    kind: Kind
    it: str
    """As it stands in a sentence of the user's."""
    about: frozenset[str]
    before: frozenset[str] = frozenset()
    """What the part before it is about, where it speaks of that."""
    several: int = 1
    """Of how many it wants to be told: `at least two different lanterns`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Goal:
    """What a user wants, and what the same text tells of the user."""

    parts: tuple[Part, ...]
    beside: tuple[str, ...] = ()
    """Sentences that say how things are."""


_MOST = 30
"""Parts that are looked at."""
_LONGEST = 240
"""Characters of a part."""
_WH = r"(?:who|whose|what|when|where|why|which|how|whether|if)"
_SUBJECT = rf"(?:{person.USER.pattern}|somebody|someone|he|she|they|you|i|we|your goal|the goal|my goal|goal|task)"
_WANTS = (
    r"(?:(?:also|then|now|finally|really)\s+)?"
    r"(?:wants?|would like|needs?|wishes|wish|hopes?|tries|try|intends?|plans?|has|have|"
    r"(?:is|are|am)\s+(?:trying|looking|hoping|going|planning)|is|are)\s+to\s+"
)
_DESIRE = re.compile(rf"^(?:{_SUBJECT}\s+{_WANTS}|(?:to|please)\s+)", re.IGNORECASE)
_HAVING = re.compile(
    rf"^{_SUBJECT}\s+(?:also\s+)?(?:wants?|needs?|would like|(?:is|are) looking for)\s+(?!to\b)", re.IGNORECASE
)
_ASKING = re.compile(
    rf"^{_SUBJECT}\s+(?:also\s+|then\s+)?(?=(?:asks?|inquires?|enquires?|wonders?|requests?)\b)", re.IGNORECASE
)
_STATING = re.compile(rf"^(?:{_SUBJECT}|my|your|their|his|her|it)\s+", re.IGNORECASE)
_FIRST = re.compile(
    r"^(?:first(?:ly)?|then|next|also|finally|lastly|second(?:ly)?|after that|afterwards|and|or|,|:)+[\s,:]+", re.IGNORECASE
)
_LEARN = (
    r"(?:find\s+out|learns?|knows?|checks?|asks?|sees?|confirms?|understands?|determines?|hears?|be told|figure\s+out|"
    r"verif(?:y|ies)|discover|inquires?|enquires?|wonders?|tell|get(?:\s+to)?\s+know|clarify)"
)
_QUESTION = re.compile(
    rf"^(?:{_LEARN}\s+)?(?:the (?:agent|assistant|desk)\s+)?(?:about\s+)?(?P<it>{_WH}\b.+)$", re.IGNORECASE | re.DOTALL
)
_TOPIC = re.compile(
    rf"^(?:{_LEARN}|read|get|obtain|receive)\s+(?:more\s+)?(?:(?:information|info|details|advice|help)\s+)?(?:about|on|regarding|into)\s+(?P<it>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_FOR = re.compile(r"^(?:asks?|requests?|look)\s+(?:for\s+)?(?P<it>.+)$", re.IGNORECASE | re.DOTALL)
_NOUN = re.compile(rf"^{_LEARN}\s+(?P<it>.+)$", re.IGNORECASE | re.DOTALL)
_BACK = re.compile(r"\b(?:it|its|they|them|those|that one|this)\b", re.IGNORECASE)
_AND = re.compile(r"(?:,\s*|,?\s+(?:and|as well as)\s+)(?:also\s+)?(?=(?:the|an?|my|its|our)\s)", re.IGNORECASE)
_PAIRED = re.compile(r"\b(?:between|both|either|from)\b", re.IGNORECASE)
_NUMBERS = MappingProxyType({"two": 2, "three": 3, "four": 4, "five": 5})
_NUMBER = "|".join((*_NUMBERS, "[2-5]"))
_SEVERAL = re.compile(rf"\bat least ({_NUMBER})\b|\b({_NUMBER}) different\b", re.IGNORECASE)
_THING = re.compile(r"^(?:an?|the|my|some|more|information|help|advice)\s", re.IGNORECASE)


def read(persona: Persona) -> Goal:
    """What a persona is after; there is always at least one part."""
    text = persona.goal
    if not is_english(text):
        return Goal(parts=tuple(_plain(text)) or _anything(persona))
    about_them = bool(person.USER.search(f"{persona.context} {text}") or re.search(r"\b(?:somebody|someone)\b", text, re.I))
    parts: list[Part] = []
    beside: list[str] = []
    for sentence in person.sentences(text):
        if _is_told(sentence):
            beside.append(sentence)
            continue
        for part in (each for clause in _clauses(sentence) for each in _parts(person.first(clause, about_them=about_them))):
            if part.it and all(part.it != each.it for each in parts):
                parts.append(_after(parts, part))
    return Goal(parts=tuple(parts[:_MOST]) or _anything(persona), beside=tuple(beside))


def _after(before: list[Part], part: Part) -> Part:
    """A part that says "it" is about what the one before it is about, too."""
    if before and (_BACK.search(part.it) or not part.about):
        return replace(part, before=before[-1].about | before[-1].before)
    return part


def _anything(persona: Persona) -> tuple[Part, ...]:
    """Of a goal that says nothing that could be taken apart."""
    text = next(iter(person.sentences(persona.goal) or person.sentences(persona.context)), "")
    if text and not is_english(text):
        return (Part(kind="plain", it=_cut(text), about=stems(text)),)
    it = _cut(text.rstrip(".!?")) or "something"
    return (Part(kind="topic", it=it, about=stems(it)),)


def _plain(text: str) -> Iterator[Part]:
    """A goal in another language: its sentences, as they are."""
    for sentence in person.sentences(text)[:_MOST]:
        it = _cut(re.sub("|".join(terms("openings")), "", sentence, count=1, flags=re.IGNORECASE))
        if it.strip():
            yield Part(kind="plain", it=f"{it[:1].upper()}{it[1:]}", about=stems(it))


def _is_told(sentence: str) -> bool:
    """Whether a sentence says how things are, and not what is wanted."""
    wanted = (_DESIRE, _HAVING, _ASKING)
    return _STATING.match(sentence) is not None and not any(each.match(sentence) for each in wanted)


def _clauses(sentence: str) -> Iterator[str]:
    """A sentence, where one thing is joined to the next."""
    sentence = sentence.rstrip(".;! ")
    verbs = "|".join(terms("verbs"))
    joint = re.compile(
        rf"(?:,\s*|;\s*|\s+)(?:and|then|and then|or else|as well as|but also|and also|and finally|finally|after that)\s+"
        rf"(?:also\s+|then\s+|finally\s+)?(?=(?:to\s+)?(?:{verbs}|asks|{_WH})\b)|,\s*(?=(?:{verbs}|{_WH})\b)|,?\s+then\s+",
        re.IGNORECASE,
    )
    for clause in joint.split(sentence):
        if clause and clause.strip(" ,"):
            yield clause.strip(" ,")


def _parts(clause: str) -> Iterator[Part]:
    """A clause as one thing, or as several, where it asks to be told of one thing and of another."""
    part = _part(clause)
    if part.kind != "topic" or _PAIRED.search(part.it):
        yield part
        return
    for it in _AND.split(part.it):
        if it.strip():
            yield Part(kind="topic", it=it, about=stems(it), several=_several(it))


def _several(it: str) -> int:
    match = _SEVERAL.search(it)
    number = match and (match[1] or match[2]).lower()
    return _NUMBERS.get(number) or int(number) if number else 1


def _part(clause: str) -> Part:
    clause = _FIRST.sub("", clause)
    having = _HAVING.sub("", clause, count=1)
    doing = _DESIRE.sub("", having, count=1)
    bare = _cut(_FIRST.sub("", _ASKING.sub("", doing, count=1)).strip(" .?!"))
    kind, it = _kind(bare, is_done=doing != having)
    kind = "need" if having != clause else kind
    if kind in ("wish", "need") and not it[1:2].isupper():
        it = f"{it[:1].lower()}{it[1:]}"
    return Part(kind=kind, it=it, about=stems(it), several=_several(it) if kind == "question" else 1)


def _kind(clause: str, *, is_done: bool) -> tuple[Kind, str]:
    """What a clause is; `is_done` tells that somebody wants to do it."""
    if match := _QUESTION.match(clause):
        return "question", match["it"]
    if match := _TOPIC.match(clause):
        return "topic", match["it"]
    if match := _FOR.match(clause):
        return "need", match["it"]
    if match := _NOUN.match(clause):
        return "topic", match["it"]
    is_verb = is_done or clause.partition(" ")[0].lower() in terms("verbs")
    return ("wish", clause) if is_verb and not _THING.match(clause) else ("need", clause)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST].rpartition(" ")[0] or text[:_LONGEST]
