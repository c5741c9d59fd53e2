"""What a person should know of a plan before anything is run."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce.core.wording import asked_for
from vivavoce.run.joining import Recordings
from vivavoce.run.reading import Count


def told(count: Count, recordings: Recordings | None) -> Iterator[str]:
    """Warnings, one after the other."""
    yield from () if recordings is None else recordings.warnings()
    for _, evaluator in sorted(count.own.items()):
        yield from evaluator.warnings()
    yield from _lacking(count)


def _lacking(count: Count) -> Iterator[str]:
    for (name, need, here, what), times in count.lacking.items():
        missing = asked_for(need.split("|"))
        outcome = "will be an error, since the item asks for it" if here else "will be skipped"
        those = f"1 {what} has" if times == 1 else f"{times} {what}s have"
        yield f"{name} needs {missing}, which {those} not: it {outcome} there"
