"""What checks are called, what tells them apart, and how a person asks for them."""

from __future__ import annotations

from dataclasses import replace

from vivavoce.core import codec, plugins
from vivavoce.core.model import Check

_SHOWN = 100
"""Characters of a check's options that a message shows."""


def kind(check: Check) -> tuple[str, str]:
    """The evaluator, and the name of its own that a check of it has."""
    own, name = plugins.fold(check.evaluator), plugins.fold(check.name)
    return own, "" if name in (own, plugins.without_vendor(own)) else name


def plain(check: Check) -> str:
    """The evaluator, whichever vendor's."""
    return plugins.fold(plugins.without_vendor(check.evaluator))


def way(check: Check) -> bytes:
    """What makes two checks of one name the same."""
    return codec.canonical([plugins.fold(check.evaluator), check.options, check.level])


def typed(check: Check) -> str:
    """A check as a person asks for it, cut where its options are long."""
    options = codec.canonical(check.options).decode() if check.options else ""
    named = f"{check.name}:" if check.name and check.name != check.evaluator else ""
    return f"{named}{check.evaluator}{'=' if options else ''}{options[:_SHOWN]}{'...' if len(options) > _SHOWN else ''}"


def score_name(check: Check) -> str:
    """How its scores are called, as far as the check says."""
    return check.name or check.evaluator


def aside(check: Check) -> str:
    """How a check is asked for that is to have a name of its own."""
    return f"NAME:{typed(replace(check, name=''))}"
