"""What the analytics agent says of what it counted: an insight in a few lines, a summary, and why it says nothing."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from vivavoce.samples._cube.counting import rows
from vivavoce.samples._cube.query import Query
from vivavoce.samples._cube.schema import LEVELS, MEASURES, Level, Measure

OFF_TOPIC = "the Sales cube of Hollin & Wake has no such thing; it knows {measures}, by {levels}"


def off_topic() -> str:
    """Why a question is not answered."""
    measures = ", ".join(each.name for each in MEASURES)
    return OFF_TOPIC.format(measures=measures, levels=", ".join(each.name.lower() for each in LEVELS))


def insight(cube: sqlite3.Connection, query: Query) -> str:
    """What stands out about a measure: its way from year to year, its best quarter, and where most of it comes from."""
    measure = query.measures[0]
    plain = replace(query, measures=(measure,), by=None, limit=0)
    years = rows(cube, replace(plain, rows=(_level("Year"),)))
    if not years:
        return f"**{measure.name}**: nothing was sold."
    lines = [f"**{measure.name}, year by year**: {_way(measure, years)}", ""]
    for level in (_level("Quarter"), *(each for each in query.rows[:1] if each.dimension != "Time")):
        (best,) = rows(cube, replace(plain, rows=(level,), by=measure, limit=1))
        lines.append(f"- Highest {level.name.lower()}: {best[level.name]}, {measure.written(best[measure.name])}")
    return "\n".join(lines)


def summary(query: Query, count: int) -> str:
    """One line about rows."""
    what = ", ".join(each.name for each in query.measures)
    by = " by " + " and ".join(level.name.lower() for level in query.rows) if query.rows else ""
    return f"{what}{by}: {count} {'row' if count == 1 else 'rows'}."


def _way(measure: Measure, years: list[dict[str, object]]) -> str:
    told = ", ".join(f"{measure.written(_number(each[measure.name]))} in {each['Year']}" for each in years)
    if len(years) < 2:
        return f"{told}."
    first, last = (_number(years[at][measure.name]) for at in (0, -1))
    return f"{told}; {'up' if last >= first else 'down'} {abs(last / first - 1):.1%}."


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return value


def _level(name: str) -> Level:
    return next(each for each in LEVELS if each.name == name)
