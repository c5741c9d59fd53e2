"""Chat models at Anthropic."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar
from urllib.parse import urlsplit

from vivavoce.net import addressing
from vivavoce.providers._dialect import Dialect
from vivavoce.providers._endpoint import Endpoint, Place
from vivavoce.providers._tooled import Tooled
from vivavoce.wire import anthropic as wire

__all__ = ["Anthropic"]

_OWN = "https://api.anthropic.com"
_LONGEST = 8192
"""Tokens of an answer where nobody says, since a request must; a verdict has a few hundred, thoughts aside."""


@dataclass(frozen=True, kw_only=True)
class Anthropic(Endpoint):
    """A chat model at Anthropic, or behind a gateway that speaks as Anthropic does.

    Speaks: the Messages API, a POST to `BASE_URL/v1/messages`. Answers are held to a JSON Schema by a tool that the model is
        made to call; a model that cannot be made to, such as one that always thinks, is offered it, and at last asked in words
        alone. A parameter that a model refuses, such as the temperature, is left out from then on.
    Options: `model`, `base_url`, `api_key`, `temperature`, `max_tokens`, `headers`, `extra`, `input_price`, `output_price`.
    Example: `--judge anthropic:claude-sonnet-4-5`
    Limits: without `max_tokens` an answer has at most 8192 tokens, since this interface wants a limit. The cost is known for
        the models of `prices.toml` at Anthropic's own address, or by `input_price` and `output_price`; tokens of a cache are
        counted as any others.
    Source: Anthropic's API reference, messages, tool use and errors.
    """

    main: ClassVar[str] = "model"

    model: str
    """Which model is asked, as Anthropic names it."""
    base_url: str | None = None
    """Address of the API, without `/v1/messages`; by default the variable `ANTHROPIC_BASE_URL`, else Anthropic's own."""
    api_key: str | None = field(default=None, repr=False)
    """Better as `${VAR}` than as it is; by default the variable `ANTHROPIC_API_KEY`. A gateway of your own may need none."""

    def _place(self) -> Place:
        given = self.base_url or addressing.variable("ANTHROPIC_BASE_URL") or _OWN
        url = addressing.address(given.strip(), "base_url").rstrip("/").removesuffix("/messages").removesuffix("/v1")
        own = urlsplit(url).hostname == urlsplit(_OWN).hostname
        key = addressing.key(self.api_key, "api_key", "ANTHROPIC_API_KEY")
        return Place(
            url=f"{url}/v1/messages",
            model=self.model,
            key=key,
            shows_key={"x-api-key": key},
            asks_for_key="there is no key: set the variable ANTHROPIC_API_KEY, or the option api_key" if own else "",
            headers={"anthropic-version": wire.VERSION},
            body={"model": self.model},
            hints={
                401: "the key is wrong or missing: set ANTHROPIC_API_KEY, or the option api_key",
                403: f"the key may not use {self.model}",
                404: f"there is no model {self.model} here, or base_url is not the address of an API",
                529: "it has too much to do, for everybody",
            },
            listed="anthropic" if own else None,
            dialect=Dialect(
                said=wire.said,
                read=wire.completion,
                manners=Tooled(tool=wire.tool, limited=wire.limited, length=_LONGEST),
            ),
        )
