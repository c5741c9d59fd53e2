"""Which evaluators examine a turn or a case in the end: what the file asks for, the command line, and defaults."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vivavoce.core import codec, plugins
from vivavoce.core.errors import PluginError
from vivavoce.core.model import Case, Check, Turn, Use
from vivavoce.core.place import Problems
from vivavoce.core.source import Source

_KEPT = 4096
"""How many lists of checks are remembered; a file that has more of them is merely slower."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Examiner:
    """An evaluator made ready: what is looked up once for a check, however often it is applied."""

    check: Check
    evaluator: Any  # an Evaluator, of either of its two forms
    name: str
    """How its scores are called."""
    kind: str
    """The evaluator's own name, in its one spelling."""
    asks: bool
    """Whether its `score` is async and is handed the judge."""
    level: str
    threshold: float | None
    scale: tuple[float, float | None]
    needs: tuple[str, ...]
    rubric: str | None
    own: plugins.Own | None
    """Where it comes from, when it is the project's own."""


NOT_WHOLE = "examines single turns, not whole conversations"


class Checks:
    """Turns the checks a file holds into the flat list that is applied.

    A run's evaluators replace defaults and are added to what the file names; where both name one, the file's options hold.
    `only` filters the outcome by name. `folder` is the project's, which may have evaluators of its own.
    """

    def __init__(self, run: Sequence[Check], only: Sequence[str], *, folder: Path = Path()) -> None:
        self._run = tuple(run)
        self._folder = folder
        self._only = frozenset(plugins.fold(name) for name in only)
        self._made: dict[bytes, Examiner | PluginError] = {}
        self._lists: dict[bytes, tuple[Check, ...]] = {}

    def examiner(self, check: Check) -> Examiner:
        """The evaluator of a check, made once.

        Raises:
            PluginError: there is no such evaluator, or its options are wrong.
        """
        key = codec.encode((check.evaluator, check.name, check.options, check.origin))
        made = self._made.get(key)
        if made is None:
            try:
                made = _make(check, self._folder)
            except PluginError as error:
                made = error
            if len(self._made) < _KEPT:
                self._made[key] = made
        if isinstance(made, PluginError):
            raise made
        return made

    def validate(self, source: Source, case: Case, problems: Problems) -> None:
        """Report every check of a case that cannot be made."""
        for check in (*case.checks, *(check for turn in case.turns for check in turn.checks)):
            try:
                examiner = self.examiner(check)
            except PluginError as error:
                problems.add(source, str(error), path=check.path or case.path, line=case.line)
                continue
            if check.level == "case" and "case" not in examiner.evaluator.levels:
                problems.add(source, f"{examiner.kind} {NOT_WHOLE}", path=check.path or case.path, line=case.line)

    def apply(self, case: Case) -> Case:
        """The case with the checks that are applied in the end, each at its level."""
        lifted: list[Check] = []
        turns = []
        for turn in case.turns:
            flat = self._flat(turn.checks)
            here = tuple(check for check in flat if self._level(check) == "turn")
            if len(here) < len(flat):
                lifted += [check for check in flat if self._level(check) != "turn"]
            turns.append(turn if here == turn.checks else replace(turn, checks=here))
        if not lifted and not case.checks and all(new is old for new, old in zip(turns, case.turns, strict=True)):
            return case
        return replace(case, turns=tuple(turns), checks=self._distinct([*case.checks, *lifted]))

    def _flat(self, checks: tuple[Check, ...]) -> tuple[Check, ...]:
        if any(check.given is not None for check in checks):
            return self._merge(checks)  # these are of one case alone
        key = codec.encode([(each.evaluator, each.name, each.options, each.origin, each.level) for each in checks])
        flat = self._lists.get(key)
        if flat is None:
            flat = self._merge(checks)
            if len(self._lists) < _KEPT:
                self._lists[key] = flat
        return flat

    def _merge(self, checks: Iterable[Check]) -> tuple[Check, ...]:
        kept = [check for check in checks if not (self._run and check.origin == "default")]
        named = {plugins.fold(_score_name(check)) for check in kept}
        merged = [*(check for check in self._run if plugins.fold(_score_name(check)) not in named), *kept]
        return tuple(check for check in merged if self._wanted(check))

    def _distinct(self, checks: Iterable[Check]) -> tuple[Check, ...]:
        """Without repeats: a file-wide check of whole cases is found on every turn."""
        return tuple({plugins.fold(_score_name(check)): check for check in checks if self._wanted(check)}.values())

    def _wanted(self, check: Check) -> bool:
        names = (check.evaluator, _score_name(check))
        return not self._only or any(plugins.fold(name) in self._only for name in names)

    def _level(self, check: Check) -> str:
        return check.level if check.level == "case" else self.examiner(check).level


def lacking(examiner: Examiner, turn: Turn) -> tuple[str, ...]:
    """What an evaluator needs that the file does not give for a turn, as far as a file can tell."""
    gives = {
        "expected": turn.expect.response is not None,
        "context": turn.context is not None,
    }
    return tuple(need for need in examiner.needs if all(not gives.get(name, True) for name in need.split("|")))


def _score_name(check: Check) -> str:
    return check.name or check.evaluator


def _make(check: Check, folder: Path) -> Examiner:
    evaluator = plugins.build("evaluators", Use(name=check.evaluator, options=check.options), project=folder)
    kind = plugins.known_as("evaluators", check.evaluator, project=folder)
    rubric = getattr(evaluator, "rubric", None)
    return Examiner(
        check=check,
        evaluator=evaluator,
        name=check.name or kind,
        kind=kind,
        asks=len(inspect.signature(evaluator.score).parameters) > 1,
        level=evaluator.levels[0],
        threshold=getattr(evaluator, "threshold", None),
        scale=evaluator.scale,
        needs=evaluator.needs,
        rubric=rubric.id if rubric is not None else None,
        own=plugins.own("evaluators", check.evaluator, folder),
    )
