"""What every answer is made from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from vivavoce.core.kinds import Store
from vivavoce.web.access import Access
from vivavoce.web.project import Project
from vivavoce.web.runs import Runs

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """The server as its pages know it."""

    project: Project
    runs: Runs
    """Those that are carried out here."""
    access: Access
    page_token: str = field(repr=False)
    """Carried by the pages, and sent by them to start a run: another site cannot know it."""
    say: Callable[[str], None]
    """Tells whoever watches the server."""

    async def ask(self, question: Callable[[Store], T]) -> T:
        """What the store answers; asked in a thread, since it waits for the disk.

        Raises:
            StoreError: it cannot be read, or does not hold what is asked for.
        """

        def asked() -> T:
            with self.project.store() as store:
                return question(store)

        return await asyncio.to_thread(asked)
