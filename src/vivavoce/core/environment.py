"""The variables that `${VAR}` in options may name: the process's own, and those that env files add for a while."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

# Not written into `os.environ`: that is everybody's, also of other runs in this process and of whatever they start.
_KNOWN: ContextVar[Mapping[str, str] | None] = ContextVar("viva_environment", default=None)


def variables() -> Mapping[str, str]:
    """All that are known here."""
    known = _KNOWN.get()
    return os.environ if known is None else known


@contextmanager
def known(mapping: Mapping[str, str]) -> Iterator[None]:
    """While this is open, these are the variables, also in tasks begun meanwhile."""
    token = _KNOWN.set(mapping)
    try:
        yield
    finally:
        _KNOWN.reset(token)
