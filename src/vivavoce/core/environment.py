"""The variables that `${VAR}` in options may name: the process's own, and those that env files add for a while."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from vivavoce.core.place import nearest

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

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


def expand(text: str, option: str) -> str:
    """The text with every `${VAR}` replaced by the variable's value, without space around it; the option stays as written.

    Raises:
        ValueError: a variable is not set; names it.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1]
        known = variables()
        if name not in known:
            near = nearest(name, list(known))
            hint = f' (did you mean "{near}"?)' if near else ""
            raise ValueError(f"{option} names the variable {name}, which is not set in the environment{hint}")
        return known[name].strip()

    return _VARIABLE.sub(value, text)
