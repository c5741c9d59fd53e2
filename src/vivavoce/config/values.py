"""Values as a person writes them, read as what an option is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress

from vivavoce.config.options import Option
from vivavoce.core import prices
from vivavoce.core.reply import JSON
from vivavoce.wire.json_faults import fault

_YES = frozenset({"1", "true", "yes", "on"})
_NO = frozenset({"0", "false", "no", "off", ""})
_MOST = 2**63 - 1
"""More than any setting can mean."""
_SHOWN = 100


def read(option: Option, raw: JSON) -> JSON:
    """A value out of a file, already typed by the file's own rules.

    Raises:
        ValueError: it is not what the option is; the message completes "NAME ...".
    """
    if option.kind == "flag":
        return _is(isinstance(raw, bool), raw, "must be true or false")
    if option.kind in ("text", "plugin"):
        return _filled(_is(isinstance(raw, str), raw, "must be a text"))
    if option.kind == "list":
        return _texts(raw)
    if option.kind == "whole":
        fits = isinstance(raw, int) and not isinstance(raw, bool) and option.low <= raw <= _MOST
        return _is(fits, raw, f"must be a whole number of at least {option.low}")
    if option.kind in ("seconds", "share", "rate", "usd"):
        return _number(option, raw)
    if option.kind == "texts":
        fits = isinstance(raw, Mapping) and all(isinstance(each, str) for each in raw.values())
        return _is(fits, raw, "must be a table of texts")
    if option.kind == "prices":
        return _is(prices.are_prices(raw), raw, prices.FORM)
    return _is(isinstance(raw, Mapping), raw, "must be a table")


def parse(option: Option, text: str) -> JSON:
    """A value out of the environment or a command line, where everything is text.

    Raises:
        ValueError: as `read` does.
    """
    if option.kind == "flag":
        folded = text.strip().lower()
        _is(folded in _YES | _NO, text, "must be true or false")
        return folded in _YES
    if option.kind == "whole":
        return read(option, _as_number(text, int))
    if option.kind in ("seconds", "share", "usd"):
        return read(option, _as_number(text, int, float))
    if option.kind == "list":
        return read(option, json.loads(text) if _is_list(text) else text)
    if option.kind == "pairs":
        return pairs(_texts(json.loads(text) if _is_list(text) else text))
    if option.kind == "texts":
        return texts(_texts(json.loads(text) if _is_list(text) else text))
    return read(option, text)


def pairs(texts: Iterable[str]) -> dict[str, JSON]:
    """`KEY=VALUE` texts as a mapping; a value that is a JSON object or list is read as one, any other stays text.

    Raises:
        ValueError: one is not of this form.
    """
    made: dict[str, JSON] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip().replace("-", "_")
        _is(bool(key and equals), text, "must be KEY=VALUE")
        made[key] = value
        if value.lstrip()[:1] in ("{", "["):
            try:
                made[key] = json.loads(value)
            except json.JSONDecodeError as error:
                told, at = fault(value, error)
                raise ValueError(f"{key}: is not valid JSON: {told} (column {at + 1})") from None
    return made


def texts(given: Iterable[str]) -> dict[str, str]:
    """`KEY=TEXT` texts as a mapping, each text as it stands.

    Raises:
        ValueError: one is not of this form.
    """
    made: dict[str, str] = {}
    for text in given:
        key, equals, value = text.partition("=")
        _is(bool(key.strip() and equals and value.strip()), text, "must be KEY=TEXT")
        made[key.strip()] = value.strip()
    return made


def rate(value: float) -> str:
    """A rate as it is written."""
    return f"{value:g}/s"


def _number(option: Option, raw: JSON) -> float:
    what = {
        "seconds": "must be a number of seconds above 0",
        "share": "must be a number from 0 to 1, such as 0.95",
        "usd": "must be an amount of US dollars above 0, such as 2.50",
        "rate": "must be a rate above 0, such as 5/s",
    }[option.kind]
    value = _as_number(raw.strip().removesuffix("/s"), int, float) if option.kind == "rate" and isinstance(raw, str) else raw
    fits = isinstance(value, int | float) and not isinstance(value, bool) and -_MOST <= value <= _MOST
    fits = fits and (0 <= value <= 1 if option.kind == "share" else value > 0)
    _is(fits, raw, what)
    return float(value)


def _as_number(text: str, *kinds: type[int] | type[float]) -> JSON:
    """The number, of the first kind it can be; or the text itself, which `read` then refuses with its own message."""
    for kind in kinds:
        with suppress(ValueError):
            return kind(text)
    return text


def _is_list(text: str) -> bool:
    """Whether a text is a JSON list, and not, say, a glob that begins with a bracket."""
    try:
        return isinstance(json.loads(text), list)
    except (ValueError, RecursionError):
        return False


def _texts(raw: JSON) -> tuple[str, ...]:
    given = (raw,) if isinstance(raw, str) else raw
    fits = isinstance(given, list | tuple) and all(isinstance(each, str) for each in given)
    _is(fits, raw, "must be a text or a list of texts")
    return tuple(map(_filled, given))


def _filled(text: JSON) -> JSON:
    if text == "":
        raise ValueError("must not be empty")
    return text


def _is(fits: bool, raw: JSON, what: str) -> JSON:
    if not fits:
        raise ValueError(f"{what}, not {_shown(raw)}")
    return raw


def _shown(raw: JSON) -> str:
    """A value as it stands, cut where it is long."""
    if isinstance(raw, int) and abs(raw) > _MOST:
        return "one so large"
    text = json.dumps(raw, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
