"""The folder `custom-evaluators/` of a project: one evaluator a subfolder, in Python, as a prompty, or as both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.core.errors import PluginError
from vivavoce.core.plugins import Maker
from vivavoce.core.reply import JSON
from vivavoce.evaluators import judged
from vivavoce.evaluators._custom import module, prompty
from vivavoce.evaluators._custom.called import Called, Code
from vivavoce.evaluators._custom.examining import Examining
from vivavoce.evaluators._custom.prompty import Prompty

FOLDER = "custom-evaluators"
NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")
_MENTIONS = re.compile(r"promptflow|load_flow|\.prompty\b|\bprompty\b", re.IGNORECASE)
_SUFFIXES = frozenset((".py", ".prompty"))


@dataclass(frozen=True, kw_only=True)
class Folder:
    """One subfolder: the evaluator of its name."""

    name: str
    project: Path

    @property
    def place(self) -> str:
        """Below the project's folder."""
        return f"{FOLDER}/{self.name}"

    @property
    def files(self) -> tuple[Path, ...]:
        """Python and prompty files, sorted."""
        return tuple(self._files())

    def load(self) -> Maker:
        """What builds the evaluator.

        Raises:
            PluginError: the name is none, a file is missing, wrong, or outside the project, or the code cannot be loaded.
        """
        self._check_name()
        code, prompt = self._file(".py"), self._file(".prompty")
        if code is None and prompt is None:
            raise PluginError(f"{self.place} has neither {self.name}.py nor {self.name}.prompty; one of them is the evaluator")
        read = None if prompt is None else prompty.read(prompt, f"{self.place}/{prompt.name}", self.name)
        if code is None:
            assert read is not None
            return judged.evaluator(read.alone())
        where = f"{self.place}/{code.name}"
        found = module.class_of(module.load(code, where), where)
        if module.is_called(found):
            return self._calling(found, read)
        return self._examining(found)

    def warnings(self) -> tuple[str, ...]:
        """That a prompty seems to be missing; that a model is named which is not asked."""
        code, prompt = self._file(".py"), self._file(".prompty")
        found = []
        if code is not None and prompt is None and _MENTIONS.search(code.read_text(encoding="utf-8", errors="replace")):
            found.append(
                f"{self.place}/{code.name} speaks of a prompty, and there is no {self.name}.prompty beside it: it is taken for "
                "code that scores by itself, with any number and a threshold of 1 unless told"
            )
        if prompt is not None and prompty.read(prompt, f"{self.place}/{prompt.name}", self.name).names_model:
            found.append(f"{self.place}/{prompt.name}: its model and parameters are not used; the judge of the run answers it")
        return tuple(found)

    def _calling(self, found: type, read: Prompty | None) -> Maker:
        def make(**given: JSON) -> Called:
            return Called(Code(made_of=found, name=self.name, project=self.project.resolve(), prompty=read), given)

        return _documented(make, found, read)

    def _examining(self, found: type) -> Maker:
        def make(**options: Any) -> Examining:  # checked by the fields of the class
            return Examining(found, f"evaluator {self.name}", options)

        return _documented(make, found)

    def _check_name(self) -> None:
        if not NAME.fullmatch(self.name):
            raise PluginError(
                f'{self.place}: "{self.name}" cannot be the name of an evaluator: letters, digits and _, a letter first'
            )

    def _file(self, suffix: str) -> Path | None:
        path = self.project / FOLDER / self.name / f"{self.name}{suffix}"
        try:
            if not path.is_file():
                return None
            if not path.resolve().is_relative_to(self.project.resolve()):
                raise PluginError(f"{self.place}/{path.name} leads out of the project's folder; copy it in")
        except OSError as error:
            raise PluginError(f"{self.place}/{path.name} cannot be read: {error.strerror or error}") from error
        return path

    def _files(self) -> Iterator[Path]:
        for path in sorted((self.project / FOLDER / self.name).iterdir()):
            if path.suffix in _SUFFIXES and path.is_file():
                yield path


def plugins(project: Path) -> tuple[Folder, ...]:
    """What the project's folder holds, sorted; nothing is loaded.

    Raises:
        PluginError: the folder cannot be read.
    """
    root = project / FOLDER
    try:
        names = sorted(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else []
    except OSError as error:
        raise PluginError(f"{FOLDER} cannot be read: {error.strerror or error}") from error
    return tuple(Folder(name=name, project=project) for name in names if not name.startswith((".", "_")))


def _documented(make: Maker, found: type, read: Prompty | None = None) -> Maker:
    """The manual of the class, else of its module, else what the prompty says."""
    told = None if read is None else read.measures
    make.__doc__ = found.__doc__ or module.manual(found) or told or "An evaluator of this project."
    return make
