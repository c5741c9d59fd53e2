"""What passes through by the million is a record: a frozen, keyword-only dataclass with slots, which is made in C.

A frozen dataclass of the standard library sets each of its fields by a call, so that making them took a third of the time of a
run over recorded answers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import msgspec

_Fields = dict[str, dataclasses.Field[Any]]  # of whatever types they are


class _OfClass:
    """What a class says of itself, made when somebody asks."""

    def __init__(self, told: Callable[[type[Record]], _Fields]) -> None:
        self._told = told

    def __get__(self, record: object, kind: type[Record]) -> _Fields:
        return self._told(kind)


@_OfClass
@cache
def _fields(kind: type[Record]) -> _Fields:
    """By name; what is said of them beyond that, the record itself says."""
    same = dataclasses.make_dataclass(kind.__name__, kind.__struct_fields__)
    return {each.name: each for each in dataclasses.fields(same)}


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """The base of records; a subclass says `frozen=True, kw_only=True` too.

    To `dataclasses.replace`, `fields`, `asdict` and `is_dataclass` a record is a dataclass.
    """

    __dataclass_fields__: ClassVar[_Fields] = _fields  # type: ignore[assignment] # what it gives when it is asked for
