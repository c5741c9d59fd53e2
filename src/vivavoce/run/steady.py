"""Whether a file is still as it was planned: a run that reads it again must not examine something else."""

from __future__ import annotations

from pathlib import Path

from vivavoce.core.errors import UsageError
from vivavoce.core.source import Source

Stamp = tuple[int, int, int]
"""Size, time of change and inode."""


def stamp(path: Path) -> Stamp | None:
    """What tells at little cost that a file was written to; `None` when it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino


class Steady:
    """One file during a run."""

    def __init__(self, source: Source, stamped: Stamp | None, sha256: str) -> None:
        self._source = source
        self._stamp = stamped
        self._sha256 = sha256

    def check(self) -> None:
        """Make sure that the file holds what was planned.

        Raises:
            UsageError: it does not, or is gone.
        """
        now = stamp(self._source.path)
        if now is not None and now == self._stamp:
            return
        if now is None or self._source.sha256() != self._sha256:
            raise UsageError(
                f"{self._source.name}: changed while it was examined, so the run was stopped; what was done is kept. "
                "Put the file back as it was and go on with viva resume, or start a new run"
            )
        self._stamp = now  # written anew with what it held before
