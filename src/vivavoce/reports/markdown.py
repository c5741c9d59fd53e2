"""A run as a page of Markdown, for a pull request or the summary of a job."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, ClassVar

from vivavoce.analysis.gate import number, outcome, percent
from vivavoce.core.result import EvaluatorSummary, GroupSummary, Run
from vivavoce.core.visible import visible
from vivavoce.reports import _text
from vivavoce.reports._findings import Finding, Findings, Mark, Said

__all__ = ["Markdown"]

ROOM = 600
"""Characters shown of one text."""
GROUPS = 50
"""Suites or evaluators that get a row; a page is for reading, and the summary of a job is bounded."""
SKIPS = 8
# What makes markup, links, mentions, emoji and formulas; a point and a colon only before more, and a dash only in front.
_ACTS = re.compile(r"[!#$&*+/<=>@\[\\\]^_`{|}~]|[.:](?=\S)|^-")


@dataclass(frozen=True, kw_only=True)
class Markdown:
    """The verdict, the numbers and the failures as Markdown: for `$GITHUB_STEP_SUMMARY`, a comment, a wiki.

    Speaks: GitHub's Markdown with tables and `<details>`, in UTF-8.
    Options: failures, min_pass_rate.
    Example: `viva run evals/ --output summary.md`.
    Limits: texts are cut, and failures beyond the first are only counted; `json` holds them all. In texts of datasets and
        agents what could mean something to Markdown is written as entities: they make no links, mentions or markup.
    Source: `docs/reference/reports.md`.
    """

    suffix: ClassVar[str | None] = ".md"

    failures: int = 20
    """How many failed cases, and how many different errors, are shown in full."""
    min_pass_rate: float | None = None
    """The gate of `--min-pass-rate`, 0-1, as the verdict is to judge it."""

    def render(self, run: Run, out: IO[str]) -> None:
        """Write the page; results are read one at a time, and only failures are kept, cut."""
        verdict = outcome(run, min_pass_rate=self.min_pass_rate)
        repeats = run.header.selection.repeat > 1
        findings = Findings(limit=max(0, self.failures), room=ROOM, repeats=repeats, everything=False)
        findings.gather(run.results)
        blocks = (
            f"## {'✅' if verdict.ok else '❌'} {_inert(verdict.sentence)}",
            _examined(run, findings),
            *_tables(run),
            *_group("Failed", findings.failed, findings.more_failed),
            *_group("Errors", findings.errored, findings.more_errored),
            *_skipped(findings),
        )
        out.write("\n\n".join(blocks) + "\n")


def _examined(run: Run, findings: Findings) -> str:
    selection, usage = run.header.selection, run.summary.usage
    parts = [f"run {_code(run.id)}", f"target {_code(selection.target.name if selection.target is not None else 'none')}"]
    if selection.judge is not None:
        parts.append(f"judge {_code(selection.judge.name)}")
    if selection.simulator is not None:
        parts.append(f"simulator {_code(selection.simulator.name)}")
    parts += [_inert(_text.duration(run.summary.seconds)), number(usage.agent_calls, "agent call")]
    if usage.judge_calls:
        parts.append(number(usage.judge_calls, "judge call"))
    if usage.simulator_calls:
        parts.append(number(usage.simulator_calls, "simulator call"))
    parts += [_inert(each) for each in _text.cost(usage.cost_usd, unpriced=findings.unpriced)]
    return " · ".join(parts)


def _tables(run: Run) -> Iterator[str]:
    summary = run.summary
    suites = [[_code(name), f"{each.cases:,}", *_tally(each)] for name, each in summary.suites.items()]
    checks = [[_code(name), _mean(each), *_tally(each)] for name, each in summary.evaluators.items()]
    for heads, rows in ((["suite", "cases"], suites), (["check", "mean"], checks)):
        if rows:
            heads += ["pass", "fail", "skip", "error", "passed"]
            more = [[f"and {len(rows) - GROUPS:,} more", *[""] * (len(heads) - 1)]] if len(rows) > GROUPS else []
            lines = [heads, [":--", *["--:"] * (len(heads) - 1)], *rows[:GROUPS], *more]
            yield "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _tally(group: GroupSummary | EvaluatorSummary) -> Iterator[str]:
    yield from (f"{count:,}" for count in (group.passed, group.failed, group.skipped, group.errored))
    scored = group.passed + group.failed
    yield f"{percent(group.passed, scored)} of {scored:,}" if scored else "–"


def _mean(check: EvaluatorSummary) -> str:
    return "–" if check.mean is None else f"{check.mean:.2f}"


def _group(title: str, found: list[Finding], more: int) -> Iterator[str]:
    if found:
        yield f"### {title}"
    for finding in found:
        yield _finding(finding)
    if more:
        yield f"… and {number(more, 'more case')}."


def _finding(finding: Finding) -> str:
    name = f" {_inert(finding.name)}" if finding.name and finding.name != finding.case else ""
    lines = [f"<details><summary>{_code(finding.case)}{name} · {_inert(finding.place)}</summary>", ""]
    for part in finding.parts:
        if part.title:
            lines.append(f"- *{_inert(part.title)}*")
        lines += [f"- {label}: {_quoted(said)}" for label, said in part.told]
        if part.fault:
            lines.append(f"- **error** {_code(part.fault)}")
        lines += [_mark(mark) for mark in part.marks]
    if finding.same:
        others = finding.same - len(finding.also)
        shown = ", ".join(_code(each) for each in finding.also) + (f" and {others:,} more" if others else "")
        lines.append(f"- {'failed again in' if finding.status == 'fail' else 'the same in'} {shown}")
    return "\n".join([*lines, "", "</details>"])


def _mark(mark: Mark) -> str:
    grade = f" {_inert(mark.grade)}" if mark.grade else ""
    return f"- **{_inert(mark.name)}**{grade}: {_quoted(mark.reason)}"


def _skipped(findings: Findings) -> Iterator[str]:
    if not findings.skips:
        return
    reasons = sorted(findings.skips.items(), key=lambda item: -sum(item[1].values()))
    lines = [_skip(reason, names) for reason, names in reasons[:SKIPS]]
    rest = findings.other_skips + sum(sum(names.values()) for _, names in reasons[SKIPS:])
    if rest:
        lines.append(f"- {rest:,} for other reasons")
    yield "### Skipped"
    yield "\n".join(lines)


def _skip(reason: str, names: Mapping[str, int]) -> str:
    return f"- {sum(names.values()):,} {', '.join(_code(name) for name in names)}: {_inert(reason)}"


def _quoted(said: Said) -> str:
    if not said.text:
        return "*(nothing)*"
    return _code(_text.cut(said.text, ROOM) if said.length <= ROOM else said.text + _text.length_note(said.length))


def _code(text: str) -> str:
    """Text of another party where nothing acts: no markup, and neither links nor mentions, which code has not."""
    return f"<code>{_inert(text)}</code>"


def _inert(text: str) -> str:
    """Text with every character that could mean something to Markdown or HTML as an entity, on one line."""
    return _ACTS.sub(lambda match: f"&#{ord(match[0])};", " ".join(visible(text).split()))
