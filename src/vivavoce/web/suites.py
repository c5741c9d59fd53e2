"""The suites that may be run: those in the files that the settings name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from vivavoce.core import environment
from vivavoce.core.errors import UsageError
from vivavoce.core.kinds import Format
from vivavoce.core.place import Problem, Problems, told_of
from vivavoce.core.reply import Object
from vivavoce.core.source import Source
from vivavoce.run import files
from vivavoce.web.project import Project

Mark: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """A suite of the project; or a file that cannot be one, by the file's name."""

    name: str
    path: str
    about: Object | None = None
    fault: str | None = None
    """Why it cannot be run."""


class Suites:
    """Those of a project. A file is read again once it is another; may be asked in several threads."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._read: dict[tuple[str, str, Mark], Known] = {}

    def known(self) -> tuple[Known, ...]:
        """Every suite there is by now, in the order of their files; a new file is seen at once.

        Of files that stream only the top is read: what is wrong with their cases is told when they are run.
        """
        selection = self._project.selection
        if not selection.paths:
            return ()
        problems = Problems(lenient=selection.lenient)
        with environment.known(self._project.environment):
            try:
                found = files.find(selection.paths, selection.format, problems, folder=self._project.folder)
            except UsageError as error:
                return (Known(name=selection.paths[0], path=selection.paths[0], fault=str(error)),)
            there = {(source.name, type(each).__name__, _mark(source)): (source, each) for source, each in found}
            known = {
                key: self._read.get(key) or _known(source, each, lenient=selection.lenient)
                for key, (source, each) in there.items()
            }
        self._read = known
        return tuple(_distinct([*known.values(), *_not_read(problems)]))


def _mark(source: Source) -> Mark:
    """What is another once a file is; nothing of one that is gone."""
    try:
        stat = source.path.stat()
    except OSError:
        return ()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def reason(problems: Sequence[Problem], total: int) -> str:
    """What is wrong with a file, in a line: `CODE: message`, as far as problems have codes."""
    first = problems[0]
    place = f"line {first.line}: " if first.line is not None else ""
    more = f" (and {total - 1} more)" if total > 1 else ""
    return f"{first.code or 'INVALID'}: {place}{first.path and f'{first.path}: '}{first.message}{more}"


def _known(source: Source, each: Format, *, lenient: bool) -> Known:
    problems = Problems(lenient=lenient)
    try:
        suite = each.read(source, problems)
    except UsageError as error:
        return Known(name=source.path.name, path=source.name, fault=told_of(source, error)[1])
    if problems.total:
        return Known(name=source.path.name, path=source.name, fault=reason(problems.found(), problems.total))
    return Known(name=suite.name, path=source.name, about=suite.about)


def _not_read(problems: Problems) -> Iterator[Known]:
    """Files that are of no format, or are not there."""
    for problem in problems.found():
        yield Known(name=problem.file.replace("\\", "/").rpartition("/")[2], path=problem.file, fault=problem.message)


def _distinct(found: list[Known]) -> Iterator[Known]:
    """Suites of one name cannot be told apart by it."""
    often = Counter(each.name for each in found if each.fault is None)
    for each in found:
        if each.fault is None and often[each.name] > 1:
            fault = f'DUPLICATE_NAME: other files hold a suite "{each.name}" too; give each a name of its own'
            yield replace(each, name=each.path, fault=fault)
        else:
            yield each
