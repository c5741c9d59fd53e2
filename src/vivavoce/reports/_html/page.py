"""The page as a whole, written piece by piece: what is known of all results first, then each result as it is read."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from typing import IO

from vivavoce.analysis.gate import number, outcome
from vivavoce.core.result import Result, Run, Status
from vivavoce.reports import _text
from vivavoce.reports._html import head, tables
from vivavoce.reports._html.blocks import ORDER, URGENT, View, mark
from vivavoce.reports._html.case import article
from vivavoce.reports._html.charts import patterns
from vivavoce.reports._html.markup import Child, Markup, join, tag
from vivavoce.reports._html.overview import Overview

_GROUPS: tuple[tuple[str, tuple[Status, ...]], ...] = (
    ("Failed", ("fail",)),
    ("Errors", ("error",)),
    ("Passed and skipped", ("pass", "skip")),
)
_NOTHING = "No case was run."


def render(run: Run, out: IO[str], *, passes: int, longest: int, min_pass_rate: float | None) -> None:
    """Write the page: once through the results to know them, then once for each group of cases."""
    overview = Overview(kept=passes, longest=longest)
    overview.gather(run.results)
    view = View(limit=overview.limit, repeat=run.header.selection.repeat)
    out.write('<!doctype html>\n<html lang="en">\n')
    out.write(_head(run, min_pass_rate))
    out.write("<body>\n")
    for part in _top(run, overview, min_pass_rate):
        out.write(part + "\n" if part else "")
    out.write('<section class="cases" id="cases">\n')
    out.write(
        join(tag("h2", "Every case"), _filters(overview, "trials" if view.repeat > 1 else "cases"), _left_out(overview)) + "\n"
    )
    if not sum(overview.counts.values()):
        out.write(tag("p", _NOTHING, class_="nothing") + "\n")
    for title, statuses in _GROUPS:
        _group(out, run, overview, view, title, statuses)
    out.write(tag("p", "No case is like that.", class_="nothing", id="none", hidden=True) + "\n</section>\n</main>\n")
    out.write(_foot(run, overview, view) + "\n")
    # A script that stands alone in its element, and whose hash the head has named: no other script runs in this page.
    out.write(f"<script>{asset('page.js')}</script>\n</body>\n</html>\n")


@cache
def asset(name: str) -> str:
    """A file that goes into every page as it is."""
    return files("vivavoce.reports").joinpath("_html", "assets", name).read_text(encoding="utf-8")


def policy() -> str:
    """What the page may do: nothing but its own script and its own style."""
    script, style = (_hash(asset(name)) for name in ("page.js", "page.css"))
    return (
        f"default-src 'none'; script-src '{script}'; style-src '{style}'; img-src 'none'; base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    return "sha256-" + b64encode(sha256(content.encode()).digest()).decode()


def _head(run: Run, min_pass_rate: float | None) -> str:
    word = outcome(run, min_pass_rate=min_pass_rate).sentence.partition(":")[0].capitalize()
    title = f"{word}: exam of {head.subject(run.header.selection.target)}, {_text.line(run.id, 80)}"
    metas = join(
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy()),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="robots", content="noindex"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content=f"Viva {_text.line(run.header.version, 40)}"),
    )
    return f"<head>\n{metas}\n{tag('title', title)}\n<style>{asset('page.css')}</style>\n</head>\n"


def _top(run: Run, overview: Overview, min_pass_rate: float | None) -> Iterator[Markup | str | None]:
    yield tag("a", "Go to the cases", href="#cases", class_="skip-link")
    yield patterns()
    yield head.header(run, overview, min_pass_rate)
    yield "<main>"
    yield head.judges(run, overview)
    yield head.findings(overview)
    yield tables.numbers(run)
    yield tables.spreads(run, overview)
    yield tables.skipped(overview)
    yield tables.stability(run.summary.stability)


def _group(out: IO[str], run: Run, overview: Overview, view: View, title: str, statuses: tuple[Status, ...]) -> None:
    count = sum(overview.counts[status] for status in statuses)
    if not count:
        return
    shown = count - sum(overview.left_out.get(status, 0) for status in statuses)
    of = f"{shown:,} of {count:,}" if shown < count else f"{count:,}"
    out.write('<section class="group">\n')
    out.write(tag("h3", title, " ", tag("span", of, class_="count")) + "\n")
    for result in islice(_chosen(run, statuses), shown):
        out.write(article(view, overview, result) + "\n")
    out.write("</section>\n")


def _chosen(run: Run, statuses: tuple[Status, ...]) -> Iterator[Result]:
    for result in run.results:
        if result.status in statuses:
            yield result


def _filters(overview: Overview, noun: str) -> Markup:
    """The filters, which only a script can work, and so are hidden until there is one."""
    boxes = [
        tag(
            "label",
            tag("input", type="checkbox", name="status", value=status),
            mark(status, word),
            tag("span", "", class_="count", data_count=status),
        )
        for status, word in URGENT
        if overview.counts[status]
    ]
    choices = [
        _choice("suite", "Suite", list(overview.suites), False),
        _choice("category", "Category", list(overview.categories), overview.uncategorised),
        _choice("check", "Check", list(overview.checks), False),
    ]
    search = tag("label", tag("span", "Search"), tag("input", type="search", name="q", autocomplete="off", spellcheck="false"))
    buttons = [tag("button", word, type="button", data_do=do) for word, do in _BUTTONS]
    return tag(
        "form",
        tag("fieldset", tag("legend", "Status", data_legend=True), *boxes, class_="statuses"),
        tag("div", *choices, search, class_="choices"),
        tag("p", tag("output", "", aria_live="polite"), *buttons, class_="tally"),
        id="filters",
        hidden=True,
        data_noun=noun,
        aria_label="Filter the cases",
    )


_BUTTONS = (("Open all", "open"), ("Close all", "close"), ("Show all cases", "reset"))


def _choice(name: str, title: str, names: list[str], nameless: bool) -> Markup | None:
    if len(names) + nameless < 2:
        return None
    options: list[Child] = [tag("option", "any", value="")]
    options += [tag("option", _text.line(each, tables.NAME), value=at) for at, each in enumerate(names)]
    options += [tag("option", "(none)", value="none")] if nameless else []
    return tag("label", tag("span", title), tag("select", *options, name=name))


def _left_out(overview: Overview) -> Markup | None:
    """What is not in the page, where a reader would miss it."""
    missing = [(overview.left_out[status], word) for status, word in ORDER if status in overview.left_out]
    told = " and ".join(f"{count:,} {word}" for count, word in missing if count)
    if not told:
        return None
    total = sum(count for count, _ in missing)
    verb = "case is" if total == 1 else "cases are"
    return tag("p", f"{told} {verb} not shown, so that the page stays quick; the run document has all.", class_="left-out")


def _foot(run: Run, overview: Overview, view: View) -> Markup:
    """What the numbers depend on, and everything that the page leaves out."""
    left: list[Child] = []
    missing = sum(overview.left_out.values())
    if missing:
        left.append(f"{number(missing, 'passed or skipped case')}, of those beyond the first {overview.kept:,}")
    if view.cut:
        ends = f"the {'end' if view.cut == 1 else 'ends'} of {number(view.cut, 'text')}"
        left.append(f"{ends} longer than {view.limit:,} characters")
    if view.items:
        left.append(f"{number(view.items, 'member')} of long lists")
    told: Child = "Nothing: every case is here, and every text in full."
    if left:
        told = join("Left out are ", "; ".join(str(each) for each in left), ". Each place says so. The run document has all: ")
        told = join(told, tag("code", f"viva show {_text.line(run.id, 80)} --output run.json"))
    return tag(
        "footer",
        head.about(run, overview),
        tag("section", tag("h2", "What this page leaves out"), tag("p", told), id="left-out"),
        tag("p", "Characters that would act or hide are shown by name, such as <U+202E>.", class_="by"),
    )
