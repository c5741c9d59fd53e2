"""The conversations that a file of spans tells, as cases."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from vivavoce.core.errors import UsageError
from vivavoce.core.model import Case, Check, Turn
from vivavoce.core.place import Problems
from vivavoce.core.reply import JSON
from vivavoce.core.source import Source
from vivavoce.formats._otel.gathering import Gathered
from vivavoce.formats._otel.records import records
from vivavoce.wire.otel import Span
from vivavoce.wire.otel_kinds import case as case_of
from vivavoce.wire.otel_turns import definitions, turns

CHECKS = (Check(evaluator="Relevance", origin="default"), Check(evaluator="Coherence", origin="default"))
"""What a turn is examined by when nobody says."""


_SHOWN = 3


class Conversations:
    """The cases of a file, gathered from it again each time they are iterated."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self._source = source
        self._problems = problems

    def __iter__(self) -> Iterator[Case]:
        try:
            with closing(Gathered()) as gathered:
                self._gather(gathered)
                yield from self._cases(gathered)
        except sqlite3.Error as error:
            fix = "make room in the folder for temporary files, or name another in the variable SQLITE_TMPDIR"
            raise UsageError(f"{self._source.name}: its spans cannot be gathered: {error}; {fix}") from error

    def _gather(self, gathered: Gathered) -> None:
        count = 0
        for found, (path, line) in records(self._source, self._problems):
            count += 1
            if not gathered.add(found):
                message = (
                    f"the span {found.id} of the trace {found.trace} is given twice, and tells something else the second time"
                )
                self._problems.warn(self._source, message, path=path, line=line, fix="the first counts")
        if not count and not self._problems.total:
            self._problems.add(self._source, "holds no span", line=1, fix='write {"resourceSpans": [...]} or spans one a line')

    def _cases(self, gathered: Gathered) -> Iterator[Case]:
        silent: list[str] = []
        left_out = held_any = 0
        for name, spans in gathered.conversations():
            held = turns(spans)
            if held:
                held_any += 1
                yield _case(name, spans, held)
                continue
            left_out += 1
            if len(silent) < _SHOWN:
                silent.append(name)
        if not left_out:
            return
        more = f" and {left_out - _SHOWN} more" if left_out > _SHOWN else ""
        what = f"spans in which no agent, model or tool is at work: {', '.join(silent)}{more}"
        if held_any:
            self._problems.warn(self._source, f"left out are {what}")
        elif not self._problems.total:
            fix = "have the agent write spans by the conventions for generative AI, OpenInference or Traceloop"
            self._problems.add(self._source, f"holds no conversation, but {what}", line=1, fix=fix)


def _case(name: str, spans: Sequence[Span], held: tuple[Turn, ...]) -> Case:
    metadata: dict[str, JSON] = {"traces": list(dict.fromkeys(span.trace for span in spans))}
    named = next((found for span in spans if (found := case_of(span.attributes)) is not None), None)
    if named is not None:
        metadata["case"] = named
    return Case(
        id=name,
        turns=tuple(replace(turn, checks=CHECKS) for turn in held),
        tools=definitions(spans),
        metadata=metadata,
    )
