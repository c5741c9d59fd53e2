"""Compare the words of the answer with those of the expected response."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from operator import ne
from typing import ClassVar, Literal

from vivavoce.core.evidence import Evidence
from vivavoce.core.result import Verdict
from vivavoce.evaluators._options import within
from vivavoce.evaluators._quote import count, listing, quote, quote_at
from vivavoce.evaluators._tokens import fold, symbols, words

__all__ = ["ExactMatch", "PartialMatch"]


@dataclass(frozen=True, kw_only=True)
class ExactMatch:
    """Whether the answer is the expected text, ignoring white space around it.

    Measures: agreement to the letter, 1 or 0. Upper and lower case are equal unless `case_sensitive` is set; letters that
    Unicode can write in two ways (an é as one character or as e with an accent) are always equal.
    Needs: an expected response.
    Example: answer " 42\\n", expected "42" -> 1, passed; answer "The answer is 42" -> 0, failed, unless `match` is `contains`.
    Limits: a right answer in other words fails; PartialMatch and Similarity are more forgiving. Nothing inside the text is
    ignored: neither Markdown, nor punctuation, nor a doubled space. An empty expected response is matched by an empty
    answer only, also with `contains`.
    Source: Microsoft 365 Copilot Agent Evaluations, `ExactMatch`; `match` is an addition for the other reading of its pages.
    """

    needs: ClassVar[tuple[str, ...]] = ("response", "expected")
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    case_sensitive: bool = False
    """Whether "Paris" and "paris" differ."""
    match: Literal["equals", "contains"] = "equals"
    """`equals`: the answer is the expected text. `contains`: the expected text stands somewhere in the answer, verbatim."""

    def score(self, evidence: Evidence) -> Verdict:
        """1 when the answer matches, 0 when it does not."""
        answer, expected = evidence.response.strip(), evidence.expected.strip()
        ours = fold(answer, case_sensitive=self.case_sensitive)
        theirs = fold(expected, case_sensitive=self.case_sensitive)
        inside = bool(theirs) and theirs in ours
        passed = ours == theirs or (self.match == "contains" and inside)
        if passed:
            reason = "the answer is the expected text" if ours == theirs else "the answer contains the expected text"
        elif not answer:
            reason = f"the answer is empty, expected {quote(expected)}"
        elif self.match == "contains" and expected:
            reason = f"the answer does not contain {quote(expected)}{self._case_only(answer, expected)}; it is {quote(answer)}"
        else:
            reason = _first_difference((answer, expected), (ours, theirs)) + self._case_only(answer, expected)
            reason += '; the answer contains the expected text, which `"match": "contains"` accepts' if inside else ""
        return Verdict(value=float(passed), passed=passed, reason=reason)

    def _case_only(self, answer: str, expected: str) -> str:
        if not self.case_sensitive or not expected:
            return ""
        ours, theirs = fold(answer), fold(expected)
        only = theirs in ours if self.match == "contains" else ours == theirs
        return " (only upper and lower case differ)" if only else ""


@dataclass(frozen=True, kw_only=True)
class PartialMatch:
    """How many words the answer and the expected response share.

    Measures: token-level F1, from 0 (no word in common) to 1 (the same words): the harmonic mean of precision, the share of
    the answer's words that are expected, and recall, the share of the expected words that are in the answer. A word said
    twice counts twice; order does not count.
    Needs: an expected response.
    Example: answer "Jane Smith leads Contoso", expected "Jane Smith" -> 2 shared of 4 and 2 words, F1 0.67, passed.
    Limits: words are compared as they are written: "leads" is not "led", and "not" weighs as much as any other word, so a
    denial of the expected text scores high. Long answers to short expectations score low. Punctuation is ignored, except
    apostrophes inside a word; scripts written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese ...) are compared
    character by character. Texts without any word are compared by their symbols, so that one emoji differs from another.
    Source: Microsoft 365 Copilot Agent Evaluations, `PartialMatch`, as its pages describe it.
    """

    needs: ClassVar[tuple[str, ...]] = ("response", "expected")
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    threshold: float = 0.5
    """Lowest F1 that passes, from 0 to 1."""
    case_sensitive: bool = False
    """Whether "Paris" and "paris" are two words."""

    def __post_init__(self) -> None:
        within("threshold", self.threshold, 0, 1)

    def score(self, evidence: Evidence) -> Verdict:
        """F1 of the two texts' words."""
        answer = fold(evidence.response, case_sensitive=self.case_sensitive)
        expected = fold(evidence.expected, case_sensitive=self.case_sensitive)
        ours, theirs = words(answer), words(expected)
        noun = "word"
        if not ours and not theirs:
            ours, theirs, noun = symbols(answer), symbols(expected), "symbol"
        said, wanted = Counter(ours), Counter(theirs)
        shared = (said & wanted).total()
        if not ours and not theirs:
            return Verdict(value=1.0, reason="both texts are empty of words", details=_shares(1.0, 1.0))
        value = 2 * shared / (len(ours) + len(theirs))
        precision = shared / len(ours) if ours else 0.0
        recall = shared / len(theirs) if theirs else 0.0
        parts = [f"F1 {value:.2f}: {shared} of {count(len(theirs), f'expected {noun}')} in the answer of {len(ours)}"]
        missing, extra = list(wanted - said), list(said - wanted)
        parts += [f"missing {listing(missing)}"] if missing else []
        parts += [f"not expected {listing(extra)}"] if extra else []
        return Verdict(value=value, reason="; ".join(parts), details=_shares(precision, recall))


def _shares(precision: float, recall: float) -> dict[str, float]:
    return {"precision": precision, "recall": recall}


def _first_difference(written: tuple[str, str], compared: tuple[str, str]) -> str:
    """Where answer and expected text part, shown as they are written where folding has kept every place."""
    kept = len(written[0]) == len(compared[0]) and len(written[1]) == len(compared[1])
    answer, expected = written if kept else compared
    place = _common(*compared)
    start = max(place - 20, 0)
    return (
        f"the answer differs from the expected text at character {place + 1}: "
        f"expected {quote_at(expected, start)}, got {quote_at(answer, start)}"
    )


_BLOCK = 1024
"""Characters that are compared at once."""


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning; fast for texts of megabytes."""
    end = min(len(one), len(other))
    for start in range(0, end, _BLOCK):
        ours, theirs = one[start : start + _BLOCK], other[start : start + _BLOCK]
        if ours != theirs:
            return next(itertools.compress(itertools.count(start), map(ne, ours, theirs)), end)
    return end
