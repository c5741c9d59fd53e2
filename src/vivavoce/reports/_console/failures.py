"""Failures and errors, one after the other, each with what was asked, what came and why that is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from vivavoce.analysis.gate import number
from vivavoce.reports._console.look import Look
from vivavoce.reports._findings import Finding, Findings, Mark, Part, Said

LINES = 4
"""Of an answer or a reason, at most; of what was asked, half as many."""
LINES_VERBOSE = 40
LABEL = 8
"""Columns of what stands before a text."""
_MARKS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "pass": ("✓", "green"),
        "fail": ("✗", "red"),
        "skip": ("–", "bright_black"),
        "error": ("!", "yellow"),
    }
)


def failures(findings: Findings, look: Look, *, verbose: bool, run_id: str) -> Iterable[RenderableType]:
    """Failed cases, then errors."""
    groups = (
        ("Failed", findings.failed, findings.more_failed, "more failed case", "red"),
        ("Errors", findings.errored, findings.more_errored, "more errored case", "yellow"),
    )
    for title, found, more, noun, style in groups:
        if not found and not more:
            continue
        yield ""
        yield Text(title, style=f"bold {style}")
        for finding in found:
            yield ""
            yield _block(finding, look, verbose)
        if more:
            yield ""
            told = number(more, noun)
            yield Text(f"and {told}: viva show {run_id} --output report.html", style="dim")


def _block(finding: Finding, look: Look, verbose: bool) -> Group:
    glyph, style = _MARKS[finding.status]
    title = Text.assemble((look.glyphs(glyph), style), " ", (finding.case, "bold"))
    if finding.name and finding.name != finding.case:
        title.append("  " + finding.name)
    title.append("  " + look.glyphs(finding.place), style="dim")
    parts: list[RenderableType] = [title]
    for part in finding.parts:
        if part.title:
            parts.append(Padding(Text(part.title, style="cyan"), (0, 0, 0, 2)))
        parts.append(Padding(_part(part, look, LINES_VERBOSE if verbose else LINES), (0, 0, 0, 2)))
    if finding.same:
        others = finding.same - len(finding.also)
        shown = ", ".join(finding.also) + (f" and {others:,} more" if others else "")
        what = "failed again in" if finding.status == "fail" else f"the same in {number(finding.same, 'more case')}:"
        parts.append(Padding(Text(f"{what} {shown}", style="dim"), (0, 0, 0, 2)))
    return Group(*parts)


def _part(part: Part, look: Look, lines: int) -> Group:
    texts = Table.grid(Column(width=LABEL, no_wrap=True), Column(overflow="fold"), padding=(0, 2, 0, 0))
    room = look.width - LABEL - 4
    for name, said in part.told:
        shown = _clipped(said, look, room, max(1, lines // 2) if name == "asked" else lines)
        texts.add_row(Text(name, style="dim"), shown)
    label = min(max([LABEL - 2, *(cell_len(mark.name) for mark in part.marks)]), look.width // 3)
    checks = Table.grid(Column(width=label + 2, no_wrap=True), Column(overflow="fold"), padding=(0, 2, 0, 0))
    room = look.width - label - 6
    if part.fault:
        glyph, style = _MARKS["error"]
        told = look.clip(part.fault, room, lines)
        checks.add_row(Text(look.glyphs(glyph) + " error", style=style), told)
    for mark in part.marks:
        glyph, style = _MARKS[mark.status]
        checks.add_row(Text(look.glyphs(glyph) + " " + look.fit(mark.name, label), style=style), _why(mark, look, room, lines))
    return Group(texts, checks)


def _why(mark: Mark, look: Look, room: int, lines: int) -> Text:
    reason = _clipped(mark.reason, look, room, lines)
    if not mark.grade:
        return reason
    grade = (look.glyphs(mark.grade), _MARKS[mark.status][1])
    fits = "\n" not in reason.plain and cell_len(f"{grade[0]}  {reason.plain}") <= room
    return Text.assemble(grade, "  " if fits else "\n", reason)


def _clipped(said: Said, look: Look, room: int, lines: int) -> Text:
    if not said.text:
        return Text("(nothing)" if not said.length else "(only what cannot be seen)", style="dim italic")
    return look.clip(said.text, room, lines, said.length)
