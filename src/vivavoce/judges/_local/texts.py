"""Texts as the judge reads them: bounded, cleaned, cut into sentences and words, in whatever language."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from vivavoce.judges._local.words import terms

LONGEST = 12_000
"""Characters of an answer or a question that are read; of a longer text the beginning and the end."""
LONGEST_SOURCE = 120_000
"""The same of what an answer should rest on."""
MOST_SENTENCES = 48
"""Sentences of an answer that are looked at, of a longer one evenly spread."""
LONGEST_SENTENCE = 400

Language = Literal["en", "other", "unknown"]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ud800-\udfff]+")
# Marks of citations are no part of what is said: `[1]`, `[^1^]`, `【1†source】`, and those in private-use characters.
_MARK = re.compile(
    r"[ \t]?(?:\[\^?\d{1,3}\^?\](?:\([^()\s]{0,500}\))?|【[^【】\n]{1,80}】|\ue200cite[^\ue200\ue201]{0,200}\ue201)"
)
_LINK = re.compile(r"\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
_SPACE = re.compile(r"[^\S\n]+")
_END = re.compile(
    r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[^\sa-z])|(?<=\s[.!?])\s+|(?<=[。！？])|(?<=[!?])(?=[\u3040-\u9fff])|\n+(?:\s*(?:[-*•]|\d+[.)])\s+)?|(?<=;)\s+"
)
_ABBREVIATED = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|e\.g|i\.e|bzw|z\.B)|\b[A-Z])\.$")
_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*", re.UNICODE)
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f]+")
# Scripts of the languages that the encoder has learnt.
_KNOWN = re.compile(
    r"[A-Za-z\u00aa-\u024f\u1e00-\u1eff\u0400-\u052f\u0600-\u06ff\u0750-\u077f\u0e00-\u0e7f"
    r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u1100-\u11ff]"
)
_ASCII_LETTER = re.compile(r"[A-Za-z]")


def clean(text: str, longest: int = LONGEST) -> tuple[str, bool]:
    """The part of a text that is read, without what cannot be read; and whether anything of it was left out."""
    cut = len(text) > longest
    if cut:
        text = text[: longest * 3 // 4] + "\n" + text[-(longest // 4) + 1 :]
    text = _LINK.sub(r"\1", _MARK.sub("", text))
    text = unicodedata.normalize("NFKC", _CONTROL.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n")))
    return _SPACE.sub(" ", text)[:longest].strip(), cut


def sentences(text: str, most: int | None = MOST_SENTENCES) -> list[str]:
    """The sentences of a cleaned text, none longer than what the encoder reads well."""
    found: list[str] = []
    for part in _END.split(text):
        part = part.strip(" -*•\t") if part else ""
        if found and _ABBREVIATED.search(found[-1]):
            part = f"{found.pop()} {part}"
        found += [part[at : at + LONGEST_SENTENCE] for at in range(0, len(part), LONGEST_SENTENCE)]
    found = [each for each in found if any(letter.isalnum() for letter in each)]
    if most is None or len(found) <= most:
        return found
    return [found[index * len(found) // most] for index in range(most)]


def words(text: str) -> list[str]:
    """The words of a text as they stand; where words are not set apart, every two neighbouring signs."""
    found: list[str] = []
    for word in _WORD.findall(text):
        if _SPACELESS.search(word):
            for run in _SPACELESS.findall(word):
                found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
            found += [each for each in _SPACELESS.split(word) if each]
        else:
            found.append(word)
    return found


def content(text: str) -> list[str]:
    """The stems of the words that carry matter, in order."""
    found = []
    stop = terms("stop")
    for word in words(text):
        folded = word.casefold().replace("’", "'").removesuffix("'s")
        if folded not in stop and not folded.endswith("n't"):
            found += [stem(part) for part in folded.split("-") if part]
    return found


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A folded word without what grammar adds to it; roughly, and alike for all languages with an alphabet."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", word) if not unicodedata.combining(each))
    if not plain.isalpha() or len(plain) < 4:
        return plain
    for ending in (
        "ingly",
        "ations",
        "ation",
        "ments",
        "ment",
        "ings",
        "ing",
        "ies",
        "ied",
        "edly",
        "ed",
        "es",
        "ly",
        "s",
        "e",
        "y",
    ):
        if plain.endswith(ending) and len(plain) - len(ending) >= 3:
            plain = plain[: -len(ending)]
            break
    if len(plain) > 3 and plain[-1] == plain[-2]:
        plain = plain[:-1]
    return plain if plain.isascii() or len(plain) < 7 else plain[:6]


def language(*texts: str) -> Language:
    """Whether texts are English, another language that the encoder knows by its script, or one that it does not know."""
    text = " ".join(each[:2000] for each in texts)
    letters = [letter for letter in text if letter.isalpha()]
    if not letters:
        return "en"
    known = sum(1 for letter in letters if _KNOWN.match(letter))
    if known < 0.6 * len(letters):
        return "unknown"
    if sum(1 for letter in letters if _ASCII_LETTER.match(letter)) < 0.7 * len(letters):
        return "other"
    folded = [word.casefold() for word in _WORD.findall(text)]
    english = sum(word in terms("english") for word in folded)
    foreign = sum(word in terms("foreign") for word in folded)
    accented = sum(1 for letter in letters if not letter.isascii())
    return "other" if foreign + accented > english else "en"
