"""Connections that show a token, which is got once for all who wait for it, and renewed when it is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from vivavoce.targets._threads import Threads


class Closable(Protocol):
    """A connection."""

    async def close(self) -> None:
        """Close it."""


L = TypeVar("L", bound=Closable)


class Gate(Generic[L]):
    """The way in where a token is shown: the token, and the connection that shows it."""

    def __init__(self, line: Callable[[str], L], token: Callable[[bool], str], *, renewable: bool) -> None:
        self._make = line
        self._token = token
        self.renewable = renewable
        """Whether another token can be had."""
        self._threads = Threads()
        self._lines: list[L] = []
        self._opening: asyncio.Task[None] | None = None

    async def line(self) -> L:
        """The connection; the first who asks signs in, and the others wait for that."""
        if not self._lines:
            await self._open(renewed=False)
        return self._lines[-1]

    async def renew(self, stale: L) -> None:
        """A connection with a new token, unless there is one by now."""
        if self._lines[-1] is stale:
            await self._open(renewed=True)

    async def close(self) -> None:
        """Close every connection; those of old tokens may have been in use until now."""
        if self._opening is not None:
            self._opening.cancel()
        self._threads.close()
        lines, self._lines = self._lines, []
        for line in lines:
            await line.close()

    async def _open(self, *, renewed: bool) -> None:
        """Get a token once for all who want one. It goes on when the time of one of them is up: a person may be typing."""
        if not self.renewable:
            self._lines.append(self._make(self._token(renewed)))
            return
        if self._opening is None:
            self._opening = asyncio.create_task(self._sign_in(renewed))
            self._opening.add_done_callback(self._opened)
        await asyncio.shield(self._opening)

    async def _sign_in(self, renewed: bool) -> None:
        self._lines.append(self._make(await self._threads.run(self._token, renewed)))

    def _opened(self, task: asyncio.Task[None]) -> None:
        self._opening = None
        if not task.cancelled():
            task.exception()  # so that it counts as seen, though nobody may be left who waits
