"""Examine an agent that is reached as models at OpenAI are: by chat completions, or by the Responses API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

from vivavoce.core import secrets
from vivavoce.core.kinds import Session
from vivavoce.core.model import Trial
from vivavoce.core.reply import JSON, Object
from vivavoce.net import addressing
from vivavoce.net.openai import Api, api

if TYPE_CHECKING:
    from vivavoce.targets._openai import Line

__all__ = ["Openai"]

_PATHS = ("/chat/completions", "/responses")


@dataclass(frozen=True, kw_only=True)
class Openai:
    """A model at OpenAI, or an agent behind any endpoint that speaks as OpenAI's does.

    Speaks: chat completions, a POST to `BASE_URL/chat/completions` with all that was said; or, with `api=responses`, a POST to
        `BASE_URL/responses` that names the response before it. Text, tool calls (with their results, where a response holds
        them), annotations as citations, searches of the service's own, refusals and tokens become the reply.
    Options: `model`, `api`, `base_url`, `api_key`, `system`, `stream`, `stateful`, `fetch`, `headers`, `extra`, `idempotent`,
        `limit`.
    Example: `--target openai:gpt-5-mini`, or `--target openai:my-agent --target-option base_url=http://localhost:8000/v1`
    Limits: no tool is run here: a model that calls one of `extra`'s tools has answered with the call. Tool calls that an
        answer does not speak of are unknown, unless tools were offered. Results of tools in a case's history are not sent,
        since nothing tells whose they are. A request that a filter refuses is a reply without text, with a refusal.
    Source: OpenAI's API reference, chat completions, responses and streaming.
    """

    main: ClassVar[str] = "model"

    model: str
    """Which model or agent is asked, as the endpoint names it."""
    api: Literal["chat", "responses"] = "chat"
    """By which of the two interfaces it is asked."""
    base_url: str | None = None
    """Address of the API, without `/chat/completions`; by default the variable `OPENAI_BASE_URL`, else OpenAI's own."""
    api_key: str | None = field(default=None, repr=False)
    """Better as `${VAR}` than as it is; by default the variable `OPENAI_API_KEY`. A server of your own may need none."""
    system: str | None = None
    """What the agent is told before everything else: a system message, or `instructions` of a response."""
    stream: bool = False
    """Whether answers are sent in pieces; they are judged as a whole all the same."""
    stateful: bool = True
    """Whether the service keeps responses, so that a later turn names the one before; else everything is said again."""
    fetch: str | None = None
    """Column of the dataset, such as `response_id`, that names a response given before: it is fetched, and nothing is asked."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with every request; `${VAR}` in a value is read from the environment, and never stored."""
    extra: Object = field(default_factory=dict)
    """More fields of every request, such as `{"temperature": 0, "reasoning_effort": "low"}`, or `tools`."""
    idempotent: bool = False
    """Whether asking the same twice does no harm, so that a call without an answer may be repeated."""
    limit: int = 16 * 1024 * 1024
    """Bytes of an answer; more is a failure."""

    def __post_init__(self) -> None:
        # What is wrong with any of these must be known before anything is run.
        _ = self._at, self._sent
        if not self.model.strip():
            raise ValueError("model is empty; it names the model or agent as the endpoint does")
        if self.limit < 1:
            raise ValueError(f"limit must be at least 1, not {self.limit}")
        if self.fetch is not None:
            object.__setattr__(self, "api", "responses")
            object.__setattr__(self, "idempotent", True)

    def session(self, trial: Trial) -> Session:
        """A conversation of its own."""
        from vivavoce.targets._openai import Chat
        from vivavoce.targets._responses import Fetched, Responses

        if self.fetch is not None:
            return Fetched(self._line, trial.case, self.fetch)
        if self.api == "chat":
            return Chat(self._line)
        return Responses(self._line, memory="response" if self.stateful else "none")

    async def close(self) -> None:
        """Close every connection."""
        if "_line" in vars(self):
            await self._line.close()

    @cached_property
    def _at(self) -> Api:
        return api(self.base_url, self.api_key)

    @cached_property
    def _sent(self) -> dict[str, str]:
        """The headers, with the key."""
        made = addressing.headers(self.headers)
        if not self._at.key and self._at.asks_for_key and "authorization" not in map(str.lower, made):
            raise ValueError(self._at.asks_for_key)
        return {**self._at.shows_key, **made}

    @cached_property
    def _line(self) -> Line:
        from vivavoce.net.exchange import Door
        from vivavoce.targets._openai import Line, Manner
        from vivavoce.wire import openai_chat, openai_responses

        url = self._at.url + _PATHS[self.api == "responses"]
        door = Door(
            url=url,
            shown=addressing.shown(url),
            method="POST",
            headers=self._sent,
            tls=None,
            secrets=secrets.values({"api_key": self._at.key, "headers": self.headers}),
        )
        manner = Manner(body=self._body, system=self.system, hints=_hints(self.model), limit=self.limit)
        return Line(door, manner, openai_chat.Joined if self.api == "chat" else openai_responses.Joined)

    @cached_property
    def _body(self) -> dict[str, JSON]:
        """Fields of every request."""
        body: dict[str, JSON] = {"model": self.model}
        if self.stream:
            body["stream"] = True
            if self.api == "chat":
                body["stream_options"] = {"include_usage": True}
        return {**body, **self.extra}


def _hints(model: str) -> dict[int, str]:
    """What to do about a status, for the person who reads the message."""
    return {
        401: "the key is wrong or missing: set OPENAI_API_KEY, or the option api_key",
        403: f"the key may not use {model}",
        404: f"there is no {model} here, or base_url is not the address of an API (most end in /v1)",
    }
