"""A row to a case: what was said, what is expected of it, and who examines it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from vivavoce.core.model import NOTHING, Case, Check, Expectation, Turn
from vivavoce.core.reply import JSON, Object, Reply
from vivavoce.core.wording import WORDS
from vivavoce.formats._foundry import calls, seeds
from vivavoce.formats._foundry.asked import Asked, defaults, of_seeds
from vivavoce.formats._foundry.columns import BESIDE, FETCHED, INTERACTION, OF_OBJECTS, STANDARD, STRUCTURED, proposal
from vivavoce.formats._foundry.conversing import PAIR, Conversation, converse
from vivavoce.formats._foundry.expressions import ABSENT, find
from vivavoce.formats._foundry.rebuild import MAPPED, keep, row_of
from vivavoce.formats._foundry.saying import Say, shown, text_of
from vivavoce.formats._foundry.seeing import evidence
from vivavoce.formats._foundry.slips import COLUMNS, Slip, slips

_ALL = (*WORDS, "arguments")
_SEED = "test_case_description"


class Building:
    """One row on its way to a case."""

    def __init__(self, row: Object, asked: Asked, say: Say) -> None:
        self._row = row
        self._asked = asked
        self._say = say

    def case(self, name: str, path: str, line: int | None) -> Case | None:
        """The case of the row, or `None` if it is none; what is wrong with it was said."""
        if self._is_seed:
            whole = self._asked.level != "turn"  # the other way round than for rows
            checks = self._checks(of_seeds(whole=whole), "case" if whole else "turn")
            return seeds.case(self._row, checks, self._say, name=name, path=path, line=line)
        said = converse(self._value, self._say)
        expect, truth = self._expected(said)
        context = text_of(self._value("context"))
        context = said.context if context is None else context
        tools = self._value("tool_definitions")
        checks = self._checks(
            defaults(
                truth=truth is not None,
                context=context is not None,
                actions=expect.trajectory is not None,
                whole=self._asked.is_whole,
            ),
            None if self._asked.level is None else "case" if self._asked.is_whole else "turn",
        )
        turn = Turn(
            input=said.input,
            context=context,
            expect=NOTHING if truth is None else Expectation(response=truth),
            checks=() if self._asked.is_whole else checks,
            reply=self._reply(said.reply),
            path=path,
        )
        made = Case(
            id=name,
            category=_scalar(self._row.get("category")),
            turns=(turn,),
            history=said.history,
            expect=replace(expect, response=truth) if self._asked.is_whole else expect,
            checks=checks if self._asked.is_whole else (),
            tools=None if tools is None else calls.definitions(tools, "tool_definitions", self._say),
            metadata=self._beside(),
            line=line,
            path=path,
        )
        return self._without_loss(made, said)

    @property
    def _is_seed(self) -> bool:
        """Whether the row describes somebody and holds nothing that was said, whatever an evaluator is shown as such."""
        if self._row.get(_SEED) is None:
            return False
        beside, shown = self._asked.beside, self._row.keys() | self._asked.mapping.of.keys()
        told = (each for each in INTERACTION if each in shown or each not in beside or beside[each].path != _SEED)
        return all(self._value(each) is None for each in told)

    def slips(self) -> Iterator[Slip]:
        """Names within the row that are probably meant for others."""
        for column in COLUMNS:
            value = self._value(column)
            if isinstance(value, list | Mapping):
                yield from slips(column, value)
        yield from self._slips_beside()

    def _slips_beside(self) -> Iterator[Slip]:
        """Those in fields that only an evaluator is shown, each field once."""
        mapped = (each.mapping.of for each in self._asked.checks or () if each.mapping is not None)
        shown = {each.path: param for of in mapped for param, each in of.items() if each.sees is None and param in COLUMNS}
        for path, param in shown.items():
            value = find(self._row, path) if path not in COLUMNS else None
            if isinstance(value, list | Mapping):
                yield from slips(param, value, path)

    def _value(self, column: str) -> JSON:
        """What stands in a standard column, or in the field that is mapped to it; JSON text in a structured one is read.

        What is said to the agent is the row's own; the mapping tells an evaluator alone another question.
        """
        value = self._row.get(column)
        expression = self._asked.mapping.of.get(column)
        if expression is not None and expression.sees is None and (value is None or column not in ("query", "messages")):
            found = find(self._row, expression.path)
            value = value if found is ABSENT or found is None else found
        if value is None and column in self._asked.beside and not self._has_other(column):
            found = find(self._row, self._asked.beside[column].path)
            value = None if found is ABSENT else found
        if column in STRUCTURED and isinstance(value, str):
            if not value.strip():
                return None
            if column == "tool_definitions":
                return value
            try:
                return calls.value(value)
            except ValueError as error:
                self._say(f"is not valid JSON: {error}", column, 'write a list or an object as JSON, such as ["search"]')
                return None
        return value

    def _has_other(self, column: str) -> bool:
        """Whether the row holds what was said in another form than this column's."""
        others = ("query", "response", "conversation") if column == "messages" else ("messages", "conversation")
        told = self._asked.mapping.of.keys() | (self._asked.beside.keys() & {"messages"})
        return any(self._row.get(each) is not None or each in told for each in others)

    def _expected(self, said: Conversation) -> tuple[Expectation, str | None]:
        """What is expected: tools to be called, and a text."""
        actions, truth = self._value("expected_actions"), self._value("ground_truth")
        if isinstance(truth, list) and actions is None and said.speaks_of_tools:
            actions, truth, column = truth, None, "ground_truth"
        else:
            column = "expected_actions"
        if isinstance(truth, list | Mapping):
            fix = 'names of tools belong into "expected_actions"' if isinstance(truth, list) else ""
            self._say(f"must be text, not {shown(truth)}", "ground_truth", fix)
            truth = None
        found = None if actions is None else calls.expected(actions, column, self._say)
        expect = NOTHING if found is None else Expectation(trajectory=found[0], arguments=found[1])
        return expect, said.truth if truth is None else text_of(truth)

    def _reply(self, reply: Reply | None) -> Reply | None:
        """The recorded answer, with calls that the row tells beside it."""
        given = self._value("tool_calls")
        if given is None or (reply is not None and reply.tool_calls):
            return reply
        called = calls.calls(given, "tool_calls", self._say)
        return replace(reply or Reply(), tool_calls=called)

    def _checks(self, by_default: tuple[Check, ...], level: Literal["turn", "case"] | None) -> tuple[Check, ...]:
        """Those the file names, each with its level and with what it sees; else the defaults."""
        if self._asked.checks is None:
            return self._seen_otherwise(by_default)
        made: list[Check] = []
        for each in self._asked.checks:
            check = each.check if level is None else replace(each.check, level=level)
            if each.mapping is None:
                made += self._seen_otherwise((check,))
                continue
            given: dict[str, JSON] = {}
            sees: list[str] = []
            # The question goes before one that stands in a conversation or an answer.
            for param, expression in sorted(each.mapping.of.items(), key=lambda item: item[0] == "query"):
                if expression.sees is not None:
                    sees += expression.sees
                    continue
                found = find(self._row, expression.path)
                if found is not ABSENT and found is not None:
                    given |= evidence(param, found, self._say)
            made.append(replace(check, given=given, sees=tuple(dict.fromkeys(sees))))
        return tuple(made)

    def _seen_otherwise(self, checks: tuple[Check, ...]) -> tuple[Check, ...]:
        """Checks that see another question than the agent is asked, when the row has both."""
        given: dict[str, JSON] = {}
        for column in ("query", "messages"):
            expression = self._asked.mapping.of.get(column)
            if expression is not None and expression.sees is None and self._row.get(column) is not None:
                found = find(self._row, expression.path)
                if found is not ABSENT and found is not None and found != self._row[column]:
                    given |= evidence(column, found, self._say)
        if not given:
            return checks
        sees = tuple(name for name in _ALL if name not in given)
        return tuple(replace(check, given=given, sees=sees) for check in checks)

    def _beside(self) -> dict[str, JSON]:
        """Every column that is no standard one, and those that are evidence as they stand."""
        found = {column: each for column, each in self._row.items() if column not in STANDARD}
        for column in BESIDE:
            value = self._value(column)
            if value is not None:
                if column == FETCHED:
                    if not isinstance(value, str) or not value.strip():
                        self._say(f"must be the id of a response, not {shown(value)}", column)
                elif not isinstance(value, list):
                    self._say(f"must be a list, not {shown(value)}", column)
                elif column in OF_OBJECTS and not all(isinstance(each, Mapping) for each in value):
                    self._say(f"must be a list of objects, not {shown(value)}", column)
                found[column] = value
        return found

    def _without_loss(self, case: Case, said: Conversation) -> Case:
        """The case with every standard column that could not be written again from the rest of it, as it stands in the row."""
        (turn,) = case.turns
        whole = said.form != PAIR and self._row.get(said.form) is not None

        def made(kept: dict[str, JSON]) -> Case:
            return replace(case, turns=(replace(turn, metadata=kept),)) if kept else case

        kept = keep(self._row, lambda kept: row_of(made(kept), None), {said.form: self._row[said.form]} if whole else {})
        more = [column for column in row_of(made(kept), None) if column not in self._row]
        return made(kept | {MAPPED: more} if more else kept)


def _scalar(value: JSON) -> str | None:
    return None if value is None or isinstance(value, list | Mapping) else text_of(value) or None


def unreadable(names: Sequence[str]) -> tuple[str, str]:
    """What to say of rows that have nothing but these columns: the message, and what to do about it."""
    way = proposal(names)
    fix = f"if these hold it: {way}" if way else 'give it "query" and "response", or name the columns: --map query=COLUMN'
    shown_names = ", ".join(names[:20]) or "none"
    return f'has neither "messages" nor "query" nor "response"; its columns: {shown_names}', fix
