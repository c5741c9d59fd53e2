"""The files that a run is made of: what it reads, and the code that it runs. No output may take the place of one."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from vivavoce.core.model import Plan
from vivavoce.core.reply import JSON
from vivavoce.run import secrecy


def files(plan: Plan) -> Iterator[tuple[Path, str]]:
    """Each file of a plan, with what it is."""
    for file in plan.header.files:
        yield plan.folder / file.path, f"the dataset {file.path}"
    for file in plan.header.traces:
        yield plan.folder / file.path, f"the traces {file.path}"
    for file in plan.header.own:
        yield plan.folder / file.path, f"{file.path}, which an evaluator consists of"
    selection = plan.header.selection
    for use in secrecy.uses(selection):
        for text in _texts(use.options):
            for word in _words(text):
                yield plan.folder / word, f"{word}, which {use.name} is made of"


def modules() -> Iterator[tuple[Path, str]]:
    """The files of all the Python code that is loaded, an agent's and evaluators' too."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__dict__", {}).get("__file__")
        if isinstance(file, str):
            yield Path(file), f"the code of {name}"


def same(path: Path, files: Iterable[tuple[Path, str]]) -> str | None:
    """What the file at `path` is, if it is one of these, by whatever name."""
    real = os.path.realpath(path)
    try:
        itself = os.stat(path)
    except OSError:
        itself = None
    for other, what in chain(files, modules() if itself is not None else ()):
        if os.path.normcase(os.path.realpath(other)) == os.path.normcase(real):
            return what
        try:
            if itself is not None and os.path.samestat(itself, os.stat(other)):
                return what
        except (OSError, ValueError):
            continue
    return None


def _texts(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)


def _words(text: str) -> Iterator[str]:
    """A text that may name a file, and its words: it may be a command."""
    yield from (word for word in (text, *_split(text)) if word and "\0" not in word and len(word) < 1000)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
