"""What the cases of a suite may offer beside being iterated, where a file holds very many of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from vivavoce.core.model import Case


@runtime_checkable
class Parted(Protocol):
    """Cases of a suite of which some can be read without reading what is between them."""

    def part(self, wanted: Iterator[bool]) -> Iterator[Case | None]:
        """Each case that is wanted, as the next of `wanted` says of each row, and `None` for each other."""


@runtime_checkable
class Alike(Protocol):
    """Cases of a suite of which many differ in their texts alone, so that they can be counted without making each."""

    def kinds(self) -> Iterator[tuple[Case, int]]:
        """A case, and how many there are of its kind beyond those told before; in all, every case as often as it is there.

        Tells of what is wrong as iterating the cases does. Cases of a kind have the same checks, and the same parts: a recorded
        answer, a context, an expected response. One that has no answer recorded is told of by itself.
        """
