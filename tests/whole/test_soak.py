"""Runs that are killed again and again, in stores of both kinds, lose nothing and ask nothing finished again."""

from __future__ import annotations

import pytest

from .conftest import script


@pytest.mark.slow
def test_no_promise_is_broken():
    done = script("_soak.py", "--runs", "1", "--cases", "300", "--seed", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "sqlite    postgres" in done.stdout
    assert "broken promises: none" in done.stdout
