"""The store that the settings name, open while it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vivavoce.config.settings import Settings
    from vivavoce.core.kinds import Store


@contextmanager
def open_store(wanted: Settings) -> Iterator[Store]:
    """The store at `--store`: the path of a SQLite file, or a URL whose scheme names the kind of store."""
    from vivavoce.core import plugins
    from vivavoce.core.model import Use

    scheme, is_url, rest = wanted.store.partition("://")
    if not is_url:
        use = Use(name="sqlite", options={"path": wanted.store})
    elif scheme == "sqlite":
        # As others write it: three slashes before a relative path, four before an absolute one.
        use = Use(name="sqlite", options={"path": rest.removeprefix("/") or rest})
    else:
        use = Use(name=scheme, options={"url": wanted.store})
    store: Store = plugins.build("stores", use)
    try:
        yield store
    finally:
        store.close()
