"""Chat models in Amazon Bedrock."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar
from urllib.parse import quote

from vivavoce.net import addressing, aws
from vivavoce.providers._dialect import Dialect
from vivavoce.providers._endpoint import Endpoint, Place
from vivavoce.providers._tooled import Tooled
from vivavoce.wire import bedrock as wire

__all__ = ["Bedrock"]

_ARN = re.compile(r"arn:[\w-]+:bedrock:([\w-]+):\d*:\S+")
_RELEASE = re.compile(r"(-\d{8})?-v\d+(:\d+)?$|:\d+$")
"""The end of a name that tells one release of a model, which costs what the others do."""


@dataclass(frozen=True, kw_only=True)
class Bedrock(Endpoint):
    """A chat model in Amazon Bedrock: one of its own, an inference profile, or one that you have there.

    Speaks: Converse, a POST to `https://bedrock-runtime.REGION.amazonaws.com/model/MODEL/converse`, signed (version 4) by
        whoever is signed in to AWS, or with an API key of Bedrock's. Answers are held to a JSON Schema by a tool that the model
        is made to call; a model that cannot be made to is offered it, and at last asked in words alone. A parameter that a
        model refuses is left out from then on. What a guardrail stops counts as declined.
    Options: `model`, `region`, `profile`, `api_key`, `endpoint`, `temperature`, `max_tokens`, `headers`, `extra`,
        `input_price`, `output_price`.
    Example: `--judge bedrock:us.amazon.nova-pro-v1:0 --judge-option region=us-east-1`
    Limits: to sign needs the extra `aws`; credentials are found as Amazon's own tools find them, and in env files. Bedrock does
        not say which model answered, so the cost is known by the name that was asked, for the models of `prices.toml` in the
        regions of the United States, or by `input_price` and `output_price`.
    Source: Amazon Bedrock's API reference, Converse and API keys; `botocore` signs.
    """

    main: ClassVar[str] = "model"

    model: str
    """Which model is asked: its id, that of an inference profile, or an ARN."""
    region: str | None = None
    """By default the ARN's, else the variable `AWS_REGION` or `AWS_DEFAULT_REGION`, else the profile's."""
    profile: str | None = None
    """Whose credentials sign, as `~/.aws/config` names them; by default the variables' or the default profile's."""
    api_key: str | None = field(default=None, repr=False)
    """An API key of Bedrock's instead of a signature; by default the variable `AWS_BEARER_TOKEN_BEDROCK`."""
    endpoint: str | None = None
    """Address of the service, such as a private one; by default that of the region."""

    def _place(self) -> Place:
        model = self.model.strip()
        if not model:
            raise ValueError("model is empty; it names a model of Bedrock's, an inference profile, or an ARN")
        key = addressing.key(self.api_key, "api_key", "AWS_BEARER_TOKEN_BEDROCK")
        named = _ARN.fullmatch(model)
        region = aws.region(self.region, named[1] if named else None, profile=self.profile)
        given = self.endpoint or aws.address("bedrock-runtime", region)
        url = addressing.address(given.strip(), "endpoint").rstrip("/")
        signer = None if key else aws.Signer(service="bedrock", region=region, profile=self.profile, phase="judge")
        return Place(
            url=f"{url}/model/{quote(model, safe='')}/converse",
            model=model,
            key=key,
            shows_key={"Authorization": f"Bearer {key}"},
            asks_for_key="",
            body={},
            hints={
                403: f"whoever asks may not use {model} in {region}: it needs bedrock:InvokeModel, and access to the model",
                404: f"there is no model {model} in {region}",
            },
            listed="bedrock",
            signer=signer,
            dialect=Dialect(said=wire.said, read=wire.completion, manners=Tooled(tool=wire.tool, limited=wire.limited)),
        )

    def _names(self, answered: str) -> tuple[str, ...]:
        """Names by which the table of prices may have the model."""
        return (_RELEASE.sub("", answered).removeprefix("us."),)
