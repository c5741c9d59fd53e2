"""Prompts typed one by one, each answered and scored at once: a run that grows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from vivavoce.cli._runevals import datasets
from vivavoce.cli.console import note, prompt, say, warn
from vivavoce.cli.exam import Attempt, hold, rehearse, sign_in
from vivavoce.cli.progress import Silent, Telling, progress
from vivavoce.cli.report import report
from vivavoce.cli.stored import open_store, project
from vivavoce.cli.terms import selection
from vivavoce.core import environment, prices
from vivavoce.core.errors import EXIT_INTERRUPTED, UsageError

if TYPE_CHECKING:
    from vivavoce.config.settings import Settings
    from vivavoce.core.kinds import Store
    from vivavoce.core.model import Plan
    from vivavoce.core.result import Exchange, Result, Run, Score
    from vivavoce.run.outputs import Outputs

_REASON = 300
"""Characters of a reason that are shown."""


def converse(wanted: Settings, log: Silent | Telling | None) -> int:
    """Ask for prompts until there are no more; then report all of it. Returns the exit code.

    Raises:
        VivaError: the agent or the judge cannot be made, or the run cannot be kept.
        KeyboardInterrupt: it was stopped before anything was asked.
    """
    from vivavoce.core.model import Case, Suite, Turn
    from vivavoce.run.outputs import Outputs, choose

    outputs = Outputs(choose(wanted.output, min_pass_rate=wanted.min_pass_rate))
    with environment.known(wanted.environment), prices.known(wanted.prices), open_store(wanted) as store:
        outputs.spare(None, project(wanted))
        # Whether agent, judge or evaluators cannot be made is found out before anything is typed.
        sign_in(rehearse(wanted, [Suite(name=datasets.SUITE, cases=(Case(id="#0", turns=(Turn(input=""),)),))]))
        session = _Session(wanted, store, outputs, log)
        code = session.hold()
        if session.run is None:
            raise UsageError(f"no prompt was {'asked' if session.refused else 'typed'}, so nothing was run")
        verdict = report(session.run, outputs, wanted)
    return verdict if code is None else code


class _Session:
    """One run, and the document of what was typed so far: it grows by a prompt, and then the run is resumed."""

    def __init__(self, wanted: Settings, store: Store, outputs: Outputs, log: Silent | Telling | None) -> None:
        from vivavoce.run import identity

        self.run: Run | None = None
        self.refused = False
        """Whether something was typed that could not be asked."""
        self._wanted = wanted
        self._store = store
        self._outputs = outputs
        self._log = log
        self._run_id = identity.new_id()
        self._started = identity.now()
        self._path = datasets.TYPED / f"{self._run_id}.json"
        self._said: list[tuple[str, str | None]] = []
        self._told: set[str] = set()
        """Warnings and reasons for skipping, which hold for the whole session and are told once."""

    def hold(self) -> int | None:
        """Until no more is typed; the exit code, when a signal ended it."""
        note("Each prompt is a conversation of its own. An empty prompt, or Ctrl-D, ends with a report.")
        try:
            for pair in _typed():
                if (code := self._examine(pair)) is not None:
                    return code
                if self.run is not None and self.run.state == "stopped":
                    note("A limit of the run is reached, so nothing more is asked.")
                    break
        except KeyboardInterrupt:
            note("")
            if self.run is None:
                raise  # there is nothing to report
            return EXIT_INTERRUPTED
        return None

    def _examine(self, pair: tuple[str, str | None]) -> int | None:
        from vivavoce.run.stubborn import complete

        try:
            text = datasets.document([*self._said, pair])
        except UsageError as error:
            note(f"Not asked: {error}.")
            self.refused = True
            return None
        self._said.append(pair)
        datasets.keep(self._path, text)
        plan = self._plan()
        shown = self._log or progress(quiet=self._wanted.quiet, verbose=False, no_color=self._wanted.no_color)
        attempt = Attempt(plan=plan, run_id=self._run_id, started=self._started, outputs=self._outputs)
        self.run, code = complete(_one(attempt, self._store, self._wanted, shown))
        for result in self.run.results:
            if result.position >= plan.count - self._wanted.repeat:
                self._tell(result)
        return code

    def _plan(self) -> Plan:
        from dataclasses import replace

        from vivavoce.run.planner import plan

        made = plan(selection(replace(self._wanted, paths=(self._path.as_posix(),))))
        for warning in made.warnings:
            if self._is_new(warning):
                warn(warning)
        return made

    def _tell(self, result: Result) -> None:
        for turn in result.turns:
            say(_answer(turn))
        for score in (*(score for turn in result.turns for score in turn.scores), *result.scores):
            say(_line(score, reason=score.status != "skip" or self._is_new(score.reason)))
        say()

    def _is_new(self, told: str) -> bool:
        new = told not in self._told
        self._told.add(told)
        return new


async def _one(attempt: Attempt, store: Store, wanted: Settings, shown: Silent | Telling) -> tuple[Run, int | None]:
    from vivavoce.cli.stopping import stopping

    with stopping(shown.close) as stop:
        run = await hold(attempt, store, wanted, shown, stop)
        return run, stop.code


def _typed() -> Iterator[tuple[str, str | None]]:
    """Each prompt, with the answer hoped for if one was typed."""
    while True:
        asked = prompt("Prompt: ")
        if asked is None:
            note("")
            return
        if not asked.strip():
            return
        expected = prompt("Expected answer (Enter for none): ")
        if expected is None:
            note("")
        yield asked, expected or None


def _answer(turn: Exchange) -> str:
    from vivavoce.reports import _text

    if turn.reply is not None:
        return f"Agent: {_text.answered(turn.reply)}"
    return "No answer" + ("" if turn.error is None else f": {_text.failure(turn.error)}")


def _line(score: Score, *, reason: bool) -> str:
    from shutil import get_terminal_size
    from textwrap import fill

    from vivavoce.reports import _text

    value = "" if score.value is None else f" {score.value:g}"
    threshold = "" if score.threshold is None or not value else f" (threshold {score.threshold:g})"
    head = f"  {score.status:<5} {score.name}{value}{threshold}"
    if not reason:
        return head
    return fill(f"{head}: {_text.line(score.reason, _REASON)}", get_terminal_size((100, 24)).columns, subsequent_indent=" " * 8)
