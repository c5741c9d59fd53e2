"""A query, carried out: SQL over the sales, and the rows as the service answers them."""

from __future__ import annotations

import sqlite3
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime

from vivavoce.core.reply import JSON, Object
from vivavoce.samples._cube.query import Filter, Invalid, Query
from vivavoce.samples._cube.schema import Measure


def rows(cube: sqlite3.Connection, query: Query) -> list[dict[str, JSON]]:
    """What comes of a query: captions by level, then numbers by measure."""
    statement, values = _sql(query)
    names = [*(level.name for level in query.rows), *(measure.name for measure in query.measures)]
    # A sum over no sale at all is none, and no row.
    return [dict(zip(names, row, strict=True)) for row in cube.execute(statement, values) if row[-1] is not None]


def response(cube: sqlite3.Connection, query: Query) -> dict[str, JSON]:
    """The same as the service answers it: numbers in cells, with what is known about them."""
    began = time.monotonic()
    found = rows(cube, query)
    now = time.time()
    columns = [{"name": each.name, "caption": each.name} for each in query.measures]
    metadata = {
        "rows": [{"name": caption, "caption": caption} for caption in _captions(query, found)],
        "columns": columns,
        "measures": [each.name for each in query.measures],
        "generatedMdx": mdx(query),
        "freshness": {
            "computedAt": datetime.fromtimestamp(now, UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            "computedAtMillis": int(now * 1000),
            "cached": False,
        },
    }
    return {
        "queryId": str(uuid.uuid4()),
        "status": "SUCCESS",
        "format": "records",
        "metadata": metadata,
        "data": [_celled(query, row) for row in found],
        "totalRows": len(found),
        "runtimeMs": int((time.monotonic() - began) * 1000),
    }


def refusal(error: Invalid) -> dict[str, JSON]:
    """What the service answers to a query that cannot be meant."""
    return {"status": error.status, "error": str(error), "field": error.field, "available": list(error.available)}


def mdx(query: Query) -> str:
    """The query as an analyst would read it."""
    measures = ", ".join(f"[Measures].[{each.name}]" for each in query.measures)
    axis = " * ".join(f"{level.unique}.Members" for level in query.rows)
    if query.by is not None and query.limit:
        axis = f"{'TopCount' if query.falling else 'BottomCount'}({axis}, {query.limit}, [Measures].[{query.by.name}])"
    where = ", ".join(map(_slice, query.filters))
    return (
        f"SELECT NON EMPTY {{{measures}}} ON COLUMNS"
        + (f",\nNON EMPTY {axis} ON ROWS" if axis else "")
        + "\nFROM [Sales]"
        + (f"\nWHERE ({where})" if where else "")
    )


def _sql(query: Query) -> tuple[str, list[str]]:
    """The statement and its values; names in it are the schema's own, never a reader's."""
    columns = [level.column for level in query.rows]
    selected = ", ".join([*columns, *(each.sql for each in query.measures)])
    parts = [f"SELECT {selected} FROM sheet"]
    if query.filters:
        parts.append("WHERE " + " AND ".join(map(_condition, query.filters)))
    if columns:
        parts.append("GROUP BY " + ", ".join(columns))
    order = [f"{query.by.sql} {'DESC' if query.falling else 'ASC'}"] if query.by is not None else []
    if columns:
        parts.append("ORDER BY " + ", ".join([*order, *columns]))
    if query.limit:
        parts.append(f"LIMIT {query.limit:d}")
    return " ".join(parts), [member for each in query.filters for member in each.members]


def _condition(each: Filter) -> str:
    marks = ", ".join("?" * len(each.members))
    return f"{each.level.column} {'NOT IN' if each.out else 'IN'} ({marks})"


def _slice(each: Filter) -> str:
    named = "{" + ", ".join(map(each.level.member, each.members)) + "}"
    return f"Except({each.level.unique}.Members, {named})" if each.out else named


def _captions(query: Query, found: list[dict[str, JSON]]) -> Iterator[str]:
    for row in found:
        yield " / ".join(row[level.name] for level in query.rows)


def _celled(query: Query, row: Object) -> dict[str, JSON]:
    captions: dict[str, JSON] = {level.name: row[level.name] for level in query.rows}
    return captions | {each.name: _cell(each, row[each.name]) for each in query.measures}


def _cell(measure: Measure, value: float) -> Object:
    return {"value": float(value), "formatted": measure.written(value), "unit": measure.unit}
