"""`viva serve`: the dashboard and the HTTP API over the store."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.cli.command import Command
from vivavoce.cli.console import note, say
from vivavoce.cli.flags import add_settings, settings
from vivavoce.cli.stored import open_store
from vivavoce.cli.terms import limits, selection, taping
from vivavoce.config.options import HOW, WHO, Option
from vivavoce.core.errors import EXIT_OK, MissingExtra, UsageError

if TYPE_CHECKING:
    from vivavoce.config.serving import Serving
    from vivavoce.config.settings import Settings
    from vivavoce.web.context import Context

FLAGS = ("host", "port", "suites", "schedule")
RECORDING = ("record", "record-missing")
"""Settings that mean nothing here: several runs would write to one file."""
_PACKAGES = frozenset({"anyio", "croniter", "jinja2", "starlette", "uvicorn"})


def _add(parser: argparse.ArgumentParser) -> None:
    own = parser.add_argument_group("the server")

    def flag(name: str, metavar: str, help: str, action: str = "store") -> None:
        # What is not given stays out of the namespace: only so can a flag be told from a default.
        own.add_argument(f"--{name}", action=action, metavar=metavar, default=argparse.SUPPRESS, help=help)

    flag(
        "host", "ADDRESS", "Address to listen on; default 127.0.0.1, this machine only. Another one needs a password or token."
    )
    flag("port", "N", "Port to listen on; default 8750; 0 is any that is free.")
    flag("suites", "PATH", "Suites that may be run from there: a file or folder; default paths; repeatable.", "append")
    flag("schedule", "CRON", "Also run all suites at these times, such as '0 6 * * *', every day at six.")
    add_settings(parser, _is_taken)


def _is_taken(option: Option) -> bool:
    return option.name not in RECORDING and (option.group in (WHO, HOW) or option.name in ("store", "quiet"))


def _serve(arguments: argparse.Namespace) -> int:
    wanted = settings(arguments)
    from vivavoce.config.serving import serving

    asked = serving(wanted, {name: getattr(arguments, name) for name in FLAGS if hasattr(arguments, name)})
    try:
        from vivavoce.web.schedule import Schedule
        from vivavoce.web.serving import serve

        schedule = Schedule(asked.schedule) if asked.schedule is not None else None
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise MissingExtra("viva serve needs the extra `web`: pip install 'vivavoce[web]'") from None
    context = _context(wanted, asked)
    with open_store(wanted) as store:
        store.heads(1)  # a store that cannot be read is told now, and not to whoever opens the page

    def ready(url: str) -> None:
        if not wanted.quiet:
            say(f"Serving on {url} - stop with Ctrl-C")
            sys.stdout.flush()

    serve(context, asked.port, schedule, ready)
    return EXIT_OK


def _context(wanted: Settings, asked: Serving) -> Context:
    import secrets
    from dataclasses import replace

    from vivavoce.web.access import Access, is_loopback
    from vivavoce.web.context import Context
    from vivavoce.web.project import Project
    from vivavoce.web.runs import Runs

    access = Access(
        host=asked.host,
        username=asked.username,
        password=asked.password,
        token=asked.token,
        hosts=frozenset(asked.hosts),
    )
    if not access.guarded and not is_loopback(asked.host):
        raise UsageError(
            f"--host {asked.host} lets others in, so a password or token is needed: set VIVA_SERVE_PASSWORD or "
            "VIVA_SERVE_TOKEN in the environment or in .env.local, or listen on 127.0.0.1"
        )
    if wanted.record is not None or wanted.record_missing:
        raise UsageError(
            "viva serve records nothing, for its runs would write to one file; leave out record and record-missing"
        )
    project = Project(
        store=lambda: open_store(wanted),
        selection=replace(selection(wanted), paths=asked.suites),
        limits=limits(wanted),
        taping=taping(wanted),
        environment=wanted.environment,
        prices=wanted.prices,
        folder=Path().absolute(),
    )
    return Context(project=project, runs=Runs(project, note), access=access, page_token=secrets.token_urlsafe(32), say=note)


COMMANDS = (
    Command(
        name="serve",
        help="Serve the dashboard and the HTTP API over the store.",
        more="It runs what the settings name; of a request, it takes the name of a suite and nothing else. Beyond this\n"
        "machine it listens only with a password (VIVA_SERVE_PASSWORD) or a token (VIVA_SERVE_TOKEN). SIGINT and SIGTERM\n"
        "end it; what runs under way have done by then is kept.",
        examples=(
            "viva serve",
            "viva serve --suites evals/ --target http://localhost:8000/ --schedule '0 6 * * *'",
            "VIVA_SERVE_PASSWORD=... viva serve --host 0.0.0.0",
        ),
        add=_add,
        run=_serve,
    ),
)
"""The commands of this file."""
