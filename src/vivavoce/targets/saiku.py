"""Examine a Saiku server: questions about a cube, and the queries that tell what is true of it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

from vivavoce.core import secrets
from vivavoce.core.environment import expand
from vivavoce.core.kinds import Session
from vivavoce.core.model import Trial
from vivavoce.core.reply import JSON, Object
from vivavoce.net import addressing
from vivavoce.wire import saiku

if TYPE_CHECKING:
    from vivavoce.targets._saiku import Service

__all__ = ["Saiku"]

_API = "/saiku/api"
_FRESH = "admin"
"""User and password of a server that nobody has given others."""


@dataclass(frozen=True, kw_only=True)
class Saiku:
    """An analytics agent that is spoken to as Saiku is: it answers questions about a cube with rows, insights or a refusal.

    Speaks: a POST of `{"question", "cube", "history"}` to `URL/rest/saiku/api/ai/ask` a turn, or to `ask/stream`; the cube is
        what the suite is about. The intent is told by the parts of the answer, and cells become numbers. A reference query goes
        to `ai/query`. A degraded answer that is no refusal is the failure `degraded`; a query that the agent made and that did
        not run, `query_failed`; too many requests are waited for as the server asks.
    Options: `url`, `prefix`, `login`, `user`, `password`, `space`, `model`, `cube`, `stream`, `headers`, `extra`, `idempotent`,
        `limit`.
    Example: `--target saiku:http://localhost:8080`, with `SAIKU_USER` and `SAIKU_PASSWORD` set; or
        `--target saiku:https://analytics.example --target-option space=finance --target-option stream=true`
    Limits: the answer to a query has rows and no text. A draft of an e-mail counts as no answer. An insight is given by Saiku
        only on a table that it is shown: `--target-option 'extra={"cellsetDigest": "..."}'`. Only messages of users and
        assistants are told as history.
    Source: Saiku's AI query API and ask endpoint, version 4.7.
    """

    main: ClassVar[str] = "url"

    url: str
    """Where the server is, as `http://localhost:8080`; `${VAR}` is read from the environment."""
    prefix: str = "/rest"
    """What stands before `/saiku/api` in its addresses; may be empty, and is told by a `url` that holds `/saiku/api`."""
    login: Literal["basic", "session", "none"] = "basic"
    """How one signs in: with each request, once at `/login` with a session from then on, or not at all."""
    user: str | None = None
    """Who asks; by default the variable `SAIKU_USER`, else `admin`."""
    password: str | None = field(default=None, repr=False)
    """Better as `${VAR}` than as it is; by default the variable `SAIKU_PASSWORD`, else `admin`, as fresh servers have it."""
    space: str | None = None
    """Id of the agent space that is asked, instead of the server as a whole."""
    model: str | None = None
    """Name of the model that the server is to use, sent as `model`; which one answered is told in `reply.raw.model`."""
    cube: Object | str | None = None
    """The cube, as `CONNECTION/CATALOG/SCHEMA/CUBE` or its four parts, where the suite does not say which."""
    stream: bool = False
    """Whether answers are sent as events; they are judged as a whole all the same."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with every request; `${VAR}` in a value is read from the environment, and never stored."""
    extra: Object = field(default_factory=dict)
    """More fields of every question, such as `{"forceTool": "query"}`, `cellsetDigest` or `currentQuery`."""
    idempotent: bool = False
    """Whether asking the same twice does no harm, so that a call without an answer may be repeated."""
    limit: int = 16 * 1024 * 1024
    """Bytes of an answer; more is a failure."""

    def __post_init__(self) -> None:
        # What is wrong with any of these must be known before anything is run.
        _ = self._root, self._credentials, addressing.headers(self.headers), self._cube
        if self.space is not None and (not self.space.strip(" .") or set(self.space) & set("/?#")):
            raise ValueError(f'space: "{self.space}" is no id of a space')
        if self.limit < 1:
            raise ValueError(f"limit must be at least 1, not {self.limit}")

    def session(self, trial: Trial) -> Session:
        """A conversation of its own."""
        from vivavoce.targets._saiku import Conversation

        about = saiku.cube(trial.about) or self._cube
        return Conversation(self._service, self._below, about, {**self._more, **self.extra}, needs_cube=self.space is None)

    async def close(self) -> None:
        """Close every connection."""
        if "_service" in vars(self):
            await self._service.close()

    @property
    def _below(self) -> str:
        """Where questions go, below the address of the API."""
        space = "" if self.space is None else f"spaces/{self.space}/"
        return f"{space}ask{'/stream' if self.stream else ''}"

    @property
    def _more(self) -> dict[str, JSON]:
        return {} if self.model is None else {"model": self.model}

    @cached_property
    def _cube(self) -> Object | None:
        found = saiku.cube(self.cube)
        if self.cube is not None and found is None:
            raise ValueError("cube must be CONNECTION/CATALOG/SCHEMA/CUBE, or an object with `cubeName`")
        return found

    @cached_property
    def _root(self) -> tuple[str, str]:
        """The address of the server, and that of its API; what people copy along is taken off."""
        url = addressing.address(self.url.strip()).partition("?")[0].rstrip("/")
        prefix = "/" + self.prefix.strip().strip("/") if self.prefix.strip().strip("/") else ""
        before, found, _ = url.partition(_API)
        if found:
            return before.removesuffix(prefix), f"{before}{_API}/ai"
        root = url.removesuffix(prefix)
        return root, f"{root}{prefix}{_API}/ai"

    @cached_property
    def _credentials(self) -> tuple[str, str]:
        """User and password."""
        user = addressing.variable("SAIKU_USER") if self.user is None else expand(self.user, "user")
        password = addressing.variable("SAIKU_PASSWORD") if self.password is None else expand(self.password, "password")
        if user and not password and self.login != "none":
            raise ValueError("there is no password for this user: set the variable SAIKU_PASSWORD, or the option password")
        if ":" in user:
            raise ValueError("a user's name has no colon")
        return user or _FRESH, password or _FRESH

    @cached_property
    def _service(self) -> Service:
        from vivavoce.net.exchange import Door
        from vivavoce.targets._saiku import Service, Way

        root, api = self._root
        user, password = self._credentials
        basic = base64.b64encode(f"{user}:{password}".encode()).decode()
        # What every fresh server has is no secret, and a word of its own right.
        own = {} if password == _FRESH else {"password": password, "Authorization": f"Basic {basic}"}
        headers = addressing.headers(self.headers)
        if self.login == "basic":
            headers = {"Authorization": f"Basic {basic}", **headers}

        def door(url: str, more: Mapping[str, str], *, moves: bool = True) -> Door:
            return Door(
                url=url,
                shown=addressing.shown(url),
                method="POST",
                headers={**headers, **more},
                tls=None,
                secrets=secrets.values({**own, "headers": {**self.headers, **more}}),
                moves=moves,
            )

        form = {"username": user, "password": password} if self.login == "session" else None
        return Service(Way(door=door, api=api, login=f"{root}/login", form=form, limit=self.limit))
