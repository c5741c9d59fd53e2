"""Put a rubric to the judge, once the evidence has what it asks about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from vivavoce.core.errors import Missing
from vivavoce.core.evidence import Evidence
from vivavoce.core.kinds import Ask
from vivavoce.core.reply import JSON
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric

_NAME = re.compile(r"\w+(?:[.-]\w+)*")
"""A tool's name as it may stand in a text."""
UNKNOWN = "(not known: nothing was given or reported)"
"""What a prompt says where it can do without."""


def needs(rubric: Rubric) -> tuple[str, ...]:
    """Names of evidence, joined by `|` where one of several is enough, without which the rubric cannot be asked."""
    return tuple("|".join(names) for names in rubric.fields if not _is_optional(names, rubric))


def uses(rubric: Rubric) -> tuple[str, ...]:
    """Names that the rubric reads as well, when they are there."""
    return tuple("|".join(names) for names in rubric.fields if _is_optional(names, rubric))


def check(rubric: Rubric, evidence: Evidence) -> None:
    """See whether there is all that the rubric needs, and something it can be asked about.

    Raises:
        Missing: there is not.
    """
    for names in rubric.fields:
        if not _is_optional(names, rubric):
            _find(names, evidence)
    needed = needs(rubric)
    if "tool_calls" not in needed:
        return
    calls = evidence.tool_calls
    if not calls:
        raise Missing("tool_calls", why="the agent called no tool, so there is no call to judge")
    if "tool_definitions" in needed:
        definitions = evidence.tool_definitions
        known = set(_defined(definitions))
        told = frozenset(word for text in _told(definitions) for word in _NAME.findall(text))
        unknown = next((call.name for call in calls if call.name not in known and call.name not in told), None)
        if unknown is not None:
            why = f'the tool "{unknown}" was called and `tool_definitions` does not describe it'
            raise Missing("tool_definitions", why=why)


def _find(names: Sequence[str], evidence: Evidence) -> None:
    """See whether one of these is there; that no tool was called is nothing to go by where others would do as well."""
    if len(names) > 1 and names[-1] == "tool_calls":
        try:
            evidence.first(*names[:-1])
        except Missing:
            if evidence.first(*names) and not evidence.tool_calls:
                raise Missing(*names) from None
    else:
        evidence.first(*names)


async def put(rubric: Rubric, evidence: Evidence, ask: Ask) -> Verdict:
    """The judge's verdict. What is missing is told as such, whether or not there is a judge.

    Raises:
        Missing: as `check` says.
        Abstain, CallError: as `Ask` says.
    """
    check(rubric, evidence)
    return await ask(rubric, **unknown(rubric, evidence))


def unknown(rubric: Rubric, evidence: Evidence) -> dict[str, str]:
    """What the rubric reads where it can, and nobody knows: told as such."""
    told: dict[str, str] = {}
    for name in uses(rubric):
        try:
            evidence.text(name)
        except Missing:
            told[name] = UNKNOWN
    return told


def passes(rubric: Rubric, value: float | None, threshold: float | None = None) -> bool:
    """Whether a value is good enough, by the rubric's own threshold unless another is given."""
    limit = rubric.threshold if threshold is None else threshold
    if value is None or limit is None:
        return False
    return value <= limit if rubric.lower_is_better else value >= limit


def _is_optional(names: Sequence[str], rubric: Rubric) -> bool:
    # Earlier messages are always known, if only to be none.
    return len(names) == 1 and (names[0] == "history" or names[0] in rubric.uses)


def _told(definitions: JSON) -> Iterator[str]:
    """Texts that describe no tool of their own, but any number of them in words."""
    for each in definitions if isinstance(definitions, list | tuple) else ():
        if isinstance(each, Mapping) and each.keys() == {"description"}:
            yield str(each["description"])


def _defined(definitions: JSON) -> Iterator[str]:
    """The names of the tools that are defined, alone or in groups."""
    for each in definitions if isinstance(definitions, list | tuple) else (definitions,):
        if not isinstance(each, Mapping):
            continue
        inner = each.get("function")
        named = inner if isinstance(inner, Mapping) else each
        if "name" in named:
            yield str(named["name"])
        yield from _defined(each.get("functions") or ())
