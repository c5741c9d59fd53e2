"""Tables: rows as lines of cells, with a header; every cell is text, verbatim."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from vivavoce.core.place import Problems
from vivavoce.core.reply import JSON
from vivavoce.core.source import LINE_LIMIT, Source
from vivavoce.formats._foundry import columns

DELIMITERS = (",", ";", "\t")
_LOOKED_AT = 20
_AFTER_QUOTE, _NO_END = "expected after", "unexpected end of data"
"""What the reader says of quotes."""
_QUOTES = 'a cell may stand in quotes as a whole, and a quote within it is written twice, as ""'
_TOO_MANY = 'put a cell that holds the delimiter into quotes, as "a, b"'
_TOO_FEW = "an empty cell has its delimiter too; put a cell that holds a line break into quotes"
_WHOLE = 60_000
"""Bytes beyond which a first part of a file may end within a line."""
_ABSENT_WHEN_EMPTY = columns.STANDARD - {"response", "test_case_description"}
"""Columns of which an empty cell says that there is nothing; an empty response is an answer."""


def delimiter_of(text: str) -> str | None:
    """What separates the cells of a table, by its first lines; `None` when nothing does.

    One that makes a known column of the header comes first, whatever the lines below; else one that gives every line as
    many cells, and of those the one that gives most.
    """
    best: tuple[bool, int, str] | None = None
    for delimiter in DELIMITERS:
        header, widths = _look(text, delimiter)
        known = any(name in columns.STANDARD or name in columns.WILD for name in header)
        if len(header) > 1 and (known or widths == {len(header)}) and (best is None or (known, len(header)) > best[:2]):
            best = (known, len(header), delimiter)
    return best[2] if best else None


def heading(source: Source) -> tuple[int, frozenset[str]]:
    """The line of a table's header, and the names in it."""
    text = source.head().decode(errors="replace")
    blank = text[: len(text) - len(text.lstrip("\r\n"))].count("\n")
    return blank + 1, frozenset(header_of(text, delimiter_of(text) or ","))


def header_of(text: str, delimiter: str) -> list[str]:
    """The names in the first line."""
    return _look(text, delimiter)[0]


def entries(source: Source, problems: Problems) -> Iterator[tuple[JSON, str, int | None, bool]]:
    """The rows of a table, each with its line."""
    delimiter = delimiter_of(source.head().decode(errors="replace")) or ","
    header: list[str] = []
    wrong = False
    for cells, line, damage in _records(source, delimiter):
        if not header:
            header = [name.strip() for name in cells] or [""]
            wrong = _is_wrong(header, source, line, problems)
        elif not damage and len(cells) != len(header):
            damage = f"has {len(cells)} cell{'s' if len(cells) != 1 else ''}, and the header names {len(header)}"
            problems.add(source, damage, line=line, fix=_TOO_FEW if len(cells) < len(header) else _TOO_MANY)
        elif not damage:
            row = {name: cell for name, cell in zip(header, cells, strict=True) if cell or name not in _ABSENT_WHEN_EMPTY}
            yield _without_empty(row), "", line, wrong
            continue
        if damage:
            problems.add(source, damage, line=line)
            yield None, "", line, True


def _without_empty(row: dict[str, JSON]) -> dict[str, JSON]:
    """The row without an empty answer where the answer stands elsewhere, and an empty description where it is no seed."""
    if row.get("response") == "":
        is_seed = bool(row.get("test_case_description")) and "query" not in row
        if is_seed or "messages" in row or "conversation" in row:
            del row["response"]
    if row.get("test_case_description") == "" and not row.keys().isdisjoint(columns.INTERACTION):
        del row["test_case_description"]
    return row


def _records(source: Source, delimiter: str) -> Iterator[tuple[list[str], int, str]]:
    """Each record with the line where it begins, or of what is wrong with it, and what that is."""
    csv.field_size_limit(LINE_LIMIT)  # of the whole process; the reader knows no other way
    undecoded: set[int] = set()

    def lines() -> Iterator[str]:
        for number, line in enumerate(source.raw_lines(), 1):
            try:
                yield line.decode()
            except UnicodeDecodeError:
                undecoded.add(number)
                yield line.decode(errors="replace")

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    while True:
        begins = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            cells, damage = [], f"is no row of a table: {error}"
            if _AFTER_QUOTE in str(error):
                begins, damage = reader.line_num, f"has more behind the quote that closes a cell; {_QUOTES}"
            elif _NO_END in str(error):
                begins, damage = _opened(source, delimiter, begins), f"opens a quote that is never closed; {_QUOTES}"
        else:
            begins, damage = (min(undecoded), "is not UTF-8; save it as UTF-8") if undecoded else (begins, "")
        undecoded.clear()
        if cells or damage:
            yield cells, begins, damage


def _opened(source: Source, delimiter: str, begins: int) -> int:
    """The line on which the quote opens that the record of this line never closes: all behind it is the last cell."""
    lines = (line.decode(errors="replace") for line in islice(source.raw_lines(), begins - 1, None))
    reader = csv.reader(lines, delimiter=delimiter)
    last = next(reader)[-1]
    return begins + reader.line_num - 1 - last.removesuffix("\n").count("\n")


def _look(text: str, delimiter: str) -> tuple[list[str], set[int]]:
    """The first record, and how many cells the first ones have; what is cut off or damaged is left out."""
    lines = [f"{line}\n" for line in text.split("\n")]
    reader = csv.reader(lines[:-1] if len(text) > _WHOLE else lines, delimiter=delimiter)
    header: list[str] = []
    widths: set[int] = set()
    try:
        for cells in islice((each for each in reader if each), _LOOKED_AT):
            header = header or [name.strip() for name in cells]
            widths.add(len(cells))
    except csv.Error:
        return header, widths
    return header, widths


def _is_wrong(header: list[str], source: Source, line: int, problems: Problems) -> bool:
    doubled = sorted(name for name, times in Counter(header).items() if times > 1)
    for name in doubled:
        problems.add(source, f'the column "{name}" stands twice in the header', line=line, fix="give each its own name")
    return bool(doubled)
