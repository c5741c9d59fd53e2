"""One verdict, from texts to grade; plain and synchronous, for a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from vivavoce.core.errors import Abstain
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.judges._local import coherence, groundedness, likelihood, relevance, scale, similarity, texts
from vivavoce.judges._local.look import Look
from vivavoce.judges._local.reading import Texts

_FEW = 4
"""Words of matter up to which an answer is short."""
_SHOWN = 3
"""Findings told in a reason."""
_MIDDLE = 3
WAY_OUT = "use a judge such as --judge openai:MODEL"

LOOKS: Mapping[str, Callable[[Texts], Look]] = MappingProxyType(
    {
        "relevance": lambda given: relevance.look(given.answer, given.question),
        "coherence": lambda given: coherence.look(given.answer),
        "groundedness": lambda given: groundedness.look(given.answer, given.sources, given.question),
        "similarity": lambda given: similarity.look(given.answer, given.expected),
    }
)
"""What is looked at for each construct."""
SIGNS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "relevance": relevance.SIGNS,
        "coherence": coherence.SIGNS,
        "groundedness": groundedness.SIGNS,
        "similarity": similarity.SIGNS,
    }
)


def judge(rubric: Rubric, given: Texts, model: likelihood.Model | None) -> Verdict:
    """A verdict with what was found.

    Raises:
        Abstain: the construct was never measured, or with no better outcome than chance.
    """
    construct = construct_of(rubric)
    group = groups(given)[0]
    plain = at_once(construct, given)
    if plain is not None:
        return _at_once(rubric, *plain)
    own = relevance.own(given.answer, given.question) if construct == "relevance" else given.answer
    given = replace(given, answer=own or given.answer)
    # The language model knows English alone.
    way = scale.WITH_MODEL if model is not None and group == "en" else scale.PLAIN
    used = scale.scale(construct, way)
    for each in groups(given):
        if each in used.abstains:
            other = scale.scale(construct, scale.WITH_MODEL)
            helps = way == scale.PLAIN and each in other.measured
            raise Abstain(f"{rubric.name}: {used.abstains[each]}; {'viva model install, or ' if helps else ''}{WAY_OUT}")
    if not own:
        return _at_once(rubric, 1.0, "the answer only repeats the question")
    seen = look(construct, given, model if used.uses_model else None)
    details = {
        "score": used.score(seen),
        "findings": list(seen.findings),
        "looked_with": scale.WITH_MODEL if used.uses_model else scale.PLAIN,
        "heuristic": True,
    }
    grade = used.grade(seen)
    told = list(seen.findings[:_SHOWN]) or [seen.weakness if grade < _MIDDLE else "nothing found against it"]
    reason = f"{'; '.join(told)} ({'; '.join(seen.grounds)})" if seen.grounds else "; ".join(told)
    if given.cut:
        reason += f"; of the {' and the '.join(given.cut)} only the beginning and the end were read"
    if group == "other":
        reason += f"; not English: {used.measured['other']}"
    return _verdict(rubric, grade, reason, details)


def construct_of(rubric: Rubric) -> str:
    """What a rubric is known as here.

    Raises:
        Abstain: there are no labels for it.
    """
    known = scale.constructs()
    if rubric.construct in known:
        return str(rubric.construct)
    what = f"{rubric.construct or rubric.name}{' of whole conversations' if rubric.level == 'case' else ''}"
    *others, last = known
    measured = f"{', '.join(others)} and {last} of single answers"
    raise Abstain(f"no labels: the local judge was never measured on {what}, only on {measured}; {WAY_OUT}")


def look(construct: str, given: Texts, model: likelihood.Model | None) -> Look:
    """All that is seen of the evidence, for one construct."""
    seen = LOOKS[construct](given)
    return likelihood.add(seen, given, model) if model is not None else seen


def at_once(construct: str, given: Texts) -> tuple[float, str] | None:
    """Grade and reason of what needs no look: nothing said, or the very text that was expected."""
    if construct == "similarity" and given.answer.casefold() == given.expected.casefold():
        return 5.0, "the answer is the expected response"
    if not given.answer:
        return 1.0, "the answer is empty"
    if not any(letter.isalnum() for letter in given.answer):
        return 1.0, "the answer has no word in it"
    if construct == "groundedness" and not any(letter.isalnum() for letter in given.sources):
        return 1.0, "the sources are empty, so nothing in them supports the answer"
    return None


def groups(given: Texts) -> tuple[str, ...]:
    """The groups of evidence that this is of, for each of which agreement was measured by itself."""
    found: list[str] = [texts.language(given.answer, given.question, given.expected or given.sources)]
    if found == ["en"] and len(texts.content(given.answer)) <= _FEW:
        found.append("short")
    return (*found, "conversation") if given.in_conversation else tuple(found)


def _at_once(rubric: Rubric, grade: float, reason: str) -> Verdict:
    return _verdict(rubric, grade, reason, {"findings": [reason], "heuristic": True})


def _verdict(rubric: Rubric, grade: float, reason: str, details: dict[str, object]) -> Verdict:
    """The grade on the rubric's own scale, or as the label that is nearest to it; of two, the better one."""
    low, high = rubric.span
    value = low + (grade - 1) / 4 * (high - low)
    label = None
    if rubric.labels:
        label, value = min(rubric.labels.items(), key=lambda each: (abs(each[1] - value), -each[1]))
    return Verdict(reason=f"{reason} (heuristic)", value=float(value), label=label, details=details)
