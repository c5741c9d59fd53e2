"""A suite to a document that the vendor's schema allows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import IO

from vivavoce.core.model import Case, Suite, Turn
from vivavoce.core.place import nearest
from vivavoce.core.reply import JSON, Object, Reply
from vivavoce.core.source import Source
from vivavoce.formats._m365 import versions
from vivavoce.formats._m365.checker import fits
from vivavoce.formats._m365.choosing import Chooser, common, default_evaluators
from vivavoce.formats._m365.losses import Losses
from vivavoce.formats._m365.rules import MAX_TURNS, OURS, definitions
from vivavoce.formats._m365.shapes import LEGACY_FIELDS, ROOT_FIELDS

_OF_THREAD = ("description", "conversation_id", "summary")
_CITATION = ("index", "text", "source")


def write(suite: Suite, out: IO[str]) -> tuple[str, ...]:
    """Write the suite; returns a sentence for everything that is not in the document."""
    losses = Losses()
    if suite.about is not None:
        losses.add("What the suite is about has no place and is left out", suite.name)
    given = suite.metadata.get("default_evaluators") if suite.format == "m365" else None
    base = common(suite.cases, given)
    writer = Writer(Chooser(base, losses), losses)
    items = [item for case in suite.cases if (item := writer.item(case)) is not None]
    kept: dict[str, JSON] = {}
    defaults = default_evaluators(base, kept)
    root = _root(suite, kept)
    if defaults is not None:
        root["default_evaluators"] = defaults
    root["items"] = items
    root["schemaVersion"] = versions.lowest(root)
    json.dump(root, out, ensure_ascii=False, indent=2)
    out.write("\n")
    return losses.sentences()


class Writer:
    """Writes one case after another."""

    def __init__(self, chooser: Chooser, losses: Losses) -> None:
        self._chooser = chooser
        self._losses = losses
        self._position = 0

    def item(self, case: Case) -> dict[str, JSON] | None:
        """The item a case is; `None` when no item can hold it."""
        if not case.turns:
            self._losses.add("Simulated conversations have no place and are left out", case.id)
            return None
        if len(case.turns) > MAX_TURNS:
            self._losses.add(f"Conversations of more than {MAX_TURNS} turns are left out", case.id)
            return None
        self._losses.of_case(case)
        kept, thread, foreign = self.about(case)
        if len(case.turns) == 1 and not thread and "extensions" not in case.turns[0].metadata:
            return self._turn(case.turns[0], case.id, kept, foreign)
        if "name" in kept:
            thread = {"name": kept.pop("name"), **thread}
        turns = [self._turn(turn, case.id, {}, foreign_of(turn.metadata)) for turn in case.turns]
        return {**thread, "turns": turns, **extended(foreign, kept)}

    def about(self, case: Case) -> tuple[dict[str, JSON], dict[str, JSON], Object]:
        """What is said of a case beside its turns: kept under Viva's own key, fields of a conversation, others' extensions."""
        kept: dict[str, JSON] = {}
        if case.id != f"#{self._position}":
            kept["testId"] = case.id
        self._position += 1
        if case.name is not None:
            kept["name"] = case.name
        if case.category is not None:
            kept["category"] = case.category
        metadata = dict(case.metadata)
        thread: dict[str, JSON] = {}
        rules = definitions(strict=True)
        for name in _OF_THREAD:
            if name in metadata and fits(metadata[name], rules["thread"]["properties"][name], rules):
                thread[name] = metadata.pop(name)
        if isinstance(metadata.get("notes"), str):
            kept["notes"] = metadata.pop("notes")
        foreign = foreign_of(metadata)
        if foreign:
            del metadata["extensions"]
        if metadata:
            kept["metadata"] = metadata
        return kept, thread, foreign

    def question(self, turn: Turn, case_id: str, kept: dict[str, JSON]) -> dict[str, JSON]:
        """What is asked, and by which evaluators it is examined."""
        prompt = turn.input
        if not isinstance(prompt, str):
            self._losses.add("Structured inputs are written as JSON text", case_id)
            prompt = json.dumps(prompt, ensure_ascii=False)
        if not prompt:
            self._losses.add("Empty inputs are written as a space", case_id)
            prompt = " "
        fields: dict[str, JSON] = {"prompt": prompt}
        if turn.expect.response is not None:
            fields["expected_response"] = turn.expect.response
        if turn.context is not None:
            fields["context"] = turn.context
        return fields | self._chooser.fields(turn.checks, case_id, kept)

    def _turn(self, turn: Turn, case_id: str, kept: dict[str, JSON], foreign: Object) -> dict[str, JSON]:
        fields = self.question(turn, case_id, kept)
        rest = {name: value for name, value in turn.metadata.items() if name != "extensions"}
        rules = definitions(strict=True)
        if turn.reply is not None:
            for name, value in answer(turn.reply, rest).items():
                if fits(value, rules["turn"]["properties"][name], rules):
                    fields[name] = value
                else:
                    self._losses.add(f"Recorded {name} of another shape are left out", case_id)
        written = [name for name in _BESIDE if name in rest and fits(rest[name], rules["turn"]["properties"][name], rules)]
        if turn.reply is None and "error" in rest and "error" not in written:
            # Without the error beside them, these would be read as an answer.
            written = [name for name in written if name not in ("citations", "diagnostics")]
        fields |= {name: rest.pop(name) for name in written}
        if rest:
            kept["turn"] = rest
        return {**fields, **extended(foreign, kept)}


_BESIDE = ("citations", "diagnostics", "scores", "status", "error")
"""What stands beside an answer."""


def answer(reply: Reply, rest: dict[str, JSON]) -> dict[str, JSON]:
    """The fields of an answer; `rest` is what was beside it, from which further diagnostics are taken."""
    fields: dict[str, JSON] = {}
    if reply.text is not None:
        fields["response"] = reply.text
    if reply.citations is not None:
        fields["citations"] = [
            {name: value for name in _CITATION if (value := getattr(citation, name)) is not None}
            for citation in reply.citations
        ]
    if reply.retrievals is not None:
        others = rest.pop("diagnostics", {})
        fields["diagnostics"] = {"retrieval_executions": list(reply.retrievals), **others}
    return fields


def extended(foreign: Object, kept: Mapping[str, JSON]) -> dict[str, JSON]:
    """The field `extensions`, if anything is to be kept there."""
    extensions = {**foreign, **({OURS: dict(kept)} if kept else {})}
    return {"extensions": extensions} if extensions else {}


def foreign_of(metadata: Object) -> Object:
    """Other tools' extensions among what a case or turn says of itself."""
    extensions = metadata.get("extensions")
    return {name: each for name, each in extensions.items() if name != OURS} if isinstance(extensions, dict) else {}


def _root(suite: Suite, kept: dict[str, JSON]) -> dict[str, JSON]:
    """Everything of the document as a whole but evaluators and items."""
    said = {name: each for name, each in suite.metadata.items() if name not in ("schemaVersion", "default_evaluators")}
    root: dict[str, JSON] = {}
    if isinstance(said.get("$schema"), str):
        root["$schema"] = said.pop("$schema")
    root["schemaVersion"] = versions.CURRENT
    rules = definitions(strict=True)
    metadata: dict[str, JSON] = {}
    if fits(said.get("metadata"), rules["metadata"], rules):
        metadata = dict(said.pop("metadata"))
    if "name" not in metadata and suite.name != Source(suite.source or suite.name).stem:
        metadata["name"] = suite.name
    extras, hidden = _parted(said)
    if hidden:
        kept["suite"] = hidden
    extensions = extended(foreign_of(metadata), kept)
    metadata = {name: each for name, each in metadata.items() if name != "extensions"} | extensions
    if metadata:
        root["metadata"] = metadata
    return root | extras


def _parted(said: Mapping[str, JSON]) -> tuple[dict[str, JSON], dict[str, JSON]]:
    """What the open root may hold, and what would be taken there for something else."""
    taken: Sequence[str] = (*ROOT_FIELDS, *LEGACY_FIELDS)
    extras = {name: each for name, each in said.items() if name not in taken and not nearest(name, taken)}
    return extras, {name: each for name, each in said.items() if name not in extras}
