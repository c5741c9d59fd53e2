"""What a rubric lets the judge read, as the texts that a look needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vivavoce.core.errors import Abstain, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.reply import JSON, Object, ToolCall
from vivavoce.core.rubric import Rubric
from vivavoce.judges._local import texts
from vivavoce.judges._local.look import Sentence

_SOURCES = ("context", "expected", "extracts", "tool_calls")
_RESULTS = ("tool_calls",)
_ELLIPTIC = 2
"""Words of matter up to which a question is read together with what was said before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Texts:
    """The evidence, cleaned and bounded."""

    answer: str
    question: str
    expected: str
    sources: str
    in_conversation: bool
    """Whether the two said something before."""
    cut: tuple[str, ...]
    """What was too long to be read whole."""


def read(rubric: Rubric, evidence: Evidence, fields: Object) -> Texts:
    """The texts that a rubric names; `fields` come first. What it does not name is empty.

    Raises:
        Missing: it names what is not there.
        Abstain: it names no answer, or rests it on things of which none is known.
    """
    named = {name for names in rubric.fields for name in names}
    if "response" not in named:
        other = "whole conversations" if rubric.level == "case" else "what is no answer"
        raise Abstain(f"{rubric.name}: the local judge judges single answers, not {other}: use --judge openai:MODEL")
    given = {names: _given(names, rubric, evidence, fields) for names in rubric.fields}
    sources = [names for names in given if set(names) & set(_SOURCES)]
    if sources and all(_is_optional(names, rubric) and (names == _RESULTS or not given[names].strip()) for names in sources):
        known = " nor ".join(names[0] for names in sources if names != _RESULTS)
        why = f"neither {known} are known, and results of tools alone it was never measured on"
        raise Abstain(f"{rubric.name}: {why}: use --judge openai:MODEL")
    cut: list[str] = []

    def text(what: str, raw: str, longest: int = texts.LONGEST) -> str:
        cleaned, was_cut = texts.clean(raw, longest)
        if was_cut:
            cut.append(what)
        return cleaned

    question = text("question", _named("input", given))
    earlier = _named("history", given)
    if earlier and len(Sentence.of(question).stems) <= _ELLIPTIC:
        question = f"{text('history', earlier)[-1000:]}\n{question}".strip()
    return Texts(
        answer=text("answer", _named("response", given)),
        question=question,
        expected=text("expected response", _named("expected", given)),
        sources=text("sources", "\n\n".join(given[names] for names in sources if given[names]), texts.LONGEST_SOURCE),
        # What an operator told the agent beforehand is no conversation yet.
        in_conversation=any(said.role not in ("system", "developer") for said in evidence.history),
        cut=tuple(cut),
    )


def _given(names: tuple[str, ...], rubric: Rubric, evidence: Evidence, fields: Object) -> str:
    if not _is_optional(names, rubric):
        return _first(names, evidence, fields)
    try:
        return _results(evidence.tool_calls) if names == _RESULTS else evidence.text(names[0])
    except Missing:
        return ""  # what a prompt says in its place is nothing to look at


def _is_optional(names: tuple[str, ...], rubric: Rubric) -> bool:
    return len(names) == 1 and names[0] in rubric.uses


def _results(calls: Sequence[ToolCall]) -> str:
    """What tools returned, as sentences: `stock: 3.`"""
    return "\n".join(line for call in calls if call.error is None for line in _sentences(call.result, ""))


def _sentences(value: JSON, name: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _sentences(each, str(key).replace("_", " "))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _sentences(each, name)
    elif value is not None:
        yield f"{name}: {value}." if name else str(value)


def _first(names: tuple[str, ...], evidence: Evidence, fields: Object) -> str:
    for name in names:
        if name in fields:
            return str(fields[name])
        try:
            return evidence.text(name)
        except Missing:
            continue
    raise Missing(*names)


def _named(name: str, given: Mapping[tuple[str, ...], str]) -> str:
    """The text of the placeholder that has this name first."""
    return next((raw for names, raw in given.items() if names[0] == name), "")
