"""The border to the agent's own code: whatever it raises comes out as an error of ours, told in one line with its place."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from vivavoce.core.errors import CallError
from vivavoce.core.result import Failure
from vivavoce.net.failures import excerpt

_OURS = str(Path(__file__).parent.parent)
_MESSAGE = 500


class Border:
    """Around a call of foreign code: `with border: ...` raises what `wrap` makes of the foreign error.

    What is no error of the agent passes: a real cancellation, Ctrl-C, and a failure that is already typed.
    """

    __slots__ = ("_wrap",)

    def __init__(self, wrap: Callable[[str], Exception]) -> None:
        self._wrap = wrap

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None and not _passes(error):
            raise self._wrap(told(error)) from error


def crashed(message: str) -> CallError:
    """The agent's code raised while it was asked."""
    return CallError(Failure(code="crashed", message=message))


def told(error: BaseException) -> str:
    """An error with the place in the agent's code: `ValueError: no such book (agent.py:12)`."""
    message = excerpt("".join(traceback.format_exception_only(error)), _MESSAGE)
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
    if isinstance(error, CallError):
        return True
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False  # in a thread of ours, where nothing is cancelled or interrupted
    if isinstance(error, asyncio.CancelledError):
        # An agent may also cancel what it waits for itself, and let that out.
        return task is not None and task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt | GeneratorExit)
