"""Texts as the words that the F1 score and ROUGE count, and as Unicode words for all of the metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable
from string import punctuation

from vivavoce.evaluators._overlap.stems import stem
from vivavoce.evaluators._tokens import fold, words

ARTICLES = ("a", "an", "the")
"""Those of English."""
_ARTICLES = re.compile(r"\b(?:an?|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", punctuation)
_PUNCTUATION = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_SHOWN = b" !\"#$%&'()*+,-./0123456789:;<=>?@" + _LETTERS + b"[\\]^_`" + _LETTERS + b"{|}~"
_PLAIN = b"\0" * 9 + b"\t\n\v\f\r" + b"\0" * 14 + b"\x1c\x1d\x1e\x1f" + _SHOWN + b"\0" * 129
"""ASCII in lower case; 0 for a character that is neither white space nor shown."""
_LATIN = re.compile(r"[a-z0-9]+")


def bare(text: str) -> list[str]:
    """Words in lower case between white space, without ASCII punctuation; articles of English, which do not count, may be among
    them.

    Punctuation leaves no gap: `well-known` is the one word `wellknown`, and `“x”` keeps its curly quotation marks.
    """
    if text.isascii():
        ascii_text = text.encode().translate(_PLAIN, _PUNCTUATION)
        if 0 not in ascii_text:
            return ascii_text.decode().split()  # nothing but white space is left between words
    # An article counts as one wherever a word may begin and end, which is beside a quotation mark too.
    return _ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()


def latin(text: str) -> list[str]:
    """Runs of the letters a to z and of digits, in lower case."""
    return _LATIN.findall(text.lower())


def stemmed(found: Iterable[str]) -> list[str]:
    """Words with those of four characters and more cut back to their stems."""
    return [stem(word) if len(word) > 3 else word for word in found]


def unicode_words(text: str, *, case_sensitive: bool = False) -> list[str]:
    """The words of a text in any script, without punctuation; scripts without spaces a character at a time."""
    return words(fold(text, case_sensitive=case_sensitive))
