"""What calls are said to have taken - tokens, money, further calls - believed as far as it can be counted up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

MOST = 10**12
"""Of one call. No call takes as much, and sums of more could be neither stored nor shown."""


def is_amount(value: object) -> TypeGuard[float]:
    """Whether it is a number that a call may have taken; it is another party's word."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST


def add(total: dict[str, float], usage: object) -> None:
    """Count in what a call is said to have taken, name by name; what is no such number is left out."""
    if isinstance(usage, Mapping):
        for name, amount in usage.items():
            if is_amount(amount):
                total[str(name)] = total.get(str(name), 0) + amount
