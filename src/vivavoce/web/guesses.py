"""How often somebody may be wrong about a credential before they have to wait."""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from collections.abc import Callable, Mapping

AT_ONCE = 20
"""Wrong credentials that an address may send in a row."""
EACH = 3.0
"""Seconds after which it may send another."""
_REMEMBERED = 10_000
"""Addresses of which that is known; of more, the one that was wrong longest ago is forgotten."""


class Guesses:
    """Wrong credentials by the address they came from."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._even: OrderedDict[str, float] = OrderedDict()
        """When what an address did wrong is forgotten, if nothing is added to it."""

    def wait(self, sender: str) -> float:
        """Seconds until a credential of this address is looked at again; 0 when it is now."""
        return max(0.0, self._even.get(sender, 0.0) - self._now() - (AT_ONCE - 1) * EACH)

    def wrong(self, sender: str) -> None:
        """It sent one that is none."""
        self._even[sender] = max(self._even.get(sender, 0.0), self._now()) + EACH
        self._even.move_to_end(sender)
        if len(self._even) > _REMEMBERED:
            self._even.popitem(last=False)


def sender(client: str, headers: Mapping[str, str]) -> str:
    """Whose request it is; of one by a proxy on this machine, what the proxy says. A network of version 6 is one sender."""
    try:
        address = ipaddress.ip_address(client)
        if address.is_loopback and "x-forwarded-for" in headers:
            address = ipaddress.ip_address(headers["x-forwarded-for"].rpartition(",")[2].strip())
    except ValueError:
        return client
    return str(address if address.version == 4 else ipaddress.ip_network((address, 64), strict=False))
