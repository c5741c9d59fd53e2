"""What options of evaluators have in common: numbers within bounds, whole numbers, texts that say something."""

from __future__ import annotations

from collections.abc import Iterable


def within(name: str, value: float, low: float, high: float) -> None:
    """Refuse a number outside its bounds.

    Raises:
        ValueError: it is; also when it is no number at all (`NaN`).
    """
    if not low <= value <= high:
        raise ValueError(f"{name} is {value:g}; it lies between {low:g} and {high:g}")


def whole(name: str, value: float, least: int = 1) -> int:
    """A whole number, which JSON may also write as `2.0`.

    Raises:
        ValueError: it has a fraction, or is below `least`.
    """
    # Compared first: infinity and NaN have no whole part to look at.
    if not least <= value < float("inf") or int(value) != value:
        raise ValueError(f"{name} is {value:g}; it is a whole number from {least} on")
    return int(value)


def telling(name: str, texts: Iterable[str]) -> None:
    """Refuse a blank among texts that are looked for: it would be found everywhere.

    Raises:
        ValueError: one is blank.
    """
    for index, text in enumerate(texts):
        if not text.strip():
            raise ValueError(f"{name}[{index}] is blank; give a text, or leave it out")
