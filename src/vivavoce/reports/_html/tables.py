"""The numbers: by suite, category and check, how values are spread, what was skipped, and how far repeats agree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from vivavoce.analysis.gate import number, percent
from vivavoce.analysis.stats import wilson
from vivavoce.analysis.summary import categories
from vivavoce.core.result import EvaluatorSummary, GroupSummary, Run, Stability, Status
from vivavoce.reports import _text
from vivavoce.reports._html.blocks import ORDER, figure, mark
from vivavoce.reports._html.charts import bar, histogram, legend
from vivavoce.reports._html.markup import Child, Markup, join, tag
from vivavoce.reports._html.overview import Overview
from vivavoce.reports._html.spread import drawn

ROWS = 60
"""Of one table; the rest is counted."""
PICTURES = 24
"""Checks whose spread is drawn."""
NAME = 80
"""Characters of a name, here and in the filters."""

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One line of a table."""

    name: str
    total: int
    counts: Mapping[Status, int]
    interval: str


def numbers(run: Run) -> Markup | None:
    """The tables."""
    summary, repeats = run.summary, run.header.selection.repeat > 1
    of = "trials" if repeats else "cases"
    groups = (
        ("suite", "By suite", of, [_group(name, each, repeats) for name, each in summary.suites.items()]),
        ("category", "By category", of, [_group(name, each, repeats) for name, each in categories(summary).items()]),
        ("check", "By check", "scores", [_check(name, each) for name, each in summary.evaluators.items()]),
    )
    made = [_table(kind, title, of, rows) for kind, title, of, rows in groups if rows]
    return tag("section", tag("h2", "In numbers"), *made, class_="numbers") if made else None


def spreads(run: Run, overview: Overview) -> Markup | None:
    """A picture for each check that gives more than 0 or 1."""
    shown = drawn(sorted(overview.spreads.items()))
    if not shown:
        return None
    figures = []
    for name, spread in shown[:PICTURES]:
        told, summary = _text.line(name, NAME), run.summary.evaluators.get(name)
        note = "" if summary is None or summary.mean is None else f"mean {figure(summary.mean)} of {_scored(summary):,}"
        caption = tag("figcaption", tag("b", told), " ", tag("span", note, class_="by"))
        figures.append(tag("figure", caption, histogram(told, spread)))
    rest = len(shown) - PICTURES
    return tag(
        "section",
        tag("h2", "How scores are spread"),
        tag("div", *figures, class_="figures"),
        legend(),
        tag("p", f"and {number(rest, 'more check')}", class_="cut") if rest > 0 else None,
        class_="spreads",
    )


def skipped(overview: Overview) -> Markup | None:
    """Each reason for skipping once, with the way out it gives."""
    if not overview.skips:
        return None
    rows: list[Child] = []
    for reason, names in sorted(overview.skips.items(), key=lambda item: -sum(item[1].values())):
        told = ", ".join(_text.line(name, NAME) for name in list(names)[:10])
        count = tag("b", number(sum(names.values()), "check"))
        rows.append(tag("li", mark("skip"), " ", count, f" ({told}): ", tag("span", reason or "no reason given", dir="auto")))
    if overview.other_skips:
        rows.append(tag("li", mark("skip"), " ", tag("b", number(overview.other_skips, "check")), " for other reasons"))
    return tag("section", tag("h2", "What was not examined"), tag("ul", *rows), class_="skips")


def stability(given: Stability | None) -> Markup | None:
    """How far repeats of a case agree."""
    if given is None:
        return None
    facts: list[tuple[str, str]] = []
    if given.mean is not None and given.ci95 is not None:
        facts.append(("Pass rate", f"{100 * given.mean:.1f} %, 95 % interval {_between(given.ci95, 100)} %"))
    for name, share, meaning in (
        (f"pass@{given.repeat}", given.pass_at_k, "of cases passed at least once"),
        (f"pass^{given.repeat}", given.pass_pow_k, "of cases passed every time"),
    ):
        if share is not None:
            facts.append((name, f"{100 * share:.1f} % {meaning}"))
    unstable = [_text.line(f"{suite} / {case}", 120) for suite, case in given.unstable]
    return tag(
        "section",
        tag("h2", "Repeats"),
        tag("p", f"Each case was asked {given.repeat} times."),
        tag("dl", *(join(tag("dt", name), tag("dd", value)) for name, value in facts)),
        tag("p", "Unstable, which means that they both passed and failed:") if unstable else None,
        tag("ul", *(tag("li", each, class_="mono") for each in unstable)) if unstable else None,
        class_="repeats",
    )


def _table(kind: str, title: str, of: str, rows: list[Row]) -> Markup:
    heads = [tag("th", kind.capitalize(), scope="col"), tag("th", of, scope="col", class_="number total")]
    for status, word in ORDER:
        heads.append(tag("th", mark(status, word), scope="col", class_="number"))
    heads.append(tag("th", "pass rate", scope="col", class_="number"))
    interval = "mean, 95 % interval" if kind == "check" else "95 % interval"
    seen = None if any(row.interval for row in rows) else "unseen"
    heads.append(tag("th", tag("span", interval, class_=seen), scope="col", class_="number interval"))
    heads.append(tag("th", tag("span", "shares", class_="unseen"), scope="col", class_="picture"))
    body = tag("tbody", *(_row(kind, row) for row in rows[:ROWS]))
    rest = tag("p", f"and {len(rows) - ROWS:,} more", class_="cut") if len(rows) > ROWS else None
    return join(tag("table", tag("caption", title), tag("thead", tag("tr", *heads)), body, class_="counts"), rest)


def _row(kind: str, row: Row) -> Markup:
    passed, failed = row.counts["pass"], row.counts["fail"]
    cells: list[Child] = [tag("th", _breakable(row.name), scope="row"), tag("td", f"{row.total:,}", class_="number total")]
    for status, _ in ORDER:
        count = row.counts[status]
        link = f"status={status}&{kind}={quote(row.name)}" if count else None
        class_ = f"number {status}" if count else "number zero"
        cells.append(tag("td", tag("span", f"{count:,}", data_filter=link), class_=class_))
    rate = percent(passed, passed + failed) if passed + failed else "–"
    over = tag("span", f" of {passed + failed:,}", class_="by") if passed + failed else None
    cells.append(tag("td", rate, over, class_="number rate"))
    cells.append(tag("td", row.interval, class_="number interval"))
    cells.append(tag("td", bar(row.counts), class_="picture"))
    return tag("tr", *cells)


def _breakable(name: str) -> Markup:
    """A name that may be broken between its words, `ExactMatch` too."""
    words = _WORDS.split(name)
    return tag("bdi", words[0], *(join(tag("wbr"), word) for word in words[1:]))


def _group(name: str, each: GroupSummary, repeats: bool) -> Row:
    counts = _counts(each)
    # Trials of one case are no sample of their own, and a group does not know which belong together.
    known = not repeats and each.passed + each.failed > 0
    interval = f"{_between(wilson(each.passed, each.passed + each.failed), 100)} %" if known else ""
    total = sum(counts.values()) if repeats else each.cases
    return Row(name=_text.line(name, NAME), total=total, counts=counts, interval=interval)


def _check(name: str, each: EvaluatorSummary) -> Row:
    counts, parts = _counts(each), []
    if each.mean is not None:
        parts.append(figure(each.mean))
    if each.ci95 is not None:
        parts.append(_between(each.ci95, 1))
    return Row(name=_text.line(name, NAME), total=sum(counts.values()), counts=counts, interval=", ".join(parts))


def _counts(each: GroupSummary | EvaluatorSummary) -> dict[Status, int]:
    return {"pass": each.passed, "fail": each.failed, "error": each.errored, "skip": each.skipped}


def _between(bounds: Iterable[float], scale: float) -> str:
    return " – ".join(f"{scale * bound:.1f}" if scale == 100 else figure(bound) for bound in bounds)


def _scored(each: EvaluatorSummary) -> int:
    return each.passed + each.failed
