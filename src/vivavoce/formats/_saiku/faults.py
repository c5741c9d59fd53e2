"""What is wrong in a suite, under the vendor's codes, each at its place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from vivavoce.core.place import Problems, did_you_mean, join, nearest
from vivavoce.core.reply import JSON, Object
from vivavoce.core.source import Source
from vivavoce.formats._saiku import words

_KINDS: Mapping[type, str] = MappingProxyType(
    {
        dict: "a mapping",
        list: "a list",
        str: "text",
        bool: "true or false",
        int: "a number",
        float: "a number",
        type(None): "nothing",
    }
)


def kind(value: JSON) -> str:
    """What a value is, in a word."""
    return _KINDS.get(type(value), "something else")


class Faults:
    """Reports what is wrong in one file; nothing more is said where YAML itself was wrong."""

    def __init__(self, source: Source, problems: Problems, damaged: Collection[str]) -> None:
        self._source = source
        self._problems = problems
        self._damaged = damaged
        self.count = 0

    def add(self, code: str, message: str, path: str, fix: str = "") -> None:
        """Report one fault."""
        self.count += 1
        if path not in self._damaged:
            self._problems.add(self._source, message, path=path, fix=fix, code=code)

    def is_damaged(self, path: str) -> bool:
        """Whether YAML was wrong at a place, or in what stands there."""
        return any(each == path or each.startswith((f"{path}.", f"{path}[")) for each in self._damaged)

    def warn(self, message: str, path: str, fix: str = "") -> None:
        """Report what stops nothing."""
        self._problems.warn(self._source, message, path=path, fix=fix)

    def strangers(
        self, given: Object, known: Sequence[str], path: str, *, meant: Mapping[str, str] | None = None, closed: bool = False
    ) -> Object:
        """Fields that are not known, which are kept; those that nearly are, or stand where none is kept, are faults."""
        kept: dict[str, JSON] = {}
        for name, value in given.items():
            if name in known:
                continue
            absent = [each for each in known if each not in given]  # of two it may mean, rather the one that is missing
            near = (meant or {}).get(name) or nearest(name, absent) or nearest(name, known)
            at = join(path, name)
            if near is None and not closed:
                kept[name] = value
                self.warn(f'unknown field "{name}" means nothing here, and is kept as metadata', at)
                continue
            fix = f'did you mean "{near}"?' if near else did_you_mean(name, known)
            self.count += not self._problems.lenient
            self._problems.soft(self._source, f'unknown field "{name}"', path=at, fix=fix, code=words.UNKNOWN_FIELD)
        return kept

    def required(self, given: Object, name: str, path: str) -> str:
        """A text that must be there and say something; empty after reporting that it does not."""
        at = join(path, name)
        if given.get(name) is None:
            self.add(words.MISSING, f"required field '{name}' is missing", at, f"add `{name}:`" if name not in given else "")
            return ""
        return self.text(given[name], at) or ""

    def text(self, value: JSON, path: str) -> str | None:
        """A text that says something; `None` when there is none, and after reporting what is wrong."""
        if value is None:
            return None
        if not isinstance(value, str):
            fix = "write it in quotes" if isinstance(value, int | float) else ""
            self.add(words.TYPE, f"must be text, not {kind(value)}", path, fix)
        elif not value.strip():
            self.add(words.BLANK, "must be non-blank", path)
        else:
            return value
        return None

    def listed(self, value: JSON, path: str, what: str) -> list[JSON]:
        """A list; empty when there is none, and after reporting that it is something else."""
        if value is None or isinstance(value, list):
            return value or []
        self.add(words.TYPE, f"must be a list of {what}, not {kind(value)}", path)
        return []
