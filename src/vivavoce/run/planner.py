"""Files to a plan: the first pass, which reads everything, reports every problem, and calls nothing."""

from __future__ import annotations

import fnmatch
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import vivavoce
from vivavoce.core import codec, plugins
from vivavoce.core.errors import UsageError
from vivavoce.core.evidence import asked_for
from vivavoce.core.model import Case, File, Header, Plan, Selection, Suite, Trial, Use
from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.run import files
from vivavoce.run.checks import Checks, lacking

MADE = "python"
"""The format of a suite that was made in Python."""
NO_PERSONA = "has a persona, and this version of Viva plays no simulated users"
WAYS = "python:MODULE:NAME, command:ARGV, http://HOST/PATH, or recorded if the files hold answers"
"""The ways to name a target."""


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


@dataclass(kw_only=True, slots=True)
class _Count:
    cases: int = 0
    selected: int = 0
    turns: int = 0
    recorded: int = 0
    evaluators: Counter[str] = field(default_factory=Counter)
    rubrics: set[str] = field(default_factory=set)
    lacking: Counter[tuple[str, str, bool]] = field(default_factory=Counter)
    some_ids: list[str] = field(default_factory=list)


def plan(selection: Selection, *, folder: Path = Path(), suites: Sequence[Suite] = (), live: bool = False) -> Plan:
    """Read every file once, and say what would be run.

    `suites` are such as were made in Python, beside the files. With `live`, the target is an object given from Python, which
    the selection only names.

    Raises:
        DatasetError: files have problems; carries all of them.
        UsageError: nothing is selected, or there is no target.
        PluginError: target, judge or an evaluator of the command line cannot be made.
    """
    problems = Problems(lenient=selection.lenient)
    readings, count, checks = _read(selection, problems, folder, suites)
    problems.raise_any()
    if not count.selected:
        raise UsageError(_nothing_selected(selection, count))
    selection = replace(
        selection,
        target=selection.target or _default_target(count),
        judge=selection.judge or Use(name="none"),
    )
    if not live:
        plugins.build("targets", selection.target or Use(name=""), lax=True)
    plugins.build("judges", selection.judge or Use(name=""), lax=True)
    header = _header(selection, readings, count)
    warnings = [str(warning) for warning in problems.warnings]
    if problems.warned > len(problems.warnings):
        warnings.append(f"... and {problems.warned - len(problems.warnings)} more warnings")
    return Plan(
        header=header,
        trials=_Trials([reading.suite for reading in readings], selection, checks),
        count=_trial_count(selection, count),
        warnings=(*warnings, *_lacking(count)),
    )


def replan(header: Header, *, folder: Path = Path(), live: bool = False) -> Plan:
    """The plan of a stored run again.

    Raises:
        UsageError: a file changed or is gone, or this version of Viva reads it differently; names what.
    """
    for file in header.files:
        source = Source(folder / file.path, file.path)
        if not source.path.exists():
            raise UsageError(f"{file.path}: is gone since the run began; put it back, or start a new run")
        if source.sha256() != file.sha256:
            raise UsageError(f"{file.path}: changed since the run began; put it back as it was, or start a new run")
    again = plan(replace(header.selection, paths=tuple(file.path for file in header.files)), folder=folder, live=live)
    if again.header.version != header.version:
        raise UsageError(
            f"the run was begun by viva {header.version} and this is {again.header.version}; "
            "finish it with the version that began it, or start a new run"
        )
    return replace(again, header=header)


def readings(selection: Selection, *, folder: Path = Path()) -> tuple[list[Reading], tuple[str, ...]]:
    """What `viva validate` tells: each file with what is in it, and warnings.

    Raises:
        DatasetError: files have problems; carries all of them.
    """
    problems = Problems(lenient=selection.lenient)
    found, count, _ = _read(selection, problems, folder)
    problems.raise_any()
    return found, (*(str(warning) for warning in problems.warnings), *_lacking(count))


def _read(
    selection: Selection, problems: Problems, folder: Path, suites: Sequence[Suite] = ()
) -> tuple[list[Reading], _Count, Checks]:
    checks = Checks(selection.evaluators, selection.only)
    for check in selection.evaluators:
        checks.examiner(check)
    total = _Count()
    found: list[Reading] = []
    for source, each in files.find(selection.paths, selection.format, problems, folder=folder):
        try:
            suite = each.read(source, problems)
            count = _count(suite, source, selection, checks, problems, total)
        except UsageError as error:
            problems.add(source, files.without_name(source, error))
            continue
        found.append(_reading(source, files.format_name(each), suite, count))
    for suite in suites:
        source = Source(suite.source or suite.name, suite.source or suite.name)
        count = _count(suite, source, selection, checks, problems, total)
        found.append(_reading(source, MADE, suite, count))
    return _distinct_names(found), total, checks


def _count(suite: Suite, source: Source, selection: Selection, checks: Checks, problems: Problems, total: _Count) -> _Count:
    count = _Count()
    for case in suite.cases:
        count.cases += 1
        if case.persona is not None:
            problems.add(source, NO_PERSONA, path=case.path, line=case.line, fix="give the case `turns`")
        count.turns += len(case.turns)
        checks.validate(source, case, problems)
        if problems.total or not _selected(case, selection):
            # Once something is wrong, nothing will run: what is left to find are more problems.
            if len(total.some_ids) < 5:
                total.some_ids.append(case.id)
            continue
        total.selected += 1
        total.recorded += any(turn.reply is not None for turn in case.turns)
        _count_checks(checks.apply(case), checks, count, total)
    total.cases += count.cases
    return count


def _count_checks(case: Case, checks: Checks, count: _Count, total: _Count) -> None:
    for check in case.checks:
        count.evaluators[checks.examiner(check).name] += 1
    for turn in case.turns:
        for check in turn.checks:
            examiner = checks.examiner(check)
            count.evaluators[examiner.name] += 1
            if examiner.rubric:
                total.rubrics.add(codec.digest(examiner.evaluator.rubric))
            for need in lacking(examiner, turn):
                total.lacking[examiner.name, need, check.origin == "item"] += 1


def _selected(case: Case, selection: Selection) -> bool:
    if selection.cases and not any(case.id == glob or fnmatch.fnmatchcase(case.id, glob) for glob in selection.cases):
        return False
    return not selection.categories or case.category in selection.categories


class _Trials:
    """The trials of a plan, read from the files again each time they are iterated."""

    def __init__(self, suites: list[Suite], selection: Selection, checks: Checks) -> None:
        self._suites = suites
        self._selection = selection
        self._checks = checks

    def __iter__(self) -> Iterator[Trial]:
        selection, position = self._selection, 0
        for suite, case in self._cases():
            case = self._checks.apply(case)
            digest = codec.case_digest(case)
            for repeat in range(selection.repeat):
                yield Trial(
                    suite=suite.name,
                    case=case,
                    repeat=repeat,
                    position=position,
                    digest=digest,
                    about=suite.about,
                    seed=selection.seed,
                )
                position += 1

    def _cases(self) -> Iterator[tuple[Suite, Case]]:
        left = self._selection.limit
        for suite in self._suites:
            for case in suite.cases:
                if left is not None and left <= 0:
                    return
                if _selected(case, self._selection):
                    left = left if left is None else left - 1
                    yield suite, case


def _trial_count(selection: Selection, count: _Count) -> int:
    cases = count.selected if selection.limit is None else min(count.selected, selection.limit)
    return cases * selection.repeat


def _default_target(count: _Count) -> Use:
    if count.recorded:
        return Use(name="recorded")
    raise UsageError(f"no target: the files hold no answers, so say which agent to examine with --target: {WAYS}")


def _header(selection: Selection, readings: Iterable[Reading], count: _Count) -> Header:
    read = tuple(
        File(
            path=reading.source.path.as_posix() if reading.source.name == files.STDIN else reading.source.name,
            sha256=_sha256(reading),
            format=reading.format,
            suite=reading.suite.name,
            metadata=reading.suite.metadata,
        )
        for reading in readings
    )
    digest = codec.digest(
        [selection, [(file.suite, file.format, file.sha256) for file in read], sorted(count.rubrics), vivavoce.__version__]
    )
    return Header(digest=digest, selection=selection, files=read, version=vivavoce.__version__)


def _sha256(reading: Reading) -> str:
    """Of the file; of a suite made in Python, of its cases."""
    if reading.format != MADE:
        return reading.source.sha256()
    digest = hashlib.sha256()
    for case in reading.suite.cases:
        digest.update(codec.canonical(case))
    return digest.hexdigest()


def _distinct_names(found: list[Reading]) -> list[Reading]:
    """Suites of one name take their relative path instead."""
    often = Counter(reading.suite.name for reading in found)
    return [
        reading
        if often[reading.suite.name] == 1
        else replace(reading, suite=replace(reading.suite, name=Path(reading.source.name).as_posix()))
        for reading in found
    ]


def _nothing_selected(selection: Selection, count: _Count) -> str:
    if not count.cases:
        return "the files hold no cases, so there is nothing to run"
    asked = [f"--case {glob}" for glob in selection.cases] + [f"--category {name}" for name in selection.categories]
    return f"no case matches {' '.join(asked)}; the files hold {count.cases}, such as {', '.join(count.some_ids)}"


def _lacking(count: _Count) -> Iterator[str]:
    for (name, need, here), times in count.lacking.items():
        missing = asked_for(need.split("|"))
        outcome = "will be an error, since the item asks for it" if here else "will be skipped"
        turns = "1 turn has" if times == 1 else f"{times} turns have"
        yield f"{name} needs {missing}, which {turns} not: it {outcome} there"
