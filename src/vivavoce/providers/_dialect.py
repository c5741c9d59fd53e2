"""How one speaks to an endpoint: what a request says, how it is put more mildly, and how an answer is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from vivavoce.core.reply import JSON, Completion, Message, Object
from vivavoce.wire.openai import Fault


class Manners(Protocol):
    """The parts of a request that not every endpoint, or every model, knows. Frozen, and compared by value."""

    def fields(self, *, schema: Object | None, temperature: float | None, max_tokens: int | None) -> dict[str, JSON]:
        """These parts, as they are sent."""

    def after(self, fault: Fault, sent: Object) -> Manners | None:
        """What to try when a request was refused; `None` when the refusal is about something else."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """One way to speak."""

    said: Callable[[Sequence[Message]], dict[str, JSON]]
    """What was said, as fields of a request."""
    read: Callable[[JSON, str], Completion]
    """An answer; takes the model that was asked, for endpoints that do not say which answered. Raises `ValueError`."""
    manners: Manners
    """What is tried first."""
