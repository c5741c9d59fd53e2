"""What must never be stored, logged, recorded or shown: told by its name, by its place in an address, and by its value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from vivavoce.core.environment import variables
from vivavoce.core.reply import JSON

HIDDEN = "***"
"""Stands where a secret stood."""
SHORTEST = 4
"""A value of fewer characters is no secret, and occurs by chance."""

_LOOKS_SECRET = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[^\s/\\]{12,}")
_NAMES = re.compile(r"authori[sz]ation|token|key|secret|passw|cookie|credential", re.IGNORECASE)
_COUNT = re.compile(r"(?:max|input|output)(?:_[a-z]+)*_tokens", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|Digest|ApiKey)\s+(?=\S)", re.IGNORECASE)
_IN_URL = re.compile(r"(?<=://)([^/@\s:]*):([^/@\s]+)(?=@)")
_IN_QUERY = re.compile(r"([?&\s]-{0,2}[\w-]*(?:token|key|secret|passw|authorization)[\w-]*[=\s])([^&\s]+)", re.IGNORECASE)


def is_secret(name: str) -> bool:
    """Whether what is called this is kept from sight; a number of a model's tokens is none."""
    return _NAMES.search(name) is not None and _COUNT.fullmatch(name) is None


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


def restore(stored: JSON, given: JSON) -> JSON:
    """A redacted value with what is hidden in it taken from the same place of another; hidden still where that has none."""
    if isinstance(stored, Mapping):
        others = given if isinstance(given, Mapping) else {}
        return {key: restore(each, others.get(key)) for key, each in stored.items()}
    if isinstance(stored, str) and HIDDEN in stored and isinstance(given, str):
        return given
    return stored


def hidden(value: JSON, path: str = "") -> Iterator[str]:
    """Where in a redacted value something is hidden."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from hidden(each, f"{path}.{key}" if path else str(key))
    elif isinstance(value, str) and HIDDEN in value:
        yield path


def values(options: JSON) -> tuple[str, ...]:
    """The secret values that options hold or name, and those of variables called like secrets, longest first.

    The last are what plugins read by themselves, such as a model's key; short ones and plain words are left out, since they
    would blot out harmless text.
    """
    found = {each for each in _values(options, "") if len(each) >= SHORTEST}
    found |= {each for name, each in variables().items() if is_secret(name) and _LOOKS_SECRET.fullmatch(each)}
    return tuple(sorted(found, key=len, reverse=True))


def blot(text: str, secrets: Iterable[str]) -> str:
    """A text with each of these values blotted out, also as it stands inside JSON."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN).replace(json.dumps(secret)[1:-1], HIDDEN)
    return text


def _values(value: JSON, name: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _values(each, str(key))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _values(each, name)
    elif isinstance(value, str):
        # A variable is taken to hold a secret wherever it stands: that is what variables in options are for.
        known = variables()
        yield from (known[variable].strip() for variable in _VARIABLE.findall(value) if variable in known)
        if is_secret(name):
            literal = _VARIABLE.sub("", _SCHEME.sub("", value, count=1)).strip()
            yield literal
        for pattern in (_IN_URL, _IN_QUERY):
            yield from (_VARIABLE.sub("", match[2]) for match in pattern.finditer(value))


def _hide(text: str) -> str:
    """Only the scheme and variables of a secret text are kept: `Bearer ${TOKEN}`, but `Bearer ***`."""
    scheme = _SCHEME.match(text)
    kept = scheme[0] if scheme else ""
    rest = text[len(kept) :]
    literal = _VARIABLE.sub("", rest)
    return kept + "".join(match[0] for match in _VARIABLE.finditer(rest)) + (HIDDEN if literal.strip() else "")


def _second(match: re.Match[str]) -> str:
    return match[1] + _hide(match[2])
