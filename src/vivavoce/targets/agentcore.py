"""Examine an agent that runs in Amazon Bedrock AgentCore."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote, urlencode

from vivavoce.core import codec, secrets
from vivavoce.core.kinds import Session
from vivavoce.core.model import Trial
from vivavoce.core.reply import JSON, Object, Request
from vivavoce.net import addressing, aws
from vivavoce.targets import _template
from vivavoce.targets._paths import Placed

if TYPE_CHECKING:
    from vivavoce.targets._agentcore import Line

__all__ = ["Agentcore"]

_ARN = re.compile(
    r"arn:(?P<partition>[\w-]+):bedrock-agentcore:(?P<region>[\w-]+):(?P<account>\d{12}):runtime/"
    r"(?P<runtime>[\w-]+)(?:/runtime-endpoint/(?P<endpoint>[\w-]+))?"
)
_ID = re.compile(r"[\w-]+")
_ACCOUNT = re.compile(r"\d{12}")


@dataclass(frozen=True, kw_only=True)
class Agentcore(Placed):
    """An agent in AgentCore's runtime, named by its ARN.

    Speaks: InvokeAgentRuntime, a POST to `https://bedrock-agentcore.REGION.amazonaws.com/runtimes/ARN/invocations`, signed
        (version 4) by whoever is signed in to AWS, or with a bearer token. An input that is an object is sent as it is, text as
        `{"prompt": TEXT}`. The turns of a case share one session. The answer is JSON, plain text or server-sent events: the
        protocol's `{"text", "tool_calls", ...}`, a text, or an object with it under `result`, `response`, `output`, `message`,
        `answer`, `completion`, `content` or `data`, messages of Strands among them; paths lead to anything else.
    Options: `arn`, `qualifier`, `account`, `region`, `profile`, `token`, `endpoint`, `prompt`, `request`, `text`,
        `tool_calls`, `citations`, `retrievals`, `rows`, `intent`, `refusal`, `insight`, `usage`, `headers`, `idempotent`,
        `limit`.
    Example: `--target agentcore:arn:aws:bedrock-agentcore:us-east-1:123456789012:runtime/desk-a1b2c3d4e5`
    Limits: to sign needs the extra `aws`; credentials are found as Amazon's own tools find them, and in env files. Of an answer
        without paths, tool calls are known only if the agent reports them under `tool_calls`. What a case starts with is not
        told to the agent, unless `request` does. A session is not ended: the runtime does that by itself.
    Source: Amazon's API reference, InvokeAgentRuntime; `botocore` signs.
    """

    main: ClassVar[str] = "arn"
    way: ClassVar[str] = "agentcore:ARN"

    arn: str
    """ARN of the agent's runtime, or of an endpoint of it; or its id alone, with `account` and a region."""
    qualifier: str | None = None
    """Which endpoint of the agent is asked, and so which version; by default the ARN's, else `DEFAULT`."""
    account: str | None = None
    """Account of the agent, where it is named by its id."""
    region: str | None = None
    """By default the ARN's, else the variable `AWS_REGION` or `AWS_DEFAULT_REGION`, else the profile's."""
    profile: str | None = None
    """Whose credentials sign, as `~/.aws/config` names them; by default the variables' or the default profile's."""
    token: str | None = field(default=None, repr=False)
    """A bearer token instead of a signature, for agents whose inbound authorisation is OAuth; better as `${VAR}`."""
    endpoint: str | None = None
    """Address of the service, such as a private one; by default that of the region."""
    prompt: str = "prompt"
    """What the member of the payload is called that holds an input that is text."""
    request: Object | str | None = None
    """A JSON object to send instead, whatever the input; `{{input}}`, `{{session_id}}`, `{{history}}`, `{{case}}`, `{{turn}}`
    and `{{about}}` in its texts are replaced, and keep their type where they are the whole text."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with every request, such as `X-Amzn-Bedrock-AgentCore-Runtime-User-Id`; `${VAR}` is read from the environment."""
    idempotent: bool = False
    """Whether asking the same twice does no harm, so that a call without an answer may be repeated."""
    limit: int = 16 * 1024 * 1024
    """Bytes of an answer; more is a failure."""

    def __post_init__(self) -> None:
        # What is wrong with any of these must be known before anything is run.
        _ = self._url, self._headers, self._request, self._bearer, self._signer
        if not self.prompt:
            raise ValueError("prompt is empty; it names the member of the payload that holds the input")
        if self.limit < 1:
            raise ValueError(f"limit must be at least 1, not {self.limit}")
        _ = self._line  # with its paths

    def session(self, trial: Trial) -> Session:
        """A conversation in a session of its own."""
        from vivavoce.targets._agentcore import Conversation

        return Conversation(self._line)

    async def close(self) -> None:
        """Close every connection."""
        await self._line.close()

    def sign_in(self) -> None:
        """See that somebody is signed in to AWS before anything is run.

        Raises:
            CallError: nobody is, and there is no token.
        """
        if self._signer is not None:
            self._signer.sign_in()

    @cached_property
    def _line(self) -> Line:
        from vivavoce.net.exchange import Door
        from vivavoce.targets._agentcore import Answers, Line, Manner

        door = Door(
            url=self._url,
            shown=addressing.shown(self._url),
            method="POST",
            headers={**({"Authorization": f"Bearer {self._bearer}"} if self._bearer else {}), **self._headers},
            tls=None,
            secrets=secrets.values({"token": self._bearer, "headers": self.headers}),
            signer=self._signer,
        )
        answers = Answers(self._placed)
        return Line(door, Manner(body=self._body, answers=answers, hints=self._hints(), limit=self.limit))

    def _body(self, request: Request) -> bytes:
        """The payload for one request."""
        if self._request is not None:
            told: dict[str, JSON] = codec.plain(request)
            return codec.encode(_template.fill(self._request, told))
        return codec.encode(request.input if isinstance(request.input, Mapping) else {self.prompt: request.input})

    @cached_property
    def _url(self) -> str:
        """Where the agent is invoked, every part escaped."""
        named = self._named
        query = {"qualifier": self.qualifier or (named["endpoint"] if named else None) or "DEFAULT"}
        runtime = self.arn.strip() if named is None else named[0].partition("/runtime-endpoint/")[0]
        if self.account is not None or named is None:
            query["accountId"] = self.account or ""
        given = self.endpoint or aws.address("bedrock-agentcore", self._region)
        url = addressing.address(given.strip(), "endpoint").rstrip("/")
        return f"{url}/runtimes/{quote(runtime, safe='')}/invocations?{urlencode(query, quote_via=quote)}"

    @cached_property
    def _named(self) -> re.Match[str] | None:
        """The parts of the ARN; none where the agent is named by its id."""
        arn = self.arn.strip()
        named = _ARN.fullmatch(arn)
        if named is None and (arn.startswith("arn:") or not _ID.fullmatch(arn)):
            raise ValueError(f'"{arn}" is no ARN of a runtime; one is arn:aws:bedrock-agentcore:REGION:ACCOUNT:runtime/NAME-ID')
        if named is None and self.account is None:
            raise ValueError(f"{arn} is an id, no ARN: name the account too, by the option account")
        if self.account is not None and not _ACCOUNT.fullmatch(self.account):
            raise ValueError(f'account must be the 12 digits of an account, not "{self.account}"')
        return named

    @cached_property
    def _region(self) -> str:
        return aws.region(self.region, self._named["region"] if self._named else None, profile=self.profile)

    @cached_property
    def _bearer(self) -> str:
        return addressing.key(self.token or "", "token")

    @cached_property
    def _signer(self) -> aws.Signer | None:
        if self._bearer or "authorization" in map(str.lower, self._headers):
            return None
        return aws.Signer(service="bedrock-agentcore", region=self._region, profile=self.profile)

    @cached_property
    def _headers(self) -> dict[str, str]:
        return addressing.headers(self.headers)

    @cached_property
    def _request(self) -> Object | None:
        return _template.parse(self.request)

    def _hints(self) -> dict[int, str]:
        """What to do about a status, for the person who reads the message."""
        return {
            401: "the token is wrong or has expired, or the agent wants a signature and no token",
            402: "the account has reached a quota of AgentCore's",
            403: "whoever asks needs bedrock-agentcore:InvokeAgentRuntime; an agent that wants a bearer token takes no "
            "signature: give it by the option token",
            404: f"there is no such agent in {self._region}, or none of its endpoints is called so",
            424: "the agent itself failed; its log says why",
        }
