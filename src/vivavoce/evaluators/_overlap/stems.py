"""Words cut back to their stems by Martin Porter's rules, with the changes to them that NLTK makes.

The rules are those of "An algorithm for suffix stripping" (Program 14.3, 1980). The changes: a few irregular words; words of
one or two letters stay; `-ies` and `-ied` leave `-ie` in words of four letters; `y` becomes `i` only after a consonant that
is not the first letter; `-alli`, `-bli`, `-fulli` and `-logi` have rules of their own; a vowel with a consonant takes an `e`.
"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType

CACHED = 40
"""Letters of a word whose stem is remembered."""

_IRREGULAR = MappingProxyType(
    {
        "skies": "sky",
        "sky": "sky",
        "dying": "die",
        "lying": "lie",
        "tying": "tie",
        "news": "news",
        "innings": "inning",
        "inning": "inning",
        "outings": "outing",
        "outing": "outing",
        "cannings": "canning",
        "canning": "canning",
        "howe": "howe",
        "proceed": "proceed",
        "exceed": "exceed",
        "succeed": "succeed",
    }
)
_VOWELS = frozenset("aeiou")

# Of each step: endings and what they become. The first that fits decides, even when its condition does not hold.
_STEP_2 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("fulli", "ful"),
    ("logi", "log"),
)
_STEP_3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_STEP_4 = (
    "al",
    "ance",
    "ence",
    "er",
    "ic",
    "able",
    "ible",
    "ant",
    "ement",
    "ment",
    "ent",
    "ion",
    "ou",
    "ism",
    "ate",
    "iti",
    "ous",
    "ive",
    "ize",
)


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    return _remembered(word) if len(word) <= CACHED else _stem(word)


def _stem(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    for step in (_plural, _past, _final_y, _step_2, _step_3, _step_4, _final_e):
        word = step(word)
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


@lru_cache(maxsize=16384)
def _remembered(word: str) -> str:
    return _stem(word)


def _plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    base = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    if "v" not in _kinds(base):
        return word
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    kinds = _kinds(base)
    if len(base) >= 2 and base[-1] == base[-2] and kinds[-1] == "c":
        return base if base[-1] in "lsz" else base[:-1]
    return base + "e" if kinds.count("vc") == 1 and _is_short(base, kinds) else base


def _final_y(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and len(word) > 2 and _kinds(word[:-1])[-1] == "c" else word


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _step_2(word[:-2])
    for ending, other in _STEP_2:
        if word.endswith(ending):
            # The l of -logi counts as part of what is before it, so that short beginnings such as geo- do.
            before = word[:-3] if ending == "logi" else word[: -len(ending)]
            return word[: -len(ending)] + other if _measure(before) > 0 else word
    return word


def _step_3(word: str) -> str:
    for ending, other in _STEP_3:
        if word.endswith(ending):
            return word[: -len(ending)] + other if _measure(word[: -len(ending)]) > 0 else word
    return word


def _step_4(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            before = word[: -len(ending)]
            fits = _measure(before) > 1 and (ending != "ion" or before[-1] in "st")
            return before if fits else word
    return word


def _final_e(word: str) -> str:
    if not word.endswith("e"):
        return word
    kinds = _kinds(word[:-1])
    measure = kinds.count("vc")
    return word[:-1] if measure > 1 or (measure == 1 and not _is_short(word[:-1], kinds)) else word


def _kinds(word: str) -> str:
    """Each letter as `v` or `c`, vowel or consonant; a y is a vowel after a consonant."""
    kinds = ""
    for letter in word:
        kinds += "v" if letter in _VOWELS or (letter == "y" and kinds[-1:] == "c") else "c"
    return kinds


def _measure(word: str) -> int:
    """How many times a consonant follows a vowel."""
    return _kinds(word).count("vc")


def _is_short(word: str, kinds: str) -> bool:
    """Whether it ends in consonant, vowel and a consonant other than w, x, y; or is a vowel and a consonant."""
    return kinds == "vc" or (kinds.endswith("cvc") and word[-1] not in "wxy")
