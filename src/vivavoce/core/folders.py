"""Folders in which Viva keeps things of its own."""

from __future__ import annotations

from pathlib import Path

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
