"""A case as the scenario it was, so that reading and writing lose nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from vivavoce.core.model import Case, Persona, Turn
from vivavoce.core.reply import JSON, Object
from vivavoce.formats._agentcore.words import BESIDE, KEPT, MAX_TURNS

Row = dict[str, JSON]
_LIST = "beside"
"""Under this name is kept which of the metadata are fields of the scenario itself."""


def scenario(case: Case, *, own: bool = True) -> Row:
    """The scenario of a case; `own` if it was one of this format's."""
    notes = case.metadata.get(KEPT) if own else None
    notes = dict(notes) if isinstance(notes, Mapping) else {}
    listed = notes.pop(_LIST, ())
    beside = {*BESIDE, *listed} if own else set()
    row: Row = {"scenario_id": case.id}
    row |= {name: each for name, each in case.metadata.items() if name in beside}
    row |= _played(case.persona) if case.persona is not None else {"turns": [_turn(each, own=own) for each in case.turns]}
    if case.expect.trajectory is not None and case.persona is None:
        row["expected_trajectory"] = list(case.expect.trajectory)
    if case.expect.assertions is not None:
        row["assertions"] = list(case.expect.assertions)
    rest = {name: each for name, each in case.metadata.items() if name not in beside and not (own and name == KEPT)}
    if rest:
        row["metadata"] = rest
    row |= notes
    return {name: each for name, each in row.items() if name not in notes or each is not None}


def kept(row: Object, case: Case, beside: Sequence[str]) -> Row:
    """What of a scenario could not be written again from its case: fields as they stand, and which were unknown."""
    notes: Row = {_LIST: list(beside)} if beside else {}
    again = scenario(replace(case, metadata={**case.metadata, KEPT: notes}) if notes else case)
    for name, each in row.items():
        if name not in beside and (each is not None or name in again) and again.get(name) != _plain(name, each):
            notes[name] = each
    notes |= {name: None for name in again if name not in row}
    return notes


def _turn(turn: Turn, *, own: bool) -> Row:
    row: Row = {"input": turn.input}
    if turn.expect.response is not None:
        row["expected_response"] = turn.expect.response
    return row | dict(turn.metadata) if own else row


def _played(persona: Persona) -> Row:
    profile: Row = {"context": persona.context, "goal": persona.goal}
    if persona.traits:
        profile["traits"] = dict(persona.traits)
    row: Row = {"actor_profile": profile, "input": persona.goal if persona.input is None else persona.input}
    return row if persona.max_turns == MAX_TURNS else {**row, "max_turns": persona.max_turns}


def _plain(name: str, value: JSON) -> JSON:
    """A field without what says nothing: the wrapping the service has around texts, and null."""
    if name == "expected_trajectory" and isinstance(value, Mapping) and value.keys() == {"toolNames"}:
        return value["toolNames"]
    if name == "assertions" and isinstance(value, list):
        return [each["text"] if isinstance(each, Mapping) and each.keys() == {"text"} else each for each in value]
    if name == "turns" and isinstance(value, list):
        return [
            {key: each for key, each in turn.items() if key != "expected_response" or each is not None}
            if isinstance(turn, Mapping)
            else turn
            for turn in value
        ]
    return value
