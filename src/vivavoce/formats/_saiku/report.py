"""A run as Saiku's runner reports it: one report a suite, in text or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO

from vivavoce.core.reply import JSON
from vivavoce.core.result import Result, Run, Score, Status
from vivavoce.core.visible import visible

_STATUS: Mapping[Status, str] = MappingProxyType({"pass": "PASS", "fail": "FAIL", "error": "DEGRADED", "skip": "SKIPPED"})
_PATHS = MappingProxyType({"refusal": "refusalReason", "insight": "insight.markdown"})
"""What the vendor calls the parts of an answer in a mismatch, where that is another word."""

_BREAK = re.compile(r"\s*[\n\t]\s*")


@dataclass(slots=True)
class _Suite:
    """What a suite came to."""

    name: str
    description: str
    passed: int = 0
    failed: int = 0
    degraded: int = 0
    skipped: int = 0
    seconds: float = 0.0

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.degraded + self.skipped

    def add(self, result: Result) -> None:
        """Count one."""
        self.passed += result.status == "pass"
        self.failed += result.status == "fail"
        self.degraded += result.status == "error"
        self.skipped += result.status == "skip"
        self.seconds += _seconds(result)


def text(run: Run, out: IO[str]) -> None:
    """Write the text report, one suite after another."""
    for place, (suite, results) in enumerate(_reports(run)):
        out.write("\n" if place else "")
        out.write(f"Suite: {_line(suite.name)}\n")
        if suite.description.strip():
            out.write(f"Description: {_line(suite.description)}\n")
        counts = f"{suite.failed} failed, {suite.degraded} degraded, {suite.skipped} skipped"
        out.write(f"{suite.passed}/{suite.total} passed, {counts} (elapsed {_ms(suite.seconds)}ms)\n\n")
        for result in results:
            outcome = _outcome(result)
            told = f"{outcome['durationMs']}ms, intent={_line(outcome['actualIntent'])}, model={_line(outcome['actualModel'])}"
            out.write(f"{outcome['status']}: {_line(outcome['caseName'])} ({told})\n")
            for each in outcome["mismatches"]:
                out.write(f"  {_line(each['path'])}: {_line(each['message'])}\n")


def as_json(run: Run, out: IO[str]) -> None:
    """Write the JSON report: an object of one suite, a list of several."""
    several = len(_suites(run)) != 1
    out.write("[\n" if several else "")
    for place, (suite, results) in enumerate(_reports(run)):
        head = {"suiteName": suite.name, "suiteDescription": suite.description.strip() or None}
        out.write(",\n" if place else "")
        out.write(json.dumps(head, ensure_ascii=False, indent=2).removesuffix("\n}"))
        out.write(',\n  "outcomes": [')
        written = 0
        for written, result in enumerate(results, 1):
            shown = json.dumps(_outcome(result), ensure_ascii=False, indent=2)
            # Within a JSON text a line break is never part of a value.
            out.write(("," if written > 1 else "") + "\n    " + shown.replace("\n", "\n    "))
        out.write(("\n  " if written else "") + f'],\n  "totalDurationMs": {_ms(suite.seconds)}\n}}')
    out.write("\n]\n" if several else "\n")


def _reports(run: Run) -> Iterator[tuple[_Suite, Iterator[Result]]]:
    """Each suite with its results, which are read again."""
    suites = _suites(run)
    for result in run.results:
        suites.setdefault(result.suite, _Suite(result.suite, "")).add(result)
    if len(suites) == 1:
        for suite in suites.values():
            suite.seconds = run.summary.seconds or suite.seconds
    for suite in suites.values():
        yield suite, _of(suite.name, run)


def _of(suite: str, run: Run) -> Iterator[Result]:
    return (result for result in run.results if result.suite == suite)


def _suites(run: Run) -> dict[str, _Suite]:
    found: dict[str, _Suite] = {}
    for file in run.header.files:
        description = file.metadata.get("description")
        found[file.suite] = _Suite(file.suite, description if isinstance(description, str) else "")
    return found


def _outcome(result: Result) -> dict[str, JSON]:
    reply = next((turn.reply for turn in reversed(result.turns) if turn.reply is not None), None)
    model = reply.raw.get("model") if reply is not None and isinstance(reply.raw, Mapping) else None
    return {
        "caseName": result.case + (f" #{result.repeat + 1}" if result.repeat else ""),
        "status": _STATUS[result.status],
        "mismatches": list(_mismatches(result)),
        "durationMs": _ms(_seconds(result)),
        "actualIntent": reply.intent if reply is not None else None,
        "actualModel": model if isinstance(model, str) else None,
    }


def _mismatches(result: Result) -> Iterator[dict[str, str]]:
    if result.error is not None:
        yield {"path": "provider", "message": result.error.message}
        return
    for score in (*(score for turn in result.turns for score in turn.scores), *result.scores):
        if score.status == "error":
            yield {"path": _path_of(score), "message": score.reason}
        elif score.status == "fail":
            yield from _of_score(score)


def _of_score(score: Score) -> Iterator[dict[str, str]]:
    found = score.details.get("mismatches")
    if not isinstance(found, list | tuple) or not found:
        yield {"path": score.name, "message": score.reason}
        return
    for each in found:
        yield {"path": _PATHS.get(str(each["path"]), str(each["path"])), "message": str(each["message"])}
    left = score.details.get("mismatch_count", 0) - len(found)
    if left > 0:
        yield {"path": "rows", "message": f"and {left} more mismatches"}


def _path_of(score: Score) -> str:
    if score.reason.startswith("the reference query failed"):
        return "referenceQuery"
    ours = {
        "Intent": "intent",
        "RowComparison": "rows",
        "RefusalContains": "refusalReason",
        "InsightContains": "insight.markdown",
    }
    return ours.get(score.evaluator, score.name)


def _seconds(result: Result) -> float:
    return sum(turn.reply.seconds or 0.0 for turn in result.turns if turn.reply is not None)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _line(words: str | None) -> str:
    """A text on one line, in which nothing acts; `null` when there is none."""
    return "null" if words is None else _BREAK.sub(" ", visible(words).strip())
