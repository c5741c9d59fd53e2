"""What a plan keeps to itself: secrets among the options of whom it asks, which are not stored and must be given again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vivavoce.core import secrets
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Selection, Use

ASKED = ("target", "judge", "simulator")
"""Fields of a selection that say who is asked."""


def uses(selection: Selection) -> tuple[Use, ...]:
    """Everybody a selection asks."""
    asked: list[Use | None] = [getattr(selection, name) for name in ASKED]
    return tuple(use for use in asked if use is not None)


def public(selection: Selection) -> Selection:
    """A selection without secrets, as it may be stored."""
    hidden: dict[str, Any] = {  # the fields of `ASKED`
        name: None if (use := getattr(selection, name)) is None else replace(use, options=secrets.redact(use.options))
        for name in ASKED
    }
    return replace(selection, **hidden)


def unhidden(selection: Selection, given: Mapping[str, Use]) -> Selection:
    """A selection that was stored, with the secrets that were not, out of what is `given` for each field.

    Raises:
        UsageError: one is not given.
    """
    whole: dict[str, Any] = {  # the fields of `ASKED`
        name: _unhidden(name, getattr(selection, name), given.get(name)) for name in ASKED
    }
    return replace(selection, **whole)


def _unhidden(kind: str, use: Use | None, given: Use | None) -> Use | None:
    if use is None or not any(secrets.hidden(use.options)):
        return use
    options = secrets.restore(use.options, given.options if given is not None else {})
    missing = list(secrets.hidden(options))
    if missing:
        raise UsageError(
            f"the run was begun with a secret in {', '.join(missing)}, which is not stored: give it again with "
            f"--{kind}-option, or in viva.toml; as ${{VARIABLE}} it would be read from the environment"
        )
    return replace(use, options=options)


def values(selection: Selection) -> tuple[str, ...]:
    """The secrets themselves, to be kept out of what is stored."""
    return tuple(secrets.values([use.options for use in uses(selection)]))
