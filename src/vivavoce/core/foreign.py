"""The border to other people's code: whatever it raises comes out as an error of ours, told in one line with its place."""

from __future__ import annotations

import asyncio
import sys
import threading
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from types import TracebackType

from vivavoce.core.errors import CallError, Signal, VivaError
from vivavoce.core.result import Failure, Phase

_OURS = str(Path(__file__).parent.parent)
_MESSAGE = 500
"""Characters of an error that a message shows."""
_DEPTH: ContextVar[int] = ContextVar("viva_foreign", default=0)
"""How many borders were crossed on the way to where the code is."""


class Border:
    """Around a call of foreign code: `with border: ...` raises what `wrap` makes of the foreign error.

    What is no error of that code passes: a real cancellation, Ctrl-C, and what is an error of ours already.
    """

    __slots__ = ("_wrap",)

    def __init__(self, wrap: Callable[[str], Exception]) -> None:
        self._wrap = wrap

    def __enter__(self) -> None:
        _DEPTH.set(_DEPTH.get() + 1)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _DEPTH.set(_DEPTH.get() - 1)
        if error is not None and not _passes(error):
            raise self._wrap(told(error)) from error


def inside() -> bool:
    """Whether it is foreign code that is running here."""
    return _DEPTH.get() > 0


def is_mistake(error: BaseException) -> bool:
    """Whether foreign code that let this out made a mistake by it; a real cancellation and Ctrl-C are none."""
    return isinstance(error, Exception) or not _passes(error)


def crashed(message: str, phase: Phase = "target") -> CallError:
    """Foreign code raised while it was asked."""
    return CallError(Failure(code="crashed", message=message, phase=phase))


def told(error: BaseException) -> str:
    """An error with the place in the foreign code: `ValueError: no such book (agent.py:12)`."""
    text = "".join(traceback.format_exception_only(error))[: 4 * _MESSAGE]
    message = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    message = message if len(message) <= _MESSAGE else f"{message[:_MESSAGE]}..."
    place = _place(error)
    return f"{message} ({place})" if place else message


def _place(error: BaseException) -> str:
    """The last line that was passed of code that is neither ours nor installed; of any code, when there is none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}:{error.lineno}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith((_OURS, "<"))]
    own = [
        frame for frame in frames if "site-packages" not in frame.filename and not frame.filename.startswith(sys.base_prefix)
    ]
    last = (own or frames)[-1:]
    return f"{Path(last[0].filename).name}:{last[0].lineno}" if last else ""


def _passes(error: BaseException) -> bool:
    if isinstance(error, Signal | VivaError):
        return True
    try:
        task = asyncio.current_task()
    except RuntimeError:
        # In a thread of ours nothing is cancelled or interrupted; while the main one still plans, a person may interrupt it.
        return isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()
    if isinstance(error, asyncio.CancelledError):
        # Foreign code may also cancel what it waits for itself, and let that out.
        return task is not None and task.cancelling() > 0
    if isinstance(error, KeyboardInterrupt):
        return threading.current_thread() is threading.main_thread()  # the only one a person can interrupt
    return isinstance(error, GeneratorExit)
