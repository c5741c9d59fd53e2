"""What two texts have in common as a share of each: precision, recall and their harmonic mean."""

from __future__ import annotations

from typing import NamedTuple

from vivavoce.core.reply import JSON
from vivavoce.evaluators._quote import count


class Shares(NamedTuple):
    """How many of the answer's items and of the expected ones are in both. Where there is nothing, every share is 0."""

    both: int
    said: int
    expected: int

    @property
    def precision(self) -> float:
        """Of what was said."""
        return self.both / self.said if self.said else 0.0

    @property
    def recall(self) -> float:
        """Of what was expected."""
        return self.both / self.expected if self.expected else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        if not self.both:
            return 0.0
        precision, recall = self.both / self.said, self.both / self.expected
        return 2 * precision * recall / (precision + recall)

    def told(self) -> dict[str, JSON]:
        """For the details of a verdict."""
        both, said, expected = self
        return {"precision": both / said if said else 0.0, "recall": both / expected if expected else 0.0}

    def in_words(self, noun: str = "word", many: str = "", how: str = "") -> str:
        """For a reason: `3 words shared, of 4 said and 5 expected`."""
        return f"{count(self.both, noun, many)} shared{how}, of {self.said} said and {self.expected} expected"
