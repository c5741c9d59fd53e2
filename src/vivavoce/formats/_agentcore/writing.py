"""Suites as scenarios, with a sentence for everything scenarios cannot hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from vivavoce.core import codec
from vivavoce.core.model import NOTHING, Case, Suite, Turn
from vivavoce.core.reply import JSON
from vivavoce.formats._agentcore.rebuild import Row, scenario
from vivavoce.wire.losses import Losses

_NAME = "agentcore"
_OF_ANSWERS = (
    ("rows", "rows"),
    ("intent", "an intent"),
    ("refusal", "a refusal"),
    ("insights", "insights"),
    ("reference_query", "a reference query"),
    ("arguments", "arguments of tools"),
)


def write(suite: Suite, out: IO[str], *, as_lines: bool) -> tuple[str, ...]:
    """Write one document, or JSON lines."""
    losses = Losses()
    own = suite.format == _NAME
    told: list[str] = []
    if suite.about is not None:
        told.append("what the suite is about (`about`) has no place in scenarios")
    if suite.metadata and (as_lines or not own):
        told.append(f"what the suite says of itself ({', '.join(suite.metadata)}) has no place in scenarios")
    rows = _rows(suite, losses, own=own)
    if as_lines:
        for row in rows:
            out.write(codec.encode(row).decode() + "\n")
        return (*told, *losses.sentences())
    head = codec.encode({**(suite.metadata if own else {}), "scenarios": []}).decode().removesuffix("]}")
    end = ""
    for index, row in enumerate(rows):
        out.write(("" if index else head) + (",\n" if index else "\n") + codec.encode(row).decode())
        end = "\n]}\n"
    out.write(end)
    return (*told, *losses.sentences())


def _rows(suite: Suite, losses: Losses, *, own: bool) -> Iterator[Row]:
    for case in suite.cases:
        if own:
            yield scenario(case)
            continue
        objection = _objection(case)
        if objection:
            losses.add(f"a case is left out, since {objection}", case.id)
            continue
        for what in _lost(case):
            losses.add(what, case.id)
        row = scenario(case, own=False)
        yield row if case.name is None else {"scenario_id": case.id, "scenario_description": case.name, **row}


def _objection(case: Case) -> str:
    """Why a case of another format could not be read again as a scenario."""
    said = [turn.input for turn in case.turns]
    if case.persona is not None:
        if not case.persona.goal.strip():
            return "its simulated user has no goal"
        said = [] if case.persona.input is None else [case.persona.input]
    if not all(_says(each) for each in said):
        return "it says nothing to the agent, or what is neither text nor an object"
    return "" if case.id.strip() else "its id is blank"


def _says(value: JSON) -> bool:
    return bool(value.strip()) if isinstance(value, str) else isinstance(value, dict) and bool(value)


def _lost(case: Case) -> Iterator[str]:
    """Everything of a case of another format that its scenario does not hold."""
    if any(check.origin != "default" for check in (*case.checks, *(check for turn in case.turns for check in turn.checks))):
        yield "evaluators have no place in scenarios; name them with --evaluator"
    if case.history:
        yield "what was said before has no place in scenarios"
    if case.tools is not None:
        yield "definitions of tools have no place in scenarios"
    if case.category is not None and case.metadata.get("category") != case.category:
        yield "categories have no place in scenarios"
    if case.expect.response is not None:
        yield "an expected response of a whole conversation has no place in scenarios"
    for expect in (case.expect, *(turn.expect for turn in case.turns)):
        for name, what in _OF_ANSWERS if expect is not NOTHING else ():
            if getattr(expect, name) is not None:
                yield f"{what} that an answer must have: no place in scenarios"
    if case.persona is not None:
        if case.expect.trajectory is not None:
            yield "a trajectory has no place in the scenario of a simulated user"
        if case.persona.desired_turns is not None:
            yield "how many turns are desired has no place in scenarios"
        if case.persona.input is None:
            yield "a simulated user must have first words in a scenario, and is given the goal for them"
    for turn in case.turns:
        yield from _lost_of_turn(turn)


def _lost_of_turn(turn: Turn) -> Iterator[str]:
    if turn.context is not None:
        yield "contexts have no place in scenarios"
    if turn.reply is not None:
        yield "recorded answers have no place in scenarios"
    if turn.metadata:
        yield "metadata of turns have no place in scenarios"
    if turn.expect.assertions is not None or turn.expect.trajectory is not None:
        yield "assertions and trajectories of single turns have no place in scenarios, which have them of the whole"
    if turn.expect.response is not None and not turn.expect.response.strip():
        yield "that an answer is expected to be empty has no place in scenarios"
