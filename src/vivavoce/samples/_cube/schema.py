"""The cube as its readers see it: measures to be counted up, and dimensions whose hierarchies of levels they are counted by."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from vivavoce.core.reply import JSON, Object


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """A number that can be counted up over any members."""

    name: str
    sql: str
    unit: str | None
    words: tuple[str, ...]
    """What people call it."""

    def written(self, value: float) -> str:
        """A value as it is shown."""
        return f"€{value:,.2f}" if self.unit == "EUR" else f"{value:,.0f}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Level:
    """One level of a hierarchy, such as the countries."""

    dimension: str
    hierarchy: str
    name: str
    column: str
    words: tuple[str, ...]

    @property
    def unique(self) -> str:
        """Its name within the whole cube."""
        return f"[{self.dimension}].[{self.hierarchy}].[{self.name}]"

    def member(self, caption: str) -> str:
        """The unique name of one of its members."""
        return f"{self.unique}.&[{caption}]"


CUBE: Mapping[str, str] = MappingProxyType(
    {"connectionName": "hollinwake", "catalog": "Shops", "schema": "Shops", "cubeName": "Sales"}
)
"""The cube, as a suite names it."""

MEASURES = (
    Measure(
        name="Net Sales", sql="round(sum(cents) / 100.0, 2)", unit="EUR", words=("net sales", "sales", "revenue", "turnover")
    ),
    Measure(name="Units Sold", sql="sum(units)", unit=None, words=("units sold", "units", "how many", "number sold", "pieces")),
    Measure(
        name="Gross Margin", sql="round(sum(cents - cost) / 100.0, 2)", unit="EUR", words=("gross margin", "margin", "profit")
    ),
    Measure(
        name="Average Price",
        sql="round(sum(cents) / 100.0 / sum(units), 2)",
        unit="EUR",
        words=("average price", "mean price", "price per unit"),
    ),
)
LEVELS = (
    Level(dimension="Time", hierarchy="Calendar", name="Year", column="year", words=("year", "years", "yearly", "annual")),
    Level(dimension="Time", hierarchy="Calendar", name="Quarter", column="quarter", words=("quarter", "quarters", "quarterly")),
    Level(dimension="Time", hierarchy="Calendar", name="Month", column="month", words=("month", "months", "monthly")),
    Level(dimension="Shop", hierarchy="Places", name="Country", column="country", words=("country", "countries", "nation")),
    Level(dimension="Shop", hierarchy="Places", name="Region", column="region", words=("region", "regions", "state", "states")),
    Level(dimension="Shop", hierarchy="Places", name="Shop", column="shop", words=("shop", "shops", "store", "stores")),
    Level(
        dimension="Product",
        hierarchy="Products",
        name="Product Family",
        column="family",
        words=("product family", "product families", "family", "families", "category", "categories"),
    ),
    Level(
        dimension="Product", hierarchy="Products", name="Product", column="product", words=("product", "products", "article")
    ),
    Level(dimension="Channel", hierarchy="Channels", name="Channel", column="channel", words=("channel", "channels")),
)


def folded(name: str) -> str:
    """A name without case, spaces, `_` and `-`, so that synonyms and spellings meet."""
    return re.sub(r"[\s_-]", "", name).casefold()


def open_cube() -> sqlite3.Connection:
    """A connection to the sales, which nobody can write to."""
    cube = sqlite3.connect(":memory:", check_same_thread=False)
    cube.deserialize(_printed())
    cube.execute("PRAGMA query_only = ON")
    return cube


@cache
def members(level: Level) -> tuple[str, ...]:
    """The captions of a level, in their order."""
    cube = open_cube()
    try:
        return tuple(row[0] for row in cube.execute(f"SELECT DISTINCT {level.column} FROM sheet ORDER BY 1"))
    finally:
        cube.close()


def summary() -> dict[str, JSON]:
    """The cube in a list of cubes."""
    return {**CUBE, "cubeCaption": CUBE["cubeName"], "defaultMeasure": MEASURES[0].name, "measureCount": len(MEASURES)}


def described() -> dict[str, JSON]:
    """All that can be asked for, with members to go by."""
    measures = {each.name.lower(): {"name": each.name, "unit": each.unit, "synonyms": list(each.words)} for each in MEASURES}
    dimensions: dict[str, JSON] = {}
    for level in LEVELS:
        dimension = dimensions.setdefault(level.dimension.lower(), {"name": level.dimension, "hierarchies": {}})
        hierarchy = dimension["hierarchies"].setdefault(level.hierarchy.lower(), {"name": level.hierarchy, "levels": {}})
        hierarchy["levels"][level.name.lower()] = _level(level)
    return {"cubeId": "/".join(CUBE.values()), "cubeName": CUBE["cubeName"], "measures": measures, "dimensions": dimensions}


def _level(level: Level) -> Object:
    sample: Iterator[Object] = ({"caption": each, "uniqueName": level.member(each)} for each in members(level)[:5])
    return {"name": level.name, "uniqueName": level.unique, "synonyms": list(level.words), "sampleMembers": list(sample)}


@cache
def _printed() -> bytes:
    made = sqlite3.connect(":memory:")
    try:
        made.executescript(files("vivavoce.samples").joinpath("sales.sql").read_text(encoding="utf-8"))
        return made.serialize()
    finally:
        made.close()
