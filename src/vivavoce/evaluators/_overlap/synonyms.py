"""The synonyms of English words, as WordNet 3.0 has them."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from vivavoce.evaluators._overlap.tables import text

# Endings of inflected forms and what they become; adverbs have none.
_ENDINGS = (
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


class _Part(NamedTuple):
    """A part of speech."""

    endings: tuple[tuple[str, str], ...]
    irregular: dict[str, list[str]]
    """Inflected forms and their bases."""
    sets: dict[str, list[str]]
    """For each word, the lines that hold it."""


def synonyms(word: str) -> frozenset[str]:
    """All single words in lower case that share a meaning with a word or with what it may be a form of; the word itself too.

    Names with a space or a capital are left out: no token is like them.
    """
    found = {word}
    for part in _parts():
        bases = part.irregular.get(word)
        if bases is None:
            bases = [word[: -len(ending)] + other for ending, other in part.endings if word.endswith(ending)]
        for form in {word, *bases}:
            for line in part.sets.get(form, ()):
                found.update(line.partition("|")[0].split())
    return frozenset(found)


remembered = lru_cache(maxsize=4096)(synonyms)
"""The same, of words that come again."""


@cache
def _parts() -> tuple[_Part, ...]:
    parts: list[_Part] = []
    for line in text("synonyms.txt.xz").splitlines():
        mark = line[:2]
        if mark == "= ":
            parts.append(_Part(_ENDINGS[len(parts)], {}, {}))
        elif mark == "< ":
            form, *bases = line[2:].split()
            parts[-1].irregular[form] = bases
        else:
            sets = parts[-1].sets
            for word in line.replace("|", " ").split():
                sets.setdefault(word, []).append(line)
    return tuple(parts)
