"""Where English sentences end, as Punkt (Kiss and Strunk, 2006) decides it with the model that NLTK distributes.

Only a period, a question mark or an exclamation mark can end a sentence, and only before a closing mark or a space. The word
it stands at and the next one decide: an abbreviation, an initial or a number does not end a sentence unless the next word
looks like the beginning of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from string import whitespace
from typing import NamedTuple

from vivavoce.evaluators._overlap.tables import model

_NUMBER = "##number##"
_MARKS = frozenset(".?!")
_PUNCTUATION = frozenset(";:,.!?")
_CLOSING = r"[)\";}\]*:@'({\[!?]"
_RUN = r"(?:-{2,}|\.{2,}|(?:\.[ \t-\r]){2,}\.)"
# White space is spelt out: what separates files and records in ASCII is white space to Python, but not to these rules.
_CANDIDATE = re.compile(rf"[.?!](?=(?P<after>{_CLOSING}|[ \t-\r]+(?P<next>[^ \t-\r]+)))")
_END = rf"[ \t-\r]|$|{_CLOSING}|{_RUN}"
_TOKEN = re.compile(rf"{_RUN}|(?=[^(\"`{{\[:;&#*@)}}\]\-,])[^ \t-\r]+?(?={_END}|,(?={_END}))|[^ \t-\r]")
_NUMERIC = re.compile(r"-?[.,]?\d[\d,.\-]*\.?")
_INITIAL = re.compile(r"[^\W\d]\.")
_BELONGS = re.compile(r"[\"')\]}]+?(?:[ \t-\r]+|(?=--)|$)", re.MULTILINE)


class _Word(NamedTuple):
    """A token as the decision sees it."""

    text: str
    type: str
    ends: bool
    """Whether a sentence ends here, by its looks alone."""
    is_abbreviation: bool
    is_ellipsis: bool

    @property
    def bare(self) -> str:
        """The type without its last period."""
        return self.type[:-1] if len(self.type) > 1 and self.type[-1] == "." else self.type

    @property
    def as_next(self) -> str:
        """The type as it is looked up when the word follows another."""
        return self.bare if self.ends else self.type


def sentences(text: str) -> list[str]:
    """The sentences of a text in ASCII, without the white space between them."""
    spans = list(_spans(text))
    found: list[str] = []
    moved = 0
    for index, (start, end) in enumerate(spans):
        start += moved
        following = spans[index + 1] if index + 1 < len(spans) else None
        closers = _BELONGS.match(text[slice(*following)]) if following else None
        if following and closers:
            found.append(text[start : following[0] + len(closers[0].rstrip())])
            moved = closers.end()
            continue
        moved = 0 if following else moved
        if text[start:end]:
            found.append(text[start:end])
    return found


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for mark, head in _candidates(text):
        if _parts(head, mark):
            yield start, mark.end()
            start = mark.start("next") if mark["next"] else mark.end()
    yield start, len(text.rstrip())


def _candidates(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each mark that may end a sentence, with what stands before it back to the last white space.

    Of several marks at one word only the last counts.
    """
    start = end = 0
    last: re.Match[str] | None = None
    for mark in _CANDIDATE.finditer(text):
        gap = max(text.rfind(space, end, mark.start()) for space in whitespace)
        # White space at the very beginning of the gap does not count, nor does none.
        begin = gap + 1 if gap > end else start
        if last is not None and end <= begin:
            yield last, text[start:end]
        last, start, end = mark, begin, mark.start()
    if last is not None:
        yield last, text[start:end]


def _parts(head: str, mark: re.Match[str]) -> bool:
    """Whether there is the end of a sentence in a word, the mark at its end and what follows."""
    if head.isalpha() and len(head) > 1 and (mark[0] != "." or head.lower() not in model().abbreviations):
        return True  # the common case, which the rules below decide the same
    words = [_word(token) for line in f"{head}{mark[0]}{mark['after']}".split("\n") for token in _TOKEN.findall(line)]
    return any(_ends(word, following) for word, following in pairwise(words))


def _word(token: str) -> _Word:
    lower = token.lower()
    has_period = token.endswith(".") and not token.endswith("..")
    known = model().abbreviations
    is_abbreviation = has_period and token != "." and (lower[:-1] in known or lower[:-1].rpartition("-")[2] in known)
    return _Word(
        text=token,
        type=_NUMBER if _NUMERIC.fullmatch(token) else lower,
        ends=token in _MARKS or (has_period and not is_abbreviation),
        is_abbreviation=is_abbreviation,
        is_ellipsis=len(token) > 1 and not token.strip("."),
    )


def _ends(word: _Word, following: _Word) -> bool:
    """Whether a sentence ends between two words."""
    if not word.text.endswith("."):
        return word.ends
    known = model()
    after = following.as_next
    if (word.bare, after) in known.pairs:
        return False
    is_initial = _INITIAL.fullmatch(word.text) is not None
    ends = word.ends
    begins = _begins(following)
    if (word.is_abbreviation or word.is_ellipsis) and not is_initial:
        if begins is True:
            return True
        if following.text[0].isupper() and after in known.starters:
            return True
    if is_initial or word.bare == _NUMBER:
        if begins is False:
            return False
        if begins is None and is_initial and following.text[0].isupper() and after not in known.lower:
            return False
    return ends


def _begins(word: _Word) -> bool | None:
    """Whether a word looks like the first of a sentence; None when there is no telling."""
    if word.text in _PUNCTUATION:
        return False
    known = model()
    if word.text[0].isupper() and word.as_next in known.beginning:
        return True
    if word.text[0].islower() and word.as_next not in known.maybe:
        return False
    return None
