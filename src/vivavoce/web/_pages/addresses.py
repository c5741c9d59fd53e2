"""Where the pages are."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode


def suite(name: str) -> str:
    """A suite over time."""
    return f"/suites/{_part(name)}"


def run(run_id: str, **filters: str) -> str:
    """A run, or those of its cases that are like `filters`."""
    return f"/runs/{_part(run_id)}{_query(filters)}"


def case(run_id: str, key: tuple[str, str, int], **filters: str) -> str:
    """One trial of a run, with the filters it was found by."""
    return f"/runs/{_part(run_id)}/case{_query({**_key(key), **filters})}"


def compare(before: str, after: str, **filters: str) -> str:
    """Two runs side by side."""
    return f"/compare{_query({'a': before, 'b': after, **filters})}"


def both(before: str, after: str, key: tuple[str, str, int]) -> str:
    """One trial in two runs, side by side."""
    return f"/compare/case{_query({'a': before, 'b': after, **_key(key)})}"


def _key(key: tuple[str, str, int]) -> dict[str, str]:
    return {"in": key[0], "case": key[1], "repeat": str(key[2])}


def _part(name: str) -> str:
    # A lone half of a character can be in no address; what it stands for is not found, and told so.
    return quote(name.encode("utf-8", "replace"), safe="")


def _query(filters: Mapping[str, str]) -> str:
    given = {name: value for name, value in filters.items() if value}
    return f"?{urlencode(given, errors='replace')}" if given else ""
