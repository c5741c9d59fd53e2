"""What can be checked in a sentence: figures, negations, words that have opposites, and names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from vivavoce.judges._local.quantities import Quantity, quantities
from vivavoce.judges._local.texts import words
from vivavoce.judges._local.words import groups, phrases, terms

_SPACELESS_NEGATION = re.compile("不|没|未|无|ない|ません")
_NAME = re.compile(r"(?<![\w'’])(?:[A-Z][\w'’\-]*[a-zA-Z]|[A-Z]{2,})(?![\w])")
_BEGINNING = frozenset(".!?:;\n•-*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """What can be checked in a text."""

    quantities: tuple[Quantity, ...]
    words: frozenset[str]
    negations: int
    names: frozenset[str]


def facts(text: str) -> Facts:
    """What can be checked in a text."""
    plain = _idiom().sub(lambda match: phrases("idioms")[match[0].casefold()], text)
    folded = [word.casefold().replace("’", "'") for word in words(plain)]
    negations = sum(word in terms("negations") or word.endswith("n't") for word in folded)
    # Where a tokenizer has set it apart, as in "do n't".
    negations += sum(word == "n" and folded[at + 1 : at + 2] == ["t"] for at, word in enumerate(folded))
    negations += len(_SPACELESS_NEGATION.findall(plain))
    if "ne" in folded and "pas" in folded:
        negations -= 1
    return Facts(quantities=quantities(plain), words=frozenset(folded), negations=negations, names=frozenset(names(text)))


def names(text: str) -> list[str]:
    """Words that are written large within a sentence, or in a row, and so are likely to be names."""
    found = []
    for match in _NAME.finditer(text):
        before = text[: match.start()].rstrip(" \"'“‘(")
        begins = not before or before[-1] in _BEGINNING
        goes_on = text[match.end() : match.end() + 1] == " " and bool(_NAME.match(text, match.end() + 1))
        if (goes_on or not begins) and match[0].casefold() not in terms("stop"):
            found.append(match[0])
    return found


def opposites(here: Facts, there: Facts) -> list[tuple[str, str]]:
    """Words of one text whose opposites the other text has in their place."""
    found = []
    for sides in groups("opposites"):
        mine = [side & here.words for side in sides if side & here.words]
        theirs = [side & there.words for side in sides if side & there.words]
        if len(mine) == 1 and len(theirs) == 1 and not any(mine[0] & side and theirs[0] & side for side in sides):
            found.append((min(mine[0]), min(theirs[0])))
    return found


@cache
def _idiom() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases('idioms'))})\b", re.IGNORECASE)
