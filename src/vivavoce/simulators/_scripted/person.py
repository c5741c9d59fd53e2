"""Who speaks: what a description says of a user, in the user's own words, and in which tone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from vivavoce.core.model import Persona
from vivavoce.core.reply import JSON
from vivavoce.simulators._scripted.vocabulary import groups, has, is_english, stems

SENTENCES = re.compile(r"(?<=[.!?;])\s+|[\u3002\uff01\uff1f\uff1b]\s*|\n+(?:\s*(?:[-*\u2022]|\d+[.)])\s+)?")
_USER = (
    r"(?:the|an?|this|our)\s+(?:[\w'-]+\s+){0,3}?"
    r"(?:user|customer|caller|person|client|visitor|shopper|travell?er|employee|patient|student|guest|buyer|tourist|member|man|woman)"
)
USER = re.compile(rf"\b{_USER}\b", re.IGNORECASE)
_ABOUT_THEM = re.compile(rf"\b(?:{_USER}|somebody|someone|he|she|you)\b", re.IGNORECASE)
_FIXED: Mapping[str, str] = MappingProxyType(
    {"is": "am", "are": "am", "has": "have", "does": "do", "was": "was", "were": "was", "goes": "go", "isn't": "am not"}
)
_LONGEST = 160
"""Characters of a fact that is said."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """Something a user knows of itself."""

    text: str
    """As the user says it."""
    about: frozenset[str]


def sentences(text: str) -> list[str]:
    """A description, taken apart; what speaks of the test, and not of the user, is left out."""
    parts = (" ".join(part.split()).strip(" -*\u2022") for part in SENTENCES.split(text))
    return [part for part in parts if part and not has(part, "hidden")]


def first(text: str, *, about_them: bool) -> str:
    """A clause about a user, in the first person; `about_them` tells that "they" is the user."""
    pairs = [
        (rf"{_USER}'s", "my"),
        (r"your", "my"),
        (r"yours", "mine"),
        (r"yourself", "myself"),
        (r"you(?=\s+(?:are|were|have|had|can|could|will|would|should|must|may|\w+ed|\w+ght)\b)|^you", "I"),
        (r"you", "me"),
    ]
    if about_them:
        pairs += [
            (r"their|his|her(?=\s+\w)", "my"),
            (r"theirs", "mine"),
            (r"themsel(?:f|ves)|himself|herself", "myself"),
            (rf"they|he|she|somebody|someone|{_USER}(?=\s+\w)", "I"),
            (rf"them|him|her|{_USER}", "me"),
        ]
    text = re.sub(r"\b(when|what|where|how|why|which|whether|if|that|because)\s+you\b", r"\1 I", text, flags=re.I)
    for pattern, word in pairs:
        text = re.sub(rf"\b(?:{pattern})\b" if not pattern.startswith("you(?") else rf"\b(?:{pattern})", word, text, flags=re.I)
    return re.sub(r"\bI\s+(also\s+|just\s+|only\s+)?([\w']+)", _agree, text)


def facts(persona: Persona, beside: Sequence[str]) -> tuple[Fact, ...]:
    """What the user can tell when asked: traits by name, sentences of the context, and what else the goal says."""
    whole = f"{persona.context} {persona.goal}"
    found = [_trait(name, value) for name, value in _leaves(persona.traits)]
    found += [_named(match) for match in _NAMED.finditer(whole)]
    english = is_english(whole)
    for sentence in (*sentences(persona.context), *beside):
        said = first(sentence.rstrip("."), about_them=bool(_ABOUT_THEM.search(whole))) if english else sentence.rstrip(".")
        found.append(Fact(text=_whole(said), about=stems(sentence)))
    return tuple(fact for fact in found if fact.text and not has(fact.text, "hidden"))


def tone(persona: Persona) -> str:
    """How the user speaks."""
    return _kind("tones", persona) or "neutral"


def patience(persona: Persona) -> int:
    """How much in vain a user bears before it gives up."""
    return {"less": 2, "more": 4}.get(_kind("patience", persona) or "", 3)


def _kind(name: str, persona: Persona) -> str | None:
    values = " ".join(f"{key} {value}" for key, value in _leaves(persona.traits))
    words = re.findall(r"[^\W_]+", f"{values} {persona.context}".lower())
    return next((kind for kind, known in groups(name).items() if any(word in known for word in words)), None)


_NAMED = re.compile(r"\b((?:[A-Za-z]+\s+)?(?:number\s+|no\.?\s+|id\s+)?)((?:[A-Z]{1,5}[-_]?)?\d[\w-]*\d|\S+@\S+\.\w+)")


def _named(match: re.Match[str]) -> Fact:
    """A number or address that is named somewhere: `order HW-1042`."""
    what, value = match[1].strip(), match[2].rstrip(".,;")
    kind = "" if what.lower() in ("of", "on", "in", "at", "the", "for", "to", "is", "and") else what
    return Fact(text=f"It's {kind} {value}.".replace("  ", " "), about=stems(f"{kind} number") | stems(value))


def _trait(name: str, value: JSON) -> Fact:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]+", " ", name).lower().strip()
    return Fact(text=f"My {words} is {value}.", about=stems(f"{words} {value}"))


def _leaves(traits: Mapping[str, JSON]) -> list[tuple[str, JSON]]:
    """Traits that can be said: texts and numbers."""
    return [(str(name), value) for name, value in traits.items() if isinstance(value, str | int | float)]


def _whole(text: str) -> str:
    """A clause as a sentence, not too long."""
    if len(text) > _LONGEST:
        text = text[:_LONGEST].rpartition(" ")[0].rstrip(",;:") or text[:_LONGEST]
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _agree(match: re.Match[str]) -> str:
    between, verb = match[1] or "", match[2]
    word = verb.lower()
    if word in _FIXED:
        verb = _FIXED[word]
    elif word.endswith(("ies",)) and len(word) > 4:
        verb = f"{verb[:-3]}y"
    elif word.endswith(("ches", "shes", "sses", "xes", "oes")):
        verb = verb[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is", "'s")) and word not in ("always", "perhaps"):
        verb = verb[:-1]
    return f"I {between}{verb}"
