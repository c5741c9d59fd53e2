"""Chat models that are deployed in Azure OpenAI."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar
from urllib.parse import quote, urlsplit

from vivavoce.net import addressing
from vivavoce.providers._endpoint import Endpoint, Place
from vivavoce.providers._manners import chat

__all__ = ["Azure"]

_VERSION = "2024-12-01-preview"
_DEPLOYMENT = "gpt-4o-mini"
_BEHIND = re.compile(r"/openai(?:/deployments(?:/.*)?)?/?$")
"""What people copy along with an endpoint, and what is added anew."""
_V1 = re.compile(r"/openai/v1(?:/chat/completions)?/?$")


@dataclass(frozen=True, kw_only=True)
class Azure(Endpoint):
    """A chat model deployed in Azure OpenAI.

    Speaks: chat completions, a POST to `ENDPOINT/openai/deployments/DEPLOYMENT/chat/completions?api-version=...`; or to
        `ENDPOINT/openai/v1/chat/completions`, when the endpoint is given with `/openai/v1` or `api_version` is `v1`. Answers
        are held to a JSON Schema; a parameter that a model refuses is left out from then on.
    Options: `deployment`, `endpoint`, `api_key`, `api_version`, `temperature`, `max_tokens`, `headers`, `extra`, `input_price`,
        `output_price`.
    Example: `--judge azure:gpt-5-mini --judge-option endpoint=https://NAME.openai.azure.com`
    Limits: a key, or a token in `headers`, is needed: it does not sign in by itself. The cost is known by the model that the
        endpoint says has answered, from `prices.toml`, or by `input_price` and `output_price`.
    Source: Azure OpenAI's REST reference; the names of the variables are those of Microsoft 365 Copilot Agent Evaluations.
    """

    main: ClassVar[str] = "deployment"

    deployment: str | None = None
    """Its name, which need not be the model's; by default the variable `AZURE_AI_MODEL_NAME`, else `gpt-4o-mini`."""
    endpoint: str | None = None
    """Address of the resource; by default the variable `AZURE_AI_OPENAI_ENDPOINT`."""
    api_key: str | None = field(default=None, repr=False)
    """Better as `${VAR}` than as it is; by default the variable `AZURE_AI_API_KEY`."""
    api_version: str | None = None
    """Version of the API, or `v1`; by default the variable `AZURE_AI_API_VERSION`, else `2024-12-01-preview`."""

    @property
    def model(self) -> str:
        """The deployment, by which reports name it."""
        return self._at.model

    def _place(self) -> Place:
        deployment = self.deployment or addressing.variable("AZURE_AI_MODEL_NAME") or _DEPLOYMENT
        given = self.endpoint or addressing.variable("AZURE_AI_OPENAI_ENDPOINT")
        if not given:
            raise ValueError("there is no endpoint: set the variable AZURE_AI_OPENAI_ENDPOINT, or the option endpoint")
        parts = urlsplit(addressing.address(given.strip(), "endpoint"))
        key = addressing.key(self.api_key, "api_key", "AZURE_AI_API_KEY")
        v1 = self.api_version == "v1" or _V1.search(parts.path) is not None
        base = f"{parts.scheme}://{parts.netloc}{_BEHIND.sub('', _V1.sub('', parts.path)).rstrip('/')}/openai"
        version = self.api_version or addressing.variable("AZURE_AI_API_VERSION") or _VERSION
        url = f"{base}/deployments/{quote(deployment, safe='')}/chat/completions?api-version={quote(version)}"
        return Place(
            url=f"{base}/v1/chat/completions" if v1 else url,
            model=deployment,
            key=key,
            shows_key={"api-key": key},
            asks_for_key="there is no key: set the variable AZURE_AI_API_KEY, or the option api_key",
            body={"model": deployment} if v1 else {},
            hints={
                401: "the key is wrong, or of another resource: set AZURE_AI_API_KEY, or the option api_key",
                403: "the resource does not let this key or this network in",
                404: f"there is no deployment {deployment} at this endpoint; it has the deployment's name, not the model's",
            },
            listed="openai",
            dialect=chat(own=True),
        )
