"""A stand-in for the library by which code runs a prompty, where the answer comes from the judge of the run.

Code that is written for Microsoft's command line does `from promptflow.client import load_flow`, and calls what that gives with
the prompt's variables. The library itself is not needed here, and would ask a model past every limit of the run.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import ModuleType
from typing import Any

from vivavoce.core.errors import PluginError, Signal
from vivavoce.core.kinds import Ask
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.evaluators._custom import prompty
from vivavoce.evaluators._custom.prompty import Prompty

LIBRARY = "promptflow"
_MODELS = ("AzureOpenAIModelConfiguration", "OpenAIModelConfiguration")
"""What code may describe a model by; it is read by nobody."""
_HERE: ContextVar[Line] = ContextVar("viva_custom_evaluator")


class Line:
    """What an evaluator's code, in a thread, reaches the run's judge by; for one answer at a time."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.signal: Signal | None = None
        """The last thing that came of asking, other than a verdict."""
        self._ask: Ask | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._under_way: set[asyncio.Task[Any]] = set()  # as asyncio tells of them

    def open(self, ask: Ask) -> None:
        """From now on, `ask` answers. Called on the event loop, as `close` is."""
        self._ask, self._loop, self.signal = ask, asyncio.get_running_loop(), None

    def close(self) -> None:
        """Nobody answers any more, and what is under way is given up."""
        self._ask = None
        for task in self._under_way:
            task.cancel()

    @contextmanager
    def here(self) -> Iterator[None]:
        """While this is open, a prompty that is loaded in this context is put through this line."""
        token = _HERE.set(self)
        try:
            yield
        finally:
            _HERE.reset(token)

    def put(self, rubric: Rubric, fields: Mapping[str, str]) -> Verdict:
        """The judge's verdict, waited for in the thread that asks."""
        if self._ask is None or self._loop is None:
            raise RuntimeError(f"{rubric.name} can be put to the judge only while an answer is examined")
        asked = self._asked(rubric, fields)
        try:
            future = asyncio.run_coroutine_threadsafe(asked, self._loop)
        except RuntimeError:  # the loop has ended, and nobody waits any more
            asked.close()
            raise
        try:
            return future.result()
        except Signal as signal:
            self.signal = signal
            raise

    async def _asked(self, rubric: Rubric, fields: Mapping[str, str]) -> Verdict:
        """On the event loop, where alone it is known what is under way."""
        task = asyncio.current_task()
        if self._ask is None or task is None:
            raise asyncio.CancelledError
        self._under_way.add(task)
        try:
            return await self._ask(rubric, **fields)
        finally:
            self._under_way.discard(task)


class Answer(dict[str, Any]):  # a judge's answer as code expects it
    """A judge's answer: a score and a reason, whatever else a prompt may have asked for."""

    def __missing__(self, key: str) -> object:
        raise KeyError(f"{key}: the judge of the run answers with score and reason, whatever the prompty asks for")


class Flow:
    """A prompty, to be called with its variables."""

    def __init__(self, read: Prompty, line: Line) -> None:
        self._read = read
        self._line = line

    def __call__(self, *args: object, **given: object) -> Answer | str:
        """The judge's answer: a dict where the prompty asks for JSON, else that dict as text."""
        if args:
            raise TypeError("a prompty takes its variables by name")
        verdict = self._line.put(*self._read.filled(given))
        assert verdict.value is not None
        answer = Answer(score=int(verdict.value), reason=verdict.reason)
        return answer if self._read.answers_object else json.dumps(answer, ensure_ascii=False)


def load_flow(source: Any, **more: object) -> Flow:  # a path in any form
    """The prompty at a path; whatever model it is to be run with, the run's judge answers."""
    line = _HERE.get(None)
    if line is None:
        raise RuntimeError("a prompty can be loaded only by an evaluator, in __init__ or while it is called")
    path = Path(source)
    if not path.resolve().is_relative_to(line.project):
        raise PluginError(f"{path} is outside the project's folder; copy it in")
    if not path.is_file():
        raise FileNotFoundError(f"there is no {path}")
    return Flow(prompty.read(path, path.name, path.stem), line)


class _Prompties:
    """The library's other way to say the same."""

    @staticmethod
    def load(source: Any, **more: object) -> Flow:  # a path in any form
        return load_flow(source)


def library(name: str, *, whole: bool) -> ModuleType:
    """The module of this name; with `whole`, the one at the top, as a plain import binds it.

    Raises:
        ModuleNotFoundError: there is no stand-in for it.
    """
    top = ModuleType(LIBRARY)
    parts: dict[str, dict[str, object]] = {
        f"{LIBRARY}.client": {"load_flow": load_flow},
        f"{LIBRARY}.core": {"Prompty": _Prompties, **dict.fromkeys(_MODELS, dict)},
    }
    modules = {LIBRARY: top}
    for path, held in parts.items():
        modules[path] = ModuleType(path)
        vars(modules[path]).update(held)
        setattr(top, path.rpartition(".")[2], modules[path])
    vars(top)["load_flow"] = load_flow
    if name not in modules:
        there = ", ".join(f"{path}.{each}" for path, held in parts.items() for each in held)
        raise ModuleNotFoundError(f"there is no {name} here; to ask the judge of the run there is {there}", name=name)
    return top if whole else modules[name]
