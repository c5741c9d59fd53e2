"""Suites as rows, with a sentence for everything rows cannot hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import IO

from vivavoce.core import codec
from vivavoce.core.model import NOTHING, Case, Suite
from vivavoce.core.reply import JSON, Reply
from vivavoce.formats._foundry.columns import BESIDE, STANDARD, meant
from vivavoce.formats._foundry.rebuild import row_of
from vivavoce.formats._foundry.seeds import LONGEST
from vivavoce.wire.losses import Losses

Row = dict[str, JSON]
_OF_ANSWERS = (("rows", "rows"), ("intent", "an intent"), ("refusal", "a refusal"), ("insights", "insights"))


def write(suite: Suite, out: IO[str]) -> tuple[str, ...]:
    """Write JSON lines; the document again where the suite was one of this format's."""
    losses = Losses()
    own = suite.format == "foundry"
    rows = _rows(suite, losses, own=own)
    if own and suite.metadata:
        _document(suite, rows, out)
        return losses.sentences()
    for row in rows:
        out.write(codec.encode(row).decode() + "\n")
    told: list[str] = []
    if suite.about is not None:
        told.append("what the suite is about (`about`) has no place in rows")
    if suite.metadata and not own:
        told.append(f"what the suite says of itself ({', '.join(suite.metadata)}) has no place in rows")
    return (*told, *losses.sentences())


def _document(suite: Suite, rows: Iterator[Row], out: IO[str]) -> None:
    """The head as it was, and the rows where they stood."""
    head = codec.plain(suite.metadata)
    inline = "data_source" in head
    if inline:
        source = head.pop("data_source")
        inner = source.get("source") or {}
        start = codec.encode({**head, "data_source": {**source, "source": {**inner, "content": []}}}).decode()
        start, end = start[: start.rindex("[]")] + "[", "]" + start[start.rindex("[]") + 2 :]
    else:
        start, end = codec.encode({**head, "data": []}).decode().removesuffix("]}"), "]}"
    out.write(start)
    for index, row in enumerate(rows):
        out.write((",\n" if index else "\n") + codec.encode({"item": row} if inline else row).decode())
    out.write(f"\n{end}\n")


def _rows(suite: Suite, losses: Losses, *, own: bool) -> Iterator[Row]:
    position = 0
    for case in suite.cases:
        row = row_of(case, position, own=own)
        if not own:
            objection = _objection(case)
            if objection:
                losses.add(objection, case.id)
                continue
            for what in _lost(case):
                losses.add(what, case.id)
            row = _without_slips(row, losses, case.id)
        position += 1
        yield row


def _objection(case: Case) -> str:
    """Why a case of another format could not be read again as a row."""
    if case.persona is not None:
        goal = case.persona.goal
        if not goal.strip() or len(goal) > LONGEST:
            return f"a case is left out, since its goal is no description of 1 to {LONGEST} characters"
        desired = case.persona.desired_turns
        return (
            "a case is left out, since it desires more turns than it allows" if (desired or 0) > case.persona.max_turns else ""
        )
    said = case.turns[-1].input
    return "a case is left out, since its last turn says nothing" if isinstance(said, str) and not said.strip() else ""


def _lost(case: Case) -> Iterator[str]:
    """Everything of a case of another format that its row does not hold."""
    if case.name is not None:
        yield "names of cases have no place in rows"
    if any(check.origin != "default" for check in (*case.checks, *(check for turn in case.turns for check in turn.checks))):
        yield "evaluators have no place in rows; name them with --evaluator, or in a document with `data`"
    for expect in (case.expect, *(turn.expect for turn in case.turns)):
        if expect is NOTHING:
            continue
        if expect.assertions is not None:
            yield "assertions have no place in rows"
        if expect.reference_query is not None:
            yield "a reference query has no place in rows"
        for name, what in _OF_ANSWERS:
            if getattr(expect, name) is not None:
                yield f"{what} that an answer must have: no place in rows"
    if case.persona is not None:
        if case.persona.context or case.persona.traits or case.persona.input is not None:
            yield "of a simulated user a row holds the goal alone"
        if case.history or case.expect.response is not None:
            yield "what is expected of a simulated conversation, or was said before it, has no place in a seed"
        return
    if len(case.turns) > 1:
        yield "a conversation of several turns becomes one row of messages, which is examined at its end"
    if any(turn.expect.response is not None or turn.context is not None for turn in case.turns[:-1]):
        yield "what is expected of the earlier turns of a conversation, or given with them, has no place in rows"
    if any(turn.metadata for turn in case.turns) or (STANDARD - BESIDE) & case.metadata.keys():
        yield "metadata of turns, and such as is called like a standard column, have no place in rows"
    if any(not isinstance(turn.input, str | None) for turn in case.turns):
        yield "an input that is an object is written as JSON text"
    if case.expect.response is not None:
        yield "an expected response of a whole conversation has no place in rows"
    for turn in case.turns:
        if turn.reply is not None:
            yield from _lost_of_reply(turn.reply)


def _lost_of_reply(reply: Reply) -> Iterator[str]:
    more = ("citations", "retrievals", "rows", "intent", "refusal", "insight", "raw", "seconds")
    found = [name for name in more if getattr(reply, name) is not None] + (["usage"] if reply.usage else [])
    if found:
        yield f"of recorded answers rows hold text and tool calls, not {', '.join(found)}"
    if any(call.error is not None for call in reply.tool_calls or ()):
        yield "the error of a tool call is written as its result"
    if any(not isinstance(call.arguments, Mapping | None) for call in reply.tool_calls or ()):
        yield "arguments of a tool call that are no object have no place in rows"


def _without_slips(row: Row, losses: Losses, case: str) -> Row:
    """Without metadata whose names would be taken for slips of a column."""
    slips = [name for name in row if name not in STANDARD and meant(name) is not None]
    for name in slips:
        losses.add(f'metadata called "{name}" would be taken for a slip of "{meant(name)}", and is left out', case)
    return {name: each for name, each in row.items() if name not in slips}
