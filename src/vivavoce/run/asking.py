"""How a person asks for an evaluator in one word: `[NAME:]EVALUATOR[=JSON]`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from vivavoce.core import plugins
from vivavoce.core.errors import UsageError
from vivavoce.core.model import Check, Selection, Use

_COMMON = ("m365", "foundry", "agentcore")
"""Vendors whose evaluators have no vendor before their names, but for those that another means otherwise."""


def check(text: str, *, folder: Path = Path()) -> Check:
    """The check a text asks for: `ExactMatch`, `Citations={"threshold": 2}`, `strict:ExactMatch={"case_sensitive": true}`.

    `folder` is the project's, which may have evaluators of its own.

    Raises:
        UsageError: the options are not a JSON object, or the name means different things to different vendors.
        PluginError: there is no such evaluator, or it is the project's own and its name is taken.
    """
    told, equals, options = text.partition("=")
    name, colon, evaluator = told.partition(":")
    if not colon:
        name, evaluator = "", told
    if not evaluator.strip() or (colon and not name.strip()):
        raise UsageError(f'"{text}": say [NAME:]EVALUATOR[=JSON], such as strict:ExactMatch={{"case_sensitive": true}}')
    try:
        given = json.loads(options) if equals else {}
    except ValueError as error:
        raise UsageError(f'"{text}": the options after = are not JSON: {error}') from error
    if not isinstance(given, dict):
        raise UsageError(f'"{text}": the options after = must be a JSON object, such as {{"threshold": 4}}')
    return Check(evaluator=_meant(evaluator.strip(), folder), name=name, options=given, origin="run")


def _meant(name: str, folder: Path) -> str:
    """The evaluator a name means; where no file says whose word it is, one that several vendors have says nothing."""
    vendor = name.lower().removeprefix("builtin.").rpartition(".")[0]
    if vendor in _COMMON:
        return plugins.of_vendor("evaluators", vendor, name)
    others = () if vendor or plugins.own("evaluators", name, folder) else plugins.namesakes("evaluators", name)
    ours = plugins.names("evaluators", installed=False)
    common = [f"m365.{each}" for each in ours if not vendor and plugins.fold(each) == plugins.fold(name)]
    if len([*common, *others]) > 1:
        choices = " or ".join([*common, *others])
        told = f"`viva list evaluators` tells what each measures{''.join(f', {each} as {each[5:]}' for each in common)}"
        raise UsageError(f'"{name}" means different things to different vendors: say {choices} ({told})')
    return plugins.known_as("evaluators", others[0] if others else name, project=folder)


def judge_of(selection: Selection) -> tuple[Use, float | None]:
    """Who judges, and how many calls a second they may be sent: `rate` is an option of every judge, and of none.

    Raises:
        UsageError: the rate cannot be read.
    """
    return _rated(selection.judge or Use(name="none"))


def simulator_of(selection: Selection) -> tuple[Use, float | None]:
    """Who plays the users, and how many calls a second they may be sent; as of a judge.

    Raises:
        UsageError: the rate cannot be read.
    """
    return _rated(selection.simulator or Use(name="scripted"))


def _rated(use: Use) -> tuple[Use, float | None]:
    if "rate" not in use.options:
        return use, None
    options = dict(use.options)
    return replace(use, options=options), rate(options.pop("rate"))


def rate(value: object) -> float:
    """Calls a second, of a number, or of text such as `5/s` or `100/min`.

    Raises:
        UsageError: it cannot be read.
    """
    amount, _, unit = str(value).replace(" ", "").partition("/")
    seconds = {"": 1, "s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hour": 3600}.get(unit)
    try:
        calls = float(amount)
    except ValueError:
        calls = 0.0
    if seconds is None or not 0 < calls < float("inf"):
        raise UsageError(f'"{value}" is no rate: say calls per second, such as 5/s or 0.5/s, or per minute, such as 100/min')
    return calls / seconds
