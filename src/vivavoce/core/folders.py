"""Folders in which Viva keeps things of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from vivavoce.core.environment import variables

OWN = ".viva"
"""What a project's folder of Viva's own is called."""


def make(folder: Path) -> None:
    """Make a folder and those above it; a new `.viva` among them is kept out of version control.

    Raises:
        OSError: it cannot be made.
    """
    own = next((each for each in (folder, *folder.parents) if each.name == OWN), None)
    is_new = own is not None and not own.exists()
    folder.mkdir(parents=True, exist_ok=True)
    if own is not None and is_new:
        (own / ".gitignore").write_text("*\n", encoding="utf-8")


def cache() -> Path:
    """The user's cache folder: what the variable `VIVA_CACHE` names, else as the platform has it. It need not exist yet."""
    if given := variables().get("VIVA_CACHE"):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "vivavoce" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "vivavoce"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vivavoce"
