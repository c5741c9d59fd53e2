"""The command `runevals`: the options, files and discovery of Microsoft 365 Copilot Agent Evaluations, over the same run."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.cli.main import guarded
from vivavoce.core.errors import EXIT_OK

if TYPE_CHECKING:
    from vivavoce.config.settings import Settings


def runevals(argv: Sequence[str] | None = None) -> int:
    """Run the command line, and return its exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    return guarded("runevals", words, _asked, alone=argv is None)


def _asked(words: Sequence[str]) -> int:
    from vivavoce.cli._runevals import options

    asked = options.parse(words)
    if asked is None:
        return EXIT_OK
    if asked.version:
        from vivavoce import __version__
        from vivavoce.cli.console import put

        put(f"runevals {__version__}\n")
        return EXIT_OK
    if _needs_nothing(asked):
        return EXIT_OK
    return _run(asked)


def _needs_nothing(asked: argparse.Namespace) -> bool:
    """Say what means nothing here; whether that was all that was asked."""
    from vivavoce.cli._runevals.options import INERT
    from vivavoce.cli.console import note

    given = [f"--{name}" for name in INERT if getattr(asked, name.replace("-", "_"))] + [asked.command] * bool(asked.command)
    if given:
        note(f"{', '.join(given)}: accepted, and without meaning here")
    return bool(asked.command or asked.init_only)


def _run(asked: argparse.Namespace) -> int:
    from vivavoce.cli._runevals import datasets
    from vivavoce.cli._runevals.log import Log
    from vivavoce.cli._runevals.session import converse
    from vivavoce.cli._runevals.variables import variables
    from vivavoce.cli._runevals.wanted import settings
    from vivavoce.cli.console import warn
    from vivavoce.cli.exam import begin, rehearse

    environment, warning = variables(asked.env, os.environ, Path())
    if warning is not None:
        warn(warning)
    if asked.signout:
        return _sign_out(environment)
    named = asked.prompts_file
    if named is None and asked.prompts is None and not asked.interactive:
        named = datasets.discover(Path(), environment)
    wanted = settings(asked, environment)
    log = Log(asked.log_level) if asked.log_level is not None else None
    if asked.interactive:
        code = converse(wanted, log)
    else:
        if named is not None:
            datasets.upgrade(named, partial(rehearse, replace(wanted, paths=(named,))))
        else:
            named = datasets.typed(asked.prompts, asked.expected)
        code = begin(replace(wanted, paths=(named,)), log)
    _show_where(wanted, asked, environment)
    return code


def _sign_out(environment: Mapping[str, str]) -> int:
    from vivavoce.cli.console import say
    from vivavoce.core.environment import known
    from vivavoce.targets import m365

    with known(environment):
        names = m365.sign_out()
    say(f"Signed out: {', '.join(names)}" if names else "Nobody was signed in.")
    return EXIT_OK


def _show_where(wanted: Settings, asked: argparse.Namespace, environment: Mapping[str, str]) -> None:
    """Say where the results are, and open the page that nobody gave a place."""
    from vivavoce.cli._runevals.page import has_viewer, open_page
    from vivavoce.cli._runevals.wanted import report_of
    from vivavoce.cli.console import say

    path = report_of(wanted)
    if not Path(path).exists():
        return
    say(f"Results: {path}")
    if asked.output is None and has_viewer(environment):
        open_page(Path(path))
