"""The demo: start the sample agents, examine them over HTTP, report, and say what to try next.

The help desk is asked what the suites of `suites` ask, the agent that counts sales what those for Saiku ask of it. A third,
shorter exam is of conversations with the help desk that were recorded before; nobody is asked for that one.
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

from vivavoce.config.serving import Serving
from vivavoce.core import folders
from vivavoce.core.errors import EXIT_FAILED, EXIT_OK, UsageError
from vivavoce.core.result import Run
from vivavoce.core.secrets import redact
from vivavoce.samples import here

PAGE = "demo.html"
"""The report as a page, left beside the store."""
DEFAULT_STORE = ".viva/runs.db"
"""Where runs are kept when nobody says otherwise; commands need not name it."""

_WITHOUT = "No key is needed, and nothing leaves this machine."


@dataclass(frozen=True, kw_only=True, slots=True)
class Exams:
    """What the demo held, as the store has it."""

    live: Run
    """The help desk, asked over HTTP."""
    sales: Run
    """The agent that counts sales, asked as Saiku is."""
    recorded: Run
    """What the help desk said and did before."""

    @property
    def all(self) -> tuple[Run, ...]:
        """Every run, in the order in which they were held."""
        return self.live, self.sales, self.recorded


def examine(*, store: str, note: Callable[[str], None], record: str | None = None, replay: str | None = None) -> Exams:
    """Examine the sample agents, and what was recorded of one, and keep all runs; `note` is told what happens.

    With `record`, every call is recorded in that cassette; with `replay`, nobody is started, and it answers.

    Raises:
        VivaError: the agents do not start, or a run cannot be kept.
    """
    from vivavoce import api
    from vivavoce.core.model import Use

    held = {"store": store, "record": record, "replay": replay}
    with as_file(files("vivavoce.samples").joinpath("suites")) as folder, _answering(replay) as url:
        suites = sorted(folder.iterdir())
        note(f"Examining the sample agent, the help desk of an invented shop, at {url}")
        note(_WITHOUT if replay is None else f"Nobody is called: every answer comes from {replay}.")
        live = api.evaluate([here.near(path) for path in suites if not _of_sales(path)], target=url, **held)
        note("Then a second one, which answers questions about the shop's sales with rows, as Saiku does.")
        # Named, lest variables say who asks a server of the person's own.
        server = Use(name="saiku", options={"url": url, "user": "admin", "password": "admin"})
        of_sales = [here.near(path) for path in suites if _of_sales(path)]
        sales = api.evaluate(of_sales, target=server, judge="none", **held)
    with as_file(files("vivavoce.samples").joinpath("recordings", "conversations.jsonl")) as path:
        note("And conversations recorded with the first, as rows of Microsoft Foundry, for which nobody is asked.")
        return Exams(live=live, sales=sales, recorded=api.evaluate(here.near(path), **held))


def report(exams: Exams, *, store: str, out: TextIO, color: bool) -> None:
    """Show all runs, those after the first in short, and say what to try next."""
    from vivavoce.core import plugins
    from vivavoce.core.model import Use

    plugins.build("reports", Use(name="console", options={} if color else {"color": False})).render(exams.live, out)
    page = Path(DEFAULT_STORE if "://" in store else store).parent / PAGE
    folders.make(page.parent)
    with page.open("w", encoding="utf-8") as written:
        plugins.build("reports", Use(name="html")).render(exams.live, written)
    shorts = (*_in_short("Questions about sales", exams.sales), *_in_short("Recorded conversations", exams.recorded))
    for line in (*shorts, *_afterwards(exams, store, here.near(page))):
        print(line, file=out)


def outcome(exams: Exams) -> int:
    """The exit code: 0 when the exams could be held, whatever the agent made of them."""
    held = all(run.state == "complete" and not run.summary.errored and run.summary.evaluated for run in exams.all)
    return EXIT_OK if held else EXIT_FAILED


@contextmanager
def _answering(replay: str | None) -> Iterator[str]:
    """Where the sample agents are, or were when they were recorded."""
    if replay is None:
        with serving() as url:
            yield url
        return
    from vivavoce.run.cassette import asked_in

    found = [str(asked["options"]["url"]) for asked in asked_in(replay, "agent") if "url" in asked["options"]]
    if not found:
        raise UsageError(f"{replay}: is no recording of the demo; `viva demo --record {replay}` makes one")
    yield found[0]


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


def _of_sales(suite: Path) -> bool:
    """Whether a suite is for the agent that counts sales, by the name that Saiku's suites have."""
    return suite.name.endswith(".eval.yaml")


def _in_short(what: str, run: Run) -> Iterator[str]:
    """A run in a few lines: of each check over how many it speaks, and what failed with one reason."""
    yield ""
    yield f"{what}  {run.header.files[0].path}"
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
    kept = "" if store == DEFAULT_STORE else f" --store {shlex.quote(str(redact(store)))}"
    viva, server = here.viva(), Serving()
    live, sales, recorded = (f"{viva} run {shlex.quote(run.header.files[0].path)}{kept}" for run in exams.all)
    process = shlex.quote(f"command:{here.python()} -m vivavoce.samples.stdio")
    numbers = " and ".join(f"{run.summary.failed} {what}" for run, what in zip(exams.all, _FAILED, strict=True))
    return (
        "",
        f"{numbers.replace(' and', ',', 1)} failed,",
        "and rightly so: like any agents, these have weaknesses, and notes beside the cases say which. In CI, such a run would",
        "stop the change with exit code 1.",
        "",
        f"The first report as a page to pass round, which any browser opens: {shlex.quote(page)}",
        "",
        "See all of them here again, from the first to the last, or write one where you like:",
        f"  {viva} show last~2{kept}",
        f"  {viva} show last~1{kept}",
        f"  {viva} show last{kept}",
        f"  {viva} show last~2{kept} --output report.html",
        "",
        "Hold the exam again, with the agent as a Python class, or as a process:",
        f"  {live} --target python:vivavoce.samples.desk:Desk",
        f"  {live} --target {process}",
        "",
        "Or ask the second agent again, while it is served as a Saiku server would be:",
        f"  {here.python()} -m vivavoce.samples.serve",
        f"  {sales} --target saiku:http://localhost:8000",
        "",
        "Examine recorded conversations, without any agent; these, or your own rows of Microsoft Foundry:",
        f"  {recorded}",
        "",
        "Examine your own agent: write a first suite, then name the agent by its address, as a command or as Python code:",
        f"  {viva} init",
        f"  {viva} run evals/ --target http://localhost:8000/api/chat",
        "",
        "And see all runs, what became of each suite over time, and every conversation in the dashboard, while this serves it:",
        f"  {viva} serve{kept}",
        f"  http://{server.host}:{server.port}/",
    )


_FAILED = ("cases of the help desk", "questions about sales", "recorded conversations")
