"""The ids of a file that streams, kept small enough for millions of them."""

from __future__ import annotations

from array import array

_SMALLEST = 1024


class Ids:
    """Which ids have been seen, and where first: twelve bytes for each place of the table.

    Kept by hash, 64 bits wide: that two of a million different ids are taken for one has a chance of one in 30 million.
    """

    def __init__(self) -> None:
        self._count = 0
        self._make(_SMALLEST)

    def add(self, name: str, place: int) -> int | None:
        """Keep an id with its place, a line or position from 0; the first place, if it was seen before."""
        key = hash(name) & 0xFFFF_FFFF_FFFF_FFFF or 1  # 0 marks a place that is free
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
