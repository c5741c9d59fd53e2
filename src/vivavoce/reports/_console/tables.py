"""The numbers of a run: who was examined, and tables of suites, categories and checks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from vivavoce.analysis.gate import percent
from vivavoce.core.model import Use
from vivavoce.core.result import EvaluatorSummary, GroupSummary, Run
from vivavoce.reports import _text
from vivavoce.reports._console.look import Look

STYLES = (("pass", "green"), ("fail", "red"), ("skip", "bright_black"), ("error", "yellow"))
ROWS = 30
"""Of one table; the rest is counted."""
_SECRET = re.compile(r"key|token|secret|password|credential|auth", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One line of a table."""

    name: str
    total: int
    counts: tuple[int, int, int, int]
    """Of pass, fail, skip, error."""
    rate: float | None
    mean: float | None = None
    interval: tuple[float, float] | None = None


def header(run: Run, look: Look) -> Iterable[RenderableType]:
    """What was examined, by whom, on which files."""
    selection = run.header.selection
    title = Text.assemble(("viva", "bold"), " ", (look.fit(_text.line(run.id, 80), look.width - 6), "bold cyan"))
    grid = Table.grid(Column(no_wrap=True), Column(overflow="fold"), padding=(0, 2, 0, 0))
    grid.add_row(Text("target", style="dim"), _use(selection.target, look))
    grid.add_row(Text("judge", style="dim"), _use(selection.judge, look))
    paths = [_text.line(file.path, 200) for file in run.header.files]
    shown = ", ".join(paths[:6]) + (f" and {len(paths) - 6} more" if len(paths) > 6 else "")
    grid.add_row(Text("files", style="dim"), Text(look.glyphs(shown or "none")))
    started = _text.line(run.started, 40).replace("T", " ").replace("Z", " UTC")
    repeats = look.glyphs(f" · each case {selection.repeat} times") if selection.repeat > 1 else ""
    grid.add_row(Text("started", style="dim"), Text(started + repeats))
    return (title, grid)


def tables(run: Run, look: Look) -> Iterable[RenderableType]:
    """By suite, category and check; all aligned with one another."""
    summary = run.summary
    groups = [
        ("suite", "cases", [_group(name, each) for name, each in summary.suites.items()]),
        ("category", "cases", [_group(name, each) for name, each in summary.categories.items()]),
        ("check", "scores", [_check(name, each) for name, each in summary.evaluators.items()]),
    ]
    groups = [group for group in groups if group[2]]
    names = max((len(look.fit(row.name, 32)) for _, _, rows in groups for row in rows[:ROWS]), default=8)
    layout = _Layout.of_room(look, max(8, names), groups)
    for heading, of, rows in groups:
        yield ""
        yield layout.table(heading, of, rows[:ROWS])
        if len(rows) > ROWS:
            yield Text(look.glyphs(f" … and {len(rows) - ROWS:,} more"), style="dim")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Layout:
    """Which columns fit, and how wide those are that all tables share."""

    look: Look
    name: int
    count: int
    bar: int
    of: bool
    rate: int
    statistics: bool

    @classmethod
    def of_room(cls, look: Look, name: int, groups: list[tuple[str, str, list[Row]]]) -> _Layout:
        most = max((row.total for _, _, rows in groups for row in rows), default=0)
        count = max(6, len(f"{most:,}"))
        rate = 8 + len(f" of {most:,}")
        """What the room allows."""
        # Each column has two spaces after it; what there is no room for goes in the order: bar, statistics, sample size.
        left = look.width - 1 - 5 * (count + 2) - (rate + 2)
        statistics = left - 24 >= min(name, 20) + 2
        left -= 24 if statistics else 0
        bar = min(20, left - name - 4)
        bar = bar if bar >= 8 else 0
        left -= bar + 2 if bar else 0
        of = left >= 12
        if not of:
            left += rate - 8
            rate = 8
        return cls(look=look, name=max(6, min(name, left - 2)), count=count, bar=bar, of=of, rate=rate, statistics=statistics)

    def table(self, heading: str, of: str, rows: list[Row]) -> Padding:
        """A table of rows."""
        columns = [Column(Text(heading), width=self.name, no_wrap=True)]
        columns += [
            Column(Text(each), width=self.count, justify="right", no_wrap=True)
            for each in (of, "pass", "fail", "skip", "error")
        ]
        if self.bar:
            columns.append(Column("", width=self.bar, no_wrap=True))
        columns.append(Column(Text("passed"), width=self.rate, no_wrap=True))
        with_statistics = self.statistics and any(row.mean is not None for row in rows)
        if with_statistics:
            columns.append(Column(Text("mean"), width=6, justify="right", no_wrap=True))
            columns.append(Column(Text("95 % interval"), width=13, no_wrap=True))
        table = Table(*columns, box=self.look.box, show_edge=False, pad_edge=False, header_style="dim", padding=(0, 1))
        table.border_style = "dim"
        for row in rows:
            table.add_row(*self._cells(row, with_statistics))
        return Padding(table, (0, 0, 0, 1))

    def _cells(self, row: Row, with_statistics: bool) -> list[Text]:
        cells = [Text(self.look.fit(row.name, self.name)), Text(f"{row.total:,}")]
        cells += [
            Text(f"{count:,}", style=style if count else "bright_black")
            for count, (_, style) in zip(row.counts, STYLES, strict=True)
        ]
        if self.bar:
            cells.append(self._bar(row))
        cells.append(self._rate(row))
        if with_statistics:
            cells.append(Text("" if row.mean is None else _short(row.mean)))
            low_high = "" if row.interval is None else self.look.glyphs(" – ").join(_short(each) for each in row.interval)
            cells.append(Text(low_high, style="dim"))
        return cells

    def _rate(self, row: Row) -> Text:
        passed, failed = row.counts[:2]
        if not passed + failed:
            return Text(self.look.glyphs("–"), style="bright_black")
        shown = Text(percent(passed, passed + failed).rjust(7))
        return shown.append(f" of {passed + failed:,}", style="dim") if self.of else shown

    def _bar(self, row: Row) -> Text:
        bar = Text()
        glyphs = self.look.glyphs("█▓░▒")
        for cells, glyph, (_, style) in zip(portions(row.counts, self.bar), glyphs, STYLES, strict=True):
            bar.append(glyph * cells, style=style)
        return bar


def portions(counts: tuple[int, ...], cells: int) -> list[int]:
    """So many cells shared out by counts; what there is any of gets at least one."""
    total = sum(counts)
    if not total:
        return [0] * len(counts)
    shares = [max(1, round(cells * count / total)) if count else 0 for count in counts]
    while sum(shares) > cells:
        shares[shares.index(max(shares))] -= 1
    while sum(shares) < cells:
        shares[shares.index(max(shares))] += 1
    return shares


def _group(name: str, group: GroupSummary) -> Row:
    counts = (group.passed, group.failed, group.skipped, group.errored)
    return Row(name=_text.line(name, 60), total=group.cases, counts=counts, rate=group.pass_rate)


def _check(name: str, each: EvaluatorSummary) -> Row:
    counts = (each.passed, each.failed, each.skipped, each.errored)
    return Row(
        name=_text.line(name, 60),
        total=sum(counts),
        counts=counts,
        rate=each.pass_rate,
        mean=each.mean,
        interval=each.ci95,
    )


def _use(use: Use | None, look: Look) -> Text:
    if use is None:
        return Text("none", style="dim")
    shown = Text(_text.line(use.name, 60))
    options = ", ".join(f"{name}={_option(name, value)}" for name, value in sorted(use.options.items()) if _plain(value))
    return shown.append("  " + look.glyphs(_text.line(options, 200)), style="dim") if options else shown


def _option(name: str, value: object) -> str:
    return "(hidden)" if _SECRET.search(name) else str(value)


def _plain(value: object) -> bool:
    """Whether an option is one word, not a table of headers or a template."""
    return isinstance(value, str | int | float)


def _short(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.4g}"
