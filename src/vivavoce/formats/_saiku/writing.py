"""A suite to YAML, with a sentence for everything that the format cannot hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO

from vivavoce.core import codec
from vivavoce.core.model import Case, Check, Expectation, Suite, Turn
from vivavoce.core.place import nearest
from vivavoce.core.plugins import fold
from vivavoce.core.reply import JSON, Object
from vivavoce.formats._saiku import words
from vivavoce.formats._saiku.cases import INSIGHT, INTENT, REFUSAL, ROWS
from vivavoce.wire import yaml_writer
from vivavoce.wire.losses import Losses

Members = dict[str, JSON]

_OURS = frozenset(fold(each) for each in (INTENT, REFUSAL, ROWS, INSIGHT))
_NO_PLACE = (
    ("response", "an expected response has no place"),
    ("assertions", "assertions have no place"),
    ("trajectory", "an expected trajectory has no place"),
    ("arguments", "expected arguments of tools have no place"),
)


def write(suite: Suite, out: IO[str]) -> tuple[str, ...]:
    """Write a suite as one document."""
    losses = Losses()
    top: Members = {"name": suite.name if suite.name.strip() else "suite"}
    lost: list[str] = []
    description = suite.metadata.get("description")
    if isinstance(description, str):
        top["description"] = description
    more = {name: each for name, each in suite.metadata.items() if name != "description"}
    top |= _strangers(more, words.SUITE, lambda name: lost.append(f'what the suite says under "{name}" has no place'))
    top["cube"] = _cube(suite.about, lost)
    top["cases"] = list(_cases(suite, losses))
    if not top["cases"]:
        lost.append("no case is left that the format can hold, and a suite without cases cannot be read")
    yaml_writer.write(codec.plain(top), out)
    return (*lost, *losses.sentences())


def _cube(about: Object | None, lost: list[str]) -> Members:
    about = about or {}
    cube = {name: about[name] if _says(about.get(name)) else "unknown" for name in words.CUBE}
    missing = [name for name in words.CUBE if not _says(about.get(name))]
    if missing:
        lost.append(f"the suite does not say what cube it is about: fill in {', '.join(missing)}")
    more = {name: each for name, each in about.items() if name not in words.CUBE}
    return cube | _strangers(more, words.CUBE, lambda name: lost.append(f'what the suite is about, "{name}", has no place'))


def _cases(suite: Suite, losses: Losses) -> Iterator[Members]:
    names: set[str] = set()
    for case in suite.cases:
        why = _objection(case)
        if why:
            losses.add(f"a case is left out, since it {why}", case.id)
            continue
        turn = case.turns[0]
        name = case.id
        while name in names or not name.strip():
            name = f"{name}_"
        names.add(name)
        yield _case(case, turn, name, losses)


def _objection(case: Case) -> str:
    if case.persona is not None:
        return "has a simulated user"
    if len(case.turns) != 1:
        return f"has {len(case.turns)} turns"
    said = case.turns[0].input
    return "asks nothing" if said is None or (isinstance(said, str) and not said.strip()) else ""


def _case(case: Case, turn: Turn, name: str, losses: Losses) -> Members:
    def lost(what: str) -> None:
        losses.add(what, case.id)

    made: Members = {"name": name, "question": _question(turn.input, lost)}
    metadata = {**case.metadata, **turn.metadata}
    kept_history = metadata.pop("history", None)
    if case.history:
        told = [{"role": each.role, "content": _content(each.content)} for each in case.history]
        made["history"] = kept_history if isinstance(kept_history, list | tuple) else told
    made |= _expected(turn.expect, case.expect)
    made |= _options((*turn.checks, *case.checks), made)
    for expect in (turn.expect, case.expect):
        for part, sentence in _NO_PLACE:
            if getattr(expect, part) is not None:
                lost(sentence)
    _name_losses(case, turn, lost)
    loose = {key: metadata.pop(key) for key in ("tolerance", "orderMatters") if key in metadata and key not in made}
    return made | loose | _strangers(metadata, words.CASE, lambda key: lost(f'what a case says under "{key}" has no place'))


def _name_losses(case: Case, turn: Turn, lost: JSON) -> None:
    if case.name is not None and case.name != case.id:
        lost("a name beside the id has no place")
    for there, sentence in (
        (case.category is not None, "a category has no place"),
        (case.tools is not None, "definitions of tools have no place"),
        (turn.context is not None, "a context has no place"),
        (turn.reply is not None, "a recorded answer has no place"),
    ):
        if there:
            lost(sentence)
    for check in (*turn.checks, *case.checks):
        if fold(check.evaluator) not in _OURS and check.origin in ("item", "file"):
            lost(f"the evaluator {check.evaluator} has no place")


def _expected(expect: Expectation, whole: Expectation) -> Members:
    """What is expected of the answer, or where that says nothing of the conversation, which is the same here."""
    found: Members = {}
    for name, part in (
        ("expectedIntent", "intent"),
        ("expectedRefusalContains", "refusal"),
        ("expectedRows", "rows"),
        ("referenceQuery", "reference_query"),
        ("expectedInsightContains", "insights"),
    ):
        value = getattr(expect, part)
        value = getattr(whole, part) if value is None else value
        if value is not None:
            found[name] = list(value) if isinstance(value, tuple) else value
    return found


def _options(checks: tuple[Check, ...], made: Members) -> Members:
    """The options of the comparison of rows, where there are rows to compare."""
    if "expectedRows" not in made and "referenceQuery" not in made:
        return {}
    options = next((check.options for check in checks if fold(check.evaluator) == fold(ROWS)), {})
    found: Members = {"orderMatters": options["order_matters"]} if "order_matters" in options else {}
    bounds = {name: options[name] for name in words.BOUNDS if name in options}
    return found | ({"tolerance": bounds} if bounds else {})


def _strangers(given: Object, known: tuple[str, ...], lost: JSON) -> Members:
    """Fields of its own, which stay where no reader would take them for a slip."""
    kept: Members = {}
    for name, value in given.items():
        if name in known or nearest(name, known) or name in words.MEANT or not isinstance(name, str):
            lost(name)
        else:
            kept[name] = value
    return kept


def _question(said: JSON, lost: JSON) -> str:
    if isinstance(said, str):
        return said
    lost("a structured question is written as its JSON text")
    return json.dumps(codec.plain(said), ensure_ascii=False)


def _content(content: JSON) -> str:
    return content if isinstance(content, str) else json.dumps(codec.plain(content), ensure_ascii=False)


def _says(value: JSON) -> bool:
    return isinstance(value, str) and bool(value.strip())
