"""Flags and variables of `runevals` as the settings of a run."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.cli.console import note, warn
from vivavoce.core.errors import UsageError

if TYPE_CHECKING:
    from vivavoce.config.settings import Settings

MOST = 5
"""Conversations at once, as the vendor's command has it."""
AGENT = ("M365_AGENT_ID", "M365_TITLE_ID", "AGENT_ID")
"""Variables that name the agent; the first that is set."""
ENDPOINT = "AZURE_AI_OPENAI_ENDPOINT"
REPORTS = Path(".evals")
"""Where reports go that nobody gave a place."""

NO_AGENT = """no agent: say which one to examine, as one of
  --m365-agent-id ID
  M365_AGENT_ID=ID in the environment, in .env.local, or in a file that --env names
  --target SPEC, such as http://localhost:8000/api/chat; `viva list targets` shows all
  --target recorded, when the document holds the answers itself"""


def settings(asked: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    """The settings that hold: these flags, over those that are set for `viva`. Of what is set for `viva`, which files and
    cases are asked, and where the run is written to, is left aside: here a document is discovered, and asked whole.

    Raises:
        UsageError: a flag's value is wrong, or there is no agent.
        ConfigError: a file or variable is.
    """
    from vivavoce.config.load import load

    given = {name: value for name in ("target", "judge", "concurrency") if (value := getattr(asked, name)) is not None}
    made = load(given, folder=Path(), environ=environment)
    for warning in made.warnings:
        warn(warning)
    made = replace(made, paths=(), format=None, case=(), category=(), limit=None, output=(_output(asked.output),))
    return _limited(_judged(_examined(made, asked)))


def report_of(wanted: Settings) -> str:
    """The path of the results."""
    return wanted.output[0].partition(":")[2]


def _output(path: str | None) -> str:
    if path is None:
        stamp = datetime.now(UTC).strftime("%Y-%m-%d_%H-%M-%S-%f")[:-3]
        return f"html:{(REPORTS / f'{stamp}.html').as_posix()}"
    suffix = path.lower().rpartition(".")[2]
    return f"{'m365' if suffix == 'json' else suffix}:{path}"


def _examined(made: Settings, asked: argparse.Namespace) -> Settings:
    """Who is examined: a flag, the agent that variables name, else the target that is set for `viva`."""
    if asked.target is None:
        named = (asked.m365_agent_id or "", *(made.environment.get(name, "") for name in AGENT))
        agent = next((each.strip() for each in named if each.strip()), None)
        if agent is not None:
            return replace(made, target=f"m365:{agent}", target_option={})
    if made.target is None:
        raise UsageError(NO_AGENT)
    return made


def _judged(made: Settings) -> Settings:
    from vivavoce.core import plugins

    by_azure = made.judge is None and made.environment.get(ENDPOINT, "").strip() and "azure" in plugins.names("judges")
    return replace(made, judge="azure") if by_azure else made


def _limited(made: Settings) -> Settings:
    concurrency = made.concurrency if made.source("concurrency") != "default" else MOST
    if concurrency > MOST:
        note(f"Concurrency is at most {MOST} here, so it is {MOST} instead of {concurrency}.")
    return replace(made, concurrency=min(concurrency, MOST))
