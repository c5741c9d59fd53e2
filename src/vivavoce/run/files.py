"""Which files an exam reads, and in which format each is."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import IO

from vivavoce.core import folders, plugins
from vivavoce.core.errors import UsageError
from vivavoce.core.kinds import Format
from vivavoce.core.model import File, Use
from vivavoce.core.place import Problems
from vivavoce.core.source import Source
from vivavoce.run import strays

STDIN = "standard input"
_FLAGS = ("map", "level")
"""What is asked of formats by flags of their name."""
_AWAY = "mend it, or move it out of the folder if it is no dataset"
SPOOL = Path(".viva") / "stdin"
"""Where standard input is kept, so that a run of it can be resumed."""


def find(
    paths: Sequence[str],
    name: str | None,
    problems: Problems,
    *,
    folder: Path,
    asked: Mapping[str, object] | None = None,
    spool: Path | None = None,
) -> list[tuple[Source, Format]]:
    """Every file that `paths` mean, with its format, in the order named; in a folder, by name. Formats know what is `asked`.

    A folder means its own files whose content is recognised; the others in it are listed in one warning. `-` is standard
    input; it and pipes are kept in `spool`. What cannot be found or recognised goes to `problems`.
    """
    formats = [plugins.build("formats", Use(name=name))] if name else _all_formats()
    formats = [_told(each, asked or {}) for each in formats]
    found: list[tuple[Source, Format]] = []
    for path in paths:
        if not _is_text(path):
            _refuse_name(Source(folder / path, strays.printable(path)), problems)
        elif path == "-" or _is_stream(folder / path):
            for source in _spooled(spool or folder / SPOOL, folder, path, problems):
                found += _named(source, formats, name, problems)
        elif (folder / path).is_dir():
            found += _in_folder(folder, path, formats, problems)
        else:
            found += _named(Source(folder / path, path), formats, name, problems)
    return _distinct(found)


def known(files: Sequence[File], folder: Path, asked: Mapping[str, object]) -> list[tuple[Source, Format]]:
    """Files that were found before, each with the format that it was found to be of."""
    formats = {name: _told(plugins.build("formats", Use(name=name)), asked) for name in {file.format for file in files}}
    return [(Source(folder / file.path, file.path), formats[file.format]) for file in files]


def check_asked(found: Sequence[tuple[Source, Format]], asked: Mapping[str, object]) -> None:
    """Make sure that what a person asks of formats by a flag is asked of one at least.

    Raises:
        UsageError: no file's format can do it.
    """
    taken: set[str] = set()
    for _, each in found:
        taken |= {one.name for one in fields(each)} if is_dataclass(each) else set()
    for name in _FLAGS:
        if found and asked.get(name) is not None and name not in taken:
            names = ", ".join(sorted({format_name(each) for _, each in found}))
            raise UsageError(f"--{name} means nothing for the files named, which are of the format {names}")


def _told(each: Format, asked: Mapping[str, object]) -> Format:
    """A format that knows what a person asks of it, as far as it has a field for that; what is `None` is not asked."""
    if not is_dataclass(each):
        return each
    known = {one.name for one in fields(each)}
    return replace(each, **{name: value for name, value in asked.items() if name in known and value is not None})


def _all_formats() -> list[Format]:
    return [plugins.build("formats", Use(name=name)) for name in plugins.names("formats")]


def _named(
    source: Source, formats: Sequence[Format], forced: str | None, problems: Problems
) -> Iterator[tuple[Source, Format]]:
    if not source.path.exists():
        problems.add(source, "there is no such file or folder", fix="give the path of a dataset, or a folder of them")
        return
    try:
        if not source.head(1):
            problems.add(source, "is empty", fix="a dataset holds at least one case", code=strays.code(source))
            return
        matching = list(formats) if forced else [each for each in formats if each.matches(source)]
    except UsageError as error:
        problems.add_raised(source, error)
        return
    if len(matching) == 1:
        yield source, matching[0]
    elif matching:
        names = ", ".join(format_name(each) for each in matching)
        problems.add(source, f"could be of several formats: {names}", fix="say which with --format NAME")
    else:
        _refuse(source, formats, problems)


def _refuse(source: Source, formats: Sequence[Format], problems: Problems, fix: str = "") -> None:
    """Say why a file is of no format: it is damaged, or a name in it is misspelt, or it is something else."""
    try:
        damage = strays.damage(source)
        slips = strays.slips(source, formats)
        found = strays.beginning(source)
    except UsageError as error:
        problems.add_raised(source, error, fix=fix)
        return
    if damage.total:
        problems.include(damage)
        return
    for name, near in slips.items():
        problems.add(source, "unknown field, so that the file is of no known format", path=name, fix=f'did you mean "{near}"?')
    if not slips:
        looked = "; ".join(f"{format_name(each)}: {each.looks_for}" for each in formats)
        problems.add(source, f"is of no known format. Looked for {looked}. Found {found}", fix=fix)


def _in_folder(folder: Path, path: str, formats: Sequence[Format], problems: Problems) -> Iterator[tuple[Source, Format]]:
    suffixes = tuple(suffix for each in formats for suffix in each.suffixes)
    ignored: list[str] = []
    any_read = False
    for entry in sorted(os.scandir(folder / path), key=lambda entry: entry.name):
        if entry.name.startswith(".") or not (entry.is_file() or _is_broken_link(entry)):
            continue
        source = Source(Path(entry.path), strays.printable(os.path.join(path, entry.name)))
        plain = entry.name.lower().removesuffix(".gz")
        if plain.endswith(suffixes) and not _is_text(entry.name):
            _refuse_name(source, problems)
            continue
        try:
            matching = [each for each in formats if plain.endswith(each.suffixes) and _is_dataset(each, source)]
        except UsageError as error:
            problems.add_raised(source, error)
            continue
        if plain.endswith(suffixes) and len(matching) == 1:
            any_read = True
            yield source, matching[0]
        elif len(matching) > 1:
            yield from _named(source, matching, None, problems)
        elif not _is_lost(source, suffixes, formats, problems):
            ignored.append(strays.printable(entry.name))
    at = Source(folder / path, path)
    if ignored:
        shown = ", ".join(ignored[:10]) + (f" and {len(ignored) - 10} more" if len(ignored) > 10 else "")
        problems.warn(at, f"ignored, not recognised as datasets: {shown}")
    if not any_read and not problems.total:
        problems.add(at, "holds no dataset", fix="a folder means its own files, not those of its subfolders")


def _is_text(name: str) -> bool:
    """Whether a file's name can be shown and stored."""
    return strays.printable(name) == name


def _refuse_name(source: Source, problems: Problems) -> None:
    problems.add(source, "has a name that is not UTF-8", fix="rename it")


def _is_broken_link(entry: os.DirEntry[str]) -> bool:
    return entry.is_symlink() and not os.path.exists(entry.path)


def _is_lost(source: Source, suffixes: tuple[str, ...], formats: Sequence[Format], problems: Problems) -> bool:
    """Whether a file that no format takes up was meant to be a dataset; if so, what is wrong with it is told."""
    name = source.path.name.lower().removesuffix(".gz")
    if not name.endswith(suffixes):
        return False
    try:
        if source.suffix != ".jsonl" and any(each.matches(source) for each in formats) and not strays.slips(source, formats):
            return False  # what a run wrote is matched, and is a dataset only when named
        if not source.head(1):
            problems.add(source, "is empty", fix=_AWAY, code=strays.code(source))
            return True
        if not strays.is_meant(source, formats):
            return False
    except UsageError as error:
        problems.add_raised(source, error, fix=_AWAY)
        return True
    _refuse(source, formats, problems, _AWAY)
    return True


def _is_dataset(each: Format, source: Source) -> bool:
    holds_results = getattr(each, "holds_results", None)
    return each.matches(source) and not (holds_results is not None and holds_results(source))


def _distinct(found: list[tuple[Source, Format]]) -> list[tuple[Source, Format]]:
    """Without the second of two names for one file: `evals/ evals/a.json` reads it once."""
    by_path = {os.path.realpath(source.path): (source, each) for source, each in reversed(found)}
    return list(reversed(by_path.values()))


@contextmanager
def passing(paths: Sequence[str], folder: Path) -> Iterator[Path | None]:
    """A folder for what cannot be read twice, which goes when it is left; none where every path is a file or a folder.

    Raises:
        UsageError: it cannot be made.
    """
    if not any(path == "-" or _is_stream(folder / path) for path in paths):
        yield None
        return
    try:
        made = tempfile.TemporaryDirectory(prefix="viva-")
    except OSError as error:
        raise UsageError(f"{STDIN} cannot be kept while it is read: {error.strerror or error}; name a file instead") from error
    with made as spool:
        yield Path(spool)


def stored_path(source: Source) -> str:
    """The path by which a run finds a file again."""
    parts = source.path.parts[-len(SPOOL.parts) - 2 :]
    if parts[: len(SPOOL.parts)] == SPOOL.parts and Path(source.name).parts[-len(parts) :] != parts:
        return "/".join(parts)
    return source.name


def _is_stream(path: Path) -> bool:
    """Whether this is a pipe or the like, which can be read once."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _spooled(spool: Path, folder: Path, path: str, problems: Problems) -> Iterator[Source]:
    """What can be read once, as a file that can be read again."""
    name = STDIN if path == "-" else path
    full = folder / path
    called = "stdin" if path == "-" or full.is_relative_to("/dev") or full.is_relative_to("/proc") else full.name
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else full.open("rb") as stream:
            kept = _spool(spool, stream, called)
        yield Source(kept, name)
    except OSError as error:
        fix = "name a file instead, or work in a folder that can be written to and has room"
        problems.add(Source(name), f"cannot be kept in {spool} while it is read: {error.strerror or error}", fix=fix)


def _spool(spool: Path, stream: IO[bytes], called: str) -> Path:
    """Keep a stream under its content's name, so that it can be read twice, and again on resume."""
    folders.make(spool)
    digest = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=spool, delete=False) as kept:
        try:
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
                kept.write(chunk)
            kept.flush()
            path = spool / digest.hexdigest()[:32] / called  # the suite is called by the file's name
            path.parent.mkdir(exist_ok=True)
            os.replace(kept.name, path)
        except BaseException:
            os.unlink(kept.name)
            raise
    return path


def format_name(each: Format) -> str:
    """How a format is named on the command line."""
    return type(each).__name__.lower()
