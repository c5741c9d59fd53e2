"""Ctrl-C and SIGTERM: the first ends a run in good order, a second one at once."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vivavoce.cli.console import note
from vivavoce.core.errors import EXIT_INTERRUPTED, EXIT_TERMINATED

LATEST = 30.0
"""Seconds from the first signal until the process ends, whatever holds it up."""


class Stop:
    """Asked to stop, and by what."""

    def __init__(self, leave: Callable[[], None]) -> None:
        self.event = asyncio.Event()
        self.code: int | None = None
        """The exit code that follows, once asked."""
        self._leave = leave
        """Leaves the terminal as it was, before the process is gone."""
        self._over = threading.Event()

    def hear(self, number: int) -> None:
        """A signal came. Nothing is printed here, for it may have come in the middle of printing."""
        code = EXIT_INTERRUPTED if number == signal.SIGINT else EXIT_TERMINATED
        if self.code is not None:
            self._leave()
            os._exit(code)
        self.code = code
        # What is finished is in the store by then; what holds up the loop may hold it up for ever.
        watchdog = threading.Thread(target=self._watch, args=(code,), name="viva-watchdog", daemon=True)
        watchdog.start()

    def over(self) -> None:
        """All has ended in good order."""
        self._over.set()

    def act(self) -> None:
        """End the run, now that there is time to."""
        if not self.event.is_set():
            self._leave()
            note("Stopping; what is finished is kept. Ctrl-C again leaves at once.")
            self.event.set()

    def _watch(self, code: int) -> None:
        if not self._over.wait(LATEST):
            os._exit(code)


@contextmanager
def stopping(leave: Callable[[], None]) -> Iterator[Stop]:
    """While this is open, signals are heard instead of ending the process. To be opened inside the event loop."""
    stop = Stop(leave)
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def hear(number: int, frame: object) -> None:
        stop.hear(number)
        # The loop may be waiting for the network, and is woken to act.
        loop.call_soon_threadsafe(stop.act)

    for number in before:
        signal.signal(number, hear)
    try:
        yield stop
    finally:
        stop.over()
        for number, handler in before.items():
            signal.signal(number, handler)
