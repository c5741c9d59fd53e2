"""Every difference between plain data and a declared shape, each at its own path.

msgspec reads fast and stops at the first difference; this looks again when there is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import msgspec
from msgspec import inspect

from vivavoce.core.place import Problems, did_you_mean, join
from vivavoce.core.reply import JSON
from vivavoce.core.source import Source

_WORDS: Mapping[type, str] = MappingProxyType(
    {
        dict: "an object",
        list: "a list",
        str: "text",
        bool: "true or false",
        int: "a number",
        float: "a number",
        type(None): "null",
    }
)


class Shape:
    """A declared shape, against which the values of one file are held."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self._source = source
        self._problems = problems
        self._line: int | None = None
        self.wrong = False
        """Whether anything was reported since the last `fit` began."""

    def fit(self, value: JSON, kind: type[msgspec.Struct], path: str, line: int | None = None) -> JSON:
        """The value without the names its shape does not know, after reporting them and all else that differs.

        Unknown names are warnings when the reading is lenient.
        """
        self._line, self.wrong = line, False
        if not _misfit(value, kind):
            return value
        value = self._look(value, _info(kind), path)
        if not self.wrong and (error := _misfit(value, kind)):
            self.add(f"does not fit: {error}", path)
        return value

    def add(self, message: str, path: str, fix: str = "") -> None:
        """Report a difference, which may be one that no shape can declare."""
        self.wrong = True
        self._problems.add(self._source, message, path=path, line=self._line, fix=fix)

    def _look(self, value: JSON, kind: inspect.Type, path: str) -> JSON:
        choices = _choices(kind)
        fitting = next((each for each in choices if isinstance(value, _python(each))), None)
        if fitting is None or (isinstance(value, bool) and isinstance(fitting, inspect.IntType | inspect.FloatType)):
            self.add(f"must be {_expected(choices)}, not {said(value)}", path)
            return value
        if isinstance(fitting, inspect.StructType):
            return self._struct(value, fitting, path)
        if isinstance(fitting, inspect.ListType | inspect.VarTupleType):
            if not value and fitting.min_length:
                self.add("must not be empty", path)
            return [self._look(each, fitting.item_type, join(path, index)) for index, each in enumerate(value)]
        if isinstance(fitting, inspect.DictType):
            if not value and fitting.min_length:
                self.add("must not be empty", path)
            return {name: self._look(each, fitting.value_type, join(path, name)) for name, each in value.items()}
        self._scalar(value, fitting, path)
        return value

    def _struct(self, value: dict[str, JSON], kind: inspect.StructType, path: str) -> JSON:
        fields = {each.encode_name: each for each in kind.fields}
        known: dict[str, JSON] = {}
        for name, each in value.items():
            if name in fields:
                known[name] = self._look(each, fields[name].type, join(path, name))
            elif kind.forbid_unknown_fields:
                fix = did_you_mean(name, [known for known in fields if known not in value] or fields)
                self.wrong = self.wrong or not self._problems.lenient
                self._problems.soft(self._source, f'unknown key "{name}"', path=join(path, name), line=self._line, fix=fix)
            else:
                known[name] = each
        for name, field in fields.items():
            if field.required and name not in value:
                self.add(f'"{name}" is missing', path)
        return known

    def _scalar(self, value: JSON, kind: inspect.Type, path: str) -> None:
        if isinstance(kind, inspect.StrType) and kind.pattern and not value.strip():
            self.add("must not be blank", path)
        elif isinstance(kind, inspect.IntType) and kind.ge is not None and value < kind.ge:
            self.add(f"must be at least {kind.ge}, not {value}", path)
        elif isinstance(kind, inspect.LiteralType) and value not in kind.values:
            self.add(f'"{value}" is not known here', path, did_you_mean(value, [str(each) for each in kind.values]))


def _misfit(value: JSON, kind: type[msgspec.Struct]) -> str:
    try:
        msgspec.convert(value, kind)
    except (ValueError, RecursionError) as error:
        return str(error)
    return ""


@cache
def _info(kind: type[msgspec.Struct]) -> inspect.Type:
    return inspect.type_info(kind)


def _choices(kind: inspect.Type) -> tuple[inspect.Type, ...]:
    if isinstance(kind, inspect.Metadata):
        return _choices(kind.type)
    return tuple(each for one in kind.types for each in _choices(one)) if isinstance(kind, inspect.UnionType) else (kind,)


def _python(kind: inspect.Type) -> type | tuple[type, ...]:
    """The Python types of JSON values of a kind."""
    if isinstance(kind, inspect.StructType | inspect.DictType):
        return dict
    if isinstance(kind, inspect.ListType | inspect.VarTupleType):
        return list
    if isinstance(kind, inspect.StrType | inspect.LiteralType):
        return str
    if isinstance(kind, inspect.BoolType):
        return bool
    if isinstance(kind, inspect.IntType):
        return int
    if isinstance(kind, inspect.FloatType):
        return int, float
    return type(None) if isinstance(kind, inspect.NoneType) else object


def _expected(kinds: tuple[inspect.Type, ...]) -> str:
    return " or ".join(dict.fromkeys(_word(kind) for kind in kinds if not isinstance(kind, inspect.NoneType)))


def _word(kind: inspect.Type) -> str:
    if isinstance(kind, inspect.IntType):
        return "a whole number"
    python = _python(kind)
    return _WORDS[python if isinstance(python, type) else float]


def said(value: JSON) -> str:
    """What a value is, in a message; a number as it is."""
    return str(value) if type(value) in (int, float) else _WORDS[type(value)]
