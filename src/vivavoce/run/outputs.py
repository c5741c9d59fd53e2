"""The files a run is written to: chosen before it begins, streamed where they can be, whole or not at all in the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, TypeAlias

from vivavoce.core import plugins
from vivavoce.core.errors import UnknownPlugin, UsageError, VivaError
from vivavoce.core.kept import Kept
from vivavoce.core.kinds import Report, Scored, Streaming
from vivavoce.core.model import Plan, Use
from vivavoce.core.place import did_you_mean
from vivavoce.core.result import Result, Run
from vivavoce.run import used

STDOUT = "-"
_PLAIN = "json"
"""What standard output gets when nothing else is named: the run document."""

Writer: TypeAlias = Report | Scored


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Output:
    """One place a run is written to, and how."""

    spec: str
    """As the person wrote it."""
    path: str
    """As it was written; `-` is standard output."""
    file: Path
    """Where that is, also once an agent has changed the folder."""
    writer: Writer

    @property
    def is_stdout(self) -> bool:
        """Whether it goes to standard output."""
        return self.path == STDOUT

    @property
    def is_file(self) -> bool:
        """Whether there is, or will be, a file of its own: not standard output, not a device or a pipe."""
        return not self.is_stdout and (self.file.is_file() or not self.file.exists())


def choose(specs: Iterable[str], *, min_pass_rate: float | None = None) -> tuple[Output, ...]:
    """The outputs that `[NAME:]PATH` texts ask for; folders are made. A report that tells a verdict does so by the gate.

    Raises:
        UsageError: a name or suffix says nothing, two go to one place, or a place cannot be written to.
    """
    chosen: list[Output] = []
    places: dict[str, str] = {}
    for spec in specs:
        output = _output(spec, min_pass_rate)
        place = STDOUT if output.is_stdout else os.path.normcase(os.path.realpath(output.file))
        if place in places and (output.is_stdout or output.is_file):
            where = "standard output" if output.is_stdout else output.path
            raise UsageError(f"--output {places[place]} and --output {spec} both go to {where}; give each its own")
        places[place] = spec
        chosen.append(output)
    for output in chosen:
        _prepare(output)
    return tuple(chosen)


class Outputs:
    """Writes a run to all its outputs; as a listener, also line by line while results come."""

    def __init__(self, outputs: Sequence[Output], earlier: Iterable[Result] = ()) -> None:
        self._outputs = tuple(outputs)
        self._earlier = earlier
        """Results that a resumed run has already; they are streamed first."""
        self._streams: dict[Output, IO[str]] = {}
        self._last = -1
        """The position of the last result, as long as all came in the dataset's order."""
        self._count = 0
        self._whole: set[Output] = set()
        """What holds the run already as it would be written."""
        self._lost: list[str] = []
        """What went wrong where nothing can be written again."""

    @property
    def take_stdout(self) -> bool:
        """Whether standard output belongs to one of them."""
        return any(output.is_stdout for output in self._outputs)

    def spare(self, plan: Plan | None, more: Iterable[tuple[Path, str]] = ()) -> None:
        """Make sure, before a run begins, that no file is written over that it reads or keeps: of the plan, or of these.

        Raises:
            UsageError: an output is one of them.
        """
        read = [*(used.files(plan) if plan is not None else ()), *more]
        for output in self._outputs:
            what = None if output.is_stdout else used.same(output.file, read)
            if what is not None:
                raise UsageError(f"--output {output.spec}: would write over {what}; choose another path")

    def began(self, plan: Plan, done: int) -> None:
        """Open what streams."""
        for output in self._outputs:
            if isinstance(output.writer, Streaming):
                self._streams[output] = sys.stdout if output.is_stdout else _open(output, output.file)
        if self._streams:
            for result in self._earlier:
                self._stream([result.position], partial(_line, result))

    def kept(self, kept: Sequence[Kept]) -> None:
        """Stream results."""
        positions = [each.position for each in kept]
        self._stream(positions, lambda writer: "".join([writer.line_of(each.result) for each in kept]))

    def _stream(self, positions: Sequence[int], lines: Callable[[Streaming], str]) -> None:
        self._count += len(positions)
        for position in positions:
            self._last = position if position > self._last >= -1 else -2
        for output, stream in list(self._streams.items()):
            assert isinstance(output.writer, Streaming)
            try:
                stream.write(lines(output.writer))
                stream.flush()
            except OSError as error:
                # Told at the end, when a file is written whole: by then it may work again, and the run goes on meanwhile.
                if output.is_stdout and not isinstance(error, BrokenPipeError):
                    self._lost.append(_unwritten(output, error))
                self._close(output)

    def finished(self, run: Run) -> None:
        """Stop streaming; `write` then puts everything in order."""
        summary = run.summary
        done = summary.passed + summary.failed + summary.skipped + summary.errored
        for output in list(self._streams):
            if self._close(output) and self._last >= -1 and self._count == done and output.is_file:
                self._whole.add(output)

    def write(self, run: Run) -> None:
        """Write the run to every output, in whatever state it is; one that fails does not keep the others from it.

        Raises:
            UsageError: an output could not be written; says which and why.
        """
        streamed = {output for output in self._outputs if output.is_stdout and isinstance(output.writer, Streaming)}
        streamed |= self._whole
        failed = [message for output in self._outputs if output not in streamed and (message := _write(output, run))]
        failed += self._lost
        if failed:
            raise UsageError("\n".join([*failed, f"The run is stored all the same: viva show {run.id} --output PATH"]))

    def _close(self, output: Output) -> bool:
        """Stop streaming; whether all of it has arrived."""
        stream = self._streams.pop(output)
        if stream is not sys.stdout:
            try:
                stream.close()
            except OSError:
                return False
        return True


def _line(result: Result, writer: Streaming) -> str:
    return writer.line(result)


def render(writer: Writer, run: Run, out: IO[str]) -> None:
    """Write a run to an open stream, by a report or in a vendor's format."""
    if isinstance(writer, Scored):
        writer.report(run, out)
    else:
        writer.render(run, out)


def writer_named(name: str) -> Writer:
    """The report, or format that can hold results, of this name.

    Raises:
        UsageError: there is none, or the format only holds questions.
    """
    for kind in ("reports", "formats"):
        with suppress(UnknownPlugin):
            made = plugins.build(kind, Use(name=name))
            if kind == "formats" and not isinstance(made, Scored):
                raise UsageError(f"the format {name} cannot hold results ({did_you_mean(name, _names())})")
            writer: Writer = made
            return writer
    raise UsageError(f'no report or format is called "{name}" ({did_you_mean(name, _names())})')


def suited(writer: Writer, suffix: str) -> Writer:
    """A writer as files of a suffix need it, where it writes in more than one way."""
    return writer.for_suffix(suffix) if hasattr(writer, "for_suffix") else writer


def _output(spec: str, min_pass_rate: float | None) -> Output:
    name, colon, path = spec.partition(":")
    if not colon or (len(name) == 1 and os.name == "nt"):  # C:\report.html
        name, path = "", spec
    if not path:
        raise UsageError(f"--output {spec}: after the colon belongs a path, or - for standard output")
    try:
        writer = writer_named(name) if name else _by_suffix(path)
    except UsageError as error:
        raise UsageError(f"--output {spec}: {error}") from None
    writer = suited(writer, Path(path).suffix)
    if min_pass_rate is not None and is_dataclass(writer) and any(each.name == "min_pass_rate" for each in fields(writer)):
        writer = replace(writer, min_pass_rate=min_pass_rate)
    return Output(spec=spec, path=path, file=Path(os.path.abspath(path)), writer=writer)


def _by_suffix(path: str) -> Writer:
    if path == STDOUT:
        return writer_named(_PLAIN)
    by_suffix = {suffix: report for name in plugins.names("reports") if (suffix := (report := _report(name)).suffix)}
    found = [report for suffix, report in by_suffix.items() if path.lower().endswith(suffix)]
    if found:
        return found[0]
    known = " ".join(sorted(by_suffix))
    raise UsageError(f"the suffix does not say what to write; known are {known}, or name a report, as in json:{path}")


def _report(name: str) -> Report:
    report: Report = plugins.build("reports", Use(name=name))
    return report


def _names() -> list[str]:
    formats = [name for name in plugins.names("formats") if isinstance(plugins.build("formats", Use(name=name)), Scored)]
    return [*plugins.names("reports"), *formats]


def _prepare(output: Output) -> None:
    """Find out before anything is paid for that a path cannot be written to."""
    path = output.file
    if output.is_stdout:
        return
    if path.is_dir():
        raise UsageError(f"--output {output.spec}: is a folder; give the path of a file in it")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--output {output.spec}: the folder cannot be made: {error.strerror or error}") from error
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"--output {output.spec}: no permission to write there")


def _write(output: Output, run: Run) -> str | None:
    """Write one output; returns what went wrong."""
    try:
        if output.is_stdout:
            render(output.writer, run, sys.stdout)
            sys.stdout.flush()
        elif output.is_file:
            _replace(output, run)
        else:
            with _open(output, output.file) as device:
                render(output.writer, run, device)
    except BrokenPipeError:
        return None  # who read it went away, as `head` does, and there is nobody to tell
    except (OSError, VivaError) as error:
        return _unwritten(output, error)
    return None


def _unwritten(output: Output, error: Exception) -> str:
    return f"--output {output.spec}: cannot be written: {getattr(error, 'strerror', None) or error}"


def _replace(output: Output, run: Run) -> None:
    """Write beside the file and put it in its place, so that a reader finds the old one or the new one, never half."""
    path = Path(os.path.realpath(output.file))
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with _open(output, beside) as part:
            render(output.writer, run, part)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _open(output: Output, path: Path) -> IO[str]:
    try:
        # Reports decide on their line ends; half a surrogate pair, which JSON can name, is written as JSON names it.
        return path.open("w", encoding="utf-8", newline="", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"--output {output.spec}: cannot be written: {error.strerror or error}") from error
