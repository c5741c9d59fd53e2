"""Where two texts differ, word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from vivavoce.reports._html.markup import Markup, join, tag

WORDS = 300
"""Words and spaces of a text; longer ones are not compared."""
LIKE = 0.3
"""Share of their words that two texts must have in common for the difference to say anything."""

# A number is one word, whatever parts its digits.
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|\w+|\s+|[^\w\s]")
_EDGES = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)


def marked(expected: str, got: str) -> tuple[Markup, Markup] | None:
    """Both texts, with marks around the words that the other has not; `None` where that would mark nearly everything."""
    if not expected.strip() or not got.strip() or len(expected) + len(got) > 10 * WORDS:
        return None
    ours, theirs = _WORD.findall(expected), _WORD.findall(got)
    if len(ours) > WORDS or len(theirs) > WORDS:
        return None
    matcher = SequenceMatcher(None, [word.casefold() for word in ours], [word.casefold() for word in theirs], autojunk=False)
    # Spaces and points are alike in any two texts.
    shared = sum(_count(ours[block.a : block.a + block.size]) for block in matcher.get_matching_blocks())
    if 2 * shared < LIKE * (_count(ours) + _count(theirs)):
        return None
    left: list[Markup | str] = []
    right: list[Markup | str] = []
    for kind, i, j, k, m in matcher.get_opcodes():
        for words, into in ((ours[i:j], left), (theirs[k:m], right)):
            shown = "".join(words)
            edges = _EDGES.fullmatch(shown)
            if kind == "equal" or edges is None or not edges[2]:
                into.append(shown)
            else:
                into += [edges[1], tag("mark", edges[2]), edges[3]]
    return join(*left), join(*right)


def _count(words: list[str]) -> int:
    return sum(word[0].isalnum() for word in words)
