"""Grade a text by a rule that is told in options: compare it, measure how alike it is, or look for a pattern."""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar, Literal

from vivavoce.core.evidence import Evidence
from vivavoce.core.result import Verdict
from vivavoce.evaluators._apart import Searcher
from vivavoce.evaluators._faults import unusable
from vivavoce.evaluators._options import within
from vivavoce.evaluators._overlap.counts import common_subsequence
from vivavoce.evaluators._overlap.plain import unicode_words
from vivavoce.evaluators._placeholders import Needs, check, filled, needed
from vivavoce.evaluators._quote import count, quote, quote_at
from vivavoce.evaluators.overlap import BleuScore, GleuScore, MeteorScore, RougeScore

__all__ = ["RegexMatch", "StringCheck", "TextSimilarity"]

_LONGEST_PATTERN = 10_000
_MOST_PAIRS = 10_000_000_000
"""Characters of the one text times those of the other, beyond which comparing them takes minutes."""
_PLAIN = re.compile(r"[^*+?{(]*")
"""A pattern without repeats and groups: it never takes long."""
_TRUTH = re.compile(r"\{\{\s*(?:ground_truth|expected)\s*\}\}")


@dataclass(frozen=True, kw_only=True)
class _Compared:
    needs: ClassVar[Needs] = Needs(("response", "expected"), lambda made: needed(made.input, made.reference))
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    input: str = "{{response}}"
    """The text that is graded; `{{response}}`, `{{input}}`, `{{context}}` and other names of evidence stand for what they
    name, `{{item.COLUMN}}` for a column, and `{{sample.output_text}}` for the answer."""
    reference: str = "{{expected}}"
    """The text it is compared with, likewise."""

    def __post_init__(self) -> None:
        check("input", self.input)
        check("reference", self.reference)

    def _texts(self, evidence: Evidence) -> tuple[str, str]:
        return filled(self.input, evidence), filled(self.reference, evidence)


@dataclass(frozen=True, kw_only=True)
class StringCheck(_Compared):
    """Whether a text is, is not, or contains another one, to the letter.

    Measures: 1 when the comparison that `operation` names holds, else 0.
    Needs: the answer and an expected response, unless `input` and `reference` say otherwise.
    Example: `like` with expected "Paris": answer "It is Paris." -> 1, passed; answer "paris" -> 0; with `ilike` 1.
    Limits: nothing is trimmed or folded, but for case with `ilike`; there are no wildcards. An empty reference equals, and
    is contained in, an empty text alone; an empty cell of a table is no reference, and the check has nothing to compare with.
    ExactMatch is more forgiving.
    Source: the `string_check` grader of OpenAI, and of Microsoft Foundry; `neq`, as some pages write `ne`, is accepted.
    """

    operation: Literal["eq", "ne", "neq", "like", "ilike"] = "eq"
    """`eq`: the two texts are equal. `ne`: they are not. `like`: the text contains the reference. `ilike`: the same, without
    case."""

    def score(self, evidence: Evidence) -> Verdict:
        """1 when the comparison holds."""
        text, reference = self._texts(evidence)
        if self.operation in ("eq", "ne", "neq"):
            equal = text == reference
            passed = equal is (self.operation == "eq")
            said = "is" if equal else "is not"
        else:
            fold = str.casefold if self.operation == "ilike" else str
            ours, theirs = fold(text), fold(reference)
            passed = theirs in ours if theirs else not ours
            said = "contains" if passed else "does not contain"
            if not theirs and not passed:
                said = "is not empty, as it would have to be to contain"
        shown = "" if passed and said == "is" else f"; it is {quote(text)}"
        return Verdict(value=float(passed), passed=passed, reason=f"the text {said} {quote(reference)}{shown}")


@dataclass(frozen=True, kw_only=True)
class TextSimilarity(_Compared):
    """How alike two texts are, by one of the usual measures, computed here.

    Measures: from 0 to 1, as `evaluation_metric` says. `fuzzy_match`: twice the length of the longest common subsequence of
    characters, as a share of the characters of both, case counting (RapidFuzz's `ratio`). `cosine`: of the angle between
    the two texts' counts of words, folded as PartialMatch does. `bleu`, `gleu`, `meteor`, `rouge_1` to `rouge_5` and `rouge_l`:
    as BleuScore, GleuScore, MeteorScore and RougeScore.
    Needs: the answer and an expected response, unless `input` and `reference` say otherwise.
    Example: `fuzzy_match`, answer "30 days", expected "30 day" -> 12 of 13 characters -> 0.92, passed.
    Limits: it compares wording. The vendor's `cosine` is of a model's embeddings, so its numbers differ from those of this
    one, which sees that words are the same and nothing of what they mean; Similarity asks a judge.
    Source: the `text_similarity` grader of OpenAI, and of Microsoft Foundry, which run in their services alone.
    """

    evaluation_metric: Literal[
        "fuzzy_match",
        "cosine",
        "bleu",
        "gleu",
        "meteor",
        "rouge_1",
        "rouge_2",
        "rouge_3",
        "rouge_4",
        "rouge_5",
        "rouge_l",
    ] = "fuzzy_match"
    """Which measure."""
    threshold: float = 0.5
    """Lowest value that passes, from 0 to 1."""
    pass_threshold: float | None = None
    """The vendor's name for `threshold`; it wins over that."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pass_threshold is not None:
            object.__setattr__(self, "threshold", self.pass_threshold)
        within("threshold", self.threshold, 0, 1)

    def score(self, evidence: Evidence) -> Verdict:
        """How alike the texts are."""
        text, reference = self._texts(evidence)
        if self.evaluation_metric == "fuzzy_match":
            return _fuzzy(text, reference)
        if self.evaluation_metric == "cosine":
            return _cosine(text, reference)
        measure = _MEASURES[self.evaluation_metric]
        measured = measure.score(evidence.limited({"response": text, "expected": reference}, ()))
        return Verdict(value=measured.value, reason=measured.reason, details=measured.details)


_MEASURES: Mapping[str, BleuScore | GleuScore | MeteorScore | RougeScore] = MappingProxyType(
    {
        "bleu": BleuScore(),
        "gleu": GleuScore(),
        "meteor": MeteorScore(),
        "rouge_1": RougeScore(rouge_type="rouge1"),
        "rouge_2": RougeScore(rouge_type="rouge2"),
        "rouge_3": RougeScore(rouge_type="rouge3"),
        "rouge_4": RougeScore(rouge_type="rouge4"),
        "rouge_5": RougeScore(rouge_type="rouge5"),
        "rouge_l": RougeScore(rouge_type="rougeL"),
    }
)


@dataclass(frozen=True, kw_only=True)
class RegexMatch:
    """Whether the answer matches a regular expression.

    Measures: 1 when one of the patterns matches anywhere in the answer, else 0; the reason names the first that does.
    Needs: the answer; and an expected response where a pattern has `{{ground_truth}}`, in whose place it stands to the letter.
    Example: pattern `answer is {{ground_truth}}\\b`, expected "3.5": answer "The answer is 3.5" -> 1, passed; "... 345" -> 0.
    Limits: patterns are Python's, case counts unless one begins with `(?i)`. An empty answer fails, whatever the pattern. A
    pattern with repeats or groups is searched in a process apart and may take two seconds; longer is an error, since
    whether it matches is not known.
    Source: Microsoft Foundry, `builtin.regex_match`; there a `{{ground_truth}}` that is missing is left as it stands.
    """

    needs: ClassVar[Needs] = Needs(("response",), lambda made: ("response", *(("expected",) if made._asks_for_truth else ())))
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    patterns: tuple[str, ...]
    """Regular expressions, tried in order."""

    def __post_init__(self) -> None:
        if not self.patterns:
            raise ValueError("patterns is empty; give at least one")
        for index, pattern in enumerate(self.patterns):
            _check_pattern(f"patterns[{index}]", pattern)

    def score(self, evidence: Evidence) -> Verdict:
        """1 when a pattern matches."""
        text = evidence.response
        truth = re.escape(evidence.expected) if self._asks_for_truth else ""
        if not text.strip():
            return Verdict(value=0.0, passed=False, reason="the answer is empty, which matches nothing")
        for index, given in enumerate(self.patterns):
            pattern = _TRUTH.sub(lambda _: truth, given)
            found = self._search(pattern, text)
            if found is not None:
                start, end = found
                reason = f"the pattern {quote(given)} matches {quote_at(text, start, max(1, min(end - start, 60)))}"
                return Verdict(value=1.0, passed=True, reason=reason, details={"pattern": index, "start": start, "end": end})
        shown = quote(self.patterns[0]) if len(self.patterns) == 1 else f"any of {len(self.patterns)} patterns"
        return Verdict(value=0.0, passed=False, reason=f"the answer does not match {shown}; it is {quote(text)}")

    def _search(self, pattern: str, text: str) -> tuple[int, int] | None:
        if _PLAIN.fullmatch(pattern):
            found = re.search(pattern, text)
            return found.span() if found else None
        return self._searcher.search(pattern, text)

    @property
    def _asks_for_truth(self) -> bool:
        return any(_TRUTH.search(pattern) for pattern in self.patterns)

    @cached_property
    def _searcher(self) -> Searcher:
        return Searcher()


def _check_pattern(option: str, pattern: str) -> None:
    if not pattern or len(pattern) > _LONGEST_PATTERN:
        raise ValueError(f"{option} has {count(len(pattern), 'character')}; a pattern has from 1 to {_LONGEST_PATTERN:,}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what may mean something else in a later Python
            re.compile(_TRUTH.sub("x", pattern))
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{option}: {quote(pattern)} is no regular expression: {error}") from None


def _fuzzy(text: str, reference: str) -> Verdict:
    if len(text) * len(reference) > _MOST_PAIRS:
        raise unusable(
            f"texts of {len(text):,} and {len(reference):,} characters are too long for fuzzy_match; use another metric"
        )
    both = len(text) + len(reference)
    shared = 2 * common_subsequence(text, reference)
    value = shared / both if both else 1.0
    reason = f"fuzzy match {value:.2f}: {shared:,} of the {both:,} characters of both texts are in common, in order"
    return Verdict(value=value, reason=reason)


def _cosine(text: str, reference: str) -> Verdict:
    ours, theirs = Counter(unicode_words(text)), Counter(unicode_words(reference))
    if not ours or not theirs:
        value = float(text.strip() == reference.strip())
        return Verdict(value=value, reason=f"cosine {value:g}: without words, texts are alike only when they are equal")
    product = sum(often * theirs[word] for word, often in ours.items())
    lengths = math.sqrt(sum(each * each for each in ours.values()) * sum(each * each for each in theirs.values()))
    value = min(1.0, product / lengths)
    shared = len(ours.keys() & theirs.keys())
    told = f"{shared} of {count(len(ours.keys() | theirs.keys()), 'different word')} are in both texts"
    return Verdict(value=value, reason=f"cosine {value:.2f}: {told}")
