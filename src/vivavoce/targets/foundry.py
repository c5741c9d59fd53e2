"""Examine an agent or a model of a project in Microsoft Foundry."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal
from urllib.parse import quote

from vivavoce.core import secrets
from vivavoce.core.kinds import Session
from vivavoce.core.model import Trial
from vivavoce.core.reply import JSON, Object
from vivavoce.net import addressing

if TYPE_CHECKING:
    from vivavoce.targets._foundry import Entrance
    from vivavoce.targets._openai import Line, Manner

__all__ = ["Foundry"]

_ENDPOINT = ("AZURE_AI_PROJECT_ENDPOINT", "FOUNDRY_PROJECT_ENDPOINT")
_COPIED = ("/responses", "/v1", "/openai")
"""What people copy along with an endpoint, and what is added anew."""
_AT = "responses"


@dataclass(frozen=True, kw_only=True)
class Foundry:
    """An agent or a model of a project in Microsoft Foundry; or responses they gave before, fetched by their ids.

    Speaks: the Responses API of the project, a POST to `ENDPOINT/openai/v1/responses` a turn that names the agent in
        `agent_reference`, or the model. Later turns name the response before, or all go into one conversation. Text, tool calls
        with their results, citations, searches, refusals and tokens become the reply. With `fetch`, a GET of
        `ENDPOINT/openai/v1/responses/ID` for each row, and of its `input_items` where the row does not say what was asked.
    Options: `agent`, `model`, `version`, `endpoint`, `api_key`, `token`, `hosted`, `api_version`, `memory`, `stream`, `fetch`,
        `headers`, `extra`, `idempotent`, `limit`.
    Example: `--target foundry:help-desk`, with `AZURE_AI_PROJECT_ENDPOINT` set and after `az login`; or
        `--target foundry --target-option fetch=response_id`
    Limits: without a key or a token it takes whoever is signed in to Azure (extra `foundry`), as Microsoft's library finds
        them; that reads the process's environment, not env files. No tool is run here: an agent that calls a function of
        yours has answered with the call. Results of tools in a case's history are not sent. Of a fetched response, what went
        before it in its conversation is not known.
    Source: Microsoft's `azure-ai-projects` 2.10, whose paths, fields and scope these are.
    """

    main: ClassVar[str] = "agent"
    way: ClassVar[str] = "foundry:AGENT"

    agent: str | None = None
    """Name of the agent; `NAME:VERSION` names its version as well."""
    model: str | None = None
    """Name of a model's deployment, which is asked instead of an agent."""
    version: str | None = None
    """Version of the agent; by default its latest."""
    endpoint: str | None = None
    """Address of the project, as `https://RESOURCE.services.ai.azure.com/api/projects/PROJECT`; by default the variable
    `AZURE_AI_PROJECT_ENDPOINT` or `FOUNDRY_PROJECT_ENDPOINT`."""
    api_key: str | None = field(default=None, repr=False)
    """Better as `${VAR}` than as it is; by default the variable `AZURE_AI_API_KEY`."""
    token: str | None = field(default=None, repr=False)
    """A token instead of a key, for `https://ai.azure.com`; by default the variable `AZURE_AI_AUTH_TOKEN`."""
    hosted: bool = False
    """Whether the agent is a hosted one, which is asked at an address of its own."""
    api_version: str | None = None
    """A dated version, such as `2025-11-15-preview`, for projects that are not asked at `/openai/v1`."""
    memory: Literal["response", "conversation", "none"] = "response"
    """By what a later turn follows on an earlier one: by naming the response before it, by a conversation that is begun for
    each case, or by saying everything again."""
    stream: bool = False
    """Whether answers are sent in pieces; they are judged as a whole all the same."""
    fetch: str | None = None
    """Column of the dataset, such as `response_id`, that names a response given before: it is fetched, and nothing is asked."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with every request; `${VAR}` in a value is read from the environment, and never stored."""
    extra: Object = field(default_factory=dict)
    """More fields of every request, such as `{"temperature": 0}`."""
    idempotent: bool = False
    """Whether asking the same twice does no harm, so that a call without an answer may be repeated; fetching never does."""
    limit: int = 16 * 1024 * 1024
    """Bytes of an answer; more is a failure."""

    def __post_init__(self) -> None:
        # What is wrong with any of these must be known before anything is run.
        _ = self._base, self._shown_key, self._headers, self._body
        if self.limit < 1:
            raise ValueError(f"limit must be at least 1, not {self.limit}")
        if self.fetch is not None:
            object.__setattr__(self, "idempotent", True)
        if not self._shown_key:
            _find_library()

    def session(self, trial: Trial) -> Session:
        """A conversation of its own."""
        from vivavoce.targets._responses import Fetched, Responses

        if self.fetch is not None:
            return Fetched(self._entrance, trial.case, self.fetch, at=_AT)
        return Responses(self._entrance, memory=self.memory, at=_AT)

    async def close(self) -> None:
        """Close every connection."""
        if "_entrance" in vars(self):
            await self._entrance.close()

    def sign_in(self) -> None:
        """See that somebody is signed in before anything is run.

        Raises:
            CallError: nobody is, and there is neither a key nor a token.
        """
        if not self._shown_key:
            from vivavoce.targets._foundry import token

            token()

    @cached_property
    def _entrance(self) -> Entrance:
        from vivavoce.targets._foundry import Entrance, token
        from vivavoce.targets._gate import Gate
        from vivavoce.targets._openai import Manner

        manner = Manner(body=self._body, system=None, hints=self._hints(), limit=self.limit)

        def line(got: str) -> Line:
            return self._line(manner, self._shown_key or {"Authorization": f"Bearer {got}"})

        if self._shown_key:
            return Entrance(Gate(line, lambda _: "", renewable=False), manner)
        return Entrance(Gate(line, lambda _: token(), renewable=True), manner)

    def _line(self, manner: Manner, key: Mapping[str, str]) -> Line:
        """A connection that shows a key or a token."""
        from vivavoce.net.exchange import Door
        from vivavoce.targets._openai import Line
        from vivavoce.wire.openai_responses import Joined

        door = Door(
            url=self._base,
            shown=addressing.shown(self._base),
            method="POST",
            headers={**key, **self._headers},
            tls=None,
            secrets=secrets.values({"key": list(key.values()), "headers": self.headers}),
        )
        return Line(door, manner, Joined)

    @cached_property
    def _named(self) -> tuple[str, str]:
        """Name and version of the agent; empty when a model is asked, or nobody."""
        name, _, version = (self.agent or "").strip().partition(":")
        if version and self.version is not None and self.version != version:
            raise ValueError(f"the agent is named with version {version}, and the option version is {self.version}")
        if bool(name) == bool(self.model) and (name or self.fetch is None):
            raise ValueError("name either an agent, as foundry:AGENT, or a model, by the option model")
        if self.hosted and not name:
            raise ValueError("hosted is for an agent: name it as foundry:AGENT")
        return name, version or self.version or ""

    @cached_property
    def _base(self) -> str:
        """The address below which everything is, with the version of the API where it has one."""
        given = self.endpoint or addressing.variable(*_ENDPOINT)
        if not given:
            raise ValueError(f"there is no endpoint: set the variable {_ENDPOINT[0]}, or the option endpoint")
        url = addressing.address(given.strip(), "endpoint").partition("?")[0].rstrip("/")
        for copied in _COPIED:
            url = url.removesuffix(copied)
        name, _ = self._named
        if self.hosted:
            return (
                f"{url}/agents/{quote(name, safe='')}/endpoint/protocols/openai?api-version={quote(self.api_version or 'v1')}"
            )
        if self.api_version in (None, "v1"):
            return f"{url}/openai/v1"
        return f"{url}/openai?api-version={quote(self.api_version or '')}"

    @cached_property
    def _shown_key(self) -> dict[str, str]:
        """The header that shows a key or a token; none when somebody must be signed in."""
        key, token = (addressing.key(given or "", name) for given, name in ((self.api_key, "api_key"), (self.token, "token")))
        if not key and not token:
            key = addressing.key(None, "api_key", "AZURE_AI_API_KEY")
            token = addressing.key(None, "token", "AZURE_AI_AUTH_TOKEN")
        if token:
            return {"Authorization": f"Bearer {token}"}
        return {"api-key": key} if key else {}

    @cached_property
    def _headers(self) -> dict[str, str]:
        preview = {"Foundry-Features": "HostedAgents=V1Preview"} if self.hosted else {}
        return {**preview, **addressing.headers(self.headers)}

    @cached_property
    def _body(self) -> dict[str, JSON]:
        """Fields of every request."""
        name, version = self._named
        body: dict[str, JSON] = {"stream": True} if self.stream else {}
        if self.model:
            body["model"] = self.model
        elif name and not self.hosted:
            # Versions with a date call it otherwise.
            key = "agent_reference" if self.api_version in (None, "v1") else "agent"
            body[key] = {"type": "agent_reference", "name": name, **({"version": version} if version else {})}
        return {**body, **self.extra}

    def _hints(self) -> dict[int, str]:
        """What to do about a status, for the person who reads the message."""
        name, version = self._named
        asked = f"{name}, version {version}," if version else name or self.model
        known = "response of this id, or none any more," if self.fetch is not None else asked
        return {
            401: "the key or token is wrong or has expired, or is not meant for https://ai.azure.com",
            403: "whoever asks may not use this project: the role Azure AI User is needed",
            404: f"there is no {known} here, or endpoint is not the address of its project",
        }


def _find_library() -> None:
    """Raises `ModuleNotFoundError` when signing in is not installed."""
    try:
        found = importlib.util.find_spec("azure.identity")
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise ModuleNotFoundError("No module named 'azure.identity'", name="azure-identity")
