"""Who is let in, and under which names the server answers."""

from __future__ import annotations

import base64
import binascii
import hmac
import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """The credentials and names of a server."""

    host: str = "127.0.0.1"
    """The address it listens on."""
    username: str = "admin"
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    hosts: frozenset[str] = frozenset()
    """Names by which it may be called besides its own."""

    @property
    def guarded(self) -> bool:
        """Whether a credential is asked for."""
        return self.password is not None or self.token is not None

    def admits(self, authorization: str | None) -> bool:
        """Whether this `Authorization` names a credential: the token as bearer, or a name with a password.

        As a password the token is good too, since a browser asks for nothing else. Every comparison takes the same time.
        """
        scheme, _, given = (authorization or "").strip().partition(" ")
        if scheme.lower() == "bearer":
            return _same(given.strip(), self.token)
        if scheme.lower() != "basic":
            return False
        username, password = _basic(given)
        known = _same(username, self.username) & _same(password, self.password)
        return known | _same(password, self.token)

    def answers_to(self, host: str) -> bool:
        """Whether this `Host` is one of the server's names.

        A page elsewhere can have its own name lead here, but not an address: those are let through, only such of this machine
        where the server listens on no other.
        """
        name = host_name(host)
        if name in self.hosts or name == self.host.lower() or name == "localhost":
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return not is_loopback(self.host) and name == socket.gethostname().lower()
        return address.is_loopback or not is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reached from this machine alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_name(host: str) -> str:
    """The name in a `Host`, without its port."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def is_own_origin(headers: Mapping[str, str]) -> bool:
    """Whether a request comes from a page of this server, or from no page at all."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    # Behind a proxy that speaks TLS the scheme is another one than ours.
    return origin is None or origin.lower().partition("://")[2] == headers.get("host", "").lower() != ""


def is_page(headers: Mapping[str, str]) -> bool:
    """Whether a browser sent the request."""
    return any(name in headers for name in ("origin", "sec-fetch-site", "cookie"))


def _same(given: str, known: str | None) -> bool:
    # Compared also when there is nothing to compare with, so that the time tells nothing.
    same = hmac.compare_digest(given.encode("utf-8", "replace"), (known or "").encode("utf-8", "replace"))
    return same and bool(known)


def _basic(given: str) -> tuple[str, str]:
    try:
        username, _, password = base64.b64decode(given.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return "", ""
    return username, password
