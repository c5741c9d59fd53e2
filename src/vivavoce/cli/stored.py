"""The store that the settings name, open while it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vivavoce.config.settings import Settings
    from vivavoce.core.kinds import Store


@contextmanager
def open_store(wanted: Settings) -> Iterator[Store]:
    """The store at `--store`: the path of a SQLite file, or a URL whose scheme names the kind of store."""
    from vivavoce.core import plugins
    from vivavoce.core.specs import parse_store

    store: Store = plugins.build("stores", parse_store(wanted.store))
    try:
        yield store
    finally:
        store.close()


def project(wanted: Settings) -> Iterator[tuple[Path, str]]:
    """The files of the project that no output may take the place of, with what each is: its store, and its settings."""
    from vivavoce.core.specs import parse_store

    path = parse_store(wanted.store).options.get("path")
    if path is not None:
        for suffix in ("", "-wal", "-shm", "-journal"):
            yield Path(f"{path}{suffix}"), f"the store {path}"
    for cassette in (wanted.record, wanted.replay):
        if cassette is not None:
            yield Path(cassette), f"the cassette {cassette}"
    for pattern in ("viva.toml", "pyproject.toml", ".env*", "env/.env*"):
        yield from ((found, str(found)) for found in Path().glob(pattern))
