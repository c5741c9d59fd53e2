"""An evaluator made ready to examine: what a check names, looked up once, and what it needs of a file."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.core import option_faults, plugins
from vivavoce.core.errors import BadOptions, PluginError
from vivavoce.core.evidence import Evidence
from vivavoce.core.model import Case, Check, Turn, Use
from vivavoce.core.reply import ToolCall
from vivavoce.core.rubric import Rubric


class NotWhole(PluginError):
    """An evaluator that examines single turns is to examine whole conversations."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Examiner:
    """An evaluator made ready: what is looked up once for a check, however often it is applied."""

    check: Check
    evaluator: Any  # an Evaluator, of either of its two forms
    name: str
    """How its scores are called."""
    kind: str
    """The evaluator's own name, in its one spelling."""
    asks: bool
    """Whether its `score` is async and is handed the judge."""
    at_once: bool
    """Whether it says what it says of any evidence without waiting for anybody."""
    level: str
    threshold: float | None
    decides: bool
    """Whether the case's other checks skip when it fails."""
    lower_is_better: bool
    """Whether the threshold is the highest value that passes."""
    scale: tuple[float, float | None]
    needs: tuple[str, ...]
    examines: Callable[[ToolCall], bool]
    """Which tool calls it is about, where it examines those."""
    takes_long: Callable[[Evidence], bool] | None
    """What evidence takes so long that it is examined beside the event loop, where there may be such."""
    rubric: str | None
    rubrics: tuple[Rubric, ...]
    """All that it may put to the judge."""
    own: plugins.Own | None
    """Where it comes from, when it is the project's own."""


def examiner(check: Check, folder: Path) -> Examiner:
    """The evaluator of a check, made; `folder` is the project's, which may have evaluators of its own.

    Raises:
        PluginError: there is no such evaluator, its options are wrong, or it does not examine what it is to.
    """
    evaluator = _built(check, folder)
    kind = plugins.known_as("evaluators", check.evaluator, project=folder)
    level: str = check.level if check.level and check.level in evaluator.levels else evaluator.levels[0]
    if check.level == "case" and level != "case":
        raise NotWhole(f"{kind} examines single turns, not whole conversations")
    if hasattr(evaluator, "at_level"):
        evaluator = evaluator.at_level(level)
    rubric = getattr(evaluator, "rubric", None)
    asks = len(inspect.signature(evaluator.score).parameters) > 1
    return Examiner(
        check=check,
        evaluator=evaluator,
        name=check.name or kind,
        kind=kind,
        asks=asks,
        at_once=not asks and level != "call" and not hasattr(evaluator, "takes_long"),
        level=level,
        threshold=getattr(evaluator, "threshold", None),
        decides=getattr(evaluator, "decides", False),
        lower_is_better=getattr(evaluator, "lower_is_better", False),
        scale=evaluator.scale,
        needs=evaluator.needs,
        examines=getattr(evaluator, "examines", _any_call),
        takes_long=getattr(evaluator, "takes_long", None),
        rubric=rubric.id if rubric is not None else None,
        rubrics=getattr(evaluator, "rubrics", () if rubric is None else (rubric,)),
        own=plugins.own("evaluators", check.evaluator, folder),
    )


def _built(check: Check, folder: Path) -> Any:  # as `Examiner.evaluator`
    try:
        return plugins.build("evaluators", Use(name=check.evaluator, options=check.options), project=folder)
    except BadOptions as error:
        maker = plugins.find("evaluators", check.evaluator, project=folder)
        wanted = option_faults.needed(maker) if str(error).endswith("is missing") else {}
        if not wanted:
            raise
        options = json.dumps(wanted)
        way = f"--evaluator '{check.evaluator}={options}'" if check.origin == "run" else options
        raise BadOptions(f"{error} (such as {way})") from error


def lacking(examiner: Examiner, check: Check, case: Case, turn: Turn | None = None) -> tuple[str, ...]:
    """What an evaluator needs that the file does not give for a turn, or for the whole case, as far as a file can tell."""
    turns = case.turns if turn is None else (turn,)
    expect = case.expect if turn is None else turn.expect
    alone = [each.expect for each in turns] if len(turns) == 1 else []
    gives = {
        "expected": expect.response is not None,
        "context": any(each.context is not None for each in turns),
        "tool_definitions": case.tools is not None,
        "trajectory": any(each.trajectory is not None for each in (case.expect, *alone)),
        "expected_rows": expect.rows is not None or expect.reference_query is not None,
        "expected_intent": expect.intent is not None,
        "expected_refusal": expect.refusal is not None,
        "expected_insights": expect.insights is not None,
    }
    if check.given is not None:
        gives = {name: name in check.given or (there and name in check.sees) for name, there in gives.items()}
    return tuple(need for need in examiner.needs if all(not gives.get(name, True) for name in need.split("|")))


def _any_call(_: ToolCall) -> bool:
    return True
