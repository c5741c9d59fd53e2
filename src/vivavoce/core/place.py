"""Where a problem is - file, line and JSON path - and the collecting of many problems into one error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from vivavoce.core.errors import DatasetError, UsageError

if TYPE_CHECKING:
    from vivavoce.core.source import Source

# Possessive, and with an end that may be missing, so that a text of nothing but quotes is still read in one sweep.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_MARKS = "{}[],:"
_DEEPEST = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """Something wrong in a dataset file, with its place and the way out."""

    file: str
    line: int | None = None
    """From 1."""
    path: str = ""
    """JSON path, such as `items[3].turns[0].prompt`."""
    message: str
    fix: str = ""
    """What to do about it, as a clause: `did you mean "prompt"?`."""
    code: str = ""
    """A vendor's own name for it, where it has one."""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        parts = [f"{place}: "]
        parts += [f"{self.code}: "] if self.code else []
        parts += [f"{self.path}: "] if self.path else []
        parts += [self.message]
        parts += [f" ({self.fix})"] if self.fix else []
        return "".join(parts)


class Problems:
    """Collects every problem of a reading; keeps the first hundred, counts all."""

    def __init__(self, *, lenient: bool = False, limit: int = 100) -> None:
        self.lenient = lenient
        self.total = 0
        self.warnings: list[Problem] = []
        self.warned = 0
        """How many warnings there were in all."""
        self._limit = limit
        self._kept: list[tuple[Source | None, Problem]] = []
        self._seen: set[tuple[str, int | None, str, str]] = set()

    def add(
        self, source: Source, message: str, *, path: str = "", line: int | None = None, fix: str = "", code: str = ""
    ) -> None:
        """Record an error. Without `line`, it is found from `path` when the error is raised, in JSON files.

        The same message at the same path is recorded once."""
        problem = Problem(file=source.name, line=line, path=path, message=message, fix=fix, code=code)
        if self._is_new(problem):
            self.total += 1
            if len(self._kept) < self._limit:
                self._kept.append((source, problem))

    def warn(self, source: Source, message: str, *, path: str = "", line: int | None = None, fix: str = "") -> None:
        """Record a warning: it is shown, and stops nothing."""
        problem = Problem(file=source.name, line=line, path=path, message=message, fix=fix)
        if self._is_new(problem):
            self.warned += 1
            if len(self.warnings) < self._limit:
                self.warnings.append(problem)

    def soft(
        self, source: Source, message: str, *, path: str = "", line: int | None = None, fix: str = "", code: str = ""
    ) -> None:
        """Record what is an error, or with `--lenient` a warning: an unknown field."""
        if self.lenient:
            self.warn(source, message, path=path, line=line, fix=fix)
        else:
            self.add(source, message, path=path, line=line, fix=fix, code=code)

    def add_raised(self, source: Source, error: UsageError, *, fix: str = "") -> None:
        """Record what was raised while a file was read, at the line that it names."""
        line, message = told_of(source, error)
        self.add(source, message, line=line, fix=fix)

    def include(self, others: Problems) -> None:
        """Record every error of another collection, which was kept apart to tell whether there are any."""
        for source, problem in others._kept:
            if self._is_new(problem):
                self.total += 1
                if len(self._kept) < self._limit:
                    self._kept.append((source, problem))
        self.total += others.total - len(others._kept)

    def found(self) -> tuple[Problem, ...]:
        """The errors kept, each with its line where it can be told, file by file and down each file."""
        problems = list(_with_lines(self._kept))
        files = {name: at for at, name in enumerate(dict.fromkeys(problem.file for problem in problems))}
        return tuple(sorted(problems, key=lambda problem: (files[problem.file], problem.line or 0)))

    def raise_any(self, *, beside: Iterable[str] = ()) -> None:
        """Raise one `DatasetError` with every error, if there is any; `beside` are lines that help to mend them."""
        if self.total:
            raise DatasetError(self.found(), self.total, tuple(beside))

    def _is_new(self, problem: Problem) -> bool:
        if len(self._seen) > 10_000:  # bounded: past this, repeats are told apart no longer
            return True
        key = (problem.file, problem.line, problem.path, problem.message)
        new = key not in self._seen
        self._seen.add(key)
        return new


def told_of(source: Source, error: UsageError) -> tuple[int | None, str]:
    """The line that an error names, and what it says, when the file is told beside it."""
    said = str(error).removeprefix(source.name)
    found = re.match(r":(?:([0-9]+):)? *", said) if said != str(error) else None
    if found is None:
        return None, str(error)
    return int(found[1]) if found[1] else None, said[found.end() :]


def _with_lines(kept: Iterable[tuple[Source | None, Problem]]) -> Iterable[Problem]:
    kept = list(kept)
    wanted: dict[int, tuple[Source, list[str]]] = {}
    for source, problem in kept:
        if source is not None and problem.line is None and problem.path:
            wanted.setdefault(id(source), (source, []))[1].append(problem.path)
    lines = {key: source.locate(paths) for key, (source, paths) in wanted.items()}
    for source, problem in kept:
        line = problem.line
        if line is None and problem.path:
            line = lines.get(id(source), {}).get(problem.path)
        yield Problem(
            file=problem.file,
            line=line,
            path=problem.path,
            message=problem.message,
            fix=problem.fix,
            code=problem.code,
        )


def join(*parts: str | int) -> str:
    """A JSON path of its parts: `join("items", 3, "prompt")` is `items[3].prompt`."""
    path = ""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part:
            path += f".{part}" if path and not part.startswith("[") else part
    return path


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like this one, or `None` if none is near."""
    import difflib

    by_fold = {each.lower().replace("_", "").replace("-", "").replace(" ", ""): each for each in known}
    folded = name.lower().replace("_", "").replace("-", "").replace(" ", "")
    if len(folded) > 2 * max(map(len, by_fold), default=0):
        return None  # which is soon said, however long it is
    close = difflib.get_close_matches(folded, by_fold, n=1, cutoff=0.7)
    return by_fold[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A clause for `fix`: the nearest name as a question, or the list of names."""
    known = list(known)
    near = nearest(name, known)
    return f'did you mean "{near}"?' if near else f"known here: {', '.join(known)}"


def locate(text: str | Iterable[str], paths: Iterable[str]) -> Mapping[str, int]:
    """The line, from 1, at which each JSON path's value (or, for a member, its name) begins.

    A path that is not in the document gets the line of its nearest ancestor that is. The text need not be valid to its end,
    and may come in blocks.
    """
    wanted = {path: path for path in paths}
    ancestors = {each for path in wanted for each in above(path)}
    missing = set(wanted)
    found: dict[str, int] = {}
    for line, path, _ in members(text):
        if path in ancestors and path not in found:
            found[path] = line
            missing.discard(path)
            if not missing:
                break
    return {path: next(found[each] for each in above(path) if each in found) for path in wanted if found}


def above(path: str) -> list[str]:
    """The path itself, and each path above it, up to the root ``""``."""
    cuts = [match.start() for match in re.finditer(r"[.\[]", path) if match.start() > 0]
    return [path, *(path[:cut] for cut in reversed(cuts)), ""] if path else [""]


def members(text: str | Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """Line, path and first token of every value of a JSON text, valid or not; a member's line is that of its name.

    Ends where a text nests deeper than any dataset, since the paths of endless levels would fill the memory.
    """
    stack: list[tuple[str, int | None]] = []  # path of the open container; index in a list, None in an object
    path, named_at, key = "", None, True
    for token, line in _tokens((text,) if isinstance(text, str) else text):
        if token in "}]":
            path = stack.pop()[0] if stack else ""
        elif token == ",":
            if stack and stack[-1][1] is not None:
                stack[-1] = (stack[-1][0], (stack[-1][1] or 0) + 1)
            key = bool(stack) and stack[-1][1] is None
        elif token == ":":
            key = False
        elif key and stack and stack[-1][1] is None:
            path, named_at = join(stack[-1][0], _name(token)), line
        else:
            if stack and stack[-1][1] is not None:
                path = join(stack[-1][0], stack[-1][1])
            yield (line if named_at is None else named_at), path, token
            named_at = None
            if token in "{[":
                if len(stack) == _DEEPEST:
                    return
                stack.append((path, None if token == "{" else 0))
                key = token == "{"


def _tokens(blocks: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Each token of a JSON text with its line; one that may go on in the next block is looked at again with that."""
    line, rest, more = 1, "", []
    for block in chain(blocks, (None,)):
        more.append(block or "")
        if block is not None and sum(map(len, more)) < len(rest):
            continue  # a text of many blocks is not looked at again with each
        text, last, ends = "".join((rest, *more)), 0, 0
        for match in _TOKEN.finditer(text):
            ends = match.end()
            if block is not None and ends >= len(text) - 1 and match[0] not in _MARKS:
                ends = match.start()  # it may go on, also behind a backslash that is the last so far
                break
            line, last = line + text.count("\n", last, match.start()), match.start()
            yield match[0], line
        line += text.count("\n", last, ends)
        rest, more = text[ends:], []


def _name(token: str) -> str:
    """A member's name as a reader gives it, without quotes and escapes."""
    if "\\" in token:
        try:
            return str(json.loads(token))
        except ValueError:
            pass  # a name that is cut off or damaged is told as it stands
    return token.strip('"')
