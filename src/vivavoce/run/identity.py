"""What tells runs apart: ids, times and nonces, made at the edges and handed in."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime


def new_id() -> str:
    """An id for a run: ten hexadecimal digits, of which a few are enough to name it."""
    return secrets.token_hex(5)


def new_nonce() -> str:
    """What tells this process's conversations from those of earlier ones."""
    return secrets.token_hex(8)


def now() -> str:
    """The time as ISO 8601 in UTC, to the millisecond, ending in `Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
