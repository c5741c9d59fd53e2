"""Files to a plan: the first pass, which reads everything, reports every problem, and calls nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import vivavoce
from vivavoce.core import codec, plugins, specs
from vivavoce.core.errors import UsageError
from vivavoce.core.model import File, Header, Plan, Selection, Suite, Use
from vivavoce.core.place import Problems, nearest
from vivavoce.core.source import Source
from vivavoce.run import answers as held
from vivavoce.run import files, joining, secrecy, telling
from vivavoce.run.asking import judge_of, simulator_of
from vivavoce.run.joining import Recordings
from vivavoce.run.reading import MADE, Count, Reading, read, reopened
from vivavoce.run.steady import Stamp, stamp
from vivavoce.run.trials import Trials


def plan(
    selection: Selection, *, folder: Path = Path(), suites: Sequence[Suite] = (), live: bool = False, asks: bool = True
) -> Plan:
    """Read every file once, and say what would be run.

    `suites` are such as were made in Python, beside the files. With `live`, the target is an object given from Python, which
    the selection only names. Without `asks`, nobody it names will be asked, and so need not be there.

    Raises:
        DatasetError: files have problems; carries all of them.
        UsageError: nothing is selected, or there is no target.
        PluginError: target, judge, simulator or an evaluator of the command line cannot be made.
    """
    folder = folder.absolute()  # an agent may change the current one
    problems = Problems(lenient=selection.lenient)
    answers: bool | None = live or (selection.target is not None and plugins.fold(selection.target.name) != "recorded")
    if selection.target is not None and selection.target.options.get("fetch") is not None:
        answers = None  # what is fetched was asked before: a row need neither say it nor hold the answer
    recordings = joining.recordings(selection, problems, folder, live=live)
    answers = answers if recordings is None else None
    readings, count, checks = read(selection, problems, folder, suites, live=answers, recordings=recordings)
    problems.raise_any(beside=held.ways_out(problems) if count.unanswered else ())
    if not count.selected:
        raise UsageError(_nothing_selected(selection, count))
    _check_only(selection, readings)
    if answers is None and count.simulated:
        raise UsageError(
            "answers that are fetched were given to somebody else: a case with a persona needs an agent that answers"
        )
    selection = replace(
        selection,
        target=selection.target or _default_target(count, held.ways_out(problems)),
        judge=selection.judge or _default_judge(),
        simulator=(selection.simulator or Use(name="scripted")) if count.simulated else None,
    )
    waits = _waits(selection, live=live, asks=asks)
    header = _header(selection, readings, count, recordings)
    warnings = [str(warning) for warning in problems.warnings]
    if problems.warned > len(problems.warnings):
        warnings.append(f"... and {problems.warned - len(problems.warnings)} more warnings")
    return Plan(
        header=header,
        trials=Trials(readings, header, checks, recordings),
        count=header.trials,
        warnings=(*warnings, *telling.told(count, recordings)),
        folder=folder,
        waits=waits or count.asks or count.simulated > 0,
        examines=any(reading.evaluators for reading in readings),
    )


def replan(
    header: Header,
    *,
    folder: Path = Path(),
    secret: Mapping[str, Use] = MappingProxyType({}),
    live: bool = False,
    asks: bool = True,
) -> Plan:
    """The plan of a stored run again.

    Secrets are not stored; where the run was begun with one that no variable names, it is taken from `secret`, which has
    options of the `target`, the `judge` and the `simulator`.

    Raises:
        UsageError: a file changed or is gone, a secret is needed, or this version of Viva reads files differently.
    """
    for file in (*header.files, *header.own, *header.traces):
        source = Source(folder / file.path, file.path)
        if not source.path.exists():
            raise UsageError(f"{file.path}: is gone since the run began; put it back, or start a new run")
        if source.sha256() != file.sha256:
            raise UsageError(f"{file.path}: changed since the run began; put it back as it was, or start a new run")
    selection = replace(
        secrecy.unhidden(header.selection, secret) if asks else header.selection,
        paths=tuple(file.path for file in header.files),
        traces=tuple(file.path for file in header.traces),
    )
    again = plan(selection, folder=folder, live=live, asks=asks)
    if again.header.version != header.version:
        raise UsageError(
            f"the run was begun by viva {header.version} and this is {again.header.version}; "
            "finish it with the version that began it, or start a new run"
        )
    return replace(again, header=replace(header, selection=selection))


def again(header: Header, folder: Path, stamps: Sequence[Stamp | None]) -> Plan:
    """A plan that was made in another process, without its first pass; `stamps` are of its files, as they were then."""
    readings, checks = reopened(header, folder, stamps)
    trials = Trials(readings, header, checks, None)
    return Plan(header=header, trials=trials, count=header.trials, folder=folder, waits=False)


def stored(header: Header) -> Header:
    """A header as it may be stored: without secrets."""
    return replace(header, selection=secrecy.public(header.selection))


def readings(selection: Selection, *, folder: Path = Path()) -> tuple[list[Reading], tuple[str, ...]]:
    """What `viva validate` tells: each file with what is in it, and warnings.

    Raises:
        DatasetError: files have problems; carries all of them.
    """
    problems = Problems(lenient=selection.lenient)
    with files.passing(selection.paths, folder) as spool:
        recordings = joining.recordings(selection, problems, folder, spool)
        found, count, _ = read(selection, problems, folder, spool=spool, recordings=recordings)
        problems.raise_any()  # here, since lines are looked up in the files
    _check_only(selection, found)
    return found, (*(str(warning) for warning in problems.warnings), *telling.told(count, recordings))


def _waits(selection: Selection, *, live: bool, asks: bool) -> bool:
    """Whether the target is waited for. Everybody who is asked can then be made; of those who are not, there are such."""

    def made(kind: str, use: Use) -> object:
        return plugins.build(kind, use, lax=True) if asks else plugins.find(kind, use.name)

    made("judges", judge_of(selection)[0])
    if selection.simulator is not None:
        made("simulators", simulator_of(selection)[0])
    return live or getattr(made("targets", selection.target or Use(name="")), "waits", True)


def _trial_count(selection: Selection, count: Count) -> int:
    cases = count.selected if selection.limit is None else min(count.selected, selection.limit)
    return cases * selection.repeat


def _default_target(count: Count, ways_out: Iterable[str]) -> Use:
    """What replays the answers of the files; when they hold none, `ways_out` may tell why."""
    if count.recorded:
        return Use(name="recorded")
    ways = ", ".join(specs.ways("targets"))
    told = "".join(f"\n{way}" for way in ways_out)
    if count.unanswered and all(turn is not None and turn.input is None for _, _, turn in count.unanswered):
        raise UsageError(
            f"no target: the files hold neither questions nor answers; name one with --target, and {held.TO_FETCH}{told}"
        )
    raise UsageError(
        f"no target: the files hold no answers, so say which agent to examine with --target, as one of: {ways}{told}"
    )


def _default_judge() -> Use:
    """The judge that needs no key and costs nothing, where it is installed; never a paid one."""
    local: Any = plugins.find("judges", "local")  # its class tells whether what it needs is installed
    return Use(name="local" if local.available() else "none")


def _header(selection: Selection, readings: Iterable[Reading], count: Count, recordings: Recordings | None) -> Header:
    read = tuple(
        File(
            path=files.stored_path(reading.source),
            sha256=_sha256(reading),
            format=reading.format,
            suite=reading.suite.name,
            metadata=reading.suite.metadata,
        )
        for reading in readings
    )
    own = tuple(_own(count))
    traces = () if recordings is None else tuple(recordings.files)
    digest = codec.digest(
        [
            secrecy.public(selection),
            [(file.suite, file.format, file.sha256) for file in read],
            sorted(count.rubrics),
            [(file.path, file.sha256) for file in (*own, *traces)],
            vivavoce.__version__,
        ]
    )
    return Header(
        digest=digest,
        selection=selection,
        files=read,
        version=vivavoce.__version__,
        own=own,
        traces=traces,
        trials=_trial_count(selection, count),
    )


def _own(count: Count) -> Iterator[File]:
    """The files of the project's own evaluators: whatever they say, they say it as they are now."""
    for _, evaluator in sorted(count.own.items()):
        for path in evaluator.files:
            yield File(path=f"{evaluator.place}/{path.name}", sha256=Source(path).sha256())


def _sha256(reading: Reading) -> str:
    """Of the file, as it was when it was read; of a suite made in Python, of its cases."""
    if reading.format != MADE:
        sha256 = reading.source.sha256()
        if stamp(reading.source.path) != reading.stamp:
            raise UsageError(f"{reading.source.name}: changed while it was read; start again when nothing writes to it")
        return sha256
    digest = hashlib.sha256()
    for case in reading.suite.cases:
        digest.update(codec.canonical(case))
    return digest.hexdigest()


def _check_only(selection: Selection, readings: Iterable[Reading]) -> None:
    """Refuse an `--only` that leaves nothing to check."""
    if not selection.only or any(reading.evaluators for reading in readings):
        return
    asked = " ".join(f"--only {name}" for name in selection.only)
    known = plugins.names("evaluators", installed=False)
    near = [nearest(name, known) for name in selection.only]
    hint = "".join(f'; did you mean "{each}"?' for each in near if each is not None and each not in selection.only)
    raise UsageError(f"{asked} leaves no check: no case that was selected has one of this name{hint}")


def _nothing_selected(selection: Selection, count: Count) -> str:
    if not count.cases:
        return "the files hold no cases, so there is nothing to run"
    asked = [f"--case {glob}" for glob in selection.cases] + [f"--category {name}" for name in selection.categories]
    return f"no case matches {' '.join(asked)}; the files hold {count.cases}, such as {', '.join(count.some_ids)}"
