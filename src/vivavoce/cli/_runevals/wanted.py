"""Flags and variables of `runevals` as the settings of a run."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.cli.console import note, warn
from vivavoce.config.settings import DEFAULT
from vivavoce.core.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from vivavoce.config.settings import Settings

MOST = 5
"""Conversations at once, as the vendor's command has it."""
AGENT = ("M365_AGENT_ID", "M365_TITLE_ID", "AGENT_ID")
"""Variables that name the agent; the first that is set."""
ENDPOINT = "AZURE_AI_OPENAI_ENDPOINT"
ATTEMPTS = "WORKIQ_REQUEST_MAX_ATTEMPTS"
"""The variable that says how often an agent of Microsoft 365 is called until it answers."""
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
    agent = _agent(asked, environment)
    if agent is not None:
        given["target"] = f"m365:{agent}"
    made = load(given, folder=Path(), environ=environment)
    for warning in made.warnings:
        warn(warning)
    target = made.target
    if target is None:
        raise UsageError(NO_AGENT)
    made = replace(made, paths=(), format=None, case=(), category=(), limit=None, output=(_output(asked.output),))
    made = _judged(_limited(made))
    if target.partition(":")[0].lower() == "m365":
        return _of_m365(made, asked.account)
    if asked.account is not None:
        note(f"--account: means nothing for {target}, to whom nobody signs in")
    return made


def report_of(wanted: Settings) -> str:
    """The path of the results."""
    return wanted.output[0].partition(":")[2]


def _output(path: str | None) -> str:
    if path is None:
        stamp = datetime.now(UTC).strftime("%Y-%m-%d_%H-%M-%S-%f")[:-3]
        return f"html:{(REPORTS / f'{stamp}.html').as_posix()}"
    suffix = path.lower().rpartition(".")[2]
    return f"{'m365' if suffix == 'json' else suffix}:{path}"


def _agent(asked: argparse.Namespace, environment: Mapping[str, str]) -> str | None:
    """The agent that is named by its id, which goes before the target that is set for `viva`."""
    if asked.target is not None:
        return None
    named = (asked.m365_agent_id or "", *(environment.get(name, "") for name in AGENT))
    return next((each.strip() for each in named if each.strip()), None)


def _judged(made: Settings) -> Settings:
    """Azure judges when its endpoint is set and nobody else is named; else the run chooses."""
    from vivavoce.core import plugins

    by_azure = made.judge is None and made.environment.get(ENDPOINT, "").strip() and "azure" in plugins.names("judges")
    return replace(made, judge="azure") if by_azure else made


def _limited(made: Settings) -> Settings:
    concurrency = made.concurrency if made.source("concurrency") != DEFAULT else MOST
    if concurrency > MOST:
        note(f"Concurrency is at most {MOST} here, so it is {MOST} instead of {concurrency}.")
    return replace(made, concurrency=min(concurrency, MOST))


def _of_m365(made: Settings, account: str | None) -> Settings:
    """What the vendor's own options and variables say of its agents."""
    if account is not None:
        made = replace(made, target_option={**made.target_option, "account": account})
    if made.source("retries") == DEFAULT and (attempts := _above_0(made, ATTEMPTS)) is not None:
        made = replace(made, retries=max(0, int(attempts) - 1))
    return made


def _above_0(made: Settings, name: str) -> float | None:
    """The number in a variable of the vendor's, if it is set."""
    text = made.environment.get(name, "").strip()
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ConfigError(f'{name} must be a number above 0, not "{text}"')
    return number
