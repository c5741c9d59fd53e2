"""The ids of a file that streams, kept small enough for millions of them."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right

_SMALLEST = 1024
_BY_PLACE = re.compile(r"#(0|[1-9][0-9]{0,17})")
_SPANS_MOST = 4096
"""Stretches of cases without an id of which each is remembered; where there are more, their ids are kept one by one."""


class Ids:
    """Which ids have been seen, and where first: twelve bytes for each place of the table.

    Kept by hash, 64 bits wide: that two of a million different ids are taken for one has a chance of one in 30 million.
    Cases without an id are called by their position, `#7`; of those no more is kept than where they begin and end.
    """

    def __init__(self) -> None:
        self._count = 0
        self._make(_SMALLEST)
        self._starts: list[int] = []
        self._spans: list[tuple[int, int]] = []
        """Of each stretch, the position after its last, and how far places are from positions in it."""
        self._any_by_place = False
        """Whether an id in the table looks like a position."""

    def add(self, name: str, place: int) -> int | None:
        """Keep an id with its place, a line or position from 0; the first place, if it was seen before."""
        if name[:1] == "#" and (match := _BY_PLACE.fullmatch(name)):
            position = int(match[1])
            at = bisect_right(self._starts, position) - 1
            if at >= 0 and position < self._spans[at][0]:
                return position + self._spans[at][1]
            self._any_by_place = True
        return self._add(name, place)

    def add_unnamed(self, position: int, place: int) -> int | None:
        """The same of a case that is called by its position; positions come in order."""
        if self._any_by_place and (first := self._seen(f"#{position}")) is not None:
            return first
        if self._spans and self._spans[-1] == (position, place - position):
            self._spans[-1] = position + 1, place - position
        elif len(self._spans) < _SPANS_MOST:
            self._starts.append(position)
            self._spans.append((position + 1, place - position))
        else:
            self._any_by_place = True
            return self._add(f"#{position}", place)
        return None

    def _seen(self, name: str) -> int | None:
        at = self._find(_key(name))
        return self._places[at] if self._keys[at] else None

    def _add(self, name: str, place: int) -> int | None:
        key = _key(name)
        at = self._find(key)
        if self._keys[at]:
            return self._places[at]
        self._keys[at], self._places[at] = key, place
        self._count += 1
        if self._count * 3 > len(self._keys) * 2:
            self._grow()
        return None

    def _make(self, size: int) -> None:
        self._keys = array("Q", bytes(8 * size))
        self._places = array("I", bytes(array("I").itemsize * size))

    def _find(self, key: int) -> int:
        keys, mask = self._keys, len(self._keys) - 1
        at = key & mask
        while keys[at] and keys[at] != key:
            at = (at + 1) & mask
        return at

    def _grow(self) -> None:
        keys, places = self._keys, self._places
        self._make(2 * len(keys))
        for key, place in zip(keys, places, strict=True):
            if key:
                at = self._find(key)
                self._keys[at], self._places[at] = key, place


def _key(name: str) -> int:
    return hash(name) & 0xFFFF_FFFF_FFFF_FFFF or 1  # 0 marks a place that is free
