"""Settings as flags of the command line, and back."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.config.options import GROUPS, OPTIONS, Option

if TYPE_CHECKING:
    from vivavoce.config.settings import Settings

_REPEATED = frozenset({"list", "pairs", "texts"})


def add_settings(parser: argparse.ArgumentParser, wanted: Callable[[Option], bool]) -> None:
    """Give a command the flags of the settings it takes, under their headings."""
    for group in GROUPS:
        chosen = [each for each in OPTIONS if each.group == group and "flag" in each.places and wanted(each)]
        if chosen:
            heading = parser.add_argument_group(group)
            for option in chosen:
                _add(heading, option)


def named(*names: str) -> Callable[[Option], bool]:
    """A choice of settings by name."""
    return lambda option: option.name in names


def settings(arguments: argparse.Namespace) -> Settings:
    """All settings that hold here: the flags given, over environment and files. Says what the files warn of."""
    from vivavoce.cli.console import warn
    from vivavoce.config.load import load

    given = {each.name: getattr(arguments, each.field) for each in OPTIONS if hasattr(arguments, each.field)}
    if not given.get("paths", True):
        del given["paths"]
    made = load(given, folder=Path(), environ=os.environ)
    for warning in made.warnings:
        warn(warning)
    return made


def flags(parser: argparse.ArgumentParser) -> Iterable[str]:
    """Every long flag of a parser."""
    return (flag for action in parser._actions for flag in action.option_strings if flag.startswith("--"))


def _add(heading: argparse._ArgumentGroup, option: Option) -> None:
    # What is not given stays out of the namespace: only so can a flag be told from a default.
    if option.kind == "flag":
        heading.add_argument(f"--{option.name}", action="store_true", default=argparse.SUPPRESS, help=option.help)
    else:
        heading.add_argument(
            f"--{option.name}",
            action="append" if option.kind in _REPEATED else "store",
            metavar=option.metavar,
            default=argparse.SUPPRESS,
            help=option.help,
        )
