"""A dataset file as it stands: plain or gzip, with or without a byte order mark, read in bounded memory."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from codecs import iterdecode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import BufferedReader, BytesIO
from itertools import chain
from pathlib import Path
from typing import IO, cast

from vivavoce.core.errors import UsageError
from vivavoce.core.place import locate

DOCUMENT_LIMIT = 256 * 1024 * 1024
"""Bytes of one document that is read whole, after unpacking."""
LINE_LIMIT = 64 * 1024 * 1024
"""Bytes of one line of a file that streams, after unpacking."""
HEAD = 64 * 1024
_BLOCK = 64 * 1024
_BOM = b"\xef\xbb\xbf"
_DAMAGE = (OSError, EOFError, zlib.error)
"""What reading raises when a disk or a gzip stream fails half way."""


class Source:
    """One dataset file. Nothing is read before a method is called; each call reads afresh."""

    def __init__(self, path: Path | str, name: str | None = None) -> None:
        self.path = Path(path)
        self.name = name if name is not None else str(path)
        """As the person named it; what messages show."""
        self.locator: Callable[[str, Iterable[str]], Mapping[str, int]] | None = None
        """How lines are found in the text; a format that reads a document which is not JSON puts its own here."""

    @property
    def suffix(self) -> str:
        """The suffix in lower case, `.gz` left out: `.jsonl` of `A.JSONL.gz`."""
        return Path(self._unpacked).suffix.lower()

    @property
    def stem(self) -> str:
        """The file's name without its suffixes: what a suite is named by."""
        return Path(self._unpacked).stem

    @property
    def is_gzip(self) -> bool:
        """Whether the content is gzip, whatever the file is called."""
        with self._raw() as raw:
            return raw.read(2) == b"\x1f\x8b"

    def head(self, size: int = HEAD) -> bytes:
        """The first bytes of the content, unpacked, without byte order mark."""
        with self.open() as content:
            try:
                return content.read(size)
            except _DAMAGE as error:
                raise self._unreadable(error) from error

    def open(self) -> IO[bytes]:
        """The content as bytes, unpacked, positioned after the byte order mark. The caller closes it."""
        content = (
            cast(IO[bytes], gzip.GzipFile(self.path)) if self.is_gzip else self._raw()
        )  # it has all of IO that is used here
        try:
            start = content.read(3)
            if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise UsageError(f"{self.name}: is UTF-16; save it as UTF-8")
            content.seek(3 if start == _BOM else 0)
        except _DAMAGE as error:
            content.close()
            raise self._unreadable(error) from error
        except UsageError:
            content.close()
            raise
        return content

    def text(self, limit: int = DOCUMENT_LIMIT) -> str:
        """The whole content as text.

        Raises:
            UsageError: it is larger than `limit`, not UTF-8, or damaged.
        """
        with self.open() as content:
            try:
                data = content.read(limit + 1)
            except _DAMAGE as error:
                raise self._unreadable(error) from error
        if len(data) > limit:
            raise UsageError(
                f"{self.name}: larger than {limit // 1024 // 1024} MB, too large for one document; "
                "write it as JSON lines, which stream"
            )
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise UsageError(f"{self.name}:{line}: is not UTF-8 ({error.reason}); save it as UTF-8") from error

    def blocks(self) -> Iterator[bytes]:
        """The content as bytes, block by block; what is there is given also where damage follows it.

        Raises:
            UsageError: the file is damaged.
        """
        with self.open() as content:
            while True:
                try:
                    block = cast(BufferedReader, content).read1(_BLOCK)  # which gzip has too
                except _DAMAGE as error:
                    raise self._unreadable(error) from error
                if not block:
                    return
                yield block

    def lines(self, limit: int = LINE_LIMIT) -> Iterator[tuple[int, bytes]]:
        """Each line that is not blank, with its number from 1, without the line break.

        Raises:
            UsageError: a line is longer than `limit`, or the file is damaged.
        """
        for number, line in enumerate(self.raw_lines(limit), 1):
            line = line.strip()
            if line:
                yield number, line

    def raw_lines(self, limit: int = LINE_LIMIT) -> Iterator[bytes]:
        """Each line as it stands, blank ones and the line breaks too.

        Raises:
            UsageError: as `lines` does.
        """
        return chain.from_iterable(self._blocks(limit))

    def _blocks(self, limit: int) -> Iterator[list[bytes]]:
        """The same, many lines at a time."""
        number, rest = 0, [b""]
        for block in self.blocks():
            end = block.rfind(b"\n") + 1
            rest.append(block[:end] or block)
            if end or sum(map(len, rest)) > limit:
                lines = BytesIO(b"".join(rest)).readlines()
                self._check(lines, number, limit)
                yield lines
                number, rest = number + len(lines), [block[end:]]
        if any(rest):
            lines = [b"".join(rest)]
            self._check(lines, number, limit)
            yield lines

    def _texts(self) -> Iterator[str]:
        """The content as text, block by block, as far as it can be read; what is not UTF-8 is replaced."""
        with suppress(UsageError):
            yield from iterdecode(self.blocks(), "utf-8", errors="replace")

    def _check(self, lines: Sequence[bytes], before: int, limit: int) -> None:
        for number, line in enumerate(lines, before + 1) if max(map(len, lines)) > limit else ():
            if len(line) > limit:
                raise UsageError(f"{self.name}:{number}: a line longer than {limit // 1024 // 1024} MB; split the row")

    def sha256(self) -> str:
        """Of the bytes on disk, hexadecimal."""
        with self._raw() as raw:
            return hashlib.file_digest(raw, "sha256").hexdigest()

    def locate(self, paths: Iterable[str]) -> Mapping[str, int]:
        """The line of each JSON path, when the content is one document; see `place.locate`. Empty when nothing can be read."""
        try:
            return self.locator(self.text(), paths) if self.locator else locate(self._texts(), paths)
        except UsageError:
            return {}

    @property
    def _unpacked(self) -> str:
        name = self.path.name
        return name[:-3] if name.lower().endswith(".gz") else name

    def _raw(self) -> BufferedReader:
        try:
            return self.path.open("rb")
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> UsageError:
        reason = getattr(error, "strerror", None) or str(error)
        return UsageError(f"{self.name}: cannot be read: {reason}")
