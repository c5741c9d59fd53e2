"""Stores of every kind, each empty."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vivavoce.core import plugins
from vivavoce.core.model import Use

MakeStore = Callable[[], Any]


@pytest.fixture(params=plugins.names("stores"))
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    """Opens one and the same store, as often as it is called."""
    opened = []

    def make() -> Any:
        store = plugins.build("stores", Use(name=request.param, options={"path": str(tmp_path / "deep" / "runs.db")}))
        opened.append(store)
        return store

    yield make
    for store in opened:
        store.close()
