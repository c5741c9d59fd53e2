"""Texts as the tokens that BLEU, GLEU and METEOR count.

ASCII texts are split as NLTK's `word_tokenize` does, by the rules of the Penn Treebank: sentence by sentence, punctuation and
English contractions apart. Texts with any other character are split as its international NIST tokenizer does: where ASCII
meets other characters, and at punctuation and symbols.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from xml.sax.saxutils import unescape

from vivavoce.evaluators._overlap.sentences import sentences
from vivavoce.evaluators._overlap.tables import ranges

REMEMBERED = 20_000
"""Characters of a text whose tokens are remembered, for the other metrics of the same answer."""
_CHUNK = 40

# A pass over the text for each rule, in this order; the result is split at white space. White space is spelt out: what
# separates files and records in ASCII is white space to Python, but not to these rules.
_S = r"[ \t-\r]"
_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(`+)", r" \1 "),
        (r'^"', r"``"),
        (r"(``)", r" \1 "),
        (r"([ (\[{<])(\"|'{2})", r"\1 `` "),
        (r"(?i)(?<!\w)(')(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)", r"\1 "),
        (rf"([^.])(\.)([\])}}>\"' ]*+){_S}*$", r"\1 \2 \3 "),
        (r"([:,])([^\d])", r" \1 \2"),
        (r"([:,])$", r" \1 "),
        (r"\.{2,}", r" \g<0> "),
        (r"[;@#$%&]", r" \g<0> "),
        (rf"([^.])(\.)([\])}}>\"']*){_S}*$", r"\1 \2\3 "),
        (r"[?!]", r" \g<0> "),
        (r"([^'])' ", r"\1 ' "),
        (r"\*", r" \g<0> "),
        (r"[\]\[(){}<>]", r" \g<0> "),
        (r"--", r" -- "),
        (r"\A|\Z", r" "),
        (r"''|\"", r" '' "),
        (rf"{_S}+", r" "),
        (r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 "),
        (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
    )
)
_CONTRACTIONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(can)(not)\b",
        r"\b(d)('ye)\b",
        r"\b(gim)(me)\b",
        r"\b(gon)(na)\b",
        r"\b(got)(ta)\b",
        r"\b(lem)(me)\b",
        r"\b(more)('n)\b",
        r"\b(wan)(na)(?=\s)",
        r" ('t)(is)\b",
        r" ('t)(was)\b",
    )
)
_PLAIN_CONTRACTIONS = frozenset(("cannot", "gimme", "gonna", "gotta", "lemme", "wanna"))
# What makes a rule look beyond a word: quotation marks, an apostrophe before white space other than a plain space, a closing
# mark that stands alone at the end, and characters that are white space to Python only.
_FAR = re.compile(r"[\"`\x1c-\x1f]|''|'[\t-\r]|[ \t-\r][\])}>']+[ \t-\r]*$")

_ENTITIES = (("&apos;", "'"), ("&quot;", '"'), ("&#124;", "|"), ("&#91;", "["), ("&#93;", "]"))
_ASCII_RUN = re.compile(r"([\x00-\x7f]+)")


def tokens(text: str) -> tuple[str, ...]:
    """The tokens of a text, case and punctuation kept."""
    return _remembered(text) if len(text) <= REMEMBERED else _tokens(text)


def _tokens(text: str) -> tuple[str, ...]:
    if not text.isascii():
        return tuple(_international(text))
    return tuple(token for sentence in sentences(text) for token in _english(sentence))


@lru_cache(maxsize=64)
def _remembered(text: str) -> tuple[str, ...]:
    return _tokens(text)


def _english(sentence: str) -> list[str]:
    """The tokens of a sentence in ASCII."""
    if _FAR.search(sentence):
        return _by_rules(sentence)
    found: list[str] = []
    *chunks, last = sentence.split() or [""]
    for chunk in chunks:
        if chunk.isalnum() and (len(chunk) > 6 or chunk.lower() not in _PLAIN_CONTRACTIONS):
            found.append(chunk)
        else:
            found += _chunk(chunk) if len(chunk) <= _CHUNK else _by_rules(f"{chunk} x")[:-1]
    found += _last(last) if len(last) <= _CHUNK else _by_rules(last)
    return found


@lru_cache(maxsize=16384)
def _chunk(chunk: str) -> tuple[str, ...]:
    """The tokens of what stands between white space within a sentence."""
    return tuple(_by_rules(f"{chunk} x")[:-1])


@lru_cache(maxsize=4096)
def _last(chunk: str) -> tuple[str, ...]:
    """The same of what ends a sentence."""
    return tuple(_by_rules(chunk))


def _by_rules(text: str) -> list[str]:
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    for pattern in _CONTRACTIONS:
        text = pattern.sub(r" \1 \2 ", text)
    return text.split()


def _international(text: str) -> list[str]:
    """The tokens of a text in any script."""
    text = unescape(text.replace("<skipped>", "").replace("\u2028", " "), dict(_ENTITIES))
    text = _ASCII_RUN.sub(r" \1 ", text)
    for pattern, replacement in _international_rules():
        text = pattern.sub(replacement, text)
    return text.split()


@cache
def _international_rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    known = ranges()
    number, punctuation, symbol = (f"[{known[name]}]" for name in ("number", "punctuation", "symbol"))
    # The list called "number" holds characters that are no digits: punctuation is split off words, not off figures.
    return (
        (re.compile(f"({number})({punctuation})"), r"\1 \2 "),
        (re.compile(f"({punctuation})({number})"), r" \1 \2"),
        (re.compile(symbol), r" \g<0> "),
    )
