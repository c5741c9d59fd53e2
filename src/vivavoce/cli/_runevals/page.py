"""The page of results, opened for whoever sits before a screen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from vivavoce.cli._runevals.variables import in_ci


def has_viewer(environ: Mapping[str, str]) -> bool:
    """Whether a page may be opened: there is a terminal, a screen, and nobody said otherwise."""
    if in_ci(environ) or environ.get("NO_BROWSER") or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return sys.platform in ("win32", "darwin") or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def open_page(path: Path) -> None:
    """Open a page in the browser, and do not wait for it."""
    # In a process of its own that has no terminal: a browser made of text could otherwise take this one over.
    command = [sys.executable, "-m", "webbrowser", path.resolve().as_uri()]
    nothing = subprocess.DEVNULL
    subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
