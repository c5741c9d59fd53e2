"""Settings as text, each with where it came from and without secrets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from vivavoce.config import values
from vivavoce.config.options import OPTIONS
from vivavoce.config.settings import Settings
from vivavoce.core.reply import JSON

HIDDEN = "***"

_NAMES = re.compile(r"authori[sz]ation|token|key|secret|passw|cookie|credential", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{[^}]*\}")
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|Digest|ApiKey)\s+(?=\S)", re.IGNORECASE)
_IN_URL = re.compile(r"(?<=://)([^/@\s:]*):([^/@\s]+)(?=@)")
_IN_QUERY = re.compile(r"([?&\s]-{0,2}[\w-]*(?:token|key|secret|passw|authorization)[\w-]*[=\s])([^&\s]+)", re.IGNORECASE)


def show(settings: Settings) -> str:
    """One line a setting: name, value, source."""
    rows = list(_rows(settings))
    name_width = max(len(name) for name, _, _ in rows)
    value_width = min(48, max(len(value) for _, value, _ in rows))
    return "".join(f"{name:<{name_width}}  {value:<{value_width}}  {source}\n" for name, value, source in rows)


def is_secret(name: str) -> bool:
    """Whether what is called this is kept from sight."""
    return _NAMES.search(name) is not None


def redact(value: JSON, name: str = "") -> JSON:
    """A value without secrets: those are told by their name, and by their place in addresses.

    `${VAR}` stays as it stands, since it names a secret without holding it.
    """
    if isinstance(value, Mapping):
        return {key: redact(each, str(key)) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [redact(each, name) for each in value]
    if isinstance(value, str):
        return _hide(value) if is_secret(name) else _IN_QUERY.sub(_second, _IN_URL.sub(rf"\1:{HIDDEN}", value))
    return value


def _rows(settings: Settings) -> Iterator[tuple[str, str, str]]:
    for option in OPTIONS:
        value = getattr(settings, option.field)
        if option.kind == "pairs":
            for key, each in value.items():
                name = f"{option.name}.{key}"
                yield name, _text(redact(each, key)), settings.source(name)
        elif option.kind == "rate" and value is not None:
            yield option.name, values.rate(value), settings.source(option.name)
        elif option.kind not in ("texts", "table") or value:
            yield option.name, _text(redact(value, option.name)), settings.source(option.name)


def _text(value: JSON) -> str:
    return "-" if value is None else json.dumps(value, ensure_ascii=False)


def _hide(text: str) -> str:
    """Only the scheme and variables of a secret text are kept: `Bearer ${TOKEN}`, but `Bearer ***`."""
    scheme = _SCHEME.match(text)
    kept = scheme[0] if scheme else ""
    rest = text[len(kept) :]
    variables = _VARIABLE.findall(rest)
    literal = _VARIABLE.sub("", rest)
    return kept + "".join(variables) + (HIDDEN if literal.strip() else "")


def _second(match: re.Match[str]) -> str:
    return match[1] + _hide(match[2])
