"""Answers that are there before a run: those a file must hold where no agent answers, and those that a service keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass

from vivavoce.core import plugins
from vivavoce.core.model import Case, Selection, Turn
from vivavoce.core.place import Problems, did_you_mean
from vivavoce.core.source import Source

TO_FETCH = "fetch the answer, if a column names one that a service keeps: --target-option fetch=COLUMN"
NOBODY = "has a persona, and no agent answers the simulated user: what a dataset holds was said to somebody else"
_MOST_UNANSWERED = 200
_MOST_COLUMNS = 1000
_MOST_WAYS = 10

Unanswered = tuple[Source, Case, Turn | None]
"""A turn without a recorded answer, or a case whose turns are yet to be simulated."""


def look(case: Case, source: Source, live: bool, problems: Problems, unanswered: list[Unanswered]) -> None:
    """What an agent would have to be told, or must have answered already."""
    if case.is_simulated and not live and len(unanswered) < _MOST_UNANSWERED:
        unanswered.append((source, case, None))
    for turn in case.turns:
        if live and turn.input is None:
            problems.add(source, "says nothing to the agent", path=turn.path or case.path, line=case.line, fix=TO_FETCH)
        elif not live and turn.reply is None and turn.fault is None and len(unanswered) < _MOST_UNANSWERED:
            unanswered.append((source, case, turn))


def tell(unanswered: Iterable[Unanswered], selection: Selection, problems: Problems) -> None:
    """Report each answer that is missing."""
    for source, case, turn in unanswered:
        message = "holds no answer, and no target was named" if selection.target is None else "holds no recorded answer"
        message, path = (NOBODY, "") if turn is None else (message, turn.path)
        problems.add(source, message, path=path or case.path, line=case.line, fix="name an agent with --target")


def ways_out(problems: Problems) -> Iterator[str]:
    """The warnings that tell a way out, as lines: whoever is refused for want of answers may find them by one of these."""
    told = [warning for warning in problems.warnings if warning.fix]
    yield from (f"warning: {warning}" for warning in told[:_MOST_WAYS])
    if len(told) > _MOST_WAYS:
        yield f"... and {len(told) - _MOST_WAYS} more warnings; `viva validate` tells them"


@dataclass(kw_only=True, slots=True)
class Column:
    """The column of a file that names answers which a service keeps."""

    name: str
    is_there: bool = False
    """Whether any case so far has it."""
    others: set[str] = field(default_factory=set)
    """Columns that could have been meant."""

    def look(self, case: Case) -> None:
        """Look for it where a session that fetches answers does: in each turn, and in a case of one turn."""
        if self.is_there:
            return
        for held in (*(turn.metadata for turn in case.turns), *([case.metadata] if len(case.turns) == 1 else [])):
            if held.get(self.name) is not None:
                self.is_there = True
            elif len(self.others) < _MOST_COLUMNS:
                self.others.update(held)

    def end(self, source: Source, problems: Problems) -> None:
        """Report that no case of the file has it, so that nothing could be fetched."""
        if not self.is_there:
            message = f'--target-option fetch={self.name}: no row has the field "{self.name}" that could name an answer'
            way_out = did_you_mean(self.name, sorted(self.others)) if self.others else "such ids stand in a column of their own"
            problems.add(source, message, fix=way_out)


def column(selection: Selection) -> Column | None:
    """The column to look for in a file, where the target fetches answers.

    Raises:
        PluginError: there is no such target.
    """
    name = None if selection.target is None else selection.target.options.get("fetch")
    if selection.target is None or not isinstance(name, str):
        return None
    maker = plugins.find("targets", selection.target.name)
    knows = is_dataclass(maker) and any(each.name == "fetch" for each in fields(maker))
    return Column(name=name) if knows else None
