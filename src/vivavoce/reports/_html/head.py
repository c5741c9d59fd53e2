"""The top of the page: who was examined, the verdict, what failed first, and what to know before believing a number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vivavoce.analysis.gate import number, outcome, percent
from vivavoce.core.model import Use
from vivavoce.core.reply import JSON
from vivavoce.core.result import Run, Status
from vivavoce.core.secrets import HIDDEN, is_secret, redact
from vivavoce.reports import _text
from vivavoce.reports._html.blocks import URGENT, folded, mark
from vivavoce.reports._html.charts import bar
from vivavoce.reports._html.markup import Child, Markup, join, tag
from vivavoce.reports._html.overview import Overview

FILES = 6
"""Dataset files that are named at once; the rest is folded."""
CAUSES = 6
"""Different errors at the top."""
_HEURISTIC = (
    "the judge local asks no large model. It is good for a first look and for noticing what is plainly broken, not for deciding"
    " on small differences."
)


def header(run: Run, overview: Overview, min_pass_rate: float | None) -> Markup:
    """Title, verdict, and the counts."""
    verdict = outcome(run, min_pass_rate=min_pass_rate)
    word, _, why = verdict.sentence.partition(": ")
    sign = "✓" if verdict.ok else "✗"
    title = tag("h1", "Exam of ", tag("bdi", subject(run.header.selection.target)))
    started = _text.line(run.started, 40).replace("T", " ").replace("Z", " UTC")
    return tag(
        "header",
        tag("p", "Viva · the oral exam for AI agents", class_="brand"),
        title,
        tag("p", f"Run {_text.line(run.id, 80)}, {started}", class_="run"),
        _state(run),
        tag(
            "div",
            tag("p", tag("span", sign, aria_hidden="true"), " ", word, class_="word"),
            tag("p", why, class_="why"),
            class_=f"verdict {'pass' if verdict.ok else 'fail'}",
        ),
        _tiles(run, overview),
    )


def subject(target: Use | None) -> str:
    """What was examined, as briefly as it can be named."""
    if target is None:
        return "recorded answers"
    main = next((target.options[name] for name in ("url", "spec", "argv", "model") if name in target.options), None)
    main = redact(main) if isinstance(main, str) else None
    return _text.line(str(main) if main else target.name, 120)


def findings(overview: Overview) -> Markup | None:
    """The first failures, and each error once."""
    parts: list[Child] = []
    if overview.first:
        rows = []
        for each in overview.first:
            again = f" and {number(each.again, 'more repeat')}" if each.again else ""
            rows.append(_finding("fail", each.place, each.case + again, each.why))
        rest = overview.counts["fail"] - sum(1 + each.again for each in overview.first)
        parts += [tag("ol", *rows), tag("p", f"and {number(rest, 'more failed case')} below", class_="cut") if rest else None]
    causes = sorted(overview.causes.values(), key=lambda cause: -cause.count)
    if causes:
        rows = []
        for cause in causes[:CAUSES]:
            named = cause.first.case + (f" and {number(cause.count - 1, 'more case')}" if cause.count > 1 else "")
            rows.append(_finding("error", cause.first.place, named, cause.why))
        rest = sum(cause.count for cause in causes[CAUSES:]) + overview.other_errors
        parts += [tag("ol", *rows), tag("p", f"and {number(rest, 'more error')} below", class_="cut") if rest else None]
    if not parts:
        return None
    return tag("section", tag("h2", "What went wrong first"), *parts, class_="findings")


def about(run: Run, overview: Overview) -> Markup:
    """Everything the numbers depend on."""
    facts = tag("dl", *(join(tag("dt", name), tag("dd", *value)) for name, value in _facts(run, overview)))
    return tag("section", tag("h2", "About this run"), facts, class_="about", id="about")


def judges(run: Run, overview: Overview) -> Markup:
    """Which judge spoke, and how far it is to be trusted."""
    said: list[Child] = []
    given = run.header.selection.judge
    if overview.judges:
        named = ", ".join(
            f"{_text.line(name, 80) or '(no name)'} ({number(count, 'score')})"
            for name, count in sorted(overview.judges.items(), key=lambda item: -item[1])
        )
        said.append(f"Judged by {named}; all else by rules.")
    elif given is None or given.name == "none":
        said.append("No judge: every score is by rules.")
    else:
        said.append(f"The judge {_text.line(given.name, 80)} gave no score; all are by rules.")
    if any(name.casefold().startswith("local") for name in overview.judges):
        said += [" ", tag("strong", "A heuristic:"), " ", _HEURISTIC]
    return tag("p", *said, class_="judged")


def _state(run: Run) -> Markup | None:
    if run.state == "complete" and not run.summary.not_run:
        return None
    why = {
        "running": "This run is still going on",
        "interrupted": "This run was interrupted",
        "stopped": "A limit stopped this run",
        "complete": "This run is not whole",
    }[run.state]
    missing = f": {run.summary.not_run:,} of {run.summary.trials:,} were not run" if run.summary.not_run else ""
    way = f"viva resume {_text.line(run.id, 80)}"
    told = f"{why}{missing}. What follows is what was done until then; finish it with "
    return tag("p", tag("span", "!", aria_hidden="true", class_="sign"), told, tag("code", way), class_="state")


def _tiles(run: Run, overview: Overview) -> Markup:
    summary = run.summary
    counts: dict[Status, int] = {
        "pass": summary.passed,
        "fail": summary.failed,
        "error": summary.errored,
        "skip": summary.skipped,
    }
    tiles = [
        tag(
            "li",
            tag("b", f"{counts[status]:,}", data_filter=f"status={status}" if overview.counts[status] else None),
            " ",
            mark(status, word),
            class_=f"tile {status}" if counts[status] else "tile none",
        )
        for status, word in URGENT
    ]
    rate = "No pass rate: nothing passed or failed."
    if summary.scored:
        of = "trials" if summary.stability is not None else "cases"
        share = percent(summary.passed, summary.scored)
        rate = f"Pass rate {share}, over the {summary.scored:,} {of} that passed or failed."
    return join(tag("ul", *tiles, class_="tiles"), bar(counts, "bar main"), tag("p", rate, class_="rate"))


def _finding(status: Status, place: str, case: str, why: str) -> Markup:
    return tag("li", mark(status), " ", tag("a", case, href=f"#{place}"), " ", tag("span", why, class_="why", dir="auto"))


def _facts(run: Run, overview: Overview) -> Iterator[tuple[str, Iterable[Child]]]:
    selection, usage = run.header.selection, run.summary.usage
    yield "Target", _use(selection.target)
    yield "Judge", _use(selection.judge)
    if selection.simulator is not None:
        yield "Simulator", _use(selection.simulator)
    files = [f"{_text.line(each.path, 300)} ({each.sha256[:12]})" for each in run.header.files]
    rows = [tag("li", tag("span", each, class_="mono")) for each in files]
    more = folded(f"and {len(rows) - FILES:,} more", tag("ul", *rows[FILES:])) if len(rows) > FILES else None
    yield "Files", (tag("ul", *rows[:FILES]) if rows else "none", more)
    yield "Size", (number(run.summary.cases, "case"), f", each {selection.repeat} times" if selection.repeat > 1 else None)
    chosen = [*selection.only, *(f"--case {each}" for each in selection.cases)]
    chosen += [f"--category {each}" for each in selection.categories]
    chosen += [f"--limit {selection.limit}"] if selection.limit is not None else []
    if chosen:
        yield "Only", (_text.line(", ".join(chosen), 500),)
    took = [_text.duration(run.summary.seconds), number(usage.agent_calls, "agent call")]
    took += [number(usage.judge_calls, "judge call")] if usage.judge_calls else []
    took += [number(usage.simulator_calls, "simulator call")] if usage.simulator_calls else []
    took += [f"{usage.input_tokens:,} + {usage.output_tokens:,} tokens"] if usage.input_tokens or usage.output_tokens else []
    took += _text.cost(usage.cost_usd, unpriced=overview.unpriced)
    yield "Took", (" · ".join(took),)
    if overview.slowest is not None:
        yield "Slowest answer", (f"{_text.duration(overview.slowest[0])} ({_text.line(overview.slowest[1], 80)})",)
    yield "Finished", (_text.line(run.finished or "not yet", 40).replace("T", " ").replace("Z", " UTC"), f", {run.state}")
    yield "Seed", (str(selection.seed),)
    yield "Plan", (tag("span", _text.line(run.header.digest, 80), class_="mono"),)
    yield "Viva", (_text.line(run.header.version, 40),)


def _use(use: Use | None) -> Iterator[Child]:
    if use is None:
        yield "none"
        return
    yield _text.line(use.name, 80)
    for name, value in sorted(use.options.items()):
        if isinstance(value, str | int | float):
            yield tag("span", f"{_text.line(name, 60)} = {_option(name, value)}", class_="option")


def _option(name: str, value: JSON) -> str:
    return HIDDEN if is_secret(name) else _text.line(str(redact(value)), 300)
