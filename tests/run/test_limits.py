"""Limits under which nothing could be asked are refused."""

from __future__ import annotations

import pytest

from vivavoce.core.errors import UsageError
from vivavoce.run.calls import Limits


@pytest.mark.parametrize(
    "given",
    [
        {"concurrency": 0},
        {"concurrency": "4"},
        {"concurrency": 2.0},
        {"concurrency": True},
        {"retries": -1},
        {"timeout": 0},
        {"timeout": "1"},
        {"case_timeout": -1},
        {"run_timeout": float("nan")},
        {"rate": float("inf")},
        {"token_budget": 0},
        {"token_budget": 2.5},
        {"token_budget": True},
        {"money_budget": 0},
        {"money_budget": "1"},
    ],
)
def test_what_cannot_be_meant_is_refused(given):
    (name,) = given
    with pytest.raises(UsageError, match=f"^{name} must be a"):
        Limits(**given)


def test_the_least_there_can_be_is_taken():
    made = Limits(concurrency=1, retries=0, timeout=0.1, rate=0.01)
    assert (made.concurrency, made.retries) == (1, 0)
