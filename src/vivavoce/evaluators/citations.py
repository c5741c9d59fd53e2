"""Count the sources that the answer cites in its text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from vivavoce.core.evidence import Evidence
from vivavoce.core.result import Verdict
from vivavoce.evaluators._markdown import Link, definitions, links, without_code
from vivavoce.evaluators._options import whole
from vivavoce.evaluators._quote import count, listing, quote

__all__ = ["Citations"]

_FORMATS = ("mixed", "oai_unicode", "bracket", "markdown")
_KEPT = 50
"""Citations listed in the details."""

# The marker of private-use characters: begin, the word cite, ids each after a separator, end.
_MARKER = re.compile("\ue200cite((?:\ue202[^\ue200-\ue202\\s]++)++)\ue201")
_ID = r"\^?[0-9]{1,6}\^?"
_BRACKETS = re.compile(rf"\[[ \t]*+({_ID}(?:[ \t]*+[,;\u2013-][ \t]*+{_ID})*+)[ \t]*+\]")
_LENTICULAR = re.compile(r"【[ \t]*+([0-9]{1,6}(?::[0-9]{1,6})?(?:[ \t]*+[,;][ \t]*+[0-9]{1,6})*+)[ \t]*+(?:†[^【】\n]*+)?】")
_RANGE_LIMIT = 50
_NUMBER = re.compile(r"\^?([0-9]{1,6})\^?")
_NOTE = re.compile(r"^[ ]{0,3}\[\^([^\[\]\s^]{1,100})\]:(.*)$", re.MULTILINE)
_NAMED_NOTE = re.compile(r"\[\^([^\[\]\s^]{1,100})\]")
_LISTED = re.compile(r"[ \t]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)?+\[([0-9]{1,6})\][ \t:.\u2013-]*+")


@dataclass(kw_only=True, slots=True)
class _Found:
    """Citations by what identifies them; dicts, to keep their order."""

    ids: dict[str, None] = field(default_factory=dict)
    numbers: dict[str, None] = field(default_factory=dict)
    addresses: dict[str, None] = field(default_factory=dict)
    linked: set[str] = field(default_factory=set)
    """Numbers that stand for a link, and so are the same citation as its address."""

    def all(self) -> list[str]:
        return [*self.ids, *(f"[{number}]" for number in self.numbers if number not in self.linked), *self.addresses]


@dataclass(frozen=True, kw_only=True)
class Citations:
    """How many different sources the answer cites in its text.

    Measures: the number of distinct citations, from 0 up; mapped to 0-1 as count / threshold, at most 1.
    Needs: a text answer. Citations that an agent reports beside its text do not count.
    Example: answer "Returns take 30 days [1], refunds ten more [2][1].", threshold 2 -> 2, passed.
    Limits: whether a source exists, and supports what it is cited for, is not looked at. Code blocks, code spans, images,
    bare addresses and definition lines (`[1]: https://...`) do not count. In `mixed`, `[1]`, `[^1^]` and `【1†...】` are one
    citation; `[1](https://...)` is a link and so told by its address, and a number is one with a link only where a
    definition or a list of sources ties the two.
    Source: Microsoft 365 Copilot Agent Evaluations, `Citations`.
    """

    needs: ClassVar[tuple[str, ...]] = ("response",)
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, None)

    threshold: int | float = 1
    """How many distinct citations it takes to pass; a whole number from 1 on."""
    citation_format: str = "mixed"
    """What counts: `oai_unicode` (markers of private-use characters with ids such as `turn1search3`), `bracket` (`[1]`,
    `[1, 2]`, `[1-3]`, `[^1^]`, the footnote `[^1]`, `【1†source】`), `markdown` (links, distinct by address), or `mixed`, all
    of them. Anything else is read as `mixed`, with a warning."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", whole("threshold", self.threshold))

    def score(self, evidence: Evidence) -> Verdict:
        """The number of distinct citations."""
        wanted = self.citation_format.strip().lower().replace("-", "_")
        warning = None
        if wanted not in _FORMATS:
            known = ", ".join(_FORMATS)
            warning = f"citation_format {quote(self.citation_format)} is not known ({known}); read as mixed"
            wanted = "mixed"
        found = _find(evidence.response, wanted).all()
        reason = f"{count(len(found), 'distinct citation')}, {self.threshold} asked for"
        reason += f": {listing(found)}" if found else f"; the text has no citation of format {wanted}"
        details: dict[str, object] = {"count": len(found), "citations": found[:_KEPT], "citation_format": wanted}
        if warning:
            details["warning"] = warning
            reason += f" (warning: {warning})"
        value = float(len(found))
        return Verdict(value=value, unit_value=min(1.0, value / self.threshold), reason=reason, details=details)


def _find(text: str, wanted: str) -> _Found:
    found = _Found()
    text = without_code(text)
    if wanted in ("oai_unicode", "mixed"):
        for marker in _MARKER.finditer(text):
            found.ids.update(dict.fromkeys(marker[1].split("\ue202")[1:]))
    if wanted == "oai_unicode":
        return found
    # A definition tells what a mark stands for; it is no mark itself.
    defined, text = definitions(text)
    notes = {match[1].casefold() for match in _NOTE.finditer(text)}
    text = _NOTE.sub(r"\2" if wanted == "markdown" else "", text)
    there = list(links(text, defined))
    if wanted in ("markdown", "mixed"):
        cited = [link for link in there if not link.is_image]
        found.addresses.update((link.address, None) for link in cited)
        found.linked.update(_defined_numbers(cited))
    if wanted in ("bracket", "mixed"):
        rest = _cut(text, [link for link in there if link.inline or link.is_image])
        times = Counter(_numbers(rest))
        found.numbers.update(dict.fromkeys(times))
        found.linked.update(number for number in _listed_numbers(text, there) if times[number] > 1)
        named = (match[1] for match in _NAMED_NOTE.finditer(rest) if match[1].casefold() in notes)
        found.numbers.update(dict.fromkeys(f"^{name}" for name in named if not name.isdecimal()))
    return found


def _defined_numbers(there: Iterable[Link]) -> Iterator[str]:
    """Numbers whose address a line such as `[1]: https://...` gives."""
    for link in there:
        if not link.inline and (number := _NUMBER.fullmatch(link.text.strip())):
            yield str(int(number[1]))


def _listed_numbers(text: str, there: Iterable[Link]) -> Iterator[str]:
    """Numbers that begin a line of a list of sources, such as `[1] [Title](https://...)`."""
    for link in there:
        # Little stands before the link on such a line; a long one need not be looked at.
        line = text.rfind("\n", max(link.start - 40, 0), link.start) + 1
        if (line or link.start < 40) and (listed := _LISTED.fullmatch(text, line, link.start)):
            yield str(int(listed[1]))


def _numbers(text: str) -> Iterator[str]:
    for match in _BRACKETS.finditer(text):
        for part in re.split("[,;]", match[1]):
            first, *rest = (int(number) for number in re.findall("[0-9]+", part))
            last = max(rest, default=first)
            spread = range(first, last + 1) if first <= last <= first + _RANGE_LIMIT else (first, *rest)
            # Sources are counted from 1: `[0]` is an index.
            yield from (str(number) for number in spread if number > 0)
    for match in _LENTICULAR.finditer(text):
        # A thread's own numbering, `4:0`, names the source by both parts.
        yield from (part.strip() if ":" in part else str(int(part)) for part in re.split("[,;]", match[1]))


def _cut(text: str, there: Iterable[Link]) -> str:
    """The text without its links."""
    pieces: list[str] = []
    place = 0
    for link in sorted(there, key=lambda each: each.start):
        if link.start >= place:
            pieces.append(text[place : link.start])
            place = link.end
    return "\u2029".join([*pieces, text[place:]])
