"""Settings as text, each with where it came from and without secrets."""

from __future__ import annotations

import json
from collections.abc import Iterator

from vivavoce.config import values
from vivavoce.config.options import OPTIONS
from vivavoce.config.settings import Settings
from vivavoce.core.reply import JSON
from vivavoce.core.secrets import redact


def show(settings: Settings) -> str:
    """One line a setting: name, value, source."""
    rows = list(_rows(settings))
    name_width = max(len(name) for name, _, _ in rows)
    value_width = min(48, max(len(value) for _, value, _ in rows))
    return "".join(f"{name:<{name_width}}  {value:<{value_width}}  {source}\n" for name, value, source in rows)


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
