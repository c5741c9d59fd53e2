"""Settings from every place they may stand in: flags over environment over config file over defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vivavoce.config import values
from vivavoce.config.files import File, config_file, env_files
from vivavoce.config.options import OPTIONS, Option
from vivavoce.config.settings import Settings
from vivavoce.core.errors import ConfigError, UsageError
from vivavoce.core.place import did_you_mean, nearest
from vivavoce.core.reply import JSON, Object
from vivavoce.core.secrets import is_secret

FLAG = "flag"
OWN_VARIABLES = frozenset({"VIVA_CACHE", "VIVA_DEBUG", "VIVA_SERVE_USERNAME"})
"""Variables that are no setting."""
_OURS = "VIVA_"
"""What our variables begin with; an empty one counts as unset."""


def load(flags: Mapping[str, Any], *, folder: Path, environ: Mapping[str, str]) -> Settings:  # what argparse gives
    """The settings that hold in a folder.

    `flags` has what the command line gave, by option name, and nothing else; texts are read as options are. Nothing is
    written to the process's environment: what env files add is in `Settings.environment`.

    Raises:
        UsageError: a flag's value is wrong.
        ConfigError: a file or variable is; says every one.
    """
    layers = _Layers()
    from_files = env_files(folder)
    set_there = {name: value for name, value in environ.items() if value or not name.startswith(_OURS)}
    from_files = {name: found for name, found in from_files.items() if found[0] or not name.startswith(_OURS)}
    environment = {**{name: value for name, (value, _) in from_files.items()}, **set_there}
    file = config_file(folder)
    if file is not None:
        layers.add_file(file)
    layers.add_environment(environment, {name: f"{at} {name}" for name, (_, at) in from_files.items() if name not in environ})
    if layers.wrong:
        raise ConfigError("\n".join(layers.wrong))
    layers.add_flags(flags)
    if layers.wrong:
        raise UsageError("\n".join(layers.wrong))
    return Settings(**layers.values, sources=layers.sources, environment=environment, warnings=tuple(layers.warnings))


class _Layers:
    """What is set so far, the later layer over the earlier."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}  # of each option, what its kind is
        self.sources: dict[str, str] = {}
        self.wrong: list[str] = []
        self.warnings: list[str] = []

    def add_file(self, file: File) -> None:
        """A config file: unknown keys are errors, since a misspelt one would silently not hold."""
        known = {each.name: each for each in OPTIONS if "file" in each.places}
        for key, raw in file.settings.items():
            option = known.get(key)
            if option is None:
                self.wrong.append(f'{file.place(key)}: unknown setting "{key}" ({_way_out(key, known)})')
            elif option.kind == "plugin":
                self._add_plugin(file, option, raw)
            else:
                self._add(option, raw, values.read, file.place(key), f"{file.place(key)}: {key}")

    def add_environment(self, environment: Mapping[str, str], places: Mapping[str, str]) -> None:
        """Variables named `VIVA_*`; `places` says which of them stand in an env file."""
        known = {each.variable: each for each in OPTIONS if "environment" in each.places}
        for variable in _plugins_first(environment, known):
            place = places.get(variable, variable)
            self._add(known[variable], environment[variable], values.parse, place, place)
        for variable in environment:
            if variable.startswith(_OURS) and variable not in OWN_VARIABLES | known.keys() and not is_secret(variable):
                near = nearest(variable, known)
                if near is not None:
                    self.warnings.append(f"{variable} in the environment is no setting (did you mean {near}?)")

    def add_flags(self, flags: Mapping[str, Any]) -> None:  # as argparse gives them
        """What the command line says."""
        known = {each.name: each for each in OPTIONS}
        for name in _plugins_first(flags, known):
            option, raw = known[name], flags[name]
            reader = values.parse if isinstance(raw, str) else _typed
            self._add(option, raw, reader, FLAG, f"--{name}" if "flag" in option.places else name)

    def _add(self, option: Option, raw: JSON, reader: Callable[[Option, JSON], JSON], source: str, what: str) -> None:
        try:
            value = reader(option, raw)
        except ValueError as error:
            self.wrong.append(f"{what} {error}")
            return
        if option.kind == "texts":
            self.values[option.field] = {**self.values.get(option.field, {}), **value}
            self.sources[option.name] = source
        elif option.kind == "pairs":
            self.values[option.field] = {**self.values.get(option.field, {}), **value}
            self.sources |= {f"{option.name}.{key}": source for key in value}
        else:
            if option.kind == "plugin":
                self._drop_options_of_another(option, value)
            self.values[option.field] = value
            self.sources[option.name] = source

    def _add_plugin(self, file: File, option: Option, raw: JSON) -> None:
        """The table of a target, judge or simulator: `spec`, and options beside it; or the spec alone, as a text."""
        table: Object = raw if isinstance(raw, Mapping) else {"spec": raw}
        at = file.place(option.name)
        if not isinstance(table.get("spec"), str) or not table["spec"]:
            self.wrong.append(f'{at}: [{option.name}] needs a text "spec", which names the {option.name}')
            return
        self.values[option.field] = table["spec"]
        self.sources[option.name] = file.place(option.name, "spec")
        options = {key: value for key, value in table.items() if key != "spec"}
        self.values[f"{option.field}_option"] = {key.replace("-", "_"): value for key, value in options.items()}
        for key in options:
            self.sources[f"{option.name}-option.{key.replace('-', '_')}"] = file.place(option.name, key)

    def _drop_options_of_another(self, option: Option, spec: str) -> None:
        """Options hold for the plugin they were given to: another address keeps them, another kind of target does not."""
        before = self.values.get(option.field)
        if before is not None and _plugin(before) != _plugin(spec):
            dropped = self.values.pop(f"{option.field}_option", {})
            for key in dropped:
                del self.sources[f"{option.name}-option.{key}"]


def _plugin(spec: str) -> str:
    name = spec.partition(":")[0].lower()
    return "http" if name == "https" else name


def _plugins_first(given: Mapping[str, object], known: Mapping[str, Option]) -> Sequence[str]:
    """The names that are known, those of plugins before those of their options, which a new plugin would drop."""
    return sorted((name for name in given if name in known), key=lambda name: known[name].kind == "pairs")


def _typed(option: Option, raw: JSON) -> JSON:  # a switch's truth value, or the list of a repeated flag
    if option.kind == "texts":
        return values.texts(raw)
    return values.pairs(raw) if option.kind == "pairs" else values.read(option, raw)


def _way_out(key: str, known: Mapping[str, Option]) -> str:
    if key in ("target-option", "judge-option", "simulator-option"):
        table = key.removesuffix("-option")
        return f"options of the {table} stand in the table [{table}]"
    return did_you_mean(key, known)
