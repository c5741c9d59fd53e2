"""What happens in a run as JSON records, one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vivavoce.cli._runevals.options import LEVELS
from vivavoce.cli.console import note
from vivavoce.cli.progress import Telling
from vivavoce.core.model import Plan
from vivavoce.core.result import Result, Run

if TYPE_CHECKING:
    from vivavoce.core.reply import JSON


class Log(Telling):
    """Follows a run and writes a record of each thing that happens, from a level on.

    What agents answered stands in records of level `debug` alone. Results reach it as they are stored: without secrets.
    """

    def __init__(self, level: str) -> None:
        self._least = LEVELS.index(level)

    def began(self, plan: Plan, done: int) -> None:
        """The run begins."""
        selection = plan.header.selection
        self._write(
            "info",
            "run.begin",
            f"{plan.count} to ask",
            target=selection.target.name if selection.target is not None else None,
            judge=selection.judge.name if selection.judge is not None else None,
            files=[file.path for file in plan.header.files],
        )

    def result(self, result: Result) -> None:
        """A result was committed."""
        from vivavoce.core import codec

        about: dict[str, JSON] = {"suite": result.suite, "case": result.case, "status": result.status}
        if result.error is not None:
            about["error"] = codec.plain(result.error)
        message = result.status if result.error is None else result.error.message
        self._write("error" if result.status == "error" else "info", "case.end", message, **about)
        self._write("debug", "case.turns", f"{len(result.turns)} said", case=result.case, turns=codec.plain(result.turns))

    def finished(self, run: Run) -> None:
        """The run ended."""
        counts = run.summary
        told = {"pass": counts.passed, "fail": counts.failed, "skip": counts.skipped, "error": counts.errored}
        self._write("info", "run.end", run.state, run=run.id, seconds=counts.seconds, **told)

    def _write(self, level: str, operation: str, message: str, **more: JSON) -> None:
        if LEVELS.index(level) < self._least:
            return
        from vivavoce.reports._text import encoded
        from vivavoce.run import identity

        record = {"time": identity.now(), "level": level, "logger": "runevals", "operation": operation, "message": message}
        note(encoded(record | more))
