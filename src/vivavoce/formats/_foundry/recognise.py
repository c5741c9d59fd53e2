"""Tell rows from the files of other formats, and the layouts they come in from one another, by the first part of a file."""

from __future__ import annotations

from typing import Literal

from vivavoce.core.place import members
from vivavoce.core.source import Source
from vivavoce.formats._foundry import columns
from vivavoce.formats._foundry.tables import delimiter_of, header_of
from vivavoce.wire.peek import holds_native_rows, holds_spans, names, names_in_list, opening

Layout = Literal["lines", "list", "document", "table"]

_RESULTS = frozenset({"suite", "case", "status"})
"""Columns of what a run writes, one result a line."""
_NEVER = frozenset({"schemaVersion", "scenario_id", "scenarios", "actor_profile"})
"""Names that rows of other formats have."""
_NEVER_ALONE = frozenset(
    (
        *("items", "prompts", "expected_responses", "default_evaluators", "suite", "cases", "cube", "plan", "results"),
        *("openapi", "$schema"),
    )
)
"""Names at the root of other formats' documents."""
_ITEM = frozenset({"prompt", "expected_response", "evaluators", "turns"})
"""Names of an item of an eval document, where nothing else tells what it is."""
_TELLING = frozenset({"query", "messages", "conversation", "test_case_description", "ground_truth"})
_ROWS = frozenset({"data", "data_source"})
"""Names under which a document holds its rows."""
_LOOKED_AT = 50
"""Lines by which a file of rows is told from others."""


def matches(source: Source) -> bool:
    """Whether the content is rows, be it damaged."""
    text = opening(source)
    if not text or "\0" in text or holds_spans(text):
        return False
    if holds_results(source):
        return True
    as_lines = source.suffix in (".jsonl", ".ndjson")
    if text[0] == "[":
        return _is_list(text, as_lines)
    if text[0] != "{":
        return _is_table(text, is_named_so=source.suffix in (".csv", ".tsv"))
    if layout(source) == "document":
        found = names(text)
        return bool(found) and (_asks(found) or _is_row(found, alone=not as_lines)) and not holds_native_rows(text)
    rows = [names(line.strip()) for line in text.split("\n")[:_LOOKED_AT] if line.strip()]
    named = [row for row in rows if row]
    alone = not as_lines and len(rows) == 1
    return bool(named) and all(_is_row(row, alone=alone) for row in named) and not holds_native_rows(text)


def holds_results(source: Source) -> bool:
    """Whether these are evaluated rows, which a run wrote, and so no dataset unless somebody says so."""
    text = opening(source)
    first = text.split("\n", 1)[0] if text.startswith("{") else ""
    return any(path.startswith(("inputs.", "outputs.")) and token not in "{[" for _, path, token in members(first))


def holds_known(source: Source, mapped: frozenset[str]) -> bool:
    """Whether rows have any column that is known or mapped; a document says by itself that it is one."""
    text = opening(source)
    kind = layout(source)
    if kind == "table":
        found = frozenset(header_of(text, delimiter_of(text) or ","))
    elif kind == "list":
        found, _ = names_in_list(text)
    else:
        lines = [text] if kind == "document" else text.split("\n")[:_LOOKED_AT]
        found = frozenset(name for line in lines for name in names(line.strip()))
        if kind == "document" and found & columns.ASKS:
            return True
    return bool(found & {*columns.STANDARD, *columns.WILD, "item", "data", *mapped})


def layout(source: Source) -> Layout:
    """How a file that is to be read as rows holds them."""
    text = opening(source)
    if text.startswith("["):
        return "list"
    if not text.startswith("{"):
        return "table"
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    found = names(text)
    goes_on = bool(found & columns.ASKS) or lines[0][-1] in "[,:"
    if found & _ROWS and (len(lines) == 1 or (goes_on and not _is_whole(lines[0]))):
        return "document"
    if len(lines) == 1:
        return "lines"  # also a row of which the first part is looked at alone
    return "lines" if _is_whole(lines[0]) or (len(lines) > 1 and lines[1].startswith("{") and lines[0] != "{") else "document"


def _is_whole(line: str) -> bool:
    """Whether a line is an object of its own, as far as its ends tell."""
    return line.endswith("}") and len(line) > 1


def _asks(found: frozenset[str]) -> bool:
    asks = found & columns.ASKS or any(columns.is_slip(name, each) for name in found for each in columns.ASKS)
    return bool(found & _ROWS) and bool(asks or found <= _ROWS | {"name", "description"}) and not found & _NEVER


def _is_row(found: frozenset[str], *, alone: bool) -> bool:
    if found & _NEVER or found >= _RESULTS:
        return False
    if alone and not found & _TELLING and found & (_NEVER_ALONE | _ITEM | {"input", "persona", "format"}):
        return False
    return not (alone and not found & {*columns.ANY, "question"})


def _is_list(text: str, as_lines: bool) -> bool:
    found, are_objects = names_in_list(text)
    if not found or not (are_objects or found & _TELLING) or found & _NEVER or found & {"suite", "cases"}:
        return False
    return as_lines or bool(found & {"query", "messages"}) or not found & _ITEM


def _is_table(text: str, *, is_named_so: bool) -> bool:
    """Whether text begins as a table: by columns that are known, or in a file named so by cells in every line alike."""
    delimiter = delimiter_of(text)
    if delimiter is None:
        return header_of(text, ",") in [[each] for each in columns.ANY]
    header = header_of(text, delimiter)
    known = {*columns.STANDARD, *columns.WILD}
    return any(name in known for name in header) or is_named_so
