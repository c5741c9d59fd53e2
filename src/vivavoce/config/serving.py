"""How the server is set: the table `[serve]`, under the flags of `viva serve`, with credentials from the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from vivavoce.config.settings import Settings
from vivavoce.core import environment
from vivavoce.core.errors import ConfigError, UsageError
from vivavoce.core.place import did_you_mean
from vivavoce.core.reply import JSON

PORT = 8750
_SECRETS = ("password", "token")
VARIABLES = ("VIVA_SERVE_USERNAME", "VIVA_SERVE_PASSWORD", "VIVA_SERVE_TOKEN")
"""What stands in the environment or an env file; it goes before the table."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Serving:
    """The settings of the server; the fields are the keys of `[serve]`."""

    host: str = "127.0.0.1"
    port: int = PORT
    suites: tuple[str, ...] = ()
    """Files and folders of the suites it may run; those of `paths` where none are named."""
    schedule: str | None = None
    """When all suites are run, as a cron expression."""
    hosts: tuple[str, ...] = ()
    """Names by which it may be called besides its address."""
    username: str = "admin"
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)


def serving(settings: Settings, flags: Mapping[str, Any]) -> Serving:  # as argparse gives them
    """What holds: flags over the environment over the table.

    Raises:
        ConfigError: the table is wrong; says everything that is.
        UsageError: a flag is, or a suite would be read from standard input.
    """
    known = [each.name for each in fields(Serving)]
    values: dict[str, JSON] = {}
    wrong: list[str] = []
    place = settings.source("serve")
    for key, raw in settings.serve.items():
        if key not in known:
            wrong.append(f'{place}: [serve]: unknown setting "{key}" ({did_you_mean(key, known)})')
            continue
        try:
            values[key] = _read(key, raw, settings.environment)
        except ValueError as error:
            wrong.append(f"{place}: [serve] {key}: {error}")
    if wrong:
        raise ConfigError("\n".join(wrong))
    for variable in VARIABLES:
        if settings.environment.get(variable, "").strip():
            values[variable.removeprefix("VIVA_SERVE_").lower()] = settings.environment[variable]
    for key, raw in flags.items():
        try:
            values[key] = _read(key, raw, {})
        except ValueError as error:
            raise UsageError(f"--{key}: {error}") from None
    made = Serving(**{"suites": settings.paths, **values})
    if "-" in made.suites:
        raise UsageError("suites that are run again and again cannot be read from standard input; name files or folders")
    return made


def _read(key: str, raw: JSON, variables: Mapping[str, str]) -> JSON:
    if key == "port":
        if isinstance(raw, str) and raw.isascii() and raw.isdecimal():
            raw = int(raw[:6])
        if not isinstance(raw, int) or isinstance(raw, bool) or not 0 <= raw <= 65535:
            raise ValueError("must be a whole number from 0 to 65535; 0 is any port that is free")
        return raw
    if key in ("suites", "hosts"):
        several = [raw] if isinstance(raw, str) else raw
        if not isinstance(several, list | tuple) or not several or not all(isinstance(each, str) and each for each in several):
            raise ValueError("must be a text or a list of texts")
        return tuple(several) if key == "suites" else tuple(each.lower() for each in several)
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError("must be a text")
    if key not in _SECRETS:
        return raw
    with environment.known(variables):
        secret = environment.expand(raw, key)
    if not secret.strip():
        raise ValueError("must be a text that is not blank")
    return secret
