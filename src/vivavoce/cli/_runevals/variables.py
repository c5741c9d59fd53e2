"""The variables that hold for a run: the process's own, over those of env files, found as the vendor's command finds them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vivavoce.config.files import ENV_FILES, env_files
from vivavoce.core.errors import UsageError

FIRST = (".env.local", "env/.env.local", ".env.dev", "env/.env.dev")
"""Where the one env file is looked for, when none is named; its secrets stand beside it, in a file ending in `.user`."""


def variables(name: str | None, environ: Mapping[str, str], folder: Path) -> tuple[dict[str, str], str | None]:
    """All variables, and what to warn of.

    Raises:
        UsageError: the name is none of an env file.
        ConfigError: an env file cannot be read.
    """
    warning = None
    if name is None:
        first = next((each for each in FIRST if (folder / each).is_file()), None)
        files: tuple[str, ...] = () if first is None else (first, f"{first}.user")
    else:
        if not name or any(char in name for char in "/\\\0"):
            raise UsageError(f"--env {name}: is no name of an environment, such as dev for env/.env.dev")
        named = f"env/.env.{name}"
        files = (*ENV_FILES, named)
        if not (folder / named).is_file():
            warning = f"--env {name}: there is no {named}"
    found = {variable: value for variable, (value, _) in env_files(folder, files).items()}
    return {**found, **environ}, warning


def in_ci(environ: Mapping[str, str]) -> bool:
    """Whether nobody is there to be asked, or to look at a page."""
    return any(environ.get(name, "").lower() not in ("", "0", "false") for name in ("CI", "TF_BUILD"))
