"""A query of the cube, from its JSON and back: every name checked, and what is wrong told with the names there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from vivavoce.core.reply import JSON, Object
from vivavoce.samples._cube.schema import CUBE, LEVELS, MEASURES, Level, Measure, folded, members


class Invalid(ValueError):
    """A query that cannot be meant: which field, why, and what could stand there."""

    def __init__(self, message: str, field: str, available: Sequence[str] = (), status: str = "VALIDATION_ERROR") -> None:
        super().__init__(message)
        self.field = field
        self.available = tuple(available)
        self.status = status


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """Members of a level that alone count, or that do not."""

    level: Level
    members: tuple[str, ...]
    out: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """What is counted, by what, over which members, in which order, and how much of it."""

    measures: tuple[Measure, ...]
    rows: tuple[Level, ...] = ()
    filters: tuple[Filter, ...] = ()
    by: Measure | None = None
    falling: bool = True
    limit: int = 0

    def told(self) -> dict[str, JSON]:
        """The query as its JSON."""
        told: dict[str, JSON] = {"cube": dict(CUBE), "measures": [{"name": each.name} for each in self.measures]}
        if self.rows:
            told["rows"] = [_place(level) for level in self.rows]
        if self.filters:
            told["filters"] = [
                {
                    **_place(each.level),
                    "op": "not_in" if each.out else "in",
                    "members": list(map(each.level.member, each.members)),
                }
                for each in self.filters
            ]
        if self.by is not None:
            told["order"] = [{"by": self.by.name, "direction": "desc" if self.falling else "asc"}]
        if self.limit:
            told["limit"] = self.limit
        return told


def read(given: JSON) -> Query:
    """A query out of its JSON.

    Raises:
        Invalid: it is none, or names what there is not.
    """
    if not isinstance(given, Mapping):
        raise Invalid("a query is a JSON object", "")
    read_cube(given.get("cube"))
    if given.get("columns"):
        raise Invalid("this service counts by rows alone", "columns")
    measures = tuple(_measure(_name(each, "name"), "measures[].name") for each in _list(given, "measures"))
    if not measures:
        raise Invalid("a query has at least one measure", "measures", [each.name for each in MEASURES])
    order = [_order(each) for each in _list(given, "order")]
    limit = given.get("limit") or 0
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise Invalid("a limit is a whole number", "limit")
    return Query(
        measures=measures,
        rows=tuple(_level(each, "rows[]") for each in _list(given, "rows")),
        filters=tuple(_filter(each, number) for number, each in enumerate(_list(given, "filters"))),
        by=order[0][0] if order else None,
        falling=order[0][1] if order else True,
        limit=limit,
    )


def read_cube(given: JSON) -> None:
    """See that the cube is the one there is.

    Raises:
        Invalid: it is another.
    """
    parts = (
        given.split("/") if isinstance(given, str) else [given.get(key) for key in CUBE] if isinstance(given, Mapping) else []
    )
    if not parts or not parts[-1]:
        raise Invalid("a query names its cube", "cube", ["/".join(CUBE.values())])
    # As the service it stands for, it looks at the name alone.
    if parts[-1] != CUBE["cubeName"]:
        raise Invalid(f"there is no cube {parts[-1]}", "cube", ["/".join(CUBE.values())], "CUBE_NOT_FOUND")


def _place(level: Level) -> dict[str, JSON]:
    return {"dimension": level.dimension, "hierarchy": level.hierarchy, "level": level.name}


def _list(given: Object, key: str) -> Sequence[JSON]:
    value = given.get(key) or []
    if not isinstance(value, list):
        raise Invalid(f"`{key}` is a list", key)
    return value


def _name(given: JSON, key: str) -> str:
    value = given.get(key) if isinstance(given, Mapping) else None
    return value if isinstance(value, str) else ""


def _measure(name: str, field: str) -> Measure:
    for each in MEASURES:
        if folded(name) in map(folded, (each.name, *each.words)):
            return each
    _unknown("measure", name, field, (each.name for each in MEASURES))


def _level(given: JSON, field: str) -> Level:
    dimension, hierarchy, name = (_name(given, key) for key in ("dimension", "hierarchy", "level"))
    inside = [each for each in LEVELS if folded(each.dimension) == folded(dimension)]
    if not inside:
        _unknown("dimension", dimension, f"{field}.dimension", (each.dimension for each in LEVELS))
    if hierarchy and folded(hierarchy) != folded(inside[0].hierarchy):
        _unknown("hierarchy", hierarchy, f"{field}.hierarchy", (each.hierarchy for each in inside))
    for each in inside:
        if folded(name) in map(folded, (each.name, *each.words)):
            return each
    _unknown("level", name, f"{field}.level", (each.name for each in inside))


def _filter(given: JSON, number: int) -> Filter:
    field = f"filters[{number}]"
    level, op = _level(given, field), _name(given, "op") or "in"
    if op not in ("in", "not_in"):
        raise Invalid(f"the operation {op} is not known here", f"{field}.op", ("in", "not_in"))
    named = given.get("members")
    if not isinstance(named, list) or not named:
        raise Invalid("a filter has at least one member", f"{field}.members", list(map(level.member, members(level))))
    captions = {spelled: each for each in members(level) for spelled in (each, level.member(each))}
    for each in named:
        if not isinstance(each, str) or each not in captions:
            _unknown("member", str(each), f"{field}.members", map(level.member, members(level)))
    return Filter(level=level, members=tuple(captions[each] for each in named), out=op == "not_in")


def _order(given: JSON) -> tuple[Measure, bool]:
    direction = _name(given, "direction").lower() or "desc"
    if direction not in ("asc", "desc"):
        raise Invalid(f"the direction {direction} is not known", "order[].direction", ("asc", "desc"))
    return _measure(_name(given, "by"), "order[].by"), direction == "desc"


def _unknown(what: str, name: str, field: str, available: Iterable[str]) -> NoReturn:
    raise Invalid(f"there is no {what} '{name}'", field, tuple(dict.fromkeys(available)))
