"""A case as the row it would be written as."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from vivavoce.core import codec
from vivavoce.core.model import Case, Expectation, Persona
from vivavoce.core.reply import JSON, Message, Reply, ToolCall
from vivavoce.formats._foundry.columns import BESIDE, STANDARD

Row = dict[str, JSON]
MAPPED = "mapped"
"""Where a turn keeps the columns that its row does not have, since a mapping names others for them."""
_BY_POSITION = re.compile(r"#(0|[1-9][0-9]*)")
"""The id of a case that has none of its own, or one that looks so; a row that has it keeps it."""
MAX_TURNS = 20
"""Turns of a simulated conversation unless its seed says otherwise."""


def row_of(case: Case, position: int | None, *, own: bool = True) -> dict[str, JSON]:
    """The row of a case. What a case of this format keeps of its row (`own`) comes before what is made from its parts.

    The id is left out where it is the position; without one, where it is any.
    """
    by_position = case.id == f"#{position}" if position is not None else _BY_POSITION.fullmatch(case.id)
    named = {} if by_position else {"id": case.id}
    beside = {name: each for name, each in case.metadata.items() if own or name not in STANDARD or name in BESIDE}
    if case.persona is not None:
        made: Row = named | _seed(case.persona, case.category, beside) | beside
        if "test_case_id" in beside and "id" not in beside:
            made.pop("id", None)
        return made
    turn = case.turns[-1]
    kept = {name: each for name, each in turn.metadata.items() if name in STANDARD} if own else {}
    whole = "messages" in kept or "conversation" in kept
    made = dict(named)
    if not whole:
        made |= _said(case, kept)
    if "conversation" not in kept:
        made |= _given(ground_truth=turn.expect.response, context=turn.context)
    if case.tools is not None:
        made["tool_definitions"] = [codec.plain(each) for each in case.tools]
    if not isinstance(kept.get("ground_truth"), list | tuple):
        made |= _actions(case.expect if case.expect.trajectory is not None else turn.expect)
    made |= _given(category=case.category)
    made |= kept
    if "test_case_id" in kept and "id" not in kept:
        made.pop("id", None)
    for column in turn.metadata.get(MAPPED, ()) if own else ():
        made.pop(column, None)
    return made | beside | kept


def keep(row: Mapping[str, JSON], again: Callable[[Row], Row], kept: Row) -> Row:
    """What has to be kept of a row as it stands, so that it can be written `again` as it was."""
    while True:
        made = again(kept)
        more = {
            column: value
            for column, value in row.items()
            if column in STANDARD and value is not None and not same(made.get(column), value)
        }
        if not more:
            return kept
        kept = kept | more


def same(one: JSON, other: JSON) -> bool:
    """Whether two values are written alike."""
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    return codec.encode(one) == codec.encode(other)


def messages(case: Case) -> list[JSON]:
    """A case as messages: what was said before, then each turn."""
    made = [each for said in case.history for each in _message(said)]
    for turn in case.turns:
        made += [] if turn.input is None else [{"role": "user", "content": text(turn.input)}]
        made += [] if turn.reply is None else answer(turn.reply)
    return made


def answer(reply: Reply) -> list[JSON]:
    """An answer as messages: the calls, what came back, the text."""
    made = [each for at, call in enumerate(reply.tool_calls or (), 1) for each in _called(call, call.id or f"call_{at}")]
    return made if reply.text is None else [*made, {"role": "assistant", "content": reply.text}]


def text(said: JSON) -> JSON:
    """What was said as content of a message: as it stands where that can be read, else as JSON text."""
    if isinstance(said, str) or (isinstance(said, list | tuple) and said and all(_is_item(each) for each in said)):
        return said
    return codec.encode(said).decode()


def _is_item(value: JSON) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("type"), str)


def _message(said: Message) -> list[JSON]:
    """A message of a history; a tool's is its call with its result."""
    content = said.content
    if said.role == "tool" and isinstance(content, Mapping) and isinstance(content.get("name"), str):
        return _called(ToolCall(name=content["name"], arguments=content.get("arguments"), result=content.get("result")), None)
    if said.role == "assistant":
        spoken = content if content is None or isinstance(content, str) else codec.encode(content).decode()
        return [{"role": "assistant", "content": spoken}]
    return [{"role": said.role, "content": text(content)}]


def _called(call: ToolCall, number: str | None) -> list[JSON]:
    """A call, and what came back."""
    made: list[JSON] = [{"role": "assistant", "content": [_call(call, number)]}]
    if call.result is not None or call.error is not None:
        item = {"type": "tool_result", "tool_result": call.result if call.error is None else {"error": call.error}}
        made.append({"role": "tool", **_given(tool_call_id=number), "content": [item]})
    return made


def _said(case: Case, kept: Mapping[str, JSON]) -> dict[str, JSON]:
    """Question and answer apart where that says it all, else as messages."""
    turn = case.turns[-1]
    structured = "query" in kept or "response" in kept or "actions" in kept
    if not structured and (len(case.turns) > 1 or case.history or not isinstance(turn.input, str | None)):
        return {"messages": messages(case)}
    made = _given(query=turn.input)
    if turn.reply is None or structured:
        return made
    made |= _given(response=turn.reply.text)
    if turn.reply.tool_calls is not None and (turn.reply.tool_calls or turn.reply.text is None):
        made["tool_calls"] = [_call(call, call.id) for call in turn.reply.tool_calls]
    return made


def _call(call: ToolCall, number: str | None) -> dict[str, JSON]:
    return {"type": "tool_call", **_given(tool_call_id=number), "name": call.name, "arguments": call.arguments or {}}


def _actions(expect: Expectation) -> dict[str, JSON]:
    if expect.trajectory is None:
        return {}
    names = list(expect.trajectory)
    return {"expected_actions": names if expect.arguments is None else [names, codec.plain(expect.arguments)]}


def _seed(persona: Persona, category: str | None, beside: Row) -> Row:
    made: Row = {"test_case_description": persona.goal}
    made |= _given(category=None if "test_case_category" in beside else category)
    made |= _given(desired_num_turns=None if "simulation_configuration" in beside else persona.desired_turns)
    if persona.max_turns != MAX_TURNS:
        made["simulation_configuration"] = {"max_num_turns": persona.max_turns}
    return made


def _given(**members: JSON) -> dict[str, JSON]:
    return {name: each for name, each in members.items() if each is not None}
