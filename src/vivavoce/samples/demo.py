"""The demo: start the sample agent, examine it over HTTP, report, and say what to try next.

A second, shorter exam is of conversations with it that were recorded before; nobody is asked for that one.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import TextIO

from vivavoce.core.errors import EXIT_FAILED, EXIT_OK, UsageError
from vivavoce.core.result import Run
from vivavoce.samples import here

PAGE = "demo.html"
"""The report as a page, left beside the store."""
DEFAULT_STORE = ".viva/runs.db"
"""Where runs are kept when nobody says otherwise; commands need not name it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exams:
    """What the demo held, as the store has it."""

    live: Run
    """The agent, asked over HTTP."""
    recorded: Run
    """What it said and did before."""


def examine(*, store: str, note: Callable[[str], None]) -> Exams:
    """Examine the sample agent, and what was recorded of it, and keep both runs; `note` is told what happens.

    Raises:
        VivaError: the agent does not start, or the run cannot be kept.
    """
    from vivavoce import api

    with as_file(files("vivavoce.samples").joinpath("suites")) as folder, serving() as url:
        suites = [here.near(path) for path in sorted(folder.iterdir())]
        note(f"Examining the sample agent, the help desk of an invented shop, at {url}")
        note("No key is needed, and nothing leaves this machine.")
        live = api.evaluate(suites, target=url, store=store)
    with as_file(files("vivavoce.samples").joinpath("recordings", "conversations.jsonl")) as path:
        note("And conversations recorded with it, as rows of Microsoft Foundry, for which nobody is asked.")
        return Exams(live=live, recorded=api.evaluate(here.near(path), store=store))


def report(exams: Exams, *, store: str, out: TextIO, color: bool) -> None:
    """Show both runs, the second in short, and say what to try next."""
    from vivavoce.core import plugins
    from vivavoce.core.model import Use

    plugins.build("reports", Use(name="console", options={} if color else {"color": False})).render(exams.live, out)
    page = Path(store).parent / PAGE
    with page.open("w", encoding="utf-8") as written:
        plugins.build("reports", Use(name="html")).render(exams.live, written)
    for line in (*_in_short(exams.recorded), *_afterwards(exams, store, here.near(page))):
        print(line, file=out)


def outcome(exams: Exams) -> int:
    """The exit code: 0 when the exams could be held, whatever the agent made of them."""
    held = all(
        run.state == "complete" and not run.summary.errored and run.summary.evaluated for run in (exams.live, exams.recorded)
    )
    return EXIT_OK if held else EXIT_FAILED


@contextmanager
def serving() -> Iterator[str]:
    """The sample agent as a process of its own, on a port of this machine that was free; gives its URL.

    Raises:
        UsageError: it does not start.
    """
    # It ends when its standard input does: even a demo that is killed leaves nothing running.
    command = [sys.executable, "-m", "vivavoce.samples.serve", "--port", "0", "--print-port", "--while-stdin"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            port = process.stdout.readline().strip()
            if not port:
                raise UsageError(f"the sample agent did not start: {shlex.join(command)} ended with {process.wait()}")
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.stdin.close()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()


def _in_short(run: Run) -> Iterator[str]:
    """A run in a few lines: of each check over how many it speaks, and what failed with one reason."""
    yield ""
    yield f"Recorded conversations  {run.header.files[0].path}"
    yield ""
    width = max(map(len, run.summary.evaluators))
    for name, each in sorted(run.summary.evaluators.items()):
        scored = each.passed + each.failed
        mean = "" if each.mean is None else f", mean {each.mean:.2f}"
        skipped = f", {each.skipped} not judged" if each.skipped else ""
        yield f"  {name:{width}}  {each.passed} of {scored} passed{mean}{skipped}"
    yield ""
    for result in run.results:
        failed = [score for turn in result.turns for score in turn.scores if score.status == "fail"]
        failed += [score for score in result.scores if score.status == "fail"]
        if failed:
            yield f"  {result.case} failed {', '.join(score.name for score in failed)}"
            yield f"    {failed[-1].reason}"


def _afterwards(exams: Exams, store: str, page: str) -> tuple[str, ...]:
    """What the outcome means, and commands to go on with."""
    kept = "" if store == DEFAULT_STORE else f" --store {shlex.quote(store)}"
    viva = here.viva()
    live, recorded = (f"{viva} run {shlex.quote(run.header.files[0].path)}{kept}" for run in (exams.live, exams.recorded))
    process = shlex.quote(f"command:{here.python()} -m vivavoce.samples.stdio")
    failed = f"{exams.live.summary.failed} cases and {exams.recorded.summary.failed} recorded conversations failed"
    return (
        "",
        f"{failed}, and rightly so: like any agent, this",
        "one has weaknesses, and notes beside the cases say which. In CI, such a run would stop the change with exit code 1.",
        "",
        f"The first report as a page to pass round, which any browser opens: {shlex.quote(page)}",
        "",
        "See both here again, the first and the last, or write one where you like:",
        f"  {viva} show last~1{kept}",
        f"  {viva} show last{kept}",
        f"  {viva} show last~1{kept} --output report.html",
        "",
        "Hold the exam again, with the agent as a Python class, or as a process:",
        f"  {live} --target python:vivavoce.samples.desk:Desk",
        f"  {live} --target {process}",
        "",
        "Examine recorded conversations, without any agent; these, or your own rows of Microsoft Foundry:",
        f"  {recorded}",
        "",
        "Examine your own agent: write a first suite, then name the agent by its address, as a command or as Python code:",
        f"  {viva} init",
        f"  {viva} run evals/ --target http://localhost:8000/api/chat",
    )
