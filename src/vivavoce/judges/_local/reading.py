"""What a rubric lets the judge read, as the texts that a look needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vivavoce.core.errors import Abstain, Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.reply import Object
from vivavoce.core.rubric import Rubric
from vivavoce.judges._local import texts
from vivavoce.judges._local.look import Sentence

_SOURCES = ("context", "expected", "extracts")
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
        Abstain: it names no answer, or what an evaluator says beside evidence.
    """
    named = {name for names in rubric.fields for name in names}
    if "response" not in named:
        raise Abstain(f"{rubric.name} reads no answer; the local judge knows no other thing to judge: use --judge openai:MODEL")
    given = {names: _first(names, evidence, fields) for names in rubric.fields}
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
        sources=text(
            "sources", next((raw for names, raw in given.items() if set(names) & set(_SOURCES)), ""), texts.LONGEST_SOURCE
        ),
        # What an operator told the agent beforehand is no conversation yet.
        in_conversation=any(said.role not in ("system", "developer") for said in evidence.history),
        cut=tuple(cut),
    )


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
