"""Chat models at OpenAI, and at every endpoint that speaks as OpenAI does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from vivavoce.net.openai import api
from vivavoce.providers._endpoint import Endpoint, Place
from vivavoce.providers._manners import chat

__all__ = ["Openai"]


@dataclass(frozen=True, kw_only=True)
class Openai(Endpoint):
    """A chat model at OpenAI, or at any endpoint that speaks as OpenAI's does: Ollama, vLLM, a gateway of your own.

    Speaks: chat completions, a POST to `BASE_URL/chat/completions`. Answers are held to a JSON Schema by `response_format`; an
        endpoint that does not know it is asked for a JSON object, and at last in words alone. A parameter that a model
        refuses, such as the temperature of models that reason, is left out from then on.
    Options: `model`, `base_url`, `api_key`, `temperature`, `max_tokens`, `headers`, `extra`, `input_price`, `output_price`.
    Example: `--judge openai:gpt-5-mini`, or `--judge openai:llama3.1 --judge-option base_url=http://localhost:11434/v1`
    Limits: the cost is known for the models of `prices.toml` at OpenAI's own address, or by `input_price` and `output_price`;
        rebates for cached tokens are not counted.
    Source: OpenAI's API reference, chat completions and structured outputs.
    """

    main: ClassVar[str] = "model"

    model: str
    """Which model is asked, as the endpoint names it."""
    base_url: str | None = None
    """Address of the API, without `/chat/completions`; by default the variable `OPENAI_BASE_URL`, else OpenAI's own."""
    api_key: str | None = field(default=None, repr=False)
    """Better as `${VAR}` than as it is; by default the variable `OPENAI_API_KEY`. A local server may need none."""

    def _place(self) -> Place:
        at = api(self.base_url, self.api_key)
        return Place(
            url=f"{at.url}/chat/completions",
            model=self.model,
            key=at.key,
            shows_key=at.shows_key,
            asks_for_key=at.asks_for_key,
            body={"model": self.model},
            hints={
                401: "the key is wrong or missing: set OPENAI_API_KEY, or the option api_key",
                403: f"the key may not use {self.model}",
                404: f"there is no model {self.model} here, or base_url is not the address of an API (most end in /v1)",
            },
            listed="openai" if at.own else None,
            dialect=chat(own=at.own),
        )
