"""Give a document without a version its version: in place, at once or not at all, and with a backup."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path

from vivavoce.core.errors import UsageError
from vivavoce.core.place import Problems
from vivavoce.core.reply import JSON
from vivavoce.core.source import Source
from vivavoce.formats._m365 import versions
from vivavoce.formats._m365.reading import Reader
from vivavoce.formats._m365.shapes import LEGACY_FIELDS, open_document
from vivavoce.wire import json_text


@dataclass(frozen=True, kw_only=True, slots=True)
class Upgraded:
    """What became of a file."""

    path: Path
    backup: Path | None
    """The file as it was; `None` when nothing was changed."""
    version: str
    changed: bool


def is_legacy(path: Path) -> bool:
    """Whether a document has no `schemaVersion`.

    Raises:
        DatasetError: it is no valid document.
        UsageError: it cannot be read.
    """
    value = _read(Source(path))
    return not (isinstance(value, dict) and "schemaVersion" in value)


def upgrade(path: Path, *, now: datetime) -> Upgraded:
    """Rewrite a document without `schemaVersion` as one with it; leave one that has it alone.

    Raises:
        DatasetError: it is no valid document; nothing was touched.
        UsageError: it cannot be read or written; nothing was touched.
    """
    source = Source(path)
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: is not a file; name the document to upgrade")
    value = _read(source)
    if isinstance(value, dict) and "schemaVersion" in value:
        return Upgraded(path=path, backup=None, version=value["schemaVersion"], changed=False)
    document = _versioned(value)
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    data = gzip.compress(text.encode(), mtime=0) if source.is_gzip else text.encode()
    try:
        backup = _replace(path, data, f"{path.name}.bak.{now:%Y%m%d%H%M%S}")
    except OSError as error:
        raise UsageError(f"{path}: cannot be upgraded: {error.strerror or error}; it is as it was") from error
    return Upgraded(path=path, backup=backup, version=document["schemaVersion"], changed=True)


def _read(source: Source) -> JSON:
    problems = Problems()
    value = json_text.parse(source, source.text(), problems)
    problems.raise_any()
    Reader(source, problems).suite(value)
    problems.raise_any()
    return value


def _versioned(value: JSON) -> dict[str, JSON]:
    """A valid document with items and, last, its version; its fields keep their order."""
    opened = open_document(value, _never)
    items = [item for _, _, item in opened.entries] if opened is not None else []
    if isinstance(value, dict) and opened is not None and ("items" in value or "prompts" in value):
        document = {
            ("items" if name in ("items", "prompts") else name): (items if name in ("items", "prompts") else each)
            for name, each in value.items()
            if name != LEGACY_FIELDS[1]
        }
    else:
        document = {"items": items}
    return {**document, "schemaVersion": versions.lowest(document)}


def _never(message: str, path: str, fix: str = "", *, soft: bool = False, far: bool = False) -> None:
    raise ValueError(f"{path}: {message}")  # the document was found valid before


def _replace(path: Path, data: bytes, backup_name: str) -> Path:
    """Put the new content in the file's place; returns where the old one is kept. On failure nothing is left behind."""
    real = path.resolve()
    before = real.read_bytes()
    backup: Path | None = None
    handle, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name[:100]}.")
    try:
        with os.fdopen(handle, "wb") as new:
            new.write(data)
            new.flush()
            os.fsync(new.fileno())
        os.chmod(name, real.stat().st_mode & 0o7777)
        backup = _back_up(path.parent, backup_name, before, real.stat().st_mode & 0o7777)
        os.replace(name, real)
    except OSError:
        for made in (name, backup):
            if made is not None:
                with contextlib.suppress(OSError):
                    os.unlink(made)
        raise
    return backup


def _back_up(folder: Path, name: str, data: bytes, mode: int) -> Path:
    """Write a copy under a name that nothing has yet, which at no time more people may read than the file itself."""
    for each in _names(name):
        path = folder / each
        try:
            copy = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), "wb")
        except FileExistsError:
            continue
        try:
            with copy:
                copy.write(data)
                copy.flush()
                os.fsync(copy.fileno())
            os.chmod(path, mode)
        except OSError:
            path.unlink()
            raise
        return path
    raise AssertionError("names never end")


def _names(name: str) -> Iterator[str]:
    yield name
    for number in count(1):
        yield f"{name}-{number}"
