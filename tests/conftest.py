"""What holds for all tests: how properties are tried, and a surrounding that says nothing."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# A machine that is busy makes no property wrong; and CI tries the same examples each time, so that a red one is a change's own.
settings.register_profile(
    "viva", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("viva")


@pytest.fixture(autouse=True)
def without_a_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """No width of whoever runs the tests: what is laid out is as wide as the test says."""
    monkeypatch.delenv("COLUMNS", raising=False)
