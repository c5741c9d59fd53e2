"""What a person says that models cost: it holds for a while, and goes before every list of prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

Prices = Mapping[str, Mapping[str, float]]
"""By model: `input` and `output`, in USD per million tokens."""

FORM = 'must be a table of models, each in quotes, such as "my-model" = { input = 0.5, output = 2.0 } (USD per million tokens)'
"""What prices are to look like; completes "NAME ..."."""

_KNOWN: ContextVar[Prices] = ContextVar("viva_prices", default=MappingProxyType({}))


def own() -> Prices:
    """Those that hold here."""
    return _KNOWN.get()


@contextmanager
def known(prices: Prices) -> Iterator[None]:
    """While this is open, these are a person's own prices, also in tasks begun meanwhile."""
    token = _KNOWN.set(prices)
    try:
        yield
    finally:
        _KNOWN.reset(token)


def are_prices(given: object) -> bool:
    """Whether this is a table of prices."""
    return isinstance(given, Mapping) and all(isinstance(name, str) and _is_price(each) for name, each in given.items())


def _is_price(given: object) -> bool:
    return isinstance(given, Mapping) and given.keys() == {"input", "output"} and all(map(_is_amount, given.values()))


def _is_amount(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given < float("inf")
