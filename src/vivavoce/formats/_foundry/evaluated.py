"""A run as evaluated rows: what was given, what was answered, and what each evaluator said, by the names the vendor uses."""

from __future__ import annotations

from itertools import zip_longest
from typing import IO

from vivavoce.core import codec
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.plugins import fold
from vivavoce.core.reply import JSON
from vivavoce.core.result import Result, Run, Score
from vivavoce.formats._foundry.names import result_names
from vivavoce.formats._foundry.rebuild import row_of

_STATUS = {"pass": "completed", "fail": "completed", "skip": "skipped", "error": "error"}
_RESULT = {"pass": "pass", "fail": "fail", "skip": "not_applicable", "error": "unknown"}


def report(run: Run, out: IO[str]) -> None:
    """Write one row a trial, in the dataset's order."""
    target = run.header.selection.target
    generated = target is not None and fold(target.name) != "recorded"
    own = {file.suite for file in run.header.files if file.format == "foundry"}
    several = len(run.header.files) > 1
    for result, case in zip_longest(run.results, run.cases):
        if result is None:
            return
        row = _row(result, case or _case_of(result), generated=generated, own=result.suite in own, several=several)
        if run.header.selection.repeat > 1:
            row["repeat"] = result.repeat
        out.write(codec.encode(row).decode() + "\n")


def _row(result: Result, case: Case, *, generated: bool, own: bool, several: bool) -> dict[str, JSON]:
    row = {f"inputs.{name}": each for name, each in row_of(case, None, own=own).items()}
    reply = result.turns[-1].reply if result.turns else None
    if generated and reply is not None:
        row["outputs.response"] = reply.text
        if reply.tool_calls is not None:
            row["outputs.tool_calls"] = codec.plain(reply.tool_calls)
    scores = [*(score for turn in result.turns for score in turn.scores), *result.scores]
    taken: set[str] = set()
    for score in scores:
        name, metric = result_names(score.name, score.evaluator)
        while name in taken:  # the same check of an earlier turn, or of an earlier call
            name += "_"
        taken.add(name)
        row |= {f"outputs.{name}.{key}": each for key, each in _outcome(score, metric).items()}
    row |= {"case": result.case, "status": result.status, "error": codec.plain(result.error)}
    return row | ({"suite": result.suite} if several else {})


def _outcome(score: Score, metric: str) -> dict[str, JSON]:
    scored = score.status in ("pass", "fail")
    return {
        metric: score.value,
        f"{metric}_score": score.value,
        f"{metric}_passed": score.status == "pass" if scored else None,
        f"{metric}_result": _RESULT[score.status],
        f"{metric}_reason": score.reason,
        f"{metric}_status": _STATUS[score.status],
        f"{metric}_threshold": score.threshold,
    } | ({f"{metric}_label": score.label} if score.label is not None else {})


def _case_of(result: Result) -> Case:
    """As much of a case as its result tells."""
    turns = tuple(Turn(input=each.input, expect=Expectation(response=each.expected)) for each in result.turns)
    return Case(id=result.case, category=result.category, turns=turns or (Turn(input=""),), metadata=result.metadata)
