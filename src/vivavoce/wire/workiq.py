"""What Work IQ, the gateway to agents of Microsoft 365 Copilot, adds to A2A: where the person is, citations, searches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vivavoce.core.reply import JSON, Citation, Object, Reply
from vivavoce.wire import a2a
from vivavoce.wire.a2a import Heard

RETRIEVAL = "application/vnd.ms-workiq-internal.retrieval"
"""Media type of the searches that an answer stands on."""
REFERENCE = "application/vnd.workiq-reference"
"""Media type of citations that stand in an artifact."""
_ANSWER = "answer"
_BESIDES = frozenset({"developer info", "retrieval info"})
"""Artifacts that tell of an answer, and are none."""
_EXECUTIONS = ("retrieval_executions", "retrievalExecutions", "executions")
_REFERENCES = ("references", "citations", "attributions")


def located(zone: str, minutes: int) -> dict[str, JSON]:
    """Metadata of a message: the time zone that "today" is meant in, and its minutes ahead of UTC."""
    return {"Location": {"timeZone": zone, "timeZoneOffset": minutes}}


def reply(heard: Heard) -> Reply:
    """What was heard, as a reply; what it does not speak of is unknown."""
    answers = [each for each in heard.artifacts if _name(each) == _ANSWER]
    if not answers:
        answers = [each for each in heard.artifacts if _name(each) not in _BESIDES]
    return Reply(
        text=heard.text(answers), citations=_citations(heard), retrievals=_retrievals(heard), raw=heard.raw(answers) or None
    )


def _name(artifact: Object) -> str:
    return str(artifact.get("name") or "").strip().lower()


def _citations(heard: Heard) -> tuple[Citation, ...] | None:
    """Sources of the answer, each once; annotations, which say who or what a word means, are none."""
    attributed = heard.metadata.get("attributions")
    referred = [each for artifact in heard.artifacts for each in a2a.parts_of(artifact, REFERENCE)]
    if not isinstance(attributed, list) and not referred:
        return None
    found: dict[str, str | None] = {}
    for each in [*(attributed if isinstance(attributed, list) else ()), *_spread(referred, _REFERENCES)]:
        if isinstance(each, Mapping) and "annotation" not in str(each.get("attributionType", "")).lower():
            text = _first(each, "providerDisplayName", "title", "name", "text")
            source = _first(each, "seeMoreWebUrl", "webUrl", "url", "source")
            if text or source:
                found.setdefault(source or text or "", text)
    return tuple(Citation(index=at, text=text, source=source) for at, (source, text) in enumerate(found.items(), 1))


def _retrievals(heard: Heard) -> tuple[Object, ...] | None:
    """The searches; a part of one that is not as it should be is left out of it."""
    told = [each for artifact in heard.artifacts for each in a2a.parts_of(artifact, RETRIEVAL)]
    if not told:
        return None
    return tuple(_execution(each) for each in _spread(told, _EXECUTIONS) if isinstance(each, Mapping))


def _spread(told: list[JSON], keys: tuple[str, ...]) -> Iterator[JSON]:
    """The members of lists, be they told alone or under one of these keys; anything else is a member by itself."""
    for each in told:
        inner = next((each[key] for key in keys if key in each), each) if isinstance(each, Mapping) else each
        if isinstance(inner, list):
            yield from inner
        elif inner is not None:
            yield inner


def _execution(given: Object) -> Object:
    made = dict(given)
    if "queries" in made:
        made["queries"] = _objects(made["queries"])
    if "retrievalHits" in made:
        made["retrievalHits"] = [_hit(each) for each in _objects(made["retrievalHits"])]
    return made


def _hit(given: Object) -> Object:
    extracts = [each for each in _objects(given.get("extracts")) if isinstance(each.get("text"), str)]
    return {**given, "extracts": extracts} if "extracts" in given else given


def _objects(given: JSON) -> list[Object]:
    return [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []


def _first(given: Object, *names: str) -> str | None:
    return next((given[name] for name in names if isinstance(given.get(name), str) and given[name]), None)
