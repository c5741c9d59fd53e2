"""Evaluated rows, which a run wrote, read as rows again: with the answers that were evaluated, in the place of older ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vivavoce.core.model import Case
from vivavoce.core.reply import JSON, Object, Reply
from vivavoce.formats._foundry import calls
from vivavoce.formats._foundry.asked import Asked
from vivavoce.formats._foundry.columns import of_id
from vivavoce.formats._foundry.rebuild import answer
from vivavoce.formats._foundry.saying import Say

_GIVEN = "inputs."
_TEXT, _CALLS, _ALL = "outputs.response", "outputs.tool_calls", "outputs.messages"
_BESIDE = ("context", "ground_truth")
"""What a message of the older form may say beside what was said."""

Row = dict[str, JSON]


class Again:
    """One evaluated row."""

    def __init__(self, row: Object, asked: Asked, say: Say, position: int) -> None:
        self._row = row
        self._given: Row = {name.removeprefix(_GIVEN): each for name, each in row.items() if name.startswith(_GIVEN)}
        self._tell_apart(position)
        self._mapping = asked.mapping.of
        self._say = say
        self._asked_anew = _TEXT in row or _CALLS in row or row.get("error") is not None

    def row(self) -> Row:
        """The row as it was given; where a target was asked, the answer is the target's, and there is none where it failed."""
        if not self._asked_anew:
            return self._given
        if self._row.get(_ALL) is not None:
            return self._given | {"messages": self._row[_ALL]}
        if "test_case_description" in self._given and _TEXT not in self._row:
            return self._given
        called = self._row.get(_CALLS)
        text = self._row.get(_TEXT)
        told = None if called is None else calls.calls(called, _CALLS, self._say)
        said = answer(Reply(text=text if isinstance(text, str) else None, tool_calls=told))
        wholes = [self._place(form) for form in ("messages", "conversation") if self._replace(self._place(form), said)]
        for column in ("actions", *(("response", "tool_calls") if wholes else ())):
            self._given.pop(self._place(column), None)
        if not wholes:
            self._given |= {self._place("response"): text, self._place("tool_calls"): called}
        return self._given

    def case(self, case: Case) -> Case:
        """The case of the row: a target that reported no calls at all reported none here, too."""
        if not self._asked_anew or self._row.get(_CALLS) is not None or not case.turns:
            return case
        (turn,) = case.turns
        return replace(case, turns=(replace(turn, reply=turn.reply and replace(turn.reply, tool_calls=None)),))

    def _tell_apart(self, position: int) -> None:
        """Of a run with several suites or repeats, or without some cases, the id alone does not tell a row from all others."""
        column = of_id(self._given)
        given, case = self._given.get(column), self._row.get("case")
        suite, repeat = self._row.get("suite"), self._row.get("repeat")
        before = f"{suite}/" if isinstance(suite, str) else ""
        behind = f", repeat {repeat}" if repeat else ""
        if given in (None, ""):
            if not isinstance(case, str) or (f"{before}{case}{behind}" == f"#{position}"):
                return
            given = case
        self._given[column] = f"{before}{given}{behind}" if before or behind else given

    def _place(self, column: str) -> str:
        """Where a standard column's value stands."""
        expression = self._mapping.get(column)
        return expression.path if expression is not None and expression.path in self._given else column

    def _replace(self, column: str, said: list[JSON]) -> bool:
        """Put the answer behind the last thing the user said; whether messages stand in this column."""
        value = self._given.get(column)
        try:
            value = calls.value(value) if isinstance(value, str) else value
        except ValueError:
            return False
        messages = value.get("messages") if isinstance(value, Mapping) else value
        if not isinstance(messages, list):
            return False
        users = [at for at, each in enumerate(messages) if isinstance(each, Mapping) and each.get("role") == "user"]
        kept, dropped = messages[: users[-1] + 1 if users else 0], messages[users[-1] + 1 if users else 0 :]
        beside = {name: each[name] for each in dropped if isinstance(each, Mapping) for name in _BESIDE if name in each}
        if said and isinstance(said[-1], Mapping):
            said = [*said[:-1], {**said[-1], **beside}]
        self._given[column] = {**value, "messages": [*kept, *said]} if isinstance(value, Mapping) else [*kept, *said]
        return True


def is_evaluated(row: Object) -> bool:
    """Whether a run wrote this row."""
    return any(name.startswith(_GIVEN) for name in row)
