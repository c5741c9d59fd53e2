"""Paths and commands as a person here would type them: what is not on PATH is told by its place."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path


def near(path: Path) -> str:
    """A path, from the current folder where that is shorter."""
    return min(str(path), os.path.relpath(path), key=len)


def viva() -> str:
    """The command `viva` of this Python."""
    beside = Path(sys.executable).with_name("viva.exe" if os.name == "nt" else "viva")
    if _on_path("viva"):
        return "viva"
    return shlex.quote(near(beside)) if beside.exists() else f"{python()} -m vivavoce"


def python() -> str:
    """This Python."""
    return "python" if _on_path("python") else shlex.quote(sys.executable)


def _on_path(name: str) -> bool:
    """Whether this name alone means the program beside this Python."""
    found = shutil.which(name)
    return found is not None and Path(found).parent == Path(sys.executable).parent
