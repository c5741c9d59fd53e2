"""What the settings name: where runs are kept, what may be run, and how. Nothing of it comes from a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from vivavoce.core.kinds import Store
from vivavoce.core.model import Selection
from vivavoce.core.prices import Prices
from vivavoce.run.calls import Limits
from vivavoce.run.cassette import NOTHING_TAPED, Taping


@dataclass(frozen=True, kw_only=True, slots=True)
class Project:
    """The exams of one folder."""

    store: Callable[[], AbstractContextManager[Store]]
    """Opens the store, for one thread."""
    selection: Selection
    """How suites are run; its paths are those of all suites."""
    limits: Limits
    taping: Taping = NOTHING_TAPED
    """What is replayed and spared."""
    environment: Mapping[str, str] = field(repr=False)
    """The variables that options may name."""
    prices: Prices = field(default_factory=dict)
    """What models cost, as the settings say."""
    folder: Path
