"""What calls are said to have taken, as far as it is believed."""

from __future__ import annotations

import math
from typing import Any

import pytest

from vivavoce.core import amounts


@pytest.mark.parametrize("told", [-1, 10**13, 10**400, 1e308, math.inf, math.nan, True, "5", None, [1], {"tokens": 1}])
def test_what_no_call_takes_is_not_counted(told: Any) -> None:
    total = {"tokens": 3.0}
    amounts.add(total, {"tokens": told})
    amounts.add(total, "no usage")
    assert total == {"tokens": 3.0}


def test_what_calls_take_is_added_up_by_name() -> None:
    total: dict[str, float] = {}
    for usage in ({"calls": 1, "cost_usd": 0.5}, {"calls": 1, "input_tokens": amounts.MOST}, {}):
        amounts.add(total, usage)
    assert total == {"calls": 2, "cost_usd": 0.5, "input_tokens": 10**12}
