"""Flat checks back to the maps of a document: `default_evaluators`, `evaluators` and `evaluators_mode`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from vivavoce.core.model import Case, Check
from vivavoce.core.plugins import fold
from vivavoce.core.reply import JSON
from vivavoce.formats._m365.checks import SYSTEM, checks_of, is_strict, merge
from vivavoce.formats._m365.losses import Losses
from vivavoce.formats._m365.rules import BUILT_IN, NAME, RESERVED


class Chooser:
    """Writes the checks of a turn, given what examines every item."""

    def __init__(self, base: Sequence[Check] | None, losses: Losses) -> None:
        self._base = SYSTEM if base is None else tuple(base)
        self._losses = losses

    def fields(self, checks: Sequence[Check], case_id: str, kept: dict[str, JSON]) -> dict[str, JSON]:
        """The fields that ask for these checks; what a strict document has no words for goes to `kept`."""
        wanted = list(self._speakable(checks, case_id))
        base = {check.evaluator: check for check in self._base}
        own = [check for check in wanted if check.origin == "item" or not _same(check, base.get(check.evaluator))]
        adds = _plain(merge(self._base, own)) == _plain(wanted)
        if adds and not own:
            return {}
        if not adds:
            own = wanted
            if any(check.origin != "item" for check in wanted):
                self._losses.add("Checks asked for by the file are written as asked for by the item", case_id)
        strict = {check.evaluator: dict(check.options) for check in own if is_strict(check.evaluator, check.options)}
        if len(strict) < len(own):
            kept["evaluators"] = {check.evaluator: dict(check.options) for check in own}
            for check in own:
                if check.evaluator not in strict:
                    clause = f"{check.evaluator}, asked for in a way only Viva knows, is kept under extensions"
                    self._losses.add(clause, case_id)
        fields: dict[str, JSON] = {"evaluators": strict} if strict or not adds else {}
        return fields if adds else {**fields, "evaluators_mode": "replace"}

    def _speakable(self, checks: Iterable[Check], case_id: str) -> Iterator[Check]:
        """The checks that have a name here, each under it."""
        seen: set[str] = set()
        for check in checks:
            name = spelling(check)
            if name is None or name in seen:
                self._losses.add(f"{check.name or check.evaluator} cannot be named here and is left out", case_id)
            else:
                seen.add(name)
                yield replace(check, evaluator=name)


def common(cases: Iterable[Case], given: JSON = None) -> tuple[Check, ...] | None:
    """What examines every item: what the file said, if that still holds, else all that is asked for file-wide."""
    found: dict[str, Check] = {}
    for case in cases:
        for turn in case.turns:
            for check in turn.checks:
                name = spelling(check)
                if check.origin in ("file", "run") and name is not None:
                    found.setdefault(name, replace(check, evaluator=name))
    if isinstance(given, dict):
        said = checks_of(given, "default_evaluators", "file")
        by_name = {check.evaluator: check for check in said}
        if all(_same(check, by_name.get(name)) for name, check in found.items()):
            return said
    return tuple(found.values()) or None


def default_evaluators(base: Sequence[Check] | None, kept: dict[str, JSON]) -> dict[str, JSON] | None:
    """The field of that name; what a strict document has no words for goes to `kept`."""
    if base is None:
        return None
    full = {check.evaluator: dict(check.options) for check in base}
    strict = {name: options for name, options in full.items() if is_strict(name, options)}
    if len(strict) < len(full):
        kept["default_evaluators"] = full
    return strict


def spelling(check: Check) -> str | None:
    """What a check's evaluator is called here; `None` when it cannot be said."""
    if check.name and fold(check.name) != fold(check.evaluator):
        return None
    folded = fold(check.evaluator)
    for name in BUILT_IN:
        if fold(name) == folded:
            return name
    is_free = folded not in {fold(name) for name in RESERVED}
    return check.evaluator if is_free and re.fullmatch(NAME, check.evaluator) else None


def _same(check: Check, other: Check | None) -> bool:
    return other is not None and check.options == other.options


def _plain(checks: Iterable[Check]) -> list[tuple[str, JSON]]:
    return [(check.evaluator, check.options) for check in checks]
