"""A provider that is more than one: its class, made a plugin of another kind under its own name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import ClassVar, TypeVar, cast

from vivavoce.core import plugins
from vivavoce.core.kinds import Provider

T = TypeVar("T")
R = TypeVar("R", bound="Role")


class Role:
    """What a provider's class is given to play this role as well; its options, checks and manual stay as they are."""

    vendor: ClassVar[str]
    """The provider's name."""

    @property
    def name(self) -> str:
        """As reports say who spoke, such as `openai:gpt-5-mini`."""
        return f"{self.vendor}:{self._provider.model}"

    @property
    def _provider(self) -> Provider:
        return cast(Provider, self)  # `players` mixes this into the classes of providers, and nobody else does


def players(role: type[R], module: str) -> Mapping[str, Callable[[], type[R]]]:
    """What makes the role, played by each provider that comes with this package; `module` is where it is said to be defined."""
    known = plugins.names("providers", installed=False)
    return MappingProxyType({name: partial(_player, role, name, module) for name in known})


async def straight(call: Callable[[], Awaitable[T]]) -> T:
    """A call made without any guard."""
    return await call()


def _player(role: type[R], name: str, module: str) -> type[R]:
    provider: type = plugins.find("providers", name)  # type: ignore[assignment] # those of this package are classes
    told = {"__doc__": provider.__doc__, "__module__": module, "vendor": name}
    made: type[R] = type(provider.__name__, (role, provider), told)
    return made
