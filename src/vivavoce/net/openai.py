"""The address and the key of an API that speaks as OpenAI's does, for models that judge as for agents that are examined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from vivavoce.net import addressing

_OWN = "https://api.openai.com/v1"
_COPIED = ("/chat/completions", "/responses")
"""What people copy along with an address, and what is added anew."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Api:
    """Where it is, and who asks."""

    url: str
    """Its address, without the path of a request."""
    key: str
    """Empty when there is none."""

    @property
    def own(self) -> bool:
        """Whether it is OpenAI's own."""
        return urlsplit(self.url).hostname == urlsplit(_OWN).hostname

    @property
    def shows_key(self) -> Mapping[str, str]:
        """The header that carries the key."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    @property
    def asks_for_key(self) -> str:
        """What to say when there is none; empty where none is needed."""
        return "there is no key: set the variable OPENAI_API_KEY, or the option api_key" if self.own else ""


def api(base_url: str | None, api_key: str | None) -> Api:
    """What these options name, by default the variables `OPENAI_BASE_URL` and `OPENAI_API_KEY`, else OpenAI's own address.

    Raises:
        ValueError: the address is none, or the key cannot be sent.
    """
    given = base_url or addressing.variable("OPENAI_BASE_URL") or _OWN
    url = addressing.address(given.strip(), "base_url").rstrip("/")
    url = next((url.removesuffix(path) for path in _COPIED if url.endswith(path)), url)
    return Api(url=url, key=addressing.key(api_key, "api_key", "OPENAI_API_KEY"))
