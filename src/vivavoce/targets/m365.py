"""Examine an agent of Microsoft 365 Copilot, through Work IQ."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal
from urllib.parse import quote

from vivavoce.core import secrets
from vivavoce.core.environment import variables
from vivavoce.core.kinds import Session
from vivavoce.core.model import Trial
from vivavoce.net import addressing
from vivavoce.wire import a2a as wire
from vivavoce.wire import workiq

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from vivavoce.targets._a2a import Line
    from vivavoce.targets._gate import Gate
    from vivavoce.targets._sign_in import SignIn

__all__ = ["M365"]

_ENDPOINT = "https://workiq.svc.cloud.microsoft/a2a/"
_SCOPE = "api://workiq.svc.cloud.microsoft/WorkIQAgent.Ask"
_TIMEOUT = 300.0
_SHORT = re.compile(r"[A-Z]_[^.]+")
"""An id without its second half."""
_SUFFIX = ".declarativeAgent"
_AGENT = ("M365_AGENT_ID", "M365_TITLE_ID", "AGENT_ID")
_TENANT = ("TENANT_ID", "TEAMS_APP_TENANT_ID")


@dataclass(frozen=True, kw_only=True)
class M365:
    """An agent of Microsoft 365 Copilot, as Copilot itself runs it.

    Speaks: A2A to Work IQ, Microsoft's gateway, a POST to `ENDPOINT/AGENT` a turn, with a token of the person who asks and the
        time zone that this person is in. Citations come from the answer's attributions, searches from the artifact that tells
        of retrieval. The token is the variable `WORK_IQ_ACCESS_TOKEN`, or got by signing in (extra `m365`): with a code typed
        into a browser once, remembered in the user's cache folder, encrypted where the system can.
    Options: `agent`, `endpoint`, `token`, `account`, `client_id`, `tenant`, `scopes`, `version`, `stream`, `timezone`,
        `headers`, `idempotent`, `limit`.
    Example: `--target m365:T_help.declarativeAgent`, with `WORK_IQ_A2A_CLIENT_ID` and `TENANT_ID` in `.env.local`
    Limits: a person's permissions decide what the agent may see; there is no way in for an app alone. Tool calls are unknown.
        A case that begins with a history is an error, since there is no way to tell it. A call may take 300 seconds, or as many
        as the variable `WORKIQ_REQUEST_TIMEOUT_SECS` says.
    Source: Microsoft's description of Work IQ over A2A; the variables are those of Microsoft 365 Copilot Agent Evaluations.
    """

    main: ClassVar[str] = "agent"
    way: ClassVar[str] = "m365:AGENT"

    agent: str | None = None
    """Its id, such as `T_help.declarativeAgent`; a short one such as `T_help` gets `.declarativeAgent` added. By default the
    variable `M365_AGENT_ID`, `M365_TITLE_ID` or `AGENT_ID`."""
    endpoint: str | None = None
    """Address of the gateway; by default the variable `WORK_IQ_A2A_ENDPOINT`, else Microsoft's own."""
    token: str | None = field(default=None, repr=False)
    """An access token, better as `${VAR}` than as it is; by default the variable `WORK_IQ_ACCESS_TOKEN`, else one signs in."""
    account: str | None = None
    """Who signs in, as a user principal name, where several people have."""
    client_id: str | None = None
    """The app by which one signs in; by default the variable `WORK_IQ_A2A_CLIENT_ID`."""
    tenant: str | None = None
    """The tenant to sign in to; by default the variable `TENANT_ID` or `TEAMS_APP_TENANT_ID`."""
    scopes: str | None = None
    """What is asked for when signing in, with spaces between; by default the variable `WORK_IQ_A2A_SCOPES`, else the permission
    to ask an agent."""
    version: Literal["0.3", "1.0"] = "1.0"
    """Which version of A2A to speak."""
    stream: bool = False
    """Whether answers come as a stream."""
    timezone: str | None = None
    """Where "today" is, such as `Europe/Vienna`; by default where this computer is."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent with every request; `${VAR}` in a value is read from the environment, and never stored."""
    idempotent: bool = False
    """Whether asking the same twice does no harm, so that a call without an answer may be repeated."""
    limit: int = 16 * 1024 * 1024
    """Bytes of an answer; more is a failure."""

    def __post_init__(self) -> None:
        # What is wrong with any of these must be known before anything is run.
        _ = self._url, self._headers, self._zone, self.timeout, self._given_token or self._sign_in
        if self.limit < 1:
            raise ValueError(f"limit must be at least 1, not {self.limit}")

    @property
    def timeout(self) -> float:
        """Seconds that a call may take, unless the person says otherwise."""
        given = variables().get("WORKIQ_REQUEST_TIMEOUT_SECS", "").strip()
        try:
            seconds = float(given or _TIMEOUT)
        except ValueError:
            seconds = 0
        if not 0 < seconds < float("inf"):
            raise ValueError(f"WORKIQ_REQUEST_TIMEOUT_SECS must be a number of seconds above 0, not {given}")
        return seconds

    def session(self, trial: Trial) -> Session:
        """A conversation of its own."""
        from vivavoce.targets._m365 import Conversation, minutes_ahead

        name, zone = self._zone
        return Conversation(self._gate, workiq.located(name, minutes_ahead(zone)))

    async def close(self) -> None:
        """Close every connection."""
        if "_gate" in vars(self):
            await self._gate.close()

    def sign_in(self) -> None:
        """Have a person sign in now, if need be, rather than within the time limit of the first call.

        Raises:
            CallError: nobody could be signed in.
        """
        if not self._given_token:
            self._sign_in.token(False)

    @cached_property
    def _gate(self) -> Gate[Line]:
        from vivavoce.targets._gate import Gate

        token = self._given_token
        if token:
            return Gate(self._line, lambda _: token, renewable=False)
        return Gate(self._line, self._sign_in.token, renewable=True)

    def _line(self, token: str) -> Line:
        """A connection that shows a token."""
        from vivavoce.net.exchange import Door
        from vivavoce.targets._a2a import Line, Terms

        version = {wire.VERSION_HEADER: self.version}
        door = Door(
            url=self._url,
            shown=addressing.shown(self._url),
            method="POST",
            headers={"Authorization": f"Bearer {token}", **version, **self._headers},
            tls=None,
            secrets=secrets.values({"token": token, "headers": self.headers}),
        )
        return Line(door, Terms(version=self.version, stream=self.stream, limit=self.limit))

    @cached_property
    def _url(self) -> str:
        """Where the agent is, below the gateway."""
        given = self.endpoint or addressing.variable("WORK_IQ_A2A_ENDPOINT") or _ENDPOINT
        agent = (self.agent or addressing.variable(*_AGENT)).strip()
        if not agent:
            raise ValueError(f"there is no agent: name it as m365:AGENT, or set the variable {_AGENT[0]}")
        if any(each.isspace() or each in "/?#" for each in agent):
            raise ValueError(f'"{agent}" is no id of an agent; one is U_GUID or T_NAME.declarativeAgent')
        known = f"{agent}{_SUFFIX}" if _SHORT.fullmatch(agent) else agent
        return f"{addressing.address(given.strip(), 'endpoint').rstrip('/')}/{quote(known, safe='')}"

    @cached_property
    def _headers(self) -> dict[str, str]:
        return addressing.headers(self.headers)

    @cached_property
    def _zone(self) -> tuple[str, ZoneInfo]:
        from vivavoce.targets._m365 import zone_of

        return zone_of(self.timezone)

    @cached_property
    def _given_token(self) -> str:
        """The token that is at hand; empty when there is none."""
        return addressing.key(self.token, "token", "WORK_IQ_ACCESS_TOKEN")

    @cached_property
    def _sign_in(self) -> SignIn:
        """How a token is got, where none is at hand.

        Raises:
            ValueError: it is not said by which app, or where.
            ModuleNotFoundError: the extra is not installed.
        """
        from vivavoce.targets._sign_in import App, SignIn, tell_on_terminal

        client = self.client_id or addressing.variable("WORK_IQ_A2A_CLIENT_ID")
        tenant = self.tenant or addressing.variable(*_TENANT)
        if not client or not tenant:
            raise ValueError(
                "there is no token: set the variable WORK_IQ_ACCESS_TOKEN; or WORK_IQ_A2A_CLIENT_ID and TENANT_ID, to sign in"
            )
        for package in ("msal", "msal_extensions"):
            if importlib.util.find_spec(package) is None:
                raise ModuleNotFoundError(f"No module named {package!r}", name=package)
        scopes = tuple((self.scopes or addressing.variable("WORK_IQ_A2A_SCOPES") or _SCOPE).replace(",", " ").split())
        return SignIn(App(client=client, tenant=tenant, scopes=scopes, account=self.account), tell_on_terminal())


def sign_out() -> tuple[str, ...]:
    """Forget everybody who has signed in; gives their names."""
    from vivavoce.targets._sign_in import forget

    return forget()
