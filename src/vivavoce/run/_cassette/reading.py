"""Read a cassette: JSON lines, packed or not, up to the last whole one."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from vivavoce.core import codec
from vivavoce.core.errors import UsageError
from vivavoce.core.reply import JSON
from vivavoce.run._cassette import outcome
from vivavoce.run._cassette.call import KINDS, Call
from vivavoce.run._cassette.outcome import Outcome

FORMAT = "viva.cassette/1"
"""The format number, which stands in the first line."""
LONGEST = 64 * 1024 * 1024
"""Bytes of a line; an answer of more was never taken."""
_CHUNK = 1 << 16
_FIELDS = frozenset({"kind", "asked", "suite", "case", "repeat", "turn", "request", "nth", "by", "outcome"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A recorded call."""

    number: int
    """Where it stands in the file, from 1."""
    call: Call
    outcome: Outcome
    by: str | None
    """How reports call who answered, where that is not the plugin's name."""
    data: bytes
    """The line as it is kept."""


@dataclass(kw_only=True, slots=True)
class Told:
    """What a file says of itself, and what a person should know of it."""

    open: bool = False
    """Whether it was being recorded when it was left."""
    warning: str | None = None


def read(path: Path, told: Told) -> Iterator[Line]:
    """Each call of a file, in its order; what is found out meanwhile goes to `told`.

    Raises:
        UsageError: it is no cassette, is of another version, or a line of it is damaged; says which.
    """
    seen: dict[str, int] = {}
    try:
        with path.open("rb") as file:
            if not file.peek(1):
                told.open = True
                return
            for number, (data, whole) in enumerate(_lines(file, path), 1):
                if number == 1:
                    told.open = _header(data, path)
                elif not whole:
                    told.warning = f"{path}: ends in the middle of line {number}, which was left out; the recording was cut off"
                else:
                    found = line(data, number, path)
                    before = seen.setdefault(found.call.key, number)
                    if before != number and not told.open:
                        raise UsageError(f"{path}:{number}: the same call as in line {before}; keep one of the two lines")
                    yield found
    except FileNotFoundError:
        raise UsageError(f"{path}: there is no such cassette; `viva run --record {path}` makes one") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error


def written(call: Call, made: Outcome, by: str | None) -> bytes:
    """A call as a line."""
    told: dict[str, JSON] = {**codec.plain(call), "outcome": made}
    if call.turn is None:
        del told["turn"]
    if not call.nth:
        del told["nth"]
    if by is not None:
        told["by"] = by
    return codec.canonical(told) + b"\n"


def header(*, is_open: bool) -> bytes:
    """The first line."""
    return codec.canonical({"format": FORMAT, **({"state": "recording"} if is_open else {})}) + b"\n"


def _header(data: bytes, path: Path) -> bool:
    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        told = None
    named = told.get("format") if isinstance(told, dict) else None
    if not isinstance(named, str) or not named.startswith("viva.cassette/"):
        raise UsageError(f'{path}:1: is no cassette, whose first line is {{"format": "{FORMAT}"}}; name another file')
    if named != FORMAT:
        raise UsageError(f"{path}:1: is of format {named}, and this version of Viva reads {FORMAT}; record it anew")
    return bool(told.get("state") == "recording")


def line(data: bytes, number: int, path: Path) -> Line:
    """A line as the call that it holds.

    Raises:
        UsageError: it holds none; says why.
    """

    def wrong(why: str) -> UsageError:
        return UsageError(f"{path}:{number}: {why}; put the line back as it was, or take it out and record that call again")

    try:
        told = json.loads(data, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise wrong(f"is not JSON: {error}") from None
    if not isinstance(told, dict):
        raise wrong("is no JSON object")
    unknown = sorted(told.keys() - _FIELDS)
    if unknown:
        raise wrong(f'has an unknown field "{unknown[0]}"')
    made, by = told.pop("outcome", None), told.pop("by", None)
    try:
        call = codec.convert(told, Call)
        if not isinstance(made, dict):
            raise ValueError("has no outcome")
        outcome.check(call.kind, made)
        _ = call.key, codec.encode(made)  # half a character, which JSON can name, is in none that was recorded
    except (ValueError, RecursionError) as error:
        raise wrong(f"is no recorded call: {str(error).replace('$.', '')}") from None
    assert call.kind in KINDS
    return Line(number=number, call=call, outcome=made, by=by if isinstance(by, str) else None, data=data.rstrip() + b"\n")


def _once(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f'"{twice}" stands twice in one object')
    return made


def _lines(file: IO[bytes], path: Path) -> Iterator[tuple[bytes, bool]]:
    """Each line that is not blank, and whether it is whole."""
    packed = path.suffix.lower() == ".gz"
    source: IO[bytes] = io.BufferedReader(_Unpacked(file, path)) if packed else file
    while data := source.readline(LONGEST + 1):
        if len(data) > LONGEST:
            raise UsageError(f"{path}: has a line of more than {LONGEST:,} bytes, and is no cassette")
        yield data, data.endswith(b"\n")


class _Unpacked(io.RawIOBase):
    """What gzip packed, as far as it goes: a file that is cut gives what stood before the cut."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file = file
        self._path = path
        self._unpacker = zlib.decompressobj(31)
        self._rest = b""

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override] # any writable buffer
        """The next bytes."""
        data = b""
        while not data:
            if self._unpacker.eof:
                self._rest = self._unpacker.unused_data
                self._unpacker = zlib.decompressobj(31)
            if not self._rest:
                self._rest = self._file.read(_CHUNK)
                if not self._rest:
                    return 0
            try:
                data = self._unpacker.decompress(self._rest, len(buffer))
            except zlib.error as error:
                raise UsageError(f"{self._path}: is not what its suffix says: gzip cannot read it: {error}") from None
            self._rest = self._unpacker.unconsumed_tail
        buffer[: len(data)] = data
        return len(data)
