"""The collector of reference cycles, which looks at everything that lives each time many objects were made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_NEW = 20_000
"""Objects made, beyond those freed, before the collector looks at them: what a few hundred trials leave until they are kept."""


@contextmanager
def seldom() -> Iterator[None]:
    """Look for cycles less often, and not among what is there already; for a program that makes objects by the million.

    For the whole process, and so for programs of Viva's own alone.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_NEW, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
