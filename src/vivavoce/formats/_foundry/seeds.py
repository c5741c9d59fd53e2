"""Rows that describe a conversation to be simulated, in both forms the vendor has had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vivavoce.core.model import Case, Check, Persona
from vivavoce.core.place import join
from vivavoce.core.reply import JSON, Object
from vivavoce.formats._foundry import calls
from vivavoce.formats._foundry.columns import BESIDE, STANDARD
from vivavoce.formats._foundry.rebuild import MAX_TURNS, keep, row_of
from vivavoce.formats._foundry.saying import Say, shown

LONGEST = 2500
"""Characters of a description."""


def case(row: Object, checks: tuple[Check, ...], say: Say, *, name: str, path: str, line: int | None) -> Case:
    """The case of a seed; what is wrong with it was said."""
    goal = row["test_case_description"]
    if not isinstance(goal, str) or not goal.strip():
        say(f"must be text that is not blank, not {shown(goal)}", "test_case_description")
    elif len(goal) > LONGEST:
        say(f"has {len(goal)} characters, and at most {LONGEST} are allowed", "test_case_description", "shorten it")
    config = row.get("simulation_configuration")
    if isinstance(config, str):
        try:
            config = calls.value(config) if config.strip() else None
        except ValueError as error:
            say(f"is not valid JSON: {error}", "simulation_configuration", 'such as {"max_num_turns": 5}')
            config = None
    if config is not None and not isinstance(config, Mapping):
        say(f"must be an object, not {shown(config)}", "simulation_configuration")
        config = None
    inner = config or {}
    most = _turns(inner.get("max_num_turns"), join("simulation_configuration", "max_num_turns"), say)
    desired = _turns(row.get("desired_num_turns"), "desired_num_turns", say)
    at = join("simulation_configuration", "desired_num_turns")
    within = _turns(inner.get("desired_num_turns"), at, say)
    if desired is not None and within is not None and desired != within:
        say(f'says {within}, and "desired_num_turns" beside it says {desired}', at, "keep one of the two")
    desired = within if desired is None else desired
    if desired is not None and desired > (most or MAX_TURNS):
        say(f"{desired} turns are desired, and at most {most or MAX_TURNS} are allowed", at if within else "desired_num_turns")
    category = row.get("category", row.get("test_case_category"))
    made = Case(
        id=name,
        category=category if isinstance(category, str) and category else None,
        persona=Persona(
            context="", goal=goal if isinstance(goal, str) else "", max_turns=most or MAX_TURNS, desired_turns=desired
        ),
        checks=checks,
        metadata={column: each for column, each in row.items() if column not in STANDARD or column in BESIDE},
        line=line,
        path=path,
    )
    beside = made.metadata
    kept = keep(row, lambda kept: row_of(replace(made, metadata={**beside, **kept}), None), {})
    return replace(made, metadata={**beside, **kept}) if kept else made


def with_defaults(row: Object, defaults: Mapping[str, int]) -> Object:
    """The row, which as a seed has what a document says for all, and it does not say itself."""
    own = row.get("simulation_configuration") or {}
    more = {name: each for name, each in defaults.items() if row.get(name) is None}
    if row.get("test_case_description") is None or not more or not isinstance(own, Mapping):
        return row
    told = {name: each for name, each in own.items() if each is not None}
    most = told.get("max_num_turns")
    if isinstance(most, int) and most < more.get("desired_num_turns", 0):
        more["desired_num_turns"] = most  # the row's own bound holds
    return {**row, "simulation_configuration": {**more, **told}}


def _turns(value: JSON, path: str, say: Say) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)  # a cell of a table
    if value is None or value == "":
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        say(f"must be a whole number of at least 1, not {shown(value)}", path)
        return None
    return value
