"""The demo: start the sample agent, examine it over HTTP, report, and say what to try next."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from typing import TextIO

from vivavoce.core.errors import EXIT_FAILED, EXIT_OK, UsageError
from vivavoce.core.result import Run
from vivavoce.samples import here

DEFAULT_STORE = ".viva/runs.db"
"""Where runs are kept when nobody says otherwise; commands need not name it."""


def examine(*, store: str, note: Callable[[str], None]) -> Run:
    """Examine the sample agent, and keep the run; `note` is told what happens.

    Raises:
        VivaError: the agent does not start, or the run cannot be kept.
    """
    from vivavoce import api

    with as_file(files("vivavoce.samples").joinpath("suites")) as folder, serving() as url:
        suites = [here.near(path) for path in sorted(folder.iterdir())]
        note(f"Examining the sample agent, the help desk of an invented shop, at {url}")
        note("No model is asked and no key is needed.")
        return api.evaluate(suites, target=url, store=store)


def report(run: Run, *, store: str, out: TextIO, color: bool) -> None:
    """Show the run, and say what to try next."""
    from vivavoce.core import plugins
    from vivavoce.core.model import Use

    plugins.build("reports", Use(name="console", options={} if color else {"color": False})).render(run, out)
    print(_afterwards(run, store), file=out)


def outcome(run: Run) -> int:
    """The exit code: 0 when the exam could be held, whatever the agent made of it."""
    return EXIT_FAILED if run.state != "complete" or run.summary.errored or not run.summary.evaluated else EXIT_OK


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


def _afterwards(run: Run, store: str) -> str:
    """What the outcome means, and commands to go on with."""
    kept = "" if store == DEFAULT_STORE else f" --store {shlex.quote(store)}"
    viva = here.viva()
    again = f"{viva} run {shlex.quote(run.header.files[0].path)}{kept}"
    process = shlex.quote(f"command:{here.python()} -m vivavoce.samples.stdio")
    failed = f"{run.summary.failed} case{'' if run.summary.failed == 1 else 's'}"
    lines = (
        "",
        f"{failed} failed, and rightly so: like any agent, this one has weaknesses, and the notes in the suite say which.",
        "In CI, such a run would stop the change with exit code 1.",
        "",
        "See the report again, or write it as a page to pass round:",
        f"  {viva} show last{kept}",
        f"  {viva} show last{kept} --output report.html",
        "",
        "Hold the exam again, with the agent as a Python class, or as a process:",
        f"  {again} --target python:vivavoce.samples.desk:Desk",
        f"  {again} --target {process}",
        "",
        "Examine your own agent: write a first suite, then name the agent by its address, as a command or as Python code:",
        f"  {viva} init",
        f"  {viva} run evals/ --target http://localhost:8000/api/chat",
    )
    return "\n".join(lines)
