"""Examine an agent that is Python code: a function, or a class."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import ClassVar, cast

from vivavoce.core.foreign import Border
from vivavoce.core.kinds import Session, Target
from vivavoce.core.model import Trial
from vivavoce.core.place import did_you_mean
from vivavoce.targets._agent import Agent

__all__ = ["Python"]


@dataclass(frozen=True, kw_only=True)
class Python:
    """An agent in Python: a function that answers, or a class whose instances each hold one conversation.

    Speaks: function calls. A function whose first parameter is named `request` is given the whole request as a dict, any other
        the input alone. It may be async, and it may yield its text in parts. A class needs `send(self, request)`, and may have
        `close(self)`, and `rows(self, query)`, which gives the rows of reference queries as a list of dicts; each conversation
        gets an instance of its own. The answer is text, or a dict with `text`, `tool_calls`, `citations`, `retrievals`, `rows`,
        `intent`, `refusal`, `insight`, `usage`.
    Options: `spec`, `idempotent`.
    Example: `--target python:my_agent:answer`, with `def answer(question): return "42"` in `my_agent.py`.
    Limits: a function that blocks runs in a thread, and past its time limit can only be abandoned: it goes on until it
        returns. Async functions run in an event loop of their own, where one that blocks holds up the others.
    Source: the protocol of Viva's own, see "Examine your agent".
    """

    main: ClassVar[str] = "spec"
    way: ClassVar[str] = "python:MODULE:NAME"

    spec: str
    """`module:name`: a function or class in a module of the current folder, or of an installed package."""
    idempotent: bool = False
    """Whether asking the same twice does no harm, so that a call without an answer may be repeated."""

    def __post_init__(self) -> None:
        _ = self._agent  # what is wrong with it must be known before anything is run

    @cached_property
    def _agent(self) -> Agent:
        return Agent(_load(self.spec), self.spec)

    @property
    def abandons(self) -> bool:
        """Whether a call past its time limit goes on."""
        return self._agent.abandons

    def session(self, trial: Trial) -> Session:
        """A conversation of its own."""
        return self._agent.session(trial)

    async def close(self) -> None:
        """Let idle threads end, and the event loop of the agent."""
        await self._agent.close()


def from_object(made_of: object) -> Target:
    """The target for an object at hand: a function, a class, or what is a target already.

    Raises:
        ValueError: it is none of these.
    """
    if not isinstance(made_of, type) and callable(getattr(made_of, "session", None)):
        return cast(Target, made_of)  # what it is cannot be told further than by its method
    name = getattr(made_of, "__qualname__", None) or type(made_of).__name__
    return Agent(made_of, name)


def _load(spec: str) -> object:
    """The object that `module:name` names.

    Raises:
        ValueError: there is none; says what there is instead.
    """
    module_name, _, path = spec.partition(":")
    if not module_name or not path:
        raise ValueError(f'"{spec}" names no agent: write MODULE:NAME, such as my_agent:answer')
    if "/" in module_name or "\\" in module_name or module_name.endswith(".py"):
        dotted = module_name.removesuffix(".py").replace("\\", "/").strip("./").replace("/", ".")
        raise ValueError(f'"{module_name}" is a path; name the module as Python imports it: {dotted}:{path}')
    module = _import(module_name, Path.cwd())
    found: object = module
    for part in path.split("."):
        if not hasattr(found, part):
            known = [name for name in vars(found) if not name.startswith("_") and callable(getattr(found, name))]
            file = getattr(module, "__file__", None) or module_name
            raise ValueError(f'{file} has no "{path}" ({did_you_mean(part, known)})')
        found = getattr(found, part)
    return found


def _import(name: str, folder: Path) -> ModuleType:
    """Import with the folder first in line while it lasts, and last in line afterwards.

    So the agent's modules are found, also those it imports later, and none of them ever stands in for a module of others.
    """
    _check_free(name, folder)
    sys.path.insert(0, str(folder))
    try:
        with Border(lambda told: ValueError(f"{name} cannot be imported: {told}")):
            return importlib.import_module(name)
    except ValueError as error:
        cause = error.__cause__
        if isinstance(cause, ModuleNotFoundError) and cause.name and f"{name}.".startswith(f"{cause.name}."):
            files = sorted(path.stem for path in folder.glob("*.py"))
            near = f" ({did_you_mean(name, files)})" if files else ""
            raise ValueError(f"there is no module {cause.name} in {folder}, and none is installed{near}") from None
        raise
    finally:
        sys.path.remove(str(folder))
        if str(folder) not in sys.path:
            sys.path.append(str(folder))


def _check_free(name: str, folder: Path) -> None:
    """A module of the folder must not be taken for one of the same name that is loaded already."""
    top = name.partition(".")[0]
    loaded = getattr(sys.modules.get(top), "__file__", None)
    own = [path for path in (folder / f"{top}.py", folder / top / "__init__.py") if path.exists()]
    if own and top in sys.modules and (loaded is None or not own[0].samefile(loaded)):
        raise ValueError(f"{own[0]} cannot be imported: another module {top} is loaded already ({loaded}); rename yours")
