"""Runs in one SQLite file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vivavoce.stores._file import File
from vivavoce.stores._store import Stored

__all__ = ["Sqlite"]


@dataclass(frozen=True, kw_only=True)
class Sqlite(Stored):
    """Keep runs in one SQLite file, with nothing to set up.

    Needs: a folder that can be written to.
    Example: `viva run evals/ --store nightly.db`.
    Limits: one machine; several processes there may share a file, which must not lie on a network drive.
    A file that is removed while a run writes to it is put back with all that was in it.
    Source: Viva's own.
    """

    path: str = ".viva/runs.db"
    """The file; made, with its folder, when the first run begins."""

    def __post_init__(self) -> None:
        path = Path(self.path)
        if self.path in ("", ":memory:"):
            raise ValueError(
                f"{self.path or 'an empty path'}: would be lost with the program, and so would the run; name a file"
            )
        if path.exists() and not path.is_file():
            raise ValueError(f"{self.path}: is {'a folder' if path.is_dir() else 'no regular file'}; name a file")

        _ = self._database  # where it is now: an agent may change the current folder

    def _place(self) -> File:
        return File(Path(self.path).absolute(), self.path)
