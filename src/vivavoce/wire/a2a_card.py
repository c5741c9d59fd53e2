"""The card by which an A2A agent tells where it is spoken to, and how; of either version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vivavoce.core.reply import JSON, Object
from vivavoce.wire.a2a import Version

PATH = "/.well-known/agent-card.json"
"""Where a card lies, below an agent's address."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Interface:
    """One way to speak to an agent."""

    url: str
    binding: str
    """`JSONRPC`, `HTTP+JSON`, `GRPC`."""
    version: Version | None
    """`None` when it is neither 0.3 nor 1.0."""
    said: str
    """The version as the card has it."""
    tenant: str | None = None


def choose(card: JSON, wanted: Version | None) -> Interface:
    """The first interface in JSON-RPC, of the version that is wanted, if one is.

    Raises:
        ValueError: there is none; the message completes "the card ...".
    """
    if not isinstance(card, Mapping):
        raise ValueError("is no object")
    found = list(_interfaces(card))
    if not found:
        raise ValueError("names no address to speak to")
    usable = [each for each in found if each.binding.upper() == "JSONRPC" and each.version is not None]
    fitting = [each for each in usable if wanted is None or each.version == wanted]
    if not fitting:
        asked = f" in version {wanted}" if wanted else ""
        offered = ", ".join(f"{each.binding} {each.said}" for each in found)
        raise ValueError(f"offers no JSON-RPC{asked}, which is what is spoken here; it offers {offered}")
    return fitting[0]


def streams(card: Object) -> bool:
    """Whether the agent can answer in a stream."""
    capabilities = card.get("capabilities")
    return isinstance(capabilities, Mapping) and capabilities.get("streaming") is True


def _interfaces(card: Object) -> Iterator[Interface]:
    """As 1.0 lists them; else the address that 0.3 prefers, and then its others."""
    listed = card.get("supportedInterfaces")
    if isinstance(listed, list):
        for each in listed:
            if isinstance(each, Mapping):
                yield from _interface(each, each.get("protocolBinding"), each.get("protocolVersion", "1.0"))
    version = card.get("protocolVersion", "0.3.0")
    yield from _interface(card, card.get("preferredTransport", "JSONRPC"), version)
    others = card.get("additionalInterfaces")
    for each in others if isinstance(others, list) else ():
        if isinstance(each, Mapping):
            yield from _interface(each, each.get("transport"), version)


def _interface(given: Object, binding: JSON, version: JSON) -> Iterator[Interface]:
    url, tenant = given.get("url"), given.get("tenant")
    if isinstance(url, str) and isinstance(binding, str):
        said = str(version)
        known: Version | None = "1.0" if said.startswith("1.") or said == "1" else "0.3" if said.startswith("0.") else None
        yield Interface(
            url=url, binding=binding, version=known, said=said, tenant=tenant if isinstance(tenant, str) and tenant else None
        )
