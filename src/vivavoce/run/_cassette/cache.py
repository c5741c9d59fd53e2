"""Judges' verdicts, kept from run to run: one small file each, so that any number of runs may share a folder."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from vivavoce.core import codec, folders
from vivavoce.core.reply import Object
from vivavoce.run._cassette.outcome import Outcome, check


class Cache:
    """A folder of verdicts by the digest of every input. What cannot be read or written is as if it were not there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, inputs: Object) -> Outcome | None:
        """The verdict that was given on these inputs, without what it took: this time it takes nothing."""
        try:
            found = codec.decode(self._path(inputs).read_bytes(), dict)
            made: Outcome = found["outcome"]
            if found["inputs"] != codec.decode(codec.canonical(inputs), object):
                return None
            check("judge", made)
            return {"verdict": {name: each for name, each in made["verdict"].items() if name != "usage"}}
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, inputs: Object, made: Outcome) -> None:
        """Keep a verdict."""
        path = self._path(inputs)
        beside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.part")
        with suppress(OSError):
            folders.make(path.parent)
            beside.write_bytes(codec.canonical({"inputs": inputs, "outcome": made}) + b"\n")
            os.replace(beside, path)

    def _path(self, inputs: Object) -> Path:
        name = codec.digest(inputs).removeprefix("b2:")
        return self._folder / name[:2] / f"{name}.json"
