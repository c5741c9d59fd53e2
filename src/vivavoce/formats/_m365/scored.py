"""A run to a scored document, as the vendor's command writes one; item by item."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import zip_longest
from typing import IO

from vivavoce.core import codec
from vivavoce.core.model import Case, Expectation, Turn
from vivavoce.core.reply import JSON, Object, Reply
from vivavoce.core.result import Exchange, Fault, Result, Run
from vivavoce.formats._m365 import versions
from vivavoce.formats._m365.checker import fits
from vivavoce.formats._m365.choosing import Chooser, common, default_evaluators
from vivavoce.formats._m365.losses import Losses, has_more
from vivavoce.formats._m365.rules import MAX_TURNS, OURS, definitions
from vivavoce.formats._m365.scoring import outcome, summary, written
from vivavoce.formats._m365.writing import Writer, answer, extended, foreign_of

_NOT_SENT = Fault(code="not_sent", message="This turn was not sent.")
_MORE = ("tool_calls", "rows", "intent", "refusal", "insight")


def report(run: Run, out: IO[str]) -> None:
    """Write the run; one trial is one item."""
    base = common(run.cases)
    kept: dict[str, JSON] = {"run": run.id, "state": run.state}
    head: dict[str, JSON] = {"schemaVersion": versions.CURRENT}
    defaults = default_evaluators(base, kept)
    head["metadata"] = _metadata(run, kept)
    if defaults is not None:
        head["default_evaluators"] = defaults
    out.write(json.dumps(head, ensure_ascii=False, indent=2).removesuffix("\n}"))
    out.write(',\n  "items": [')
    scribe = Scribe(Writer(Chooser(base, Losses()), Losses()), of_several_suites=len(run.header.files) > 1)
    for index, (result, case) in enumerate(zip_longest(run.results, run.cases)):
        if result is None:
            break
        text = json.dumps(scribe.item(result, case or _case_of(result)), ensure_ascii=False, indent=2)
        # Within a JSON text a line break is never part of a value.
        out.write(("," if index else "") + "\n    " + text.replace("\n", "\n    "))
    out.write("\n  ]\n}\n")


class Scribe:
    """Writes one result after another."""

    def __init__(self, writer: Writer, *, of_several_suites: bool) -> None:
        self._writer = writer
        self._of_several_suites = of_several_suites

    def item(self, result: Result, case: Case) -> dict[str, JSON]:
        """A result as an item, with everything the vendor has no field for under Viva's own key."""
        kept, thread, foreign = self._writer.about(case)
        if self._of_several_suites or result.repeat:
            # Ids are unique in a document, whatever was run and how often.
            suite = f"{result.suite}/" if self._of_several_suites else ""
            kept["testId"] = f"{suite}{case.id}" + (f"~{result.repeat}" if result.repeat else "")
            kept |= {"suite_name": result.suite, "case": case.id, "repeat": result.repeat}
        kept["status"] = result.status
        if result.stop is not None:
            kept["stop"] = result.stop
        pairs = _pairs(case, result)
        if len(pairs) == 1 and not thread and "extensions" not in pairs[0][0].metadata:
            turn, exchange = pairs[0]
            fields = self._turn(turn, exchange, kept, case.id, result.scores)
            return {**fields, **extended(foreign, kept)}
        return self._thread(result, pairs, kept, thread, foreign)

    def _thread(
        self,
        result: Result,
        pairs: Sequence[tuple[Turn, Exchange]],
        kept: dict[str, JSON],
        thread: dict[str, JSON],
        foreign: Object,
    ) -> dict[str, JSON]:
        turns = []
        for turn, exchange in pairs:
            below: dict[str, JSON] = {}
            fields = self._turn(turn, exchange, below, result.case, ())
            turns.append({**fields, **extended(foreign_of(turn.metadata), below)})
        if result.scores:
            kept["scores"] = written(result.scores, kept)
        if len(turns) > MAX_TURNS:
            kept["later_turns"] = turns[MAX_TURNS:]
        item: dict[str, JSON] = {"name": kept.pop("name")} if "name" in kept else {}
        item |= thread | {"turns": turns[:MAX_TURNS]}
        # The vendor knows no skip: an answer that nothing speaks against counts as passed.
        states = [turn.get("status", "pass") for turn in turns[:MAX_TURNS]]
        item["summary"] = summary(states, result.scores)
        return {**item, **extended(foreign, kept)}

    def _turn(
        self, turn: Turn, exchange: Exchange, kept: dict[str, JSON], case_id: str, whole: Sequence[JSON]
    ) -> dict[str, JSON]:
        """A turn as it went; `whole` are scores of the conversation, when it is all there is of it."""
        fields = self._writer.question(turn, case_id, kept)
        scores = (*exchange.scores, *whole)
        if exchange.reply is None:
            return {**fields, "scores": {}, **outcome(exchange, ())}
        fields |= self._answer(exchange.reply, kept)
        fields["scores"] = written(scores, kept)
        return fields | outcome(exchange, scores)

    def _answer(self, reply: Reply, kept: dict[str, JSON]) -> dict[str, JSON]:
        fields = answer(reply, {})
        rules = definitions(strict=True)
        hidden = {name: value for name, value in fields.items() if not fits(value, rules["turn"]["properties"][name], rules)}
        if has_more(reply):
            plain = codec.plain(reply)
            hidden |= {name: plain[name] for name in (*_MORE, "usage") if plain[name] not in (None, {})}
        if hidden:
            kept["reply"] = hidden
        return {name: value for name, value in fields.items() if name not in hidden}


def _pairs(case: Case, result: Result) -> list[tuple[Turn, Exchange]]:
    """Every turn with how it went; of a simulated conversation, as it was held."""
    pairs: list[tuple[Turn, Exchange]] = []
    for turn, exchange in zip_longest(case.turns, result.turns):
        if exchange is None:
            fault = _NOT_SENT if pairs or result.error is None else result.error
            exchange = Exchange(input=turn.input, error=fault)
        pairs.append((turn or _turn_of(exchange), exchange))
    if not pairs:
        opening = case.persona.input or case.persona.goal if case.persona is not None else ""
        pairs.append((Turn(input=opening), Exchange(input=opening, error=result.error)))
    return pairs


def _turn_of(exchange: Exchange) -> Turn:
    return Turn(input=exchange.input, expect=Expectation(response=exchange.expected))


def _case_of(result: Result) -> Case:
    """As much of a case as its result tells."""
    return Case(
        id=result.case,
        name=result.name,
        category=result.category,
        turns=tuple(_turn_of(exchange) for exchange in result.turns),
        metadata=result.metadata,
    )


def _metadata(run: Run, kept: dict[str, JSON]) -> dict[str, JSON]:
    """The field `metadata`: what the one dataset says of itself, and what was run when."""
    files = run.header.files
    said = files[0].metadata if len(files) == 1 and files[0].format == "m365" else {}
    rules = definitions(strict=True)
    metadata = dict(said["metadata"]) if fits(said.get("metadata"), rules["metadata"], rules) else {}
    if len(files) == 1:
        metadata.setdefault("name", files[0].suite)
    if isinstance(said.get("description"), str):
        metadata.setdefault("description", said["description"])
    target = run.header.selection.target
    if target is not None:
        metadata["agentName"] = target.name
        agent = target.options.get("agent")
        metadata |= {"agentId": agent} if isinstance(agent, str) else {}
    metadata["evaluatedAt"] = run.finished or run.started
    metadata["cliVersion"] = run.header.version
    foreign = {name: each for name, each in metadata.pop("extensions", {}).items() if name != OURS}
    return metadata | extended(foreign, kept)
