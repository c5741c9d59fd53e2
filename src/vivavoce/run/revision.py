"""Which revision of a project a run is of, as git tells it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from vivavoce.core.model import Revision

_WAIT = 3.0
"""Seconds that git may take: a run does not wait for it for long."""
_ASKED = ("-c", "core.fsmonitor=false", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
_TOLD = re.compile(r"[0-9a-f]{40,64}(-dirty)?")


def revision(folder: Path) -> Revision | None:
    """The last commit of a folder, and whether files that git knows were changed since; `None` where git cannot tell."""
    surrounding = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        asked = subprocess.run(
            ("git", *_ASKED),
            cwd=folder,
            env=surrounding,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_WAIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    told = asked.stdout.decode(errors="replace").strip()
    return Revision.of(told) if asked.returncode == 0 and _TOLD.fullmatch(told) else None
