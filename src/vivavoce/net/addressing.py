"""Where to call, and with what: addresses, headers and keys, checked before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from vivavoce.core.environment import expand, variables

_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def address(url: str, option: str = "url") -> str:
    """An address with its variables filled in.

    Raises:
        ValueError: it is no address of HTTP, or holds a password.
    """
    made = expand(url, option)
    try:
        parts = urlsplit(made)
        _ = parts.port
    except ValueError as error:
        raise ValueError(f'{option}: "{url}" is no address: {error}') from None
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise ValueError(f'{option}: "{url}" is no http:// or https:// address')
    if parts.username is not None or parts.password is not None:
        raise ValueError(
            f"{option}: a password does not belong into an address, which is stored; send it in headers, as ${{VAR}}"
        )
    return made


def headers(given: Mapping[str, str]) -> dict[str, str]:
    """Headers with the variables in their values filled in.

    Raises:
        ValueError: a name or a value cannot be sent.
    """
    made = {name: expand(value, f"the header {name}") for name, value in given.items()}
    for name, value in made.items():
        if not _HEADER.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a header")
        if any(each in value for each in "\r\n\0"):
            raise ValueError(f"the value of the header {name} has more than one line")
    return made


def shown(url: str) -> str:
    """An address as messages name it, without what may hold a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def variable(*names: str) -> str:
    """What the first of these variables says that says anything, without space around it; else nothing."""
    known = variables()
    return next((known[name].strip() for name in names if known.get(name, "").strip()), "")


def key(given: str | None, option: str, *names: str) -> str:
    """A key or token: as an option gives it, variables filled in, else as the first of these variables does.

    Raises:
        ValueError: it cannot be sent in a header.
    """
    made = variable(*names) if given is None else expand(given, option).strip()
    if not (made.isascii() and made.isprintable()):
        raise ValueError("the key or token cannot be sent: it has characters that do not belong into a header")
    return made
