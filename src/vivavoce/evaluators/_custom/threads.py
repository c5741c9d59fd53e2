"""A thread for each call of code that may block: it holds up neither the event loop nor the end of the process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import TypeVar

from vivavoce.core.errors import Signal

T = TypeVar("T")


async def apart(function: Callable[[], T]) -> T:
    """What a function gives, called in a thread of its own with the caller's context variables.

    When this is cancelled the call is abandoned: it goes on, and nobody waits. The function raises nothing but a `Signal`.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(value: T | None, error: Signal | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(value)  # type: ignore[arg-type] # without an error, it is what the function gave
        else:
            future.set_exception(error)

    def work() -> None:
        value, failed = None, None
        try:
            value = function()
        except Signal as error:
            failed = error
        with suppress(RuntimeError):  # the loop has ended, and with it whoever waited
            loop.call_soon_threadsafe(settle, value, failed)

    threading.Thread(target=copy_context().run, args=(work,), name="viva-custom-evaluator", daemon=True).start()
    return await future
