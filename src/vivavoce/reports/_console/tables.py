"""The numbers of a run: who was examined, and tables of suites, categories and checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from vivavoce.analysis.gate import percent
from vivavoce.analysis.summary import categories
from vivavoce.core.model import Use
from vivavoce.core.result import EvaluatorSummary, GroupSummary, Run
from vivavoce.core.secrets import is_secret
from vivavoce.reports import _text
from vivavoce.reports._console.look import Look

STYLES = (("pass", "green"), ("fail", "red"), ("skip", "bright_black"), ("error", "yellow"))
STATISTICS = 18
"""Columns that mean and interval take."""
RATE = 7
"""Columns that a percentage takes."""
ROWS = 30
"""Of one table; the rest is counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One line of a table."""

    name: str
    total: int
    counts: tuple[int, int, int, int]
    """Of pass, fail, skip, error."""
    mean: float | None = None
    interval: tuple[float, float] | None = None


def header(run: Run, look: Look) -> Iterable[RenderableType]:
    """What was examined, by whom, on which files."""
    selection = run.header.selection
    title = Text.assemble(("viva", "bold"), " ", (look.fit(_text.line(run.id, 80), look.width - 6), "bold cyan"))
    grid = Table.grid(Column(no_wrap=True), Column(overflow="fold"), padding=(0, 2, 0, 0))
    grid.add_row(Text("target", style="dim"), _use(selection.target, look))
    grid.add_row(Text("judge", style="dim"), _use(selection.judge, look))
    if selection.simulator is not None:
        grid.add_row(Text("users", style="dim"), _use(selection.simulator, look))
    paths = [_text.line(file.path, 200) for file in run.header.files]
    shown = ", ".join(paths[:6]) + (f" and {len(paths) - 6} more" if len(paths) > 6 else "")
    grid.add_row(Text("files", style="dim"), Text(look.glyphs(shown or "none")))
    started = _text.line(run.started, 40).replace("T", " ").replace("Z", " UTC")
    repeats = look.glyphs(f" · each case {selection.repeat} times") if selection.repeat > 1 else ""
    grid.add_row(Text("started", style="dim"), Text(started + repeats))
    return (title, grid)


def tables(run: Run, look: Look) -> Iterable[RenderableType]:
    """By suite, category and check; all aligned with one another."""
    summary, repeats = run.summary, run.header.selection.repeat > 1
    of = "trials" if repeats else "cases"
    groups = [
        ("suite", of, [_group(name, each, repeats) for name, each in summary.suites.items()]),
        ("category", of, [_group(name, each, repeats) for name, each in categories(summary).items()]),
        ("check", "scores", [_check(name, each) for name, each in summary.evaluators.items()]),
    ]
    shown = [row for _, _, rows in groups for row in rows[:ROWS]]
    if not shown:
        return
    layout = _Layout.of(look, max(8, *(cell_len(look.fit(row.name, 32)) for row in shown)), shown)
    for heading, of, rows in groups:
        if rows:
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
    kinds: tuple[int, ...]
    """Which of pass, fail, skip and error have a column."""
    rate: int
    """Columns for rates; with more than `RATE`, each says over how many it is."""
    rest: int
    """Columns for a bar, or for mean and interval; 0 when there is no room."""

    @classmethod
    def of(cls, look: Look, name: int, rows: list[Row]) -> _Layout:
        """What the room allows; each column has two spaces after it."""
        count = max(5, max(len(f"{row.total:,}") for row in rows))
        sized = RATE + len(f" of {max(row.total for row in rows):,}")
        every = (0, 1, 2, 3)
        told = tuple(kind for kind in every if kind < 2 or any(row.counts[kind] for row in rows))
        # Where it is narrow there goes, for mean and interval, what says least: skips and errors that there are none of, then
        # over how many each rate is, which is the sum of two columns beside it. Where even that is too narrow, they go.
        for kinds, rate in ((every, sized), (told, sized), (told, RATE)):
            left = look.width - 1 - (count + 3) - len(kinds) * (count + 2) - rate - 2
            if left >= min(name, 24) + 2 + STATISTICS:
                name = min(name, left - 2 - STATISTICS)
                return cls(look=look, name=name, count=count, kinds=kinds, rate=rate, rest=min(26, left - name - 2))
        left = look.width - 1 - (count + 3) - len(told) * (count + 2) - 2
        rate = sized if left - sized >= 12 else RATE
        return cls(look=look, name=max(6, min(name, left - rate)), count=count, kinds=told, rate=rate, rest=0)

    def table(self, heading: str, of: str, rows: list[Row]) -> Padding:
        """A table of rows; with a bar for each, or for checks with mean and interval."""
        checks = any(row.mean is not None for row in rows)
        columns = [Column(Text(heading), width=self.name, no_wrap=True)]
        columns.append(Column(Text(of), width=self.count + 1, justify="right", no_wrap=True))
        for kind in self.kinds:
            columns.append(Column(Text(STYLES[kind][0]), width=self.count, justify="right", no_wrap=True))
        columns.append(Column(Text(" passed"), width=self.rate, no_wrap=True))
        if self.rest and checks:
            columns.append(Column(Text("mean"), width=5, justify="right", no_wrap=True))
            columns.append(Column(Text("95 % CI"), width=self.rest - 7, no_wrap=True))
        elif self.rest:
            columns.append(Column("", width=self.rest, no_wrap=True))
        table = Table(*columns, box=self.look.box, show_edge=False, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
        table.border_style = "dim"
        for row in rows:
            table.add_row(*self._cells(row, checks))
        return Padding(table, (0, 0, 0, 1))

    def _cells(self, row: Row, checks: bool) -> list[Text]:
        cells = [Text(self.look.fit(row.name, self.name)), Text(f"{row.total:,}")]
        for kind in self.kinds:
            count = row.counts[kind]
            cells.append(Text(f"{count:,}", style=STYLES[kind][1] if count else "bright_black"))
        cells.append(self._rate(row))
        if self.rest and checks:
            cells.append(Text("" if row.mean is None else _short(row.mean)))
            interval = "" if row.interval is None else self.look.glyphs(" – ").join(_short(each) for each in row.interval)
            cells.append(Text(interval, style="dim"))
        elif self.rest:
            cells.append(self._bar(row))
        return cells

    def _rate(self, row: Row) -> Text:
        passed, failed = row.counts[:2]
        if not passed + failed:
            return Text(self.look.glyphs("–").rjust(5), style="bright_black")
        shown = Text(percent(passed, passed + failed).rjust(7))
        return shown.append(f" of {passed + failed:,}", style="dim") if self.rate > RATE else shown

    def _bar(self, row: Row) -> Text:
        bar = Text()
        # In colour one glyph is calmest; without, each status needs its own.
        glyphs = "━" * 4 if self.look.colored and not self.look.ascii else self.look.glyphs("█▓░▒")
        for cells, glyph, (_, style) in zip(portions(row.counts, self.rest), glyphs, STYLES, strict=True):
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


def _group(name: str, group: GroupSummary, repeats: bool) -> Row:
    counts = (group.passed, group.failed, group.skipped, group.errored)
    return Row(name=_text.line(name, 60), total=sum(counts) if repeats else group.cases, counts=counts)


def _check(name: str, each: EvaluatorSummary) -> Row:
    counts = (each.passed, each.failed, each.skipped, each.errored)
    return Row(
        name=_text.line(name, 60),
        total=sum(counts),
        counts=counts,
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
    return "(hidden)" if is_secret(name) else str(value)


def _plain(value: object) -> bool:
    """Whether an option is one word, not a table of headers or a template."""
    return isinstance(value, str | int | float)


def _short(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.4g}"
