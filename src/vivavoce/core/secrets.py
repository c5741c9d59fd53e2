"""What must never be stored, logged, recorded or shown: told by its name, by its place in an address, and by its value."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise

from vivavoce.core.environment import variables
from vivavoce.core.reply import JSON

HIDDEN = "***"
"""Stands where a secret stood."""
SHORTEST = 4
"""A value of fewer characters is no secret, and occurs by chance."""

_LOOKS_SECRET = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[^\s/\\]{12,}")
_PLAIN = re.compile(r"[A-Za-z_]*|\d+|.{,11}", re.DOTALL)
"""May as well be the name of a member that has nothing to do with a secret."""
_WORDS = r"authori[sz]ation|token|key|secret|passw|passphrase|cookie|credential|signature"
_NAMES = re.compile(_WORDS, re.IGNORECASE)
_SHORT_NAMES = frozenset({"auth", "oauth", "jwt", "pin", "pwd", "sig"})
"""These name a secret where they are a whole word; within others, as in `author`, they say nothing."""
_PLACES = frozenset({"PWD", "OLDPWD"})
"""Variables of every shell, which hold a folder."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_COUNT = re.compile(r"(?:max|input|output)(?:_[a-z]+)*_tokens", re.IGNORECASE)
_HARMLESS = re.compile(
    r"accept(-.*)?|content-.*|user-agent|cache-control|connection|host|origin|prefer|.*-version", re.IGNORECASE
)
"""Headers whose value is no secret; that of any other may be one, whatever it is called."""
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|Digest|ApiKey)\s+(?=\S)", re.IGNORECASE)
_BASIC = re.compile(r"\bBasic\s+([A-Za-z0-9+/_-]+=*)", re.IGNORECASE)
_IN_URL = re.compile(r"(?<=://)([^/@\s:]*):([^/@\s]+)(?=@)")
_NAMED = rf"[\w-]*(?:{_WORDS}|(?<![A-Za-z])(?:o?auth|jwt|pin|pwd|sig)(?![A-Za-z]))[\w-]*"
_SAID = rf"((?:{_SCHEME.pattern})?[^&\s\"']+)"
_IN_TEXT = (
    # A parameter of an address, an assignment, and an option of a command: `?token=X`, `TOKEN=X`, `--token X`.
    re.compile(rf"((?:^|[?&\s\"']){_NAMED}=[\"']?|(?:^|[\s\"'])-{{1,2}}{_NAMED}[=\s]\s*[\"']?){_SAID}", re.IGNORECASE),
    # A header of a command, and a member of an object: `-H 'Authorization: X'`, `{{"token": "X"}}`.
    re.compile(rf"((?:^|[\"'])(?:-H\s*)?{_NAMED}[\"']?\s*:\s*[\"']?){_SAID}", re.IGNORECASE),
    # A person's name and password: `-u me:X`.
    re.compile(r"((?:^|[\s\"'])(?:-u|--user)[=\s]?\s*[\"']?[^:\s\"']+:)([^\s\"']+)"),
)
_OTHER_HEADER = "a header that may be a secret"
_FLAG = re.compile(rf"-{{1,2}}{_NAMED}", re.IGNORECASE)


def is_secret(name: str) -> bool:
    """Whether what is called this is kept from sight; a number of a model's tokens is none."""
    if _COUNT.fullmatch(name) is not None or name in _PLACES:
        return False
    return _NAMES.search(name) is not None or any(word.lower() in _SHORT_NAMES for word in _WORD.findall(name))


def redact(value: JSON, name: str = "") -> JSON:
    """A value without secrets: those are told by their name, and by their place in addresses.

    `${VAR}` stays as it stands, since it names a secret without holding it.
    """
    if isinstance(value, Mapping):
        return {key: redact(each, _called(str(key), name)) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [redact(each, flag or name) for flag, each in _after_flags(value)]
    if isinstance(value, str):
        return _hide(value) if is_secret(name) else _without(value)
    return value


def restore(stored: JSON, given: JSON) -> JSON:
    """A redacted value with what is hidden in it taken from the same place of another; hidden still where that has none."""
    if isinstance(stored, Mapping):
        others = given if isinstance(given, Mapping) else {}
        return {key: restore(each, others.get(key)) for key, each in stored.items()}
    if isinstance(stored, list | tuple):
        alike = isinstance(given, list | tuple) and len(given) == len(stored)
        return [restore(each, given[index] if alike else None) for index, each in enumerate(stored)]
    if isinstance(stored, str) and HIDDEN in stored and isinstance(given, str):
        return given
    return stored


def hidden(value: JSON, path: str = "") -> Iterator[str]:
    """Where in a redacted value something is hidden."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from hidden(each, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        for index, each in enumerate(value):
            yield from hidden(each, f"{path}[{index}]")
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
    """A text with each of these values blotted out, also as it stands inside JSON, an address or HTML."""
    hidden = tuple(secrets)
    return _pattern(hidden).sub(HIDDEN, text) if occur(text, hidden) else text


def blot_all(value: JSON, secrets: Sequence[str]) -> JSON:
    """Plain data with these values blotted out of its texts.

    What is no text stays, such as a number; a name does too, unless a secret stands in it that cannot be a plain word.
    """
    if isinstance(value, str):
        return blot(value, secrets)
    if isinstance(value, Mapping):
        unlike = [each for each in secrets if not _PLAIN.fullmatch(each)]
        return {(blot(key, unlike) if unlike else key): blot_all(each, secrets) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [blot_all(each, secrets) for each in value]
    return value


def occur(text: str, secrets: Iterable[str]) -> bool:
    """Whether any of these values stands in a text, however `blot` finds it: quick, since mostly none does."""
    return any(form in text for form in _forms(tuple(secrets)))


@lru_cache(maxsize=64)
def _forms(secrets: tuple[str, ...]) -> tuple[str, ...]:
    """Values as they may be written, the longest first.

    Addresses and HTML, which servers put into the messages of their errors, escape some characters. JSON escapes quotes, and
    may escape what is not ASCII; it may also stand in JSON.
    """
    import html
    from urllib.parse import quote, quote_plus

    writings = (str, quote, partial(quote, safe=""), quote_plus, html.escape)
    forms = {write(each.encode("utf-8", "replace").decode()) for each in secrets for write in writings} | set(secrets)
    for _ in range(2):
        forms |= {json.dumps(each, ensure_ascii=ascii_only)[1:-1] for each in forms for ascii_only in (True, False)}
    return tuple(sorted(forms, key=len, reverse=True))


@lru_cache(maxsize=64)
def _pattern(secrets: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, _forms(secrets))))


def _called(key: str, parent: str) -> str:
    """What a member is called; one of `headers` is taken for a secret unless it is known to be none."""
    if parent.lower() == "headers" and not is_secret(key) and not _HARMLESS.fullmatch(key):
        return _OTHER_HEADER
    return key


def _after_flags(values: Sequence[JSON]) -> Iterator[tuple[str, JSON]]:
    """Members of a list, each with the name of the option it belongs to, as in `["--token", "X"]`."""
    for before, each in pairwise(["", *values]):
        yield before if isinstance(before, str) and _FLAG.fullmatch(before) else "", each


def _values(value: JSON, name: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _values(each, _called(str(key), name))
    elif isinstance(value, list | tuple):
        for flag, each in _after_flags(value):
            yield from _values(each, flag or name)
    elif isinstance(value, str):
        # A variable is taken to hold a secret wherever it stands: that is what variables in options are for.
        known = variables()
        for variable in _VARIABLE.findall(value):
            if variable in known:
                yield from _parts(known[variable].strip())
        literal = _literal(value)
        if literal and is_secret(name) and (name != _OTHER_HEADER or _LOOKS_SECRET.fullmatch(literal)):
            yield from _parts(_VARIABLE.sub("", value).strip())
        for pattern in (_IN_URL, *_IN_TEXT):
            yield from (_literal(match[2]) for match in pattern.finditer(value))
        yield from _decoded(_VARIABLE.sub(lambda match: known.get(match[1], ""), value))


def _parts(text: str) -> Iterator[str]:
    """A secret text, and what of it may come back alone: without its scheme, and each cookie."""
    yield from (text, _literal(text))
    if "=" in text:
        yield from (_literal(cookie.partition("=")[2]) for cookie in text.split(";"))


def _decoded(text: str) -> Iterator[str]:
    """What the `Basic` scheme only wraps: a name with its password, and the password."""
    for match in _BASIC.finditer(text):
        try:
            told = base64.b64decode(match[1], altchars=b"-_" if set(match[1]) & set("-_") else None).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        yield told
        yield told.partition(":")[2]


def _literal(text: str) -> str:
    return _VARIABLE.sub("", _SCHEME.sub("", text, count=1)).strip()


def _without(text: str) -> str:
    """A text without the secrets that are told by their place in it."""
    text = _IN_URL.sub(rf"\1:{HIDDEN}", text)
    for pattern in _IN_TEXT:
        text = pattern.sub(_second, text)
    return text


def _hide(text: str) -> str:
    """Only the scheme and variables of a secret text are kept: `Bearer ${TOKEN}`, but `Bearer ***`."""
    scheme = _SCHEME.match(text)
    kept = scheme[0] if scheme else ""
    rest = text[len(kept) :]
    literal = _VARIABLE.sub("", rest)
    return kept + "".join(match[0] for match in _VARIABLE.finditer(rest)) + (HIDDEN if literal.strip() else "")


def _second(match: re.Match[str]) -> str:
    return match[1] + _hide(match[2])
