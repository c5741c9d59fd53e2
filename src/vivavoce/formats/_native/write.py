"""Suites to native text, with a sentence for everything the text cannot hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import IO

import msgspec

from vivavoce.core import codec
from vivavoce.core.model import Case, Check, Expectation, Persona, Suite, Turn
from vivavoce.core.plugins import fold
from vivavoce.core.reply import JSON, Reply
from vivavoce.formats._native import build
from vivavoce.formats._native.shapes import Row
from vivavoce.wire.losses import Losses

Members = dict[str, JSON]
Lost = Callable[[str], None]


def lines(suite: Suite, out: IO[str]) -> tuple[str, ...]:
    """Write JSON lines, one case after another."""
    losses = Losses()
    for row in _rows(suite.cases, (), losses):
        out.write(codec.encode(row).decode() + "\n")
    lost = [] if suite.about is None else ["what the suite is about (`about`) is not in JSON lines; a native document holds it"]
    lost += [f"what the suite says of itself ({', '.join(suite.metadata)}) is not in JSON lines"] if suite.metadata else []
    return (*lost, *losses.sentences())


def document(suite: Suite, out: IO[str]) -> tuple[str, ...]:
    """Write one YAML document."""
    from vivavoce.wire import yaml_writer

    losses = Losses()
    base = _suite_wide(suite.cases)
    top = _given(suite=suite.name, description=suite.metadata.get("description"), about=suite.about)
    top |= _given(evaluators=_options(base, lambda what: losses.add(what, "of the whole suite")) or None)
    yaml_writer.write(codec.plain(top | {"cases": list(_rows(suite.cases, base, losses))}), out)
    rest = [name for name in suite.metadata if name != "description"]
    lost = [f"what the suite says of itself ({', '.join(rest)}) is not in a native document"] if rest else []
    return (*lost, *losses.sentences())


def _suite_wide(cases: Iterable[Case]) -> build.Checks:
    """The checks that a file asked for suite-wide, as the first turn that has any shows them."""
    for case in cases:
        for checks in (*(turn.checks for turn in case.turns), case.checks):
            found = tuple(check for check in checks if check.origin == "file")
            if found:
                return found
    return ()


def _rows(cases: Iterable[Case], base: build.Checks, losses: Losses) -> Iterator[Members]:
    position = 0
    for case in cases:
        lost: list[str] = []
        row = _row(case, base, lost.append)
        if case.id == f"#{position}":
            del row["id"]
        objection = _objection(row)
        if objection:
            lost = [f"a case is left out, since it {objection}"]
        else:
            position += 1
            yield row
        for what in lost:
            losses.add(what, case.id)


def _objection(row: Members) -> str:
    """Why a row could not be read again."""
    found: list[str] = []
    try:
        msgspec.convert(codec.plain(row), Row)
    except ValueError as error:
        return f"does not fit: {error}"
    build.objections(row, lambda message, at, fix: found.append(f"{at} {message}".strip()))
    return found[0] if found else ""


def _row(case: Case, base: build.Checks, lost: Lost) -> Members:
    row: Members = {"id": case.id} | _given(name=case.name, category=case.category, history=list(case.history) or None)
    if case.tools is not None:
        lost("definitions of tools have no place")
    if any(check.given is not None for check in (*case.checks, *(check for turn in case.turns for check in turn.checks))):
        lost("what a mapping shows an evaluator has no place")
    if case.persona is not None:
        row |= {"persona": _persona(case.persona)} | _evaluators(case.checks, base, build.RELEVANCE, lost)
    elif case.checks:
        lost("checks of a whole conversation are written as evaluators of its case, which also examine its turns")
        row["evaluators"] = _options(case.checks, lost)
        base = build.resolve(base or None, row["evaluators"], None, "") or ()
        case = replace(case, turns=tuple(_with(case.checks, turn) for turn in case.turns))
    metadata = _given(metadata=dict(case.metadata) or None)
    if _is_single(case):
        said = _said(case.turns[0], base, lost)
        said["evaluators"] = row.get("evaluators", {}) | said.get("evaluators", {})
        if not said["evaluators"] and "evaluators_mode" not in said:
            del said["evaluators"]
        return row | said | _expected(case.expect, lost) | metadata
    row |= {"turns": [_said(turn, base, lost) for turn in case.turns]} if case.turns else {}
    whole = _expected(case.expect, lost)
    if whole.pop("expected", None) is not None:
        lost("an expected response of a whole conversation has no place")
    return row | whole | metadata


def _with(checks: build.Checks, turn: Turn) -> Turn:
    """A turn that is examined by these checks too, unless it names them itself."""
    own = {fold(check.evaluator) for check in turn.checks}
    return replace(turn, checks=(*(check for check in checks if fold(check.evaluator) not in own), *turn.checks))


def _is_single(case: Case) -> bool:
    """Whether a case can be written without `turns`: it has one, which says nothing that would be taken for the case's."""
    if len(case.turns) != 1 or case.persona is not None:
        return False
    turn, whole = case.turns[0], case.expect
    of_case = {name for name in whole.__struct_fields__ if getattr(whole, name) is not None}
    if turn.metadata or not of_case <= set(build.OF_CONVERSATION):
        return False
    return turn.expect.assertions is None and turn.expect.trajectory is None


def _said(turn: Turn, base: build.Checks, lost: Lost) -> Members:
    reply = None if turn.reply is None else _answer(turn.reply, lost)
    return (
        {"input": turn.input}
        | _expected(turn.expect, lost)
        | _given(context=turn.context, reply=reply)
        | _evaluators(turn.checks, base, build.defaults(turn.expect, turn.context), lost)
        | _given(metadata=dict(turn.metadata) or None)
    )


def _expected(expect: Expectation, lost: Lost) -> Members:
    if expect.reference_query is not None:
        lost("a reference query has no place")
    if expect.arguments is not None:
        lost("expected arguments of tools have no place")
    return _given(
        expected=expect.response,
        assertions=expect.assertions,
        trajectory=expect.trajectory,
        rows=expect.rows,
        intent=expect.intent,
        refusal=expect.refusal,
        insights=expect.insights,
    )


def _evaluators(checks: build.Checks, base: build.Checks, defaults: build.Checks, lost: Lost) -> Members:
    """The keys by which a reader that has `base` from the level above comes to these checks."""
    if not base and _plain(checks) == _plain(defaults):
        return {}
    own = _options([check for check in checks if check.origin == "item"], lost)
    if _plain(build.resolve(base or None, own, None, "") or ()) == _plain(checks) and (base or checks):
        return _given(evaluators=own or None)
    if any(check.origin != "item" for check in checks):
        lost(
            "an evaluator asked for suite-wide or by default is written as asked for here, where it may not lack what it needs"
        )
    return {"evaluators": _options(checks, lost)} | ({"evaluators_mode": "replace"} if base or not checks else {})


def _options(checks: Iterable[Check], lost: Lost) -> Members:
    made: Members = {}
    for check in checks:
        if check.name and fold(check.name) != fold(check.evaluator):
            lost(f'the name "{check.name}" of an evaluator has no place')
        if any(fold(name) == fold(check.evaluator) for name in made):
            lost(f"a second {check.evaluator} in one place has none")
        else:
            made[check.evaluator] = dict(check.options)
    return made


def _plain(checks: Iterable[Check]) -> list[tuple[JSON, ...]]:
    return [(check.evaluator, dict(check.options), check.origin) for check in checks]


def _answer(reply: Reply, lost: Lost) -> JSON:
    """A recorded answer as agents answer: text when there is nothing else."""
    given = _given(**{name: getattr(reply, name) for name in build.CONTENT})
    given |= _given(
        tool_calls=None if reply.tool_calls is None else [_given(**codec.plain(each)) for each in reply.tool_calls],
        citations=None if reply.citations is None else [_given(**codec.plain(each)) for each in reply.citations],
        usage=_given(**reply.usage) or None,
    )
    if reply.seconds is not None:
        lost("how long a recorded answer took has no place")
    if isinstance(reply.raw, dict) and given.keys().isdisjoint(reply.raw) and not {*build.CONTENT, "usage"} & reply.raw.keys():
        given |= reply.raw
    elif reply.raw is not None:
        lost("the raw form of a recorded answer has no place")
    if given.keys() == {"text"}:
        return reply.text
    if given.keys().isdisjoint(build.CONTENT):
        lost("a recorded answer that says nothing has no place")
        return None
    return given


def _persona(persona: Persona) -> Members:
    return {name: each for name, each in codec.plain(persona).items() if each not in (None, "", {})}


def _given(**members: JSON) -> Members:
    return {name: each for name, each in members.items() if each is not None}
