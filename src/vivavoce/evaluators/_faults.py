"""What an evaluator says when a dataset gives it something of no use: an error, never a number."""

from __future__ import annotations

from vivavoce.core.errors import CallError
from vivavoce.core.result import Failure


def unusable(message: str) -> CallError:
    """Evidence that is there but cannot be examined; the message names it, and the way out."""
    return CallError(Failure(code="bad_evidence", message=message, phase="evaluator"))
