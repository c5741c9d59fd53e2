"""The first pass over the files: it reads everything, counts what is there, and reports every problem."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import repeat
from operator import is_not
from pathlib import Path

from msgspec import structs

from vivavoce.core import codec
from vivavoce.core.errors import UsageError
from vivavoce.core.kinds import Format
from vivavoce.core.model import NOTHING, Case, Check, Expectation, Header, Selection, Suite
from vivavoce.core.parts import Alike
from vivavoce.core.place import Problems
from vivavoce.core.plugins import Own
from vivavoce.core.source import Source
from vivavoce.run import answers, files
from vivavoce.run.checks import Checks, at_level
from vivavoce.run.examiner import Examiner, NotWhole, lacking
from vivavoce.run.joining import Recordings
from vivavoce.run.saying import unsayable
from vivavoce.run.steady import Stamp, stamp

MADE = "python"
"""The format of a suite that was made in Python."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What the first pass found in one file."""

    source: Source
    format: str
    suite: Suite
    cases: int
    turns: int
    evaluators: Mapping[str, int]
    """Names of the checks that will be applied, each with how often."""
    stamp: Stamp | None = None
    """Of the file, before it was read."""


@dataclass(kw_only=True, slots=True)
class Count:
    """How many there are of what, in one file or in all."""

    cases: int = 0
    selected: int = 0
    turns: int = 0
    recorded: int = 0
    simulated: int = 0
    """Cases that were selected and have a simulated user."""
    evaluators: Counter[str] = field(default_factory=Counter)
    rubrics: set[str] = field(default_factory=set)
    lacking: Counter[tuple[str, str, bool, str]] = field(default_factory=Counter)
    some_ids: list[str] = field(default_factory=list)
    asks: bool = False
    """Whether any evaluator that is applied waits for somebody."""
    own: dict[str, Own] = field(default_factory=dict)
    """Evaluators of the project's own that are applied, by their place."""
    unanswered: list[answers.Unanswered] = field(default_factory=list)
    """The first of what has no answer."""


def read(
    selection: Selection,
    problems: Problems,
    folder: Path,
    suites: Sequence[Suite] = (),
    *,
    live: bool | None = None,
    spool: Path | None = None,
    recordings: Recordings | None = None,
) -> tuple[list[Reading], Count, Checks]:
    """Every file that a selection names, as a suite, with what is in it; problems go to `problems`.

    `live` says whether an agent answers; when not, every answer must be recorded. `None` leaves it open. What can be read
    only once is kept in `spool`. With `recordings`, cases have the answers recorded for them.
    """
    evaluators = at_level(selection.evaluators, selection.level)
    checks = Checks(evaluators, selection.only, folder=folder)
    for check in evaluators:
        _look(check, checks)
    total = Count()
    found: list[Reading] = []
    asked = {"map": selection.map or None, "level": selection.level, "live": live}
    chosen = files.find(selection.paths, selection.format, problems, folder=folder, asked=asked, spool=spool)
    files.check_asked(chosen, asked)
    if recordings is not None:
        chosen = [(source, each) for source, each in chosen if source.path.resolve() not in recordings.paths]
        recordings.claim(_ids(chosen, suites))
    for source, each in chosen:
        stamped = stamp(source.path)
        try:
            suite = each.read(source, problems)
            count = _count(suite, source, selection, checks, problems, total, live, recordings)
        except UsageError as error:
            problems.add_raised(source, error)
            continue
        found.append(replace(_reading(source, files.format_name(each), suite, count), stamp=stamped))
    for suite in suites:
        source = Source(suite.source or suite.name, suite.source or suite.name)
        count = _count(suite, source, selection, checks, problems, total, live, recordings)
        found.append(_reading(source, MADE, suite, count))
    if live is False and (selection.target is not None or total.recorded):
        answers.tell(total.unanswered, selection, problems)
    return _distinct_names(found), total, checks


def _look(check: Check, checks: Checks) -> None:
    """See that one of the run's checks can be made, before anything is read."""
    try:
        checks.examiner(check)
    except NotWhole as error:
        raise NotWhole(f"{error} (--level turn, or no --level, examines the last answer of each)") from error


def reopened(header: Header, folder: Path, stamps: Sequence[Stamp | None]) -> tuple[list[Reading], Checks]:
    """Files that were read before, and found to be in order."""
    selection = header.selection
    problems = Problems(lenient=selection.lenient)
    checks = Checks(at_level(selection.evaluators, selection.level), selection.only, folder=folder)
    asked = {"map": selection.map or None, "level": selection.level, "live": False}
    found = [
        replace(_reading(source, files.format_name(each), each.read(source, problems), Count()), stamp=stamped)
        for (source, each), stamped in zip(files.known(header.files, folder, asked), stamps, strict=True)
    ]
    return _distinct_names(found), checks


def _count(
    suite: Suite,
    source: Source,
    selection: Selection,
    checks: Checks,
    problems: Problems,
    total: Count,
    live: bool | None,
    recordings: Recordings | None,
) -> Count:
    count = Count()
    shapes = _Shapes()
    column = answers.column(selection)
    for case, times in _kinds(suite, selection, recordings):
        count.cases += times
        if column is not None:
            column.look(case)
        is_simulated, is_selected = case.is_simulated, not _is_enough(total, selection) and selected(case, selection)
        if is_simulated and (why := unsayable(case.persona)) is not None:
            problems.add(source, why, path=case.path, line=case.line)
        count.turns += times * len(case.turns)
        shape = shapes.of(case)
        if shape is None or not shape.seen:
            before = problems.total
            checks.validate(source, case, problems, applied=is_selected)
            if shape is not None and problems.total > before:
                shape = None  # each of its kind is told of
        total.selected += times * is_selected
        if live is not None and is_selected:
            answers.look(case, source, live, problems, total.unanswered)
        if problems.total or not is_selected:
            # Once something is wrong, nothing will run: what is left to find are more problems.
            if len(total.some_ids) < 5:
                total.some_ids.append(case.id)
            continue
        total.recorded += times * any(turn.reply is not None or turn.fault is not None for turn in case.turns)
        total.simulated += is_simulated
        if shape is None or not shape.seen:
            _count_checks(checks.apply(case), checks, count, total, times)
        else:
            shape.more += times
        if shape is not None:
            shape.seen = True
    for shape in shapes.all():
        if shape.more:
            _count_checks(checks.apply(shape.case), checks, count, total, shape.more)
    total.cases += count.cases
    if column is not None and count.cases:
        column.end(source, problems)
    return count


def _kinds(suite: Suite, selection: Selection, recordings: Recordings | None) -> Iterator[tuple[Case, int]]:
    """Every case with how often it is there; those that differ in their texts alone at once, where none is left out."""
    if recordings is not None:
        return ((recordings.case(case, 0), 1) for case in suite.cases)
    is_whole = not selection.cases and not selection.categories and selection.limit is None
    return suite.cases.kinds() if is_whole and isinstance(suite.cases, Alike) else ((case, 1) for case in suite.cases)


def _ids(chosen: Sequence[tuple[Source, Format]], suites: Sequence[Suite]) -> Iterator[str]:
    """The ids of all cases; what is wrong with their files is told when they are read for good."""
    for source, each in chosen:
        with suppress(UsageError):
            yield from (case.id for case in each.read(source, Problems(lenient=True)).cases)
    for suite in suites:
        yield from (case.id for case in suite.cases)


def _is_enough(total: Count, selection: Selection) -> bool:
    return selection.limit is not None and total.selected >= selection.limit


def _count_checks(case: Case, checks: Checks, count: Count, total: Count, times: int = 1) -> None:
    for turn in (None, *case.turns):
        for check in case.checks if turn is None else turn.checks:
            examiner = checks.examiner(check)
            _count_examiner(examiner, count, total, times)
            for need in lacking(examiner, check, case, turn):
                total.lacking[examiner.name, need, check.origin == "item", "case" if turn is None else "turn"] += times


def _count_examiner(examiner: Examiner, count: Count, total: Count, times: int) -> None:
    count.evaluators[examiner.name] += times
    total.rubrics.update(codec.digest(rubric) for rubric in examiner.rubrics)
    total.asks = total.asks or examiner.asks
    if examiner.own is not None:
        total.own[examiner.own.place] = examiner.own


_Parts = tuple[bool, ...]


def _parts(expect: Expectation) -> _Parts:
    """Which parts an expectation has."""
    return () if expect is NOTHING else tuple(map(is_not, structs.astuple(expect), repeat(None)))


@dataclass(kw_only=True, slots=True)
class _Shape:
    """Cases of one turn that differ in their texts alone, and so are examined alike."""

    case: Case
    """The first of them."""
    seen: bool = False
    """Whether its checks were counted."""
    more: int = 0
    """How many there are beyond those."""


class _Shapes:
    """The kinds of cases in a file; where there are many, most are not told from others."""

    _MOST = 64

    def __init__(self) -> None:
        self._of: dict[tuple[int, _Parts, _Parts, bool, bool], _Shape] = {}

    def of(self, case: Case) -> _Shape | None:
        """The kind of a case, or `None` when it is looked at by itself."""
        if len(case.turns) != 1 or case.checks or case.persona is not None:
            return None
        (turn,) = case.turns
        key = (id(turn.checks), _parts(turn.expect), _parts(case.expect), turn.context is None, case.tools is None)
        shape = self._of.get(key)
        if shape is None:
            if len(self._of) >= self._MOST or any(check.given is not None for check in turn.checks):
                return None
            shape = self._of[key] = _Shape(case=case)
        return shape if shape.case.turns[0].checks is turn.checks else None

    def all(self) -> Iterable[_Shape]:
        """Every kind."""
        return self._of.values()


def selected(case: Case, selection: Selection) -> bool:
    """Whether a case is among those asked for."""
    if selection.cases and not any(case.id == glob or fnmatch.fnmatchcase(case.id, glob) for glob in selection.cases):
        return False
    return not selection.categories or case.category in selection.categories


def _reading(source: Source, name: str, suite: Suite, count: Count) -> Reading:
    return Reading(source=source, format=name, suite=suite, cases=count.cases, turns=count.turns, evaluators=count.evaluators)


def _distinct_names(found: list[Reading]) -> list[Reading]:
    """Suites of one name take their relative path instead."""
    often = Counter(reading.suite.name for reading in found)
    return [
        reading
        if often[reading.suite.name] == 1
        else replace(reading, suite=replace(reading.suite, name=Path(reading.source.name).as_posix()))
        for reading in found
    ]
