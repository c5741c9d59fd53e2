"""The files settings are read from: `viva.toml` or `pyproject.toml`, and env files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from vivavoce.core.errors import ConfigError
from vivavoce.core.reply import Object

ENV_FILES = (".env.local", ".env.local.user")
"""In order; the later one holds where both name a variable."""

_KEY = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*[=.]""")
_TABLE = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """A config file's settings, and the lines they stand on."""

    name: str
    settings: Object
    text: str = ""
    prefix: str = ""
    """The table that holds the settings, such as `tool.viva`; empty when it is the whole file."""

    def place(self, *path: str) -> str:
        """File and line of a setting, `viva.toml:3`; of its table, or the file alone, when the line cannot be told."""
        lines = _lines(self.text)
        full = [*([self.prefix] if self.prefix else []), *path]
        while full:
            line = lines.get(".".join(full))
            if line is not None:
                return f"{self.name}:{line}"
            full.pop()
        return self.name


def config_file(folder: Path) -> File | None:
    """The project's settings: `viva.toml`, else the table `tool.viva` of `pyproject.toml`, else none.

    Raises:
        ConfigError: the file cannot be read, or is not TOML.
    """
    if os.path.lexists(folder / "viva.toml"):
        settings, text = _toml(folder / "viva.toml")
        return File(name="viva.toml", settings=settings, text=text)
    if (folder / "pyproject.toml").is_file():
        whole, text = _toml(folder / "pyproject.toml")
        tool = whole.get("tool")
        if isinstance(tool, Mapping) and "viva" in tool:
            if not isinstance(tool["viva"], Mapping):
                raise ConfigError("pyproject.toml: tool.viva must be a table: write [tool.viva], and the settings under it")
            return File(name="pyproject.toml", settings=tool["viva"], text=text, prefix="tool.viva")
    return None


def env_files(folder: Path, names: Iterable[str] = ENV_FILES) -> dict[str, tuple[str, str]]:
    """The variables env files define, each with its value and the file it stands in; the process's own are not touched.

    Of the files named, those that exist are read; the later one holds where several name a variable.

    Raises:
        ConfigError: a line is not `NAME=VALUE`.
    """
    found: dict[str, tuple[str, str]] = {}
    for name in names:
        if (folder / name).is_file():
            found |= {variable: (value, name) for variable, value in _env_file(folder / name).items()}
    return found


def _env_file(path: Path) -> dict[str, str]:
    # Not `dotenv_values`: it only logs what it cannot read, and a secret would silently be missing.
    from io import StringIO

    from dotenv.parser import parse_stream

    variables: dict[str, str] = {}
    for binding in parse_stream(StringIO(_text(path))):
        if binding.error:
            raise ConfigError(f"{path.name}:{binding.original.line}: is not NAME=VALUE; lines that are not begin with #")
        if binding.key is not None and binding.value is not None:
            variables[binding.key] = binding.value
    return variables


def _toml(path: Path) -> tuple[Object, str]:
    import tomllib

    text = _text(path)
    try:
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path.name}: is not valid TOML: {error}") from error
    except (ValueError, RecursionError) as error:  # sound, and beyond what Python reads
        raise ConfigError(f"{path.name}: cannot be read: a number has too many digits, or tables nest too deeply") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path.name}: is not UTF-8 ({error.reason}); save it as UTF-8") from error
    except OSError as error:
        raise ConfigError(f"{path.name}: cannot be read: {error.strerror or error}") from error


def _lines(text: str) -> Mapping[str, int]:
    """The line of each table and key; a key inside a multi-line value may be taken for one, which only misplaces a message."""
    found: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if heading := _TABLE.match(line):
            table = heading[1].replace('"', "")
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            name = next(each for each in key.groups() if each is not None)
            found.setdefault(f"{table}.{name}" if table else name, number)
    return found
