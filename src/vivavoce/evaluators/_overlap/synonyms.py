"""The synonyms of English words, as WordNet 3.0 has them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from vivavoce.evaluators._overlap.tables import text

ENDINGS = (
    (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    (),
)
"""Of nouns, verbs, adjectives and adverbs: endings of inflected forms and what they become."""


class _Part(NamedTuple):
    """A part of speech."""

    endings: tuple[tuple[str, str], ...]
    irregular: dict[str, list[str]]
    """Inflected forms and their bases."""
    sets: dict[str, list[str]]
    """For each word that has synonyms, the lines that hold it."""
    alone: set[str]
    """The words that have none."""


def synonyms(word: str) -> frozenset[str]:
    """All single words in lower case that share a meaning with a word or with what it may be a form of; the word itself too.

    Names with a space or a capital are left out: no token is like them.
    """
    found = {word}
    for part in _parts():
        bases = part.irregular.get(word)
        for form in {word, *(regular(word, part.endings) if bases is None else bases)}:
            for line in part.sets.get(form, ()):
                found.update(line.partition("|")[0].split())
            if form in part.alone:
                found.add(form)
    return frozenset(found)


def regular(word: str, endings: Iterable[tuple[str, str]]) -> list[str]:
    """What a word may be a form of, by its endings."""
    return [word[: -len(ending)] + other for ending, other in endings if word.endswith(ending)]


@lru_cache(maxsize=4096)
def remembered(word: str) -> frozenset[str]:
    """The same, of words that come again."""
    return synonyms(word)


@cache
def _parts() -> tuple[_Part, ...]:
    parts: list[_Part] = []
    for line in text("synonyms.txt.xz").splitlines():
        mark = line[:2]
        if mark == "= ":
            parts.append(_Part(ENDINGS[len(parts)], {}, {}, set()))
        elif mark == "< ":
            form, *bases = line[2:].split()
            parts[-1].irregular[form] = bases
        elif mark == "* ":
            parts[-1].alone.update(line[2:].split())
        else:
            sets = parts[-1].sets
            for word in line.replace("|", " ").split():
                sets.setdefault(word, []).append(line)
    return tuple(parts)
