"""What providers share: the options that are the same, and what is made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from vivavoce.core import secrets
from vivavoce.core.reply import Completion, Message, Object
from vivavoce.net import addressing
from vivavoce.providers import _prices
from vivavoce.providers._dialect import Dialect

if TYPE_CHECKING:
    from vivavoce.net.exchange import Signer
    from vivavoce.providers._completions import Completions


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where an endpoint is, and how one speaks to it."""

    url: str
    model: str
    """As messages and reports name it."""
    key: str
    """Empty when there is none."""
    shows_key: Mapping[str, str]
    """The header that carries the key."""
    asks_for_key: str
    """What to say when there is none; empty where none is needed."""
    body: Object
    """Fields of every request."""
    hints: Mapping[int, str]
    """What to do about a status."""
    listed: str | None
    """Whose list of prices holds there, if any."""
    dialect: Dialect
    """How one speaks to it."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Sent with every request, unless the options say otherwise."""
    signer: Signer | None = None
    """Signs requests, where no key is shown."""


@dataclass(frozen=True, kw_only=True)
class Endpoint(ABC):
    """A chat model at one address; each provider says where that is."""

    temperature: float | None = 0.0
    """How freely it answers: 0 is as alike as it can be, null leaves it to the model."""
    max_tokens: int | None = None
    """The longest answer in tokens, thoughts of the model included; by default the model's own limit."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with every request; `${VAR}` in a value is read from the environment, and never stored."""
    extra: Object = field(default_factory=dict)
    """More fields of every request, such as `{"reasoning_effort": "low"}`."""
    input_price: float | None = None
    """USD per million tokens read, where the table of prices does not say."""
    output_price: float | None = None
    """USD per million tokens written, where the table of prices does not say."""

    def __post_init__(self) -> None:
        # What is wrong with any of these must be known before anything is run.
        _ = self._at, self._sent, self._price
        if self.max_tokens is not None and self.max_tokens < 1:
            raise ValueError(f"max_tokens must be at least 1, not {self.max_tokens}")

    @abstractmethod
    def _place(self) -> Place:
        """Where the endpoint is, with every variable filled in.

        Raises:
            ValueError: an option or a variable is wrong or missing.
        """

    @property
    def where(self) -> str:
        """The address that its model is asked at."""
        return self._at.url

    @property
    def is_priced(self) -> bool:
        """Whether it is known what its model costs."""
        return self._price_of(self._at.model) is not None

    async def complete(self, messages: Sequence[Message], schema: Object | None = None) -> Completion:
        """What the model answers, held to the schema as far as the endpoint can."""
        return await self._completions.complete(messages, schema)

    async def close(self) -> None:
        """Close every connection."""
        if "_completions" in vars(self):
            await self._completions.close()

    @cached_property
    def _at(self) -> Place:
        return self._place()

    @cached_property
    def _sent(self) -> dict[str, str]:
        """The headers, with the key."""
        made = addressing.headers(self.headers)
        shown = self._at.shows_key if self._at.key else {}
        if not shown and self._at.asks_for_key and "authorization" not in map(str.lower, made):
            raise ValueError(self._at.asks_for_key)
        return {**self._at.headers, **shown, **made}

    @cached_property
    def _price(self) -> _prices.Price | None:
        return _prices.given(self.input_price, self.output_price)

    def _price_of(self, answered: str) -> _prices.Price | None:
        """By the model that answered; a dated release or a deployment may be called otherwise than what was asked."""
        if self._price is not None:
            return self._price
        names = self._names(answered)
        said = _prices.own(*names)
        return said if said is not None or self._at.listed is None else _prices.listed(self._at.listed, *names)

    def _names(self, answered: str) -> tuple[str, ...]:
        """Names by which the table of prices may have the model."""
        return answered, self._at.model

    @cached_property
    def _completions(self) -> Completions:
        from vivavoce.net.exchange import Door
        from vivavoce.providers._completions import Completions, Terms

        door = Door(
            url=self._at.url,
            shown=addressing.shown(self._at.url),
            method="POST",
            headers=self._sent,
            tls=None,
            secrets=secrets.values({"api_key": self._at.key, "headers": self.headers}),
            phase="judge",
            signer=self._at.signer,
        )
        terms = Terms(
            model=self._at.model,
            body={**self.extra, **self._at.body},
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            price=self._price_of,
            hints=self._at.hints,
        )
        return Completions(door, terms, self._at.dialect)
