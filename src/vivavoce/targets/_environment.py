"""`${VAR}` in options: read from the environment when a target is made, and kept out of all that is stored or shown."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vivavoce.core.environment import variables
from vivavoce.core.place import nearest

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SHORT = 4
"""A value of fewer characters is no secret, and occurs by chance."""


def expand(text: str, option: str) -> str:
    """The text with every `${VAR}` replaced by the variable's value, without space around it.

    Raises:
        ValueError: a variable is not set; names it.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1]
        known = variables()
        if name not in known:
            near = nearest(name, list(known))
            hint = f' (did you mean "{near}"?)' if near else ""
            raise ValueError(f"{option} names the variable {name}, which is not set in the environment{hint}")
        return known[name].strip()

    return _VARIABLE.sub(value, text)


def secrets(texts: Iterable[str]) -> tuple[str, ...]:
    """The values that `${VAR}` stands for in these texts, longest first."""
    values = {variables().get(name, "").strip() for text in texts for name in _VARIABLE.findall(text)}
    return tuple(sorted((each for each in values if len(each) >= _SHORT), key=len, reverse=True))


def hide(text: str, values: Iterable[str]) -> str:
    """The text with each of these values blotted out."""
    for value in values:
        text = text.replace(value, "***")
    return text
