"""`${VAR}` in options: read from the environment when a target is made; the option itself stays as it was written."""

from __future__ import annotations

import re

from vivavoce.core.environment import variables
from vivavoce.core.place import nearest

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


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
