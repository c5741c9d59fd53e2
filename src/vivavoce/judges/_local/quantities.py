"""Figures in a text - numbers, amounts, durations, times of day - and whether two of them may be the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from vivavoce.judges._local.words import ordered, units

_TIMES = MappingProxyType({"hundred": 1e2, "thousand": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9, "bn": 1e9})
_CLOCK = re.compile(
    r"(?<![A-Za-z0-9_.,:])([01]?\d|2[0-4])(?:\s?[:h.]\s?([0-5]\d))?\s*"
    r"(a\.?m\b\.?|p\.?m\b\.?|o'clock|in the (?:morning|afternoon|evening))"
    r"|(?<![A-Za-z0-9_.,:])([01]?\d|2[0-4])\s?[:h]\s?([0-5]\d)(?![\d:])",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])([€$£]?)\s?(\d+(?:[.,'\u00a0]\d+)*)(?:st|nd|rd|th)?"
    r"\s*(?:(?:working|business|full|whole|more)\s+)?([%°€$£]c?|[^\W\d_]+)?",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"\d{1,3}(?:[.,'\u00a0]\d{3})+")
_MARK = re.compile(r"[.,'\u00a0]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """A figure, with what it measures when that is said."""

    value: float
    """In the smallest unit of what it measures; minutes of the day for a time."""
    dimension: str
    """Such as `mass` or `clock`; empty when nothing says it."""
    text: str
    """As it stands."""
    bare: float
    """The number alone, without its unit."""

    def agrees(self, other: Quantity) -> bool:
        """Whether the two may be the same: a unit that is not said may be any."""
        both = {self.dimension, other.dimension}
        if len(both) == 1 or both == {"", "percent"}:
            return abs(self.value - other.value) <= 1e-9 * max(1.0, abs(self.value))
        if both == {"", "clock"}:
            clock, number = (self, other) if self.dimension == "clock" else (other, self)
            return (clock.value / 60) % 12 == number.value % 12
        return "" in both and self.bare == other.bare


def quantities(text: str) -> tuple[Quantity, ...]:
    """All figures of a text."""
    found: list[Quantity] = []
    spelt = _spell(text)
    taken: list[tuple[int, int]] = []
    for match in _CLOCK.finditer(spelt):
        minutes = float(_hour(match) * 60 + int(match[2] or match[5] or 0))
        found.append(Quantity(value=minutes, dimension="clock", text=match[0].strip(), bare=minutes / 60))
        taken.append(match.span())
    for match in _NUMBER.finditer(spelt):
        if not any(start <= match.start(2) < end for start, end in taken):
            found.append(_quantity(match))
    return tuple(found)


def unknown(some: Iterable[Quantity], known: Sequence[Quantity]) -> list[Quantity]:
    """The figures that agree with none of those known."""
    return [each for each in some if not any(each.agrees(other) for other in known)]


def _hour(match: re.Match[str]) -> int:
    hour, half = int(match[1] or match[4]), (match[3] or "").lower()
    if half.startswith(("p", "in the a", "in the e")) and hour < 12:
        return hour + 12
    return 0 if half.startswith(("a", "in the m")) and hour == 12 else hour


def _quantity(match: re.Match[str]) -> Quantity:
    bare, after = _value(match[2]), (match[3] or "").casefold()
    if after == "s" and match.start(3) == match.end(2):  # "the 90s"
        after = ""
    scale = _TIMES.get(after, 1.0)
    dimension, factor = units().get(match[1] or after, ("", 1.0))
    told = after if dimension or scale > 1 else ""
    text = f"{match[1]}{match[2]}{'' if told in ('%', '°') else ' '}{told}".strip()
    return Quantity(value=bare * scale * factor, dimension=dimension, text=text, bare=bare * scale)


def _value(digits: str) -> float:
    """A number as it is meant: marks between groups of three are no decimal point."""
    if _GROUPED.fullmatch(digits):
        digits = _MARK.sub("", digits)
    whole, *rest = _MARK.split(digits)
    return float(f"{whole[:30]}.{rest[0][:12]}" if rest else whole[:30])


def _spell(text: str) -> str:
    """The text with spelt-out numbers as figures; `one` stays, which mostly is no number."""

    def figure(match: re.Match[str]) -> str:
        parts = re.split(r"[- ]", match[0].casefold())
        if parts == ["one"] or (len(parts) == 2 and _spelt()[parts[0]] < 20):
            return match[0]
        return f"{sum(_spelt()[part] for part in parts):g}"

    return _spelt_word().sub(figure, text.replace("noon", "12 pm").replace("midnight", "12 am"))


@cache
def _spelt() -> Mapping[str, float]:
    small = {word: float(value) for value, word in enumerate(ordered("small_numbers"))}
    tens = {word: 20.0 + 10 * place for place, word in enumerate(ordered("tens"))}
    return MappingProxyType({**small, **tens, "dozen": 12.0})


@cache
def _spelt_word() -> re.Pattern[str]:
    ones = "|".join(ordered("small_numbers")[1:10])
    return re.compile(rf"\b(?:{'|'.join(_spelt())})\b(?:[- ](?:{ones})\b)?", re.IGNORECASE)
