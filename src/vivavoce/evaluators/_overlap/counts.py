"""What two sequences of tokens have in common: runs of a length, the longest common subsequence, an alignment."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from vivavoce.evaluators._overlap.shares import Shares
from vivavoce.evaluators._overlap.stems import stem
from vivavoce.evaluators._overlap.synonyms import remembered as synonyms

_SHORT = 4096
"""Tokens of a text that is short enough to keep a number for each."""
_OFTEN = 64
"""Places from which on a token of a longer text keeps its number."""


class Alignment(NamedTuple):
    """Which tokens were matched with which, and how."""

    exact: int
    stems: int
    synonyms: int
    chunks: int
    """Runs of matched tokens that stand side by side in both texts."""

    @property
    def matches(self) -> int:
        """All of them."""
        return self.exact + self.stems + self.synonyms


def runs(tokens: Sequence[str], length: int) -> Iterable[object]:
    """Each run of tokens of a length."""
    return tokens if length == 1 else zip(*(tokens[start:] for start in range(length)), strict=False)


def shared(ours: Iterable[object], theirs: Iterable[object]) -> int:
    """How many of ours are among theirs; what stands there twice is found twice."""
    left: dict[object, int] = Counter(theirs)
    found = 0
    for each in ours:
        count = left.get(each, 0)
        if count:
            left[each] = count - 1
            found += 1
    return found


def words_shared(said: Sequence[str], wanted: Sequence[str], leaving: Iterable[str]) -> tuple[Shares, list[str]]:
    """What two texts share of their words, but for some that do not count; and which are wanted more often than said."""
    left: dict[str, int] = {}
    for word in wanted:
        left[word] = left.get(word, 0) + 1
    counted, expected = len(said), len(wanted)
    for word in leaving:
        counted -= said.count(word)
        expected -= left.pop(word, 0)
    for word in said:
        if word in left:
            left[word] -= 1
    missing, lacking = 0, []
    for word, times in left.items():
        if times > 0:
            missing += times
            lacking.append(word)
    return Shares(expected - missing, counted, expected), lacking


def shared_runs(ours: Sequence[str], theirs: Sequence[str], longest: int) -> list[int]:
    """How many runs of ours are among theirs, for each length from 1 on."""
    found: list[int] = []
    for length in range(1, longest + 1):
        # Without a run in common there is no longer one.
        found.append(shared(runs(ours, length), runs(theirs, length)) if not found or found[-1] else 0)
    return found


def common_subsequence(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    By bits: a whole row of the usual table is one number, so a text of a megabyte takes seconds and not hours.
    """
    start = 0
    shorter = min(len(ours), len(theirs))
    while start < shorter and ours[start] == theirs[start]:
        start += 1
    ours, theirs = ours[start:], theirs[start:]
    bits = _Bits(ours)
    every = (1 << len(ours)) - 1
    row = every
    for token in theirs:
        held = row & bits[token]
        if held:
            row = ((row + held) | (row - held)) & every
    return start + len(ours) - row.bit_count()


def align(ours: Sequence[str], theirs: Sequence[str]) -> Alignment:
    """Match tokens that are equal, then those with one stem, then synonyms; each from the end, to the last that is left."""
    left, right = list(enumerate(ours)), list(enumerate(theirs))
    matches: list[tuple[int, int]] = []
    left, right = _match(left, right, matches, _alone)
    exact = len(matches)
    # Synonyms are looked up for the stems, not for the words.
    left, right = [(place, stem(word)) for place, word in left], [(place, stem(word)) for place, word in right]
    left, right = _match(left, right, matches, _alone)
    stems = len(matches) - exact
    if left and right:
        _match(left, right, matches, synonyms)
    matches.sort()
    together = sum(one == before + 1 and other == beside + 1 for (before, beside), (one, other) in pairwise(matches))
    return Alignment(exact, stems, len(matches) - exact - stems, len(matches) - together)


_Numbered = list[tuple[int, str]]


def _match(
    left: _Numbered, right: _Numbered, matches: list[tuple[int, int]], same: Callable[[str], Iterable[str]]
) -> tuple[_Numbered, _Numbered]:
    """Add what matches, and return what is left on both sides."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in right:
        places[word].append(place)
    taken: set[int] = set()
    kept: _Numbered = []
    for place, word in reversed(left):
        found = [places[each] for each in same(word) if places.get(each)]
        if found:
            last = found[0] if len(found) == 1 else max(found, key=_last)
            taken.add(last[-1])
            matches.append((place, last.pop()))
        else:
            kept.append((place, word))
    kept.reverse()
    return kept, [each for each in right if each[0] not in taken] if taken else right


def _alone(word: str) -> tuple[str, ...]:
    return (word,)


def _last(places: list[int]) -> int:
    return places[-1]


class _Bits:
    """For each token of a text a number with a bit at each of its places."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.bytes = len(tokens) // 8 + 1
        self.places: dict[str, list[int]] = defaultdict(list)
        for place, token in enumerate(tokens):
            self.places[token].append(place)
        # The numbers of rare tokens, as long as those of any other, would fill the memory if all of a long text were kept.
        often = _OFTEN if len(tokens) > _SHORT else 1
        self.made = {token: self._make(held) for token, held in self.places.items() if len(held) >= often}

    def __getitem__(self, token: str) -> int:
        made = self.made.get(token)
        return self._make(self.places.get(token, ())) if made is None else made

    def _make(self, places: Sequence[int]) -> int:
        if len(places) < 2:
            return 1 << places[0] if places else 0
        held = bytearray(self.bytes)
        for place in places:
            held[place >> 3] |= 1 << (place & 7)
        return int.from_bytes(held, "little")
