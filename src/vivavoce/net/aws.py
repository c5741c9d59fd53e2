"""Requests to services of AWS, signed (version 4) by whoever is signed in to AWS here."""

from __future__ import annotations

import asyncio
import importlib.util
import re
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, TypeVar

from vivavoce.core.environment import variables
from vivavoce.core.errors import CallError
from vivavoce.core.foreign import Border, crashed
from vivavoce.core.result import Failure, Phase
from vivavoce.net import addressing
from vivavoce.net.failures import excerpt

T = TypeVar("T")

_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d+")
_WAY_OUT = (
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, run aws configure or aws sso login, "
    "or name a profile by the option profile"
)


def region(*named: str | None, profile: str | None) -> str:
    """The first region that is named, else the variables', else the profile's.

    Raises:
        ValueError: there is none, or it is no region.
    """
    made = next((each.strip() for each in named if each), "") or addressing.variable("AWS_REGION", "AWS_DEFAULT_REGION")
    made = made or _region_of(profile)
    if not made:
        raise ValueError("there is no region: set the variable AWS_REGION, or the option region")
    if not _REGION.fullmatch(made):
        raise ValueError(f'"{made}" is no region of AWS; one is us-east-1')
    return made


def address(service: str, region: str) -> str:
    """Where a service is in a region."""
    return f"https://{service}.{region}.amazonaws.com{'.cn' if region.startswith('cn-') else ''}"


def _region_of(profile: str | None) -> str:
    if importlib.util.find_spec("botocore") is None:
        return ""
    from botocore.exceptions import BotoCoreError

    try:
        return str(_session(profile).get_config_variable("region") or "")
    except BotoCoreError as error:
        raise ValueError(str(error)) from None


def find_library() -> None:
    """Raises `ModuleNotFoundError` when what finds credentials and signs is not installed."""
    if importlib.util.find_spec("botocore") is None:
        raise ModuleNotFoundError("No module named 'botocore'", name="boto3")


class Signer:
    """Signs for one service in one region. Who signs is found out at the first request, or by `sign_in`."""

    def __init__(self, *, service: str, region: str, profile: str | None, phase: Phase = "target") -> None:
        find_library()
        self._service = service
        self._region = region
        self._profile = profile
        self._phase: Phase = phase
        self._found: Any = None  # credentials of botocore, which has no types
        self._finding = asyncio.Lock()
        self._known: dict[str, None] = {}

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that no message may show, as far as they are known by now."""
        return tuple(sorted(self._known, key=len, reverse=True))

    async def sign(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Mapping[str, str]:
        """The headers of a request, with those that sign it.

        Raises:
            CallError: nobody is signed in to AWS, or no longer.
        """
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest

        request = AWSRequest(method=method, url=url, data=body, headers=dict(headers))
        SigV4Auth(await self._credentials(), self._service, self._region).add_auth(request)
        return dict(request.headers.items())

    def sign_in(self) -> None:
        """See that somebody is signed in; it waits for files, and for the network.

        Raises:
            CallError: nobody is.
        """
        self._found = self._found or self._find()
        self._freeze()

    async def _credentials(self) -> Any:  # of botocore, which has no types
        async with self._finding:
            if self._found is None:
                self._found = await _aside(self._find)
            refresh_needed = getattr(self._found, "refresh_needed", None)
            return await _aside(self._freeze) if refresh_needed is not None and refresh_needed() else self._freeze()

    def _find(self) -> Any:  # credentials of botocore, which has no types
        from botocore.credentials import Credentials
        from botocore.exceptions import BotoCoreError

        known = variables()
        given = [known.get(name, "").strip() for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")]
        if self._profile is None and given[0] and given[1]:
            return Credentials(given[0], given[1], given[2] or None)  # also out of an env file, which botocore does not read
        try:
            found = _session(self._profile).get_credentials()
        except (BotoCoreError, OSError, ValueError) as error:
            raise self._nobody(str(error)) from None
        if found is None:
            raise self._nobody("no credentials were found")
        return found

    def _freeze(self) -> Any:  # credentials of botocore, which has no types
        """Credentials of this moment, renewed where they had expired."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            frozen = self._found.get_frozen_credentials()
        except (BotoCoreError, ClientError, OSError, ValueError) as error:
            raise self._nobody(str(error)) from None
        self._known.update(dict.fromkeys(each for each in (frozen.secret_key, frozen.token) if each))
        return frozen

    def _nobody(self, why: str) -> CallError:
        message = f"nobody is signed in to AWS here: {_WAY_OUT} ({excerpt(why, 300)})"
        return CallError(Failure(code="sign_in", message=message, phase=self._phase, sent=False))


def _session(profile: str | None) -> Any:  # of botocore, which has no types
    from botocore.session import Session

    return Session(profile=profile or addressing.variable("AWS_PROFILE", "AWS_DEFAULT_PROFILE") or None)


def _aside(function: Callable[[], T]) -> Awaitable[T]:
    """What a function gives that waits: run in a thread of its own, which does not hold up the end of the process."""
    future: Future[T] = Future()
    context = copy_context()

    def work() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            with Border(crashed):  # credentials come from whatever a profile names: programs, services, files
                future.set_result(context.run(function))
        except CallError as error:
            future.set_exception(error)

    threading.Thread(target=work, name="viva-aws", daemon=True).start()
    return asyncio.wrap_future(future)
