"""The way into a project of Microsoft Foundry: with a key, or a token of whoever is signed in to Azure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from vivavoce.core.errors import CallError
from vivavoce.core.reply import JSON, Object, Reply
from vivavoce.core.result import Failure
from vivavoce.net.failures import excerpt
from vivavoce.targets._gate import Gate
from vivavoce.targets._openai import Line, Manner

T = TypeVar("T")

SCOPE = "https://ai.azure.com/.default"
"""What a token must be for."""


class Entrance:
    """Where requests to a project go."""

    def __init__(self, gate: Gate[Line], manner: Manner) -> None:
        self._gate = gate
        self.manner = manner

    async def ask(self, fields: Object, read: Callable[[JSON], Reply], below: str = "") -> tuple[Reply, Object]:
        """The reply to a request of these fields, and the answer it was read from. Raises `CallError`."""
        return await self._through(lambda line: line.ask(fields, read, below))

    async def fetch(self, below: str, read: Callable[[JSON], T], fields: Object | None = None) -> T:
        """What is read from the answer at a path below the address: to fields, or to the mere question. Raises `CallError`."""
        return await self._through(lambda line: line.fetch(below, read, fields))

    async def close(self) -> None:
        """Close every connection."""
        await self._gate.close()

    async def _through(self, call: Callable[[Line], Awaitable[T]]) -> T:
        line = await self._gate.line()
        try:
            return await call(line)
        except CallError as error:
            if error.failure.code != "http_401" or not self._gate.renewable:
                raise
        await self._gate.renew(line)
        return await call(await self._gate.line())


def token() -> str:
    """A token of whoever is signed in to Azure here, in any of the ways that Microsoft's library looks for. It waits.

    Raises:
        CallError: nobody is.
    """
    from azure.core.exceptions import AzureError
    from azure.identity import DefaultAzureCredential

    try:
        # Made anew each time: one that is kept would hand out the token that was just refused.
        with DefaultAzureCredential() as credential:
            return credential.get_token(SCOPE).token
    except (AzureError, ValueError, OSError) as error:
        said = excerpt(str(error), 300)
        message = f"nobody is signed in to Azure here: run az login, or set AZURE_AI_AUTH_TOKEN or AZURE_AI_API_KEY ({said})"
        raise CallError(Failure(code="sign_in", message=message, sent=False)) from None
