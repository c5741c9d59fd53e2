"""The page as a whole: what was examined, the numbers, what went wrong, and the verdict last, where the eye ends."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from vivavoce.analysis.gate import number, outcome
from vivavoce.core.result import Run, Stability
from vivavoce.reports import _text
from vivavoce.reports._console.failures import LINES, LINES_VERBOSE, failures
from vivavoce.reports._console.look import Look
from vivavoce.reports._console.tables import header, tables
from vivavoce.reports._findings import Findings

SKIPS = 8
"""Reasons for skipping that are shown; the rest is counted."""
UNSTABLE = 10
"""Unstable cases that are named."""


def render(run: Run, look: Look, *, limit: int, verbose: bool, min_pass_rate: float | None) -> None:
    """Write the page."""
    look.print(*header(run, look))
    look.print(*tables(run, look))
    room = (LINES_VERBOSE if verbose else LINES) * look.width
    findings = Findings(limit=max(0, limit), room=room, repeats=run.header.selection.repeat > 1, everything=verbose)
    findings.gather(run.results)
    look.print(*failures(findings, look, verbose=verbose, run_id=_text.line(run.id, 80)))
    look.print(*_skipped(findings, look))
    look.print(*_simulated(findings, look))
    if run.summary.stability is not None:
        look.print(*_repeats(run.summary.stability, look))
    look.print(*_closing(run, findings, look, min_pass_rate))


def _skipped(findings: Findings, look: Look) -> Iterable[RenderableType]:
    """Each reason once, with the way out it gives, however many checks it holds for."""
    if not findings.skips:
        return
    yield ""
    yield Text("Skipped", style="bold")
    grid = Table.grid(Column(justify="right", no_wrap=True), Column(overflow="fold"), padding=(0, 1))
    reasons = sorted(findings.skips.items(), key=lambda item: -sum(item[1].values()))
    for reason, names in reasons[:SKIPS]:
        told = Text(", ".join(_text.line(name, 40) for name in names)).append("  " + reason, style="dim")
        grid.add_row(Text(f"{sum(names.values()):,}"), told)
    rest = findings.other_skips + sum(sum(names.values()) for _, names in reasons[SKIPS:])
    if rest:
        grid.add_row(Text(f"{rest:,}"), Text("for other reasons", style="dim"))
    yield Padding(grid, (0, 0, 0, 1))


def _simulated(findings: Findings, look: Look) -> Iterable[RenderableType]:
    """Why simulated conversations ended; which is no verdict."""
    if not findings.stops:
        return
    yield ""
    yield Text.assemble(("Simulated", "bold"), (f"  {number(sum(findings.stops.values()), 'conversation')}", "dim"))
    grid = Table.grid(Column(justify="right", no_wrap=True), Column(overflow="fold"), padding=(0, 1))
    for stop, words in _text.ENDS.items():
        if count := findings.stops.get(stop, 0):
            grid.add_row(Text(f"{count:,}"), Text(words, style="dim"))
    yield Padding(grid, (0, 0, 0, 1))


def _repeats(stability: Stability, look: Look) -> Iterable[RenderableType]:
    yield ""
    yield Text.assemble(("Repeats", "bold"), (f"  each case {stability.repeat} times", "dim"))
    grid = Table.grid(Column(no_wrap=True), Column(overflow="fold"), padding=(0, 1))
    if stability.mean is not None and stability.ci95 is not None:
        low, high = (f"{100 * bound:.1f}" for bound in stability.ci95)
        interval = look.glyphs(f"  95 % interval {low} – {high} %")
        grid.add_row(Text("pass rate", style="dim"), Text(f"{100 * stability.mean:.1f} %").append(interval, style="dim"))
    for name, share, meaning in (
        (f"pass@{stability.repeat}", stability.pass_at_k, "of cases passed at least once"),
        (f"pass^{stability.repeat}", stability.pass_pow_k, "of cases passed every time"),
    ):
        if share is not None:
            grid.add_row(Text(name, style="dim"), Text(f"{100 * share:.1f} %").append("  " + meaning, style="dim"))
    if stability.unstable:
        named = [_text.line(f"{suite}/{case}", 60) for suite, case in stability.unstable[:UNSTABLE]]
        rest = len(stability.unstable) - len(named)
        more = f" and {rest}{'' if len(stability.unstable) < 100 else ' or'} more" if rest else ""
        grid.add_row(Text("unstable", style="dim"), Text(", ".join(named) + more, style="yellow"))
    yield Padding(grid, (0, 0, 0, 1))


def _closing(run: Run, findings: Findings, look: Look, min_pass_rate: float | None) -> Iterable[RenderableType]:
    usage, parts = run.summary.usage, [_text.duration(run.summary.seconds)]
    parts.append(number(usage.agent_calls, "agent call"))
    if usage.judge_calls:
        parts.append(number(usage.judge_calls, "judge call"))
    if usage.simulator_calls:
        parts.append(number(usage.simulator_calls, "simulator call"))
    if usage.input_tokens or usage.output_tokens:
        parts.append(f"{usage.input_tokens:,} + {usage.output_tokens:,} tokens")
    parts += _text.cost(usage.cost_usd, unpriced=findings.unpriced)
    if findings.slowest is not None and run.summary.trials > 1:
        parts.append(f"slowest answer {_text.duration(findings.slowest[0])} ({findings.slowest[1]})")
    yield ""
    yield Text(look.glyphs(" · ".join(parts)), style="dim")
    if run.state != "complete":
        yield Text(f"finish it with: viva resume {_text.line(run.id, 80)}", style="dim")
    verdict = outcome(run, min_pass_rate=min_pass_rate)
    glyph, style = ("✓", "bold green") if verdict.ok else ("✗", "bold red")
    yield Text(f"{look.glyphs(glyph)} {verdict.sentence}", style=style)
