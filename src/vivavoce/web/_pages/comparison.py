"""Two runs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.analysis import compare
from vivavoce.core.errors import StoreError
from vivavoce.core.kinds import Store
from vivavoce.web._pages import case

SHOWN = 200
"""Changes of one kind."""
KEYS = 100
"""Cases that could not be compared."""
KINDS: tuple[tuple[compare.Kind, str], ...] = (("broke", "Broke"), ("fixed", "Fixed"), ("other", "Changed otherwise"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Changes of one kind."""

    kind: compare.Kind
    title: str
    changes: Sequence[compare.Change]
    count: int
    """Also of those that are not shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Apart:
    """Cases that could not be compared, and why."""

    title: str
    keys: Sequence[tuple[str, str, int]]
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Sides:
    """Two runs compared."""

    found: compare.Comparison
    groups: Sequence[Group]
    apart: Sequence[Apart]

    @property
    def sentence(self) -> str:
        """What it comes to."""
        said = self.found.sentence()
        return said[:1].upper() + said[1:]


def sides(store: Store, before: str, after: str, check: str) -> Sides:
    """Compare; with `check`, tell of the cases in which that one changed alone.

    Raises:
        StoreError: one of the runs is not there.
    """
    found = compare.compare(store.run(before), store.run(after))
    groups = []
    for kind, title in KINDS:
        changes = [each for each in found.of(kind) if not check or any(_is(check, one.check) for one in each.checks)]
        groups.append(Group(kind=kind, title=title, changes=changes[:SHOWN], count=len(changes)))
    apart = (
        ("Asked or examined otherwise in the later run", found.changed),
        ("In the later run alone", found.new),
        ("In the earlier run alone", found.gone),
    )
    return Sides(
        found=found,
        groups=groups,
        apart=[Apart(title=title, keys=keys[:KEYS], count=len(keys)) for title, keys in apart if keys],
    )


def both(store: Store, before: str, after: str, wanted: tuple[str, str, int]) -> tuple[case.Shown | None, case.Shown | None]:
    """One trial in two runs; `None` where it is not.

    Raises:
        StoreError: it is in neither, or one of the runs is not there.
    """
    found: list[case.Shown | None] = []
    last: StoreError | None = None
    for run_id in (before, after):
        try:
            found.append(case.shown(store, run_id, wanted))
        except StoreError as error:
            found.append(None)
            last = error
    if last is not None and found == [None, None]:
        raise last
    return found[0], found[1]


def _is(name: str, check: str) -> bool:
    """Whether a check with its place, `turn 2, ExactMatch`, is of that name."""
    return check == name or check.endswith(f", {name}")
