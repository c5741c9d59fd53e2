"""The project as its own test data: every source module, parsed once."""

from __future__ import annotations

import ast
import importlib.util
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path
from types import ModuleType

import pytest

from vivavoce.core import plugins

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Module:
    """A source file, as text and as a tree."""

    name: str
    """Relative to src/vivavoce, with slashes."""
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def comments(self) -> dict[int, str]:
        """Comment of each line that has one."""
        tokens = tokenize.generate_tokens(StringIO(self.text).readline)
        return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}

    @property
    def is_init(self) -> bool:
        return self.name.endswith("__init__.py")

    @property
    def is_plugin(self) -> bool:
        folder, _, file = self.name.partition("/")
        return folder in plugins.KINDS and "/" not in file and not file.startswith("_")

    def at(self, line: int) -> str:
        """A place, as an editor opens it."""
        return f"src/vivavoce/{self.name}:{line}"


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def docs() -> ModuleType:
    """The script that makes and checks the docs."""
    spec = importlib.util.spec_from_file_location("viva_docs", ROOT / "scripts" / "_docs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def modules() -> tuple[Module, ...]:
    """Every Python file of the package."""
    package = ROOT / "src" / "vivavoce"
    found = tuple(
        Module(path.relative_to(package).as_posix(), path.read_text(encoding="utf-8")) for path in sorted(package.rglob("*.py"))
    )
    assert len(found) > 30
    return found


@pytest.fixture(scope="session")
def texts() -> tuple[tuple[str, str], ...]:
    """Name and content of every text file that the project is made of."""
    return tuple(_texts())


def _texts() -> Iterator[tuple[str, str]]:
    folders = ("src", "tests", "docs", "scripts", "changelog.d", ".github", ".ci")
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))]
    for path in [*paths, *sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("*.toml")), *sorted(ROOT.glob("*.yml"))]:
        if path.is_file() and "__pycache__" not in path.parts:
            try:
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue  # gzip and deliberately damaged samples
