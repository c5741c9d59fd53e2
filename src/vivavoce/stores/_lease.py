"""Who carries out a run: one process at a time. The system lets go of the lease of one that ends, however it ends."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from vivavoce.core.errors import StoreError, Taken


class Lease:
    """A lock on `<store>.<run id>.lock`, held while the run is carried out; the file holds the number of the process."""

    def __init__(self, store: Path, run_id: str) -> None:
        self._run_id = run_id
        self._path = store.with_name(f"{store.name}.{run_id}.lock")
        self._file = self._take()

    def release(self) -> None:
        """Let others carry out the run."""
        with suppress(OSError):
            self._path.unlink()  # before it is unlocked: whoever takes it next takes a file of his own
        os.close(self._file)

    def _take(self) -> int:
        while True:
            try:
                file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError as error:
                raise StoreError(f"{self._path}: cannot be made: {error.strerror}; name another store with --store") from error
            try:
                if not _lock(file):
                    raise Taken(self._taken(os.read(file, 20).decode(errors="replace").strip()))
                if _is(file, self._path):
                    os.ftruncate(file, 0)
                    os.write(file, f"{os.getpid()}\n".encode())
                    return file
            except BaseException:
                os.close(file)
                raise
            os.close(file)  # another process ended just now, and took the file with it

    def _taken(self, number: str) -> str:
        by = f"process {number}" if number else "another process"
        return f"run {self._run_id} is being carried out by {by}; wait for it, or stop it"


def _is(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except OSError:
        return False


def _lock(file: int) -> bool:
    """Whether nobody else has it."""
    if sys.platform == "win32":
        return True  # there an open file cannot be locked and read at once, and is left to the person
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return True
