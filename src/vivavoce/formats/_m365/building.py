"""A valid item to a case."""

from __future__ import annotations

from typing import TypeAlias

from vivavoce.core.model import NOTHING, Case, Check, Expectation, Turn
from vivavoce.core.place import join
from vivavoce.core.reply import JSON, Citation, Object, Reply
from vivavoce.formats._m365.checks import checks_of, merge
from vivavoce.formats._m365.rules import OURS, definitions

Base: TypeAlias = tuple[Check, ...]
"""What examines every item of a document."""

_OF_THREAD = ("description", "conversation_id", "summary")
_CITATION = frozenset({"index", "text", "source"})


def ours(part: JSON) -> dict[str, JSON]:
    """What Viva keeps under `extensions` of the root's metadata, an item or a turn; empty if there is nothing of the kind."""
    extensions = part.get("extensions") if isinstance(part, dict) else None
    kept = extensions.get(OURS) if isinstance(extensions, dict) else None
    return kept if isinstance(kept, dict) else {}


def build_case(item: dict[str, JSON], path: str, test_id: str, base: Base) -> Case:
    """The case a valid item is."""
    kept = ours(item)
    is_thread = "turns" in item
    known = definitions(strict=False)["thread" if is_thread else "single"]["properties"]
    metadata: dict[str, JSON] = {name: item[name] for name in _OF_THREAD if is_thread and name in item}
    notes = item.get("notes", kept.get("notes"))
    if notes is not None:
        metadata["notes"] = notes
    metadata |= _foreign(item)
    metadata |= {name: value for name, value in item.items() if name not in known}
    metadata |= kept.get("metadata", {})
    if is_thread:
        turns = tuple(_turn(turn, join(path, "turns", index), base, is_alone=False) for index, turn in enumerate(item["turns"]))
    else:
        turns = (_turn(item, path, base, is_alone=True),)
    return Case(
        id=test_id,
        name=item.get("name", kept.get("name")),
        category=item.get("category", kept.get("category")),
        turns=turns,
        metadata=metadata,
        path=path,
    )


def _turn(turn: dict[str, JSON], path: str, base: Base, *, is_alone: bool) -> Turn:
    expected = turn.get("expected_response")
    reply, metadata = _reply(turn)
    if not is_alone:
        known = definitions(strict=False)["turn"]["properties"]
        metadata |= _foreign(turn)
        metadata |= {name: value for name, value in turn.items() if name not in known}
    metadata |= ours(turn).get("turn", {})
    return Turn(
        input=turn["prompt"],
        context=turn.get("context"),
        expect=NOTHING if expected is None else Expectation(response=expected),
        checks=_checks(turn, path, base),
        reply=reply,
        metadata=metadata,
        path=path,
    )


def _checks(turn: dict[str, JSON], path: str, base: Base) -> tuple[Check, ...]:
    kept = ours(turn).get("evaluators")
    if kept is not None:
        own = checks_of(kept, join(path, "extensions", OURS, "evaluators"), "item")
    elif "evaluators" in turn:
        own = checks_of(turn["evaluators"], join(path, "evaluators"), "item")
    else:
        return base
    return own if turn.get("evaluators_mode") == "replace" else merge(base, own)


def _foreign(part: dict[str, JSON]) -> dict[str, JSON]:
    """Other tools' extensions, to be written back."""
    others = {name: value for name, value in part.get("extensions", {}).items() if name != OURS}
    return {"extensions": others} if others else {}


def _reply(turn: dict[str, JSON]) -> tuple[Reply | None, dict[str, JSON]]:
    """The answer a turn holds, and the other things a run wrote beside it."""
    rest: dict[str, JSON] = {name: turn[name] for name in ("scores", "status", "error") if name in turn}
    diagnostics: Object = turn.get("diagnostics", {})
    retrievals = diagnostics.get("retrieval_executions")
    citations = turn.get("citations")
    if "response" not in turn and ("error" in turn or (not retrievals and not citations)):
        rest |= {name: turn[name] for name in ("citations", "diagnostics") if name in turn}
        return None, rest
    others = {name: value for name, value in diagnostics.items() if name != "retrieval_executions"}
    if others:
        rest["diagnostics"] = others
    if any(citation.keys() - _CITATION for citation in citations or ()):
        rest["citations"] = citations
    reply = Reply(
        text=turn.get("response"),
        citations=None if citations is None else tuple(_citation(each) for each in citations),
        retrievals=None if retrievals is None else tuple(retrievals),
    )
    return reply, rest


def _citation(citation: Object) -> Citation:
    return Citation(index=int(citation["index"]), text=citation.get("text"), source=citation.get("source"))
