"""Results as test cases, for what CI services show of tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOBase
from itertools import groupby
from types import MappingProxyType
from typing import IO, ClassVar, cast
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from vivavoce.analysis.gate import outcome
from vivavoce.core.result import Exchange, GroupSummary, Result, Run, Score, Status
from vivavoce.core.visible import visible
from vivavoce.reports import _text

__all__ = ["Junit"]

LIMIT = 4000
"""Characters of one text; CI services cut what is longer, or refuse the whole file."""
_NOT_XML = re.compile("[\ufffe\uffff]")
_ELEMENTS: Mapping[Status, str] = MappingProxyType({"fail": "failure", "error": "error", "skip": "skipped"})


@dataclass(frozen=True, kw_only=True)
class Junit:
    """A case as a test, a suite as a test suite: what GitHub, GitLab, Jenkins, Azure DevOps and others show of a job.

    Speaks: JUnit's XML in UTF-8, as CI services read it: `testsuites`, `testsuite`, and `testcase` with `failure`, `error` or
        `skipped`. A repeat is a test of its own. A test that is skipped has every reason in its `skipped`; of any other,
        `system-out` begins with the checks that were skipped, and why.
    Options: none.
    Example: `viva run evals/ --output report.xml`.
    Limits: a test has no place for values, so scores stand in its text; long texts are cut. A run that did not end, or in which
        nothing was evaluated, has one more test, which errors: a file is not green because there is little in it.
    Source: `docs/reference/reports.md`.
    """

    suffix: ClassVar[str | None] = ".xml"

    def render(self, run: Run, out: IO[str]) -> None:
        """Write the document; results are read one at a time."""
        document = _Document(out)
        summary = run.summary
        whole = run.state == "complete" and summary.evaluated and not summary.not_run
        counts = _counts(summary.passed, summary.failed, summary.skipped, summary.errored + (not whole))
        with document.element("testsuites", name=f"viva {run.id}", time=_seconds(summary.seconds), **counts):
            for suite, results in groupby(run.results, key=lambda result: result.suite):
                group = summary.suites.get(suite, GroupSummary())
                counts = _counts(group.passed, group.failed, group.skipped, group.errored)
                with document.element("testsuite", name=suite, timestamp=run.started.removesuffix("Z"), **counts):
                    for result in results:
                        _case(document, result, repeats=run.header.selection.repeat > 1)
            if not whole:
                _incomplete(document, run)


class _Document:
    """XML as it is written, an element a line."""

    def __init__(self, out: IO[str]) -> None:
        self._xml = XMLGenerator(
            cast(TextIOBase, out), encoding="utf-8", short_empty_elements=True
        )  # a stream, typed as `open` gives it
        self._xml.startDocument()
        self._depth = 0

    @contextmanager
    def element(self, name: str, /, **attributes: str) -> Iterator[None]:
        """An element around what is written meanwhile."""
        self._xml.ignorableWhitespace("  " * self._depth)
        self._xml.startElement(name, AttributesImpl({each: _plain(value) for each, value in attributes.items()}))
        self._xml.ignorableWhitespace("\n")
        self._depth += 1
        yield
        self._depth -= 1
        self._xml.ignorableWhitespace("  " * self._depth)
        self._xml.endElement(name)
        self._xml.ignorableWhitespace("\n")

    def text(self, name: str, content: str, /, **attributes: str) -> None:
        """An element around a text."""
        self._xml.ignorableWhitespace("  " * self._depth)
        self._xml.startElement(name, AttributesImpl({each: _plain(value) for each, value in attributes.items()}))
        if content:
            self._xml.characters(_plain(content))
        self._xml.endElement(name)
        self._xml.ignorableWhitespace("\n")


def _case(document: _Document, result: Result, *, repeats: bool) -> None:
    name = f"{result.case} [repeat {result.repeat}]" if repeats else result.case
    seconds = sum(turn.reply.seconds or 0.0 for turn in result.turns if turn.reply is not None)
    with document.element("testcase", classname=result.suite, name=name, time=_seconds(seconds)):
        told = list(_told(result, result.status))
        if result.status in _ELEMENTS:
            first = _text.line(told[0], 200) if told else "no check was applied"
            document.text(_ELEMENTS[result.status], "\n".join(told), message=first, type=result.status)
        if result.status != "skip":
            # What was skipped comes first, since the end of a long conversation is cut.
            beside = [*(f"skipped: {each}" for each in _skipped(result)), *_transcript(result)]
            if beside:
                document.text("system-out", "\n".join(beside))


def _told(result: Result, status: Status) -> Iterator[str]:
    """A line for each thing that makes the result what it is; of an error, also what failed beside it."""
    if status == "pass":
        return
    if result.error is not None:
        yield _text.failure(result.error)
    several = len(result.turns) > 1
    for at, turn in enumerate(result.turns):
        place = f"turn {at + 1}, " if several else ""
        if turn.error is not None and turn.error.code != "not_sent" and turn.error != result.error:
            yield f"{place}{_text.failure(turn.error)}"
        if turn.error is None:
            yield from (f"{place}{each}" for each in _reasons(turn.scores, status))
    if result.error is None:
        yield from _reasons(result.scores, status)


def _skipped(result: Result) -> Iterator[str]:
    """A line for each check that was skipped, and why."""
    for at, turn in enumerate(result.turns):
        place = f"turn {at + 1}, " if len(result.turns) > 1 else ""
        yield from (f"{place}{each}" for each in _reasons(turn.scores, "skip"))
    yield from _reasons(result.scores, "skip")


def _reasons(scores: tuple[Score, ...], status: Status) -> Iterator[str]:
    wanted = {"skip"} if status == "skip" else {"fail", "error"}
    for score in scores:
        if score.status in wanted:
            call = "" if score.call is None else f", call {score.call + 1}"
            word = "" if score.status == status else f" ({score.status})"
            yield f"{score.name}{call}{word}: {score.reason}"


def _transcript(result: Result) -> Iterator[str]:
    for turn in result.turns:
        yield from _said(turn)
    if result.stop is not None:
        yield f"ended: {_text.ended(result)}"


def _said(turn: Exchange) -> Iterator[str]:
    if turn.input is not None:
        yield f"asked: {_text.said(turn.input)}"
    if turn.expected is not None:
        yield f"expected: {turn.expected}"
    if turn.reply is not None:
        yield f"got: {_text.answered(turn.reply)}"


def _incomplete(document: _Document, run: Run) -> None:
    """The test that tells of a run that says less than it seems to."""
    sentence = outcome(run).sentence
    with (
        document.element("testsuite", name="viva", timestamp=run.started.removesuffix("Z"), **_counts(0, 0, 0, 1)),
        document.element("testcase", classname="viva", name="the whole run", time="0"),
    ):
        document.text("error", sentence, message=sentence, type=run.state if run.state != "complete" else "nothing evaluated")


def _counts(passed: int, failed: int, skipped: int, errored: int) -> dict[str, str]:
    told = {"tests": passed + failed + skipped + errored, "failures": failed, "errors": errored, "skipped": skipped}
    return {name: str(count) for name, count in told.items()}


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"


def _plain(text: str) -> str:
    """Text of characters that XML may hold, visible, and cut."""
    shown = _NOT_XML.sub("\ufffd", visible(text[:LIMIT]))
    return shown if len(text) <= LIMIT else shown + _text.length_note(len(text))
