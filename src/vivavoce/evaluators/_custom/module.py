"""A file of a project as a Python module, with what it may expect of its surroundings."""

from __future__ import annotations

import builtins
import importlib.util
import inspect
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from vivavoce.core import codec
from vivavoce.core.errors import PluginError
from vivavoce.core.foreign import Border
from vivavoce.evaluators._custom import flow


def load(path: Path, where: str) -> ModuleType:
    """The file as a module, executed once for each content it has; `where` is what messages call it.

    Raises:
        PluginError: it cannot be read, or fails; says where.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PluginError(f"{where} cannot be read: {error.strerror or error}") from error
    return _execute(path.resolve(), codec.digest_of(data), where)


def class_of(module: ModuleType, where: str) -> type:
    """The first class of a module's own that is an evaluator; one whose name begins with `_` only if there is no other.

    Raises:
        PluginError: there is none.
    """
    classes = [
        each
        for each in vars(module).values()
        if isinstance(each, type) and each.__module__ == module.__name__ and _is_usable(each)
    ]
    if not classes:
        raise PluginError(
            f"{where} has no evaluator: write a class with `__call__(self, *, prompt, response, **_)` that returns "
            'a "score" with a "reason", or one with `score(self, evidence)`'
        )
    return min(classes, key=lambda each: each.__name__.startswith("_"))


def is_called(found: type) -> bool:
    """Whether instances of a class are called with texts, rather than asked for a `score` of evidence."""
    return not hasattr(found, "score")


def manual(found: type) -> str:
    """What the module of a class says of itself."""
    return inspect.getdoc(sys.modules.get(found.__module__)) or ""


class _Loader(SourceFileLoader):
    """Compiles the text as it is now: bytecode is told by the second, and a file may be saved twice in one."""

    def path_stats(self, path: Any) -> Mapping[str, Any]:  # as the base class has it
        raise OSError("bytecode is neither read nor written")


@lru_cache(maxsize=128)
def _execute(path: Path, digest: str, where: str) -> ModuleType:
    name = f"_viva_custom_{path.stem}_{codec.digest([str(path), digest])[3:]}"
    module = importlib.util.module_from_spec(ModuleSpec(name, loader := _Loader(name, str(path)), origin=str(path)))
    module.__file__ = str(path)
    module.__dict__["__builtins__"] = _surroundings()
    # Dataclasses and annotations look a class's module up by name; this name says what is in it, so no two ever share it.
    sys.modules[name] = module
    try:
        with Border(lambda told: PluginError(f"{where} cannot be loaded: {told}")):
            loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _surroundings() -> dict[str, object]:
    """Python's built-in names, of which two are our own for this module alone."""
    return {**vars(builtins), "__import__": _import, "print": _print}


def _import(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> object:
    """Import, with a stand-in for the library that prompties are usually run by: here the run's judge answers them."""
    if level == 0 and name.partition(".")[0] == flow.LIBRARY:
        return flow.library(name, whole=not fromlist)
    return builtins.__import__(name, globals, locals, fromlist or (), level)


def _print(*values: object, file: Any = None, **more: Any) -> None:  # as Python's own takes them
    """Standard output may be a report that another program reads, so what is printed goes beside it."""
    print(*values, file=sys.stderr if file is None else file, **more)


def _is_usable(found: type) -> bool:
    return callable(getattr(found, "score", None)) or any("__call__" in vars(base) for base in found.__mro__)
