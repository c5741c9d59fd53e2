"""Texts as words of any script, and as they are compared."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right

_APOSTROPHES = frozenset("'\u2019\u02bc\uff07")
_ZERO_WIDTH_SPACE = "\u200b"  # a format character by its category, but it stands between words

# Scripts written without spaces between words, as (first, last) code points: Thai, Lao, Myanmar, Khmer, Tai Le, New Tai Lue,
# Tai Tham, Balinese, Han, kana and bopomofo, Javanese, Tai Viet, Ahom.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x1950, 0x19FF),
    (0x1A20, 0x1AAF),
    (0x1B00, 0x1B7F),
    (0x2E80, 0x2FDF),
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3031, 0x312F),
    (0x31A0, 0x31BF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA980, 0xA9FF),
    (0xAA60, 0xAADF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x11700, 0x1174F),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x3FFFF),
)
_STARTS = tuple(first for first, _ in _UNSPACED)


def fold(text: str, *, case_sensitive: bool = False) -> str:
    """A text as it is compared: one spelling for each accented letter (NFC) and, unless told otherwise, without case."""
    if text.isascii():
        return text if case_sensitive else text.lower()
    text = unicodedata.normalize("NFC", text)
    # Folding case may take a letter apart again, so it is put together twice.
    return text if case_sensitive else unicodedata.normalize("NFC", text.casefold())


def words(text: str) -> list[str]:
    """The words of a text in order, without punctuation and symbols.

    Letters and digits make a word, together with the combining marks on them and with apostrophes between them; invisible
    format characters (soft hyphen, joiners) are left out. A character of a script written without spaces is a word, with
    its marks. Takes time in proportion to the text.
    """
    table: dict[int, str] = {}
    alone: list[str] = []
    marks: list[str] = []
    for char in set(text):
        category = unicodedata.category(char)
        if (category == "Cf" and char != _ZERO_WIDTH_SPACE) or unicodedata.name(char, "").startswith("VARIATION SELECTOR"):
            table[ord(char)] = ""
        elif category[0] == "M":
            marks.append(char)
        elif char in _APOSTROPHES:
            table[ord(char)] = "'"
        elif not char.isalnum():
            table[ord(char)] = " "
        elif _is_unspaced(char):
            alone.append(char)
    text = text.translate(table)
    if alone:
        with_marks = f"[{_either(marks)}]*" if marks else ""
        text = re.sub(f"[{_either(alone)}]{with_marks}", r" \g<0> ", text)
    found = (word.strip("'") for word in text.split())
    # A mark may stand on a symbol, which is gone.
    return [word for word in found if word.isalnum() or any(char.isalnum() for char in word)]


def symbols(text: str) -> list[str]:
    """The symbols of a text, such as emoji and currency signs: what is left of a text without words."""
    return [char for char in text if unicodedata.category(char)[0] == "S"]


def _is_unspaced(char: str) -> bool:
    place = bisect_right(_STARTS, ord(char)) - 1
    return place >= 0 and ord(char) <= _UNSPACED[place][1]


def _either(chars: list[str]) -> str:
    return "".join(re.escape(char) for char in chars)
