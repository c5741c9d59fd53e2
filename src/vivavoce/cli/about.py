"""`viva list`: what there is to choose from, told by each plugin's own manual."""

from __future__ import annotations

import argparse
from pathlib import Path

from vivavoce.cli.command import Command
from vivavoce.cli.console import say, table
from vivavoce.core.errors import EXIT_OK, PluginError, UsageError

KINDS = ("formats", "targets", "evaluators", "judges", "simulators", "providers", "reports", "stores", "engines")


def _add_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", nargs="?", metavar="KIND", help=f"One of {', '.join(KINDS)}; without it, all names.")
    parser.add_argument("name", nargs="?", metavar="NAME", help="Show the whole manual of this one.")


def _list(arguments: argparse.Namespace) -> int:
    from vivavoce.core import plugins
    from vivavoce.core.specs import ways

    project = Path()
    if arguments.kind is None:
        table(("KIND", "NAMES"), [(kind, ", ".join(plugins.names(kind, project=project))) for kind in KINDS])
        return EXIT_OK
    kind = _kind(arguments.kind)
    if arguments.name is not None:
        say(f"{plugins.known_as(kind, arguments.name, project=project)}\n")
        say(plugins.manual(kind, arguments.name, project=project))
        return EXIT_OK
    names = plugins.names(kind, project=project)
    firsts = [_first(kind, name, project) for name in names]
    if kind in ("targets", "judges", "simulators"):
        table(("NAME", "WRITE", "WHAT IT IS"), list(zip(names, ways(kind), firsts, strict=True)))
    else:
        table(("NAME", "WHAT IT IS"), list(zip(names, firsts, strict=True)))
    return EXIT_OK


def _first(kind: str, name: str, project: Path) -> str:
    """The first line of a manual, or why there is none: what one plugin lacks should not hide the others."""
    from vivavoce.core import plugins

    try:
        return plugins.manual(kind, name, project=project).partition("\n")[0]
    except PluginError as error:
        return f"cannot be used: {error}".partition("\n")[0]


def _kind(word: str) -> str:
    from vivavoce.core.place import did_you_mean

    kind = word.lower().rstrip("s") + "s"
    if kind not in KINDS:
        raise UsageError(f'no kind of plugin is called "{word}" ({did_you_mean(word, KINDS)})')
    return kind


COMMANDS = (
    Command(
        name="list",
        takes="[KIND [NAME]]",
        help="List formats, targets, evaluators, judges, simulators, reports ...",
        examples=("viva list", "viva list evaluators", "viva list evaluators ExactMatch"),
        add=_add_list,
        run=_list,
    ),
)
"""The commands of this file."""
