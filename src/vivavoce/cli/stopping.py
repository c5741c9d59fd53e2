"""Ctrl-C and SIGTERM: the first ends a run in good order, a second Ctrl-C at once."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vivavoce.cli.console import note
from vivavoce.core.errors import EXIT_INTERRUPTED, EXIT_TERMINATED


class Stop:
    """Asked to stop, and by what."""

    def __init__(self, leave: Callable[[], None]) -> None:
        self.event = asyncio.Event()
        self.code: int | None = None
        """The exit code that follows, once asked."""
        self._leave = leave
        """Leaves the terminal as it was, before the process is gone."""

    def hear(self, number: int) -> None:
        """A signal came. Nothing is printed here, for it may have come in the middle of printing."""
        if self.code is not None and number == signal.SIGINT:
            self._leave()
            os._exit(EXIT_INTERRUPTED)
        if self.code is None:
            self.code = EXIT_INTERRUPTED if number == signal.SIGINT else EXIT_TERMINATED

    def act(self) -> None:
        """End the run, now that there is time to."""
        if not self.event.is_set():
            self._leave()
            note("Stopping; what is finished is kept. Ctrl-C again leaves at once.")
            self.event.set()


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
        for number, handler in before.items():
            signal.signal(number, handler)
