"""A run as evaluated rows: what was given, what was answered, and what each evaluator said, by the names the vendor uses."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import zip_longest
from types import MappingProxyType
from typing import IO

from vivavoce.core import codec
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.plugins import fold
from vivavoce.core.reply import JSON
from vivavoce.core.result import Exchange, Result, Run, Score
from vivavoce.formats._foundry.names import result_names
from vivavoce.formats._foundry.rebuild import messages, row_of, text

_STATUS = MappingProxyType({"pass": "completed", "fail": "completed", "skip": "skipped", "error": "error"})
_RESULT = MappingProxyType({"pass": "pass", "fail": "fail", "skip": "not_applicable", "error": "unknown"})


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
    given = row_of(case, None, own=own)
    given |= _learnt(result, case)
    row = {f"inputs.{name}": each for name, each in given.items()}
    reply = result.turns[-1].reply if result.turns else None
    if generated and reply is not None:
        row["outputs.response"] = reply.text
        if reply.tool_calls is not None:
            row["outputs.tool_calls"] = codec.plain(reply.tool_calls)
    if case.persona is not None and result.turns:
        row["outputs.messages"] = messages(Case(id=case.id, turns=tuple(_held(each) for each in result.turns)))
    scores = [*(score for turn in result.turns for score in turn.scores), *result.scores]
    often: Counter[str] = Counter()
    for score in scores:
        often[score.name] += 1  # a check of several turns, or of several calls
        columns = _columns(score.name, score.evaluator, often[score.name])
        row.update(zip(columns, _outcome(score), strict=True))
        if score.label is not None:
            row[f"{columns[0]}_label"] = score.label
    row["case"], row["status"], row["error"] = result.case, result.status, codec.plain(result.error)
    return row | ({"suite": result.suite} if several else {})


def _learnt(result: Result, case: Case) -> dict[str, JSON]:
    """The question of a row that has none, where it was fetched with the answer: judges need it when the row is read again."""
    if not result.turns or not case.turns or case.turns[-1].input is not None or result.turns[-1].input is None:
        return {}
    asked = result.turns[-1].input
    return {"query": asked if isinstance(asked, str) else [{"role": "user", "content": text(asked)}]}


@lru_cache(maxsize=1024)
def _columns(name: str, evaluator: str, time: int) -> tuple[str, ...]:
    """The columns of what an evaluator said, the first or a later time."""
    known_as, metric = result_names(name, evaluator)
    column = f"outputs.{known_as}{'' if time == 1 else f'_{time}'}.{metric}"
    return column, *(f"{column}_{part}" for part in ("score", "passed", "result", "reason", "status", "threshold"))


def _outcome(score: Score) -> tuple[JSON, ...]:
    """What stands in those columns."""
    passed = {"pass": True, "fail": False}.get(score.status)
    return (
        score.value,
        score.value,
        passed,
        _RESULT[score.status],
        score.reason,
        _STATUS[score.status],
        score.threshold,
    )


def _held(exchange: Exchange) -> Turn:
    return Turn(input=exchange.input, reply=exchange.reply)


def _case_of(result: Result) -> Case:
    """As much of a case as its result tells."""
    turns = tuple(Turn(input=each.input, expect=Expectation(response=each.expected)) for each in result.turns)
    return Case(id=result.case, category=result.category, turns=turns or (Turn(input=""),), metadata=result.metadata)
