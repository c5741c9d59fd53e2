"""Which evaluators examine a turn or a case in the end: what the file asks for, the command line, and defaults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from msgspec import structs

from vivavoce.core import codec, option_faults, plugins
from vivavoce.core.errors import PluginError, UsageError
from vivavoce.core.model import Case, Check
from vivavoce.core.place import Problems, did_you_mean
from vivavoce.core.source import Source
from vivavoce.run import named
from vivavoce.run.examiner import Examiner, NotWhole, examiner

_KEPT = 4096
"""How many lists of checks are remembered; a file that has more of them is merely slower."""

_LEVELS: Mapping[str, Literal["turn", "case"]] = MappingProxyType({"turn": "turn", "conversation": "case"})
"""What a person calls the levels."""

_TURN_BY_TURN = ("--level turn examines the last answer", "--level turn examines every turn of a simulated conversation")
"""The way out for what cannot examine a whole conversation: of one that was held, and of one that is simulated."""


_Flat = tuple[tuple[Check, ...], tuple[Check, ...]]
_Turns = tuple[tuple[int, Check, Examiner], ...]


class Checks:
    """Turns the checks a file holds into the flat list that is applied.

    A run's evaluators replace defaults and are added to what the file names; where both name one, the run's options hold as far
    as the file does not say its own.
    `only` filters the outcome by name. `folder` is the project's, which may have evaluators of its own.

    Raises:
        UsageError: two of the run's evaluators have one name, and are not the same.
    """

    def __init__(self, run: Sequence[Check], only: Sequence[str], *, folder: Path = Path()) -> None:
        self._run = distinct(run)
        self._by_kind = {named.kind(check): check for check in self._run}
        self._by_name = {plugins.fold(named.score_name(check)): check for check in self._run}
        self._folder = folder
        self._only = frozenset(plugins.fold(name) for name in only)
        self._made: dict[bytes, Examiner | PluginError] = {}
        self._lists: dict[bytes, tuple[Check, ...]] = {}
        # The same check, or tuple of them, comes again and again, and is then known by where it lies in memory.
        self._same: dict[int, tuple[Check, Examiner]] = {}
        self._alone: dict[int, tuple[tuple[Check, ...], _Flat]] = {}
        self._turns: dict[int, tuple[tuple[Check, ...], _Turns]] = {}

    def examiner(self, check: Check) -> Examiner:
        """The evaluator of a check, made once.

        Raises:
            PluginError: there is no such evaluator, its options are wrong, or it does not examine what it is to.
        """
        same = self._same.get(id(check))
        if same is not None and same[0] is check:
            return same[1]
        examiner = self._examiner(check)
        if len(self._same) < _KEPT:
            self._same[id(check)] = check, examiner
        return examiner

    def by_turns(self, checks: tuple[Check, ...]) -> _Turns:
        """Checks of one turn or case with their places and examiners, as they are applied: those that decide first."""
        same = self._turns.get(id(checks))
        if same is not None and same[0] is checks:
            return same[1]
        each = ((place, check, self.examiner(check)) for place, check in enumerate(checks))
        turns = tuple(sorted(each, key=lambda one: not one[2].decides))
        if len(self._turns) < _KEPT:
            self._turns[id(checks)] = checks, turns
        return turns

    def _examiner(self, check: Check) -> Examiner:
        key = codec.encode((check.evaluator, check.name, check.options, check.origin, check.level))
        made = self._made.get(key)
        if made is None:
            try:
                made = examiner(check, self._folder)
            except PluginError as error:
                made = error
            if len(self._made) < _KEPT:
                self._made[key] = made
        if isinstance(made, PluginError):
            raise made
        return made

    def validate(self, source: Source, case: Case, problems: Problems, *, applied: bool = True) -> None:
        """Report every check of a case that cannot be made, has the name of another, or cannot be applied at its level.

        The level is looked at where checks are `applied`: of a case that was selected.
        """
        if applied and _is_whole(case):
            for check in self._flat(case.checks, alone=False):
                if check.origin == "run":
                    self._look(_of_the_whole(check), source, case, problems)
        for checks in (case.checks, *(turn.checks for turn in case.turns)):
            names: dict[str, Check] = {}
            for check in checks:
                if self._is_replaced(check):
                    continue
                # What is not applied must be there all the same, at whatever level.
                made = self._over_run(check)
                self._look(made if applied and self._wanted(made) else replace(made, level=None), source, case, problems)
                other = self._by_name.get(plugins.fold(named.score_name(check)))
                if other is not None and named.plain(other) != named.plain(check):
                    message = f"{named.typed(check)} and {named.typed(other)} of the command line have one name"
                    fix = f"name that otherwise, as {named.aside(other)}"
                    problems.add(source, message, path=check.path or case.path, line=case.line, fix=fix)
                first = names.setdefault(plugins.fold(named.score_name(check)), check)
                if first is not check:
                    message = f"{named.typed(check)} has the name of another check of the same, {named.typed(first)}"
                    problems.add(source, message, path=check.path or case.path, line=case.line, fix="keep one")

    def _look(self, check: Check, source: Source, case: Case, problems: Problems) -> None:
        try:
            self.examiner(check)
        except PluginError as error:
            fix = _TURN_BY_TURN[case.persona is not None] if isinstance(error, NotWhole) else ""
            at = check.places.get(option_faults.named(str(error), check.places), check.path)
            problems.add(source, str(error), path=at or case.path, line=case.line, fix=fix)

    def apply(self, case: Case) -> Case:
        """The case with the checks that are applied in the end, each at its level."""
        if case.persona is not None or (case.checks and _is_whole(case)):
            return self._of_all(case)
        alone = len(case.turns) == 1
        if alone and not case.checks:
            (turn,) = case.turns
            only, rest = self._only_turn(turn.checks)
            if only == turn.checks and not rest:
                return case
            return structs.replace(case, turns=(structs.replace(turn, checks=only),), checks=rest)
        lifted: list[Check] = []
        turns = []
        own = self._kept(case.checks)
        # What examines tool calls does so in the turn that they were made in.
        lowered = [check for check in own if self.examiner(check).level == "call"] if case.turns else []
        for turn in case.turns:
            flat = self._flat(turn.checks, alone=alone)
            here = tuple(check for check in flat if self.examiner(check).level != "case")
            if len(here) < len(flat):
                lifted += [check for check in flat if self.examiner(check).level == "case"]
            if lowered:
                here = self._distinct([*here, *lowered])
            turns.append(turn if here == turn.checks else replace(turn, checks=here))
        if not lifted and not case.checks and all(new is old for new, old in zip(turns, case.turns, strict=True)):
            return case
        whole = [check for check in own if check not in lowered]
        return replace(case, turns=tuple(turns), checks=self._distinct([*whole, *lifted]))

    def _of_all(self, case: Case) -> Case:
        """A case whose checks all stand with the case: turns are not known before they are held, or not looked at."""
        flat = self._flat(case.checks, alone=False)
        case = replace(case, checks=self._distinct(map(_of_the_whole, flat) if _is_whole(case) else flat))
        if case.is_simulated:
            return case
        each, rest = self.of_turns(case)  # it was held before
        return replace(case, turns=tuple(replace(turn, checks=(*turn.checks, *each)) for turn in case.turns), checks=rest)

    def of_turns(self, case: Case) -> tuple[tuple[Check, ...], tuple[Check, ...]]:
        """Of a simulated case, the checks of each turn, and those of the whole conversation."""
        levels = [(check, self.examiner(check).level) for check in case.checks]
        each = tuple(check for check, level in levels if level != "case")
        return each, tuple(check for check, level in levels if level == "case")

    def _only_turn(self, checks: tuple[Check, ...]) -> _Flat:
        """What is applied where a turn is all there is: to the turn, and to the conversation."""
        same = self._alone.get(id(checks))
        if same is not None and same[0] is checks:
            return same[1]
        flat = self._flat(checks, alone=True)
        here = tuple(check for check in flat if self.examiner(check).level != "case")
        found = here, self._distinct(check for check in flat if self.examiner(check).level == "case")
        if len(self._alone) < _KEPT:
            self._alone[id(checks)] = checks, found
        return found

    def _flat(self, checks: tuple[Check, ...], *, alone: bool) -> tuple[Check, ...]:
        if any(check.given is not None for check in checks):
            return self._merge(checks, alone=alone)  # these are of one case alone
        key = codec.encode([alone, *((each.evaluator, each.name, each.options, each.origin, each.level) for each in checks)])
        flat = self._lists.get(key)
        if flat is None:
            flat = self._merge(checks, alone=alone)
            if len(self._lists) < _KEPT:
                self._lists[key] = flat
        return flat

    def _merge(self, checks: Iterable[Check], *, alone: bool) -> tuple[Check, ...]:
        checks = tuple(checks)
        kept = self._kept(checks)
        taken = {each for check in kept for each in (plugins.fold(named.score_name(check)), named.kind(check))}
        added = [check for check in self._run if taken.isdisjoint((plugins.fold(named.score_name(check)), named.kind(check)))]
        # What stands in place of a default sees what that would have seen.
        view = next((check for check in checks if self._is_replaced(check) and check.given is not None), None)
        if view is not None:
            added = [replace(check, given=view.given, sees=view.sees) for check in added]
        found = (check for check in (*added, *kept) if self._wanted(check))
        return tuple(self._of_the_turn(check) if alone else check for check in found)

    def _of_the_turn(self, check: Check) -> Check:
        """A check of the only turn there is, where it may be one: of the answer, and so not of what a history tells."""
        found = self.examiner(check)
        may = check.level is None and found.level != "turn" and "turn" in found.evaluator.levels
        return replace(check, level="turn") if may else check

    def _kept(self, checks: Iterable[Check]) -> list[Check]:
        """What stays of a file's checks beside the run's."""
        return [self._over_run(check) for check in checks if not self._is_replaced(check)]

    def _over_run(self, check: Check) -> Check:
        """A file's check, with the options that only the run says of it."""
        of_run = self._by_kind.get(named.kind(check)) if self._run else None
        return replace(check, options={**of_run.options, **check.options}) if of_run and of_run.options else check

    def _is_replaced(self, check: Check) -> bool:
        """Whether a run's evaluators stand in its place."""
        return bool(self._run) and check.origin == "default"

    def _distinct(self, checks: Iterable[Check]) -> tuple[Check, ...]:
        """Without repeats: a file-wide check of whole cases is found on every turn."""
        found: dict[str, Check] = {}
        for check in checks:
            if self._wanted(check):
                found.setdefault(plugins.fold(named.score_name(check)), check)
        return tuple(found.values())

    def _wanted(self, check: Check) -> bool:
        names = (check.evaluator, plugins.without_vendor(check.evaluator), named.score_name(check))
        return not self._only or any(plugins.fold(name) in self._only for name in names)


def _is_whole(case: Case) -> bool:
    """Whether the file says that the conversation is examined as a whole."""
    return any(check.level == "case" for check in case.checks)


def _of_the_whole(check: Check) -> Check:
    """A check where whole conversations are examined: a run's that names no level examines them too."""
    return replace(check, level="case") if check.origin == "run" and check.level is None else check


def distinct(checks: Iterable[Check]) -> tuple[Check, ...]:
    """A run's checks, each once: one that is asked for again in the same way is the same.

    Raises:
        UsageError: two that are not the same have one name, under which nobody could tell their scores apart.
    """
    found: dict[str, Check] = {}
    for check in checks:
        first = found.setdefault(plugins.fold(named.score_name(check)), check)
        if first is not check and named.way(first) != named.way(check):
            raise UsageError(
                f"{named.typed(first)} and {named.typed(check)} are two checks of one name, {named.score_name(first)}; "
                f"keep one, or give one a name of its own, as {named.aside(check)}"
            )
    return tuple(found.values())


def at_level(checks: Sequence[Check], level: str | None) -> tuple[Check, ...]:
    """A run's checks where `--level` says they are applied; one that cannot be is told of when it is made.

    Raises:
        UsageError: there is no such level.
    """
    if level not in (None, *_LEVELS):
        raise UsageError(f'"{level}" is no level ({did_you_mean(str(level), _LEVELS)})')
    return tuple(checks) if level is None else tuple(replace(check, level=_LEVELS[level]) for check in checks)
