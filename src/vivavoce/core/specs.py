"""A plugin as it is typed - `python:agent:answer`, `openai:gpt-5-mini`, `https://...` - as a name with options, and back."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass

from vivavoce.core import plugins
from vivavoce.core.errors import PluginError, UnknownPlugin, UsageError
from vivavoce.core.model import Use
from vivavoce.core.secrets import redact

_URL = ("http://", "https://")


def parse_spec(text: str, kind: str = "targets") -> Use:
    """What a person typed as a plugin of this kind: its name, and what follows the first colon as its main option.

    A plugin's class says in `main` which of its fields that is; one without `main` stands alone. A URL is the plugin `http`.

    Raises:
        UsageError: it names no plugin, or says too little or too much for it; lists the ways to name one.
    """
    spec = text.strip()
    if spec.lower().startswith(_URL) and "http" in plugins.names(kind):
        return Use(name="http", options={_main(kind, "http") or "url": spec})
    name, _, rest = spec.partition(":")
    try:
        name = plugins.known_as(kind, name)
    except UnknownPlugin as error:
        raise UsageError(f'{kind[:-1]} "{text}": {_guess(kind, spec) or error}; {_all_ways(kind)}') from None
    main = _main(kind, name)
    if rest and main is None:
        raise UsageError(f'{kind[:-1]} "{text}": {name} stands alone, nothing follows it')
    if not rest and main is not None and _is_required(kind, name, main):
        raise UsageError(f'{kind[:-1]} "{text}": {name} needs more: write {_way(kind, name)}')
    return Use(name=name, options={main: rest} if rest and main is not None else {})


def parse_store(text: str) -> Use:
    """Where runs are kept, as a plugin: the path of a SQLite file, or an address whose scheme names the kind of store."""
    scheme, is_url, rest = text.partition("://")
    if not is_url:
        return Use(name="sqlite", options={"path": text})
    if scheme == "sqlite":
        # As others write it: three slashes before a relative path, four before an absolute one.
        return Use(name="sqlite", options={"path": rest.removeprefix("/") or rest})
    return Use(name="postgres" if scheme == "postgresql" else scheme, options={"url": text})


def spec(use: Use | None, kind: str = "targets") -> str:
    """The reverse: a plugin's name with its main option, such as a model, and without secrets."""
    if use is None:
        return ""
    try:
        main = _main(kind, use.name)
    except PluginError:
        main = None  # one that a person gave as an object, or that is installed elsewhere
    value = use.options.get(main) if main is not None else None
    if not isinstance(value, str):
        return use.name
    told = redact(value)
    return str(told) if value.lower().startswith(_URL) and use.name == "http" else f"{use.name}:{told}"


def ways(kind: str) -> tuple[str, ...]:
    """How each plugin of a kind is named, such as `python:MODULE:NAME`."""
    return tuple(_way(kind, name) for name in plugins.names(kind))


def _main(kind: str, name: str) -> str | None:
    main: str | None = getattr(plugins.find(kind, name), "main", None)
    return main


def _way(kind: str, name: str) -> str:
    """As the plugin's class says in `way`; else made from the name of its main option."""
    main = _main(kind, name)
    way: str = getattr(plugins.find(kind, name), "way", name if main is None else f"{name}:{main.upper()}")
    return way


def _all_ways(kind: str) -> str:
    return f"a {kind[:-1]} is named as one of: {', '.join(ways(kind))}"


def _is_required(kind: str, name: str, main: str) -> bool:
    maker = plugins.find(kind, name)
    if not is_dataclass(maker):
        return False
    return any(each.name == main and each.default is MISSING and each.default_factory is MISSING for each in fields(maker))


def _guess(kind: str, spec: str) -> str | None:
    """What was probably meant by a target that begins with no known name."""
    if kind != "targets" or ":" not in spec:
        return None
    first, _, second = spec.partition(":")
    if all(part.isidentifier() for part in [*first.split("."), *second.split(".")]):
        return f'did you mean "python:{spec}"?'
    if second[:1].isdigit():
        return f'did you mean "http://{spec}"?'
    return None
