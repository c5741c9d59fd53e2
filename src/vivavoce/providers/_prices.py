"""What a call costs: by the prices a person gives, else by the table beside this module, else unknown."""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from vivavoce.core import prices
from vivavoce.core.reply import JSON, Object

_DATED = re.compile(r"-\d{4}-?\d{2}-?\d{2}$")
"""The end of a name that tells one release of a model, which costs what the others do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """USD per million tokens."""

    input: float
    output: float

    def __post_init__(self) -> None:
        for name, price in (("input_price", self.input), ("output_price", self.output)):
            if not 0 <= price < float("inf"):
                raise ValueError(f"{name} must be 0 or more, in USD per million tokens, not {price:g}")

    def of(self, usage: Object) -> float | None:
        """What a call costs in USD; `None` when its tokens are not known."""
        if "input_tokens" not in usage or "output_tokens" not in usage:
            return None
        cost: float = (usage["input_tokens"] * self.input + usage["output_tokens"] * self.output) / 1_000_000
        return cost


def given(input_price: float | None, output_price: float | None) -> Price | None:
    """The price that a person's options give, if any.

    Raises:
        ValueError: only one of the two is given, or one is below 0.
    """
    if input_price is None and output_price is None:
        return None
    if input_price is None or output_price is None:
        raise ValueError("input_price and output_price belong together; give both, in USD per million tokens")
    return Price(input=input_price, output=output_price)


def own(*models: str) -> Price | None:
    """The price a person has said of the first of these models that there is one of."""
    return _first(prices.own(), models)


def listed(vendor: str, *models: str) -> Price | None:
    """The listed price of the first of these models that the table has."""
    return _first(_table().get(vendor, {}), models)


def _first(prices: Mapping[str, JSON], models: Iterable[str]) -> Price | None:
    found = (prices.get(name) for model in models for name in (model, _DATED.sub("", model)))
    price = next((each for each in found if each is not None), None)
    return None if price is None else Price(input=price["input"], output=price["output"])


@cache
def _table() -> Mapping[str, JSON]:
    return tomllib.loads(importlib.resources.files("vivavoce.providers").joinpath("prices.toml").read_text(encoding="utf-8"))
