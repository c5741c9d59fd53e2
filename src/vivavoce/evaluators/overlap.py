"""Measure how much of its wording the answer shares with the expected response, by the metrics of translation and summaries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from vivavoce.core.evidence import Evidence
from vivavoce.core.result import Verdict
from vivavoce.evaluators._options import within
from vivavoce.evaluators._overlap.counts import align, common_subsequence, runs, shared, shared_runs, words_shared
from vivavoce.evaluators._overlap.plain import ARTICLES, bare, latin, stemmed, unicode_words
from vivavoce.evaluators._overlap.shares import Shares
from vivavoce.evaluators._overlap.words import tokens
from vivavoce.evaluators._quote import count, listing

__all__ = ["BleuScore", "F1Score", "GleuScore", "MeteorScore", "RougeScore"]

_RUNS = ("words", "pairs", "triples", "runs of four")


@dataclass(frozen=True, kw_only=True)
class _Overlap:
    needs: ClassVar[tuple[str, ...]] = ("response", "expected")
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    unicode: bool = False
    """Compare words of any script, without punctuation and folded as `PartialMatch` does; off, the words are the vendor's."""


@dataclass(frozen=True, kw_only=True)
class _Scored(_Overlap):
    threshold: float = 0.5
    """Lowest score that passes, from 0 to 1."""

    def __post_init__(self) -> None:
        within("threshold", self.threshold, 0, 1)

    def _words(self, text: str) -> Sequence[str]:
        return unicode_words(text, case_sensitive=True) if self.unicode else tokens(text)


@dataclass(frozen=True, kw_only=True)
class F1Score(_Scored):
    """How many words the answer and the expected response share, as question-answering benchmarks count them.

    Measures: token-level F1, from 0 (no word in common) to 1 (the same words): the harmonic mean of precision, the share of
    the answer's words that are expected, and recall, the share of the expected words that are in the answer. Case, ASCII
    punctuation, the articles a, an and the, and the order of words do not count; a word said twice counts twice.
    Needs: an expected response.
    Example: answer "The cat sits on the mat.", expected "A cat is sitting on the mat." -> 3 words shared, of 4 said and 5
    expected, F1 0.67, passed.
    Limits: "leads" is not "led". Punctuation leaves no gap, so "well-known" and "well known" share nothing; curly quotation
    marks and all other punctuation beyond ASCII stay part of a word, and a text without spaces is one word, unless `unicode`
    is set. Two texts without a word score 0. `PartialMatch` is the same measure with words of any script.
    Source: Azure AI Evaluation SDK 1.18, `F1ScoreEvaluator` (`builtin.f1_score`), with its numbers; `unicode` is an addition.
    """

    def score(self, evidence: Evidence) -> Verdict:
        """F1 of the two texts' words."""
        read = unicode_words if self.unicode else bare
        shares, lacking = words_shared(read(evidence.response), read(evidence.expected), ARTICLES)
        value = shares.f1
        reason = f"F1 {value:.2f}: {shares.in_words()}" + (f"; not said: {listing(lacking)}" if lacking else "")
        return Verdict(value=value, reason=reason, details=shares.told())


@dataclass(frozen=True, kw_only=True)
class BleuScore(_Scored):
    """How much of the answer's wording stands in the expected response, in runs of one to four words.

    Measures: sentence BLEU, from 0 to 1: the geometric mean of four precisions - the shares of the answer's words, pairs,
    triples and runs of four that are in the expected response - lowered when the answer is the shorter of the two. A run of
    which nothing is shared counts a little all the same (the fourth smoothing method of Chen and Cherry, 2014), if any word
    is shared. Case counts, and punctuation marks are words.
    Needs: an expected response.
    Example: answer "The cat sits on the mat.", expected "A cat is sitting on the mat." -> 5 of 7 words, 3 of 6 pairs, 2 of 5
    triples, 1 of 4 runs of four, shorter by a word -> 0.38, failed.
    Limits: made to compare systems over many texts; a single short answer scores low even when it is right, and two equal texts
    of two words 0.22. Words are compared as they are written. Outside ASCII, words are split at every letter that is not
    ASCII, and full stops are not always split off, unless `unicode` is set.
    Source: Azure AI Evaluation SDK 1.18, `BleuScoreEvaluator` (`builtin.bleu_score`), with its numbers: NLTK's `sentence_bleu`
    with `method4` over `word_tokenize`; `unicode` is an addition.
    """

    def score(self, evidence: Evidence) -> Verdict:
        """Sentence BLEU of the answer."""
        ours, theirs = self._words(evidence.response), self._words(evidence.expected)
        found = shared_runs(ours, theirs, 4)
        possible = [max(1, len(ours) - length) for length in range(4)]
        penalty = 1.0 if len(ours) > len(theirs) else math.exp(1 - len(theirs) / len(ours)) if ours else 0.0
        value = 0.0
        if found[0]:
            logs = (0.25 * math.log(share) for share in _smoothed(found, possible, len(ours)) if share > 0)
            value = penalty * math.exp(math.fsum(logs))
        told = [max(0, len(ours) - length) for length in range(4)]
        counts = [f"{each} of {total} {name}" for each, total, name in zip(found, told, _RUNS, strict=True) if total]
        reason = f"BLEU {value:.2f}: {', '.join(counts)} of the answer are expected" if ours else "BLEU 0.00: no word is said"
        reason += f"; its shortness takes a factor of {penalty:.2f}" if 0 < penalty < 1 else ""
        precisions = [each / total for each, total in zip(found, possible, strict=True)]
        return Verdict(value=value, reason=reason, details={"precisions": precisions, "brevity_penalty": penalty})


@dataclass(frozen=True, kw_only=True)
class GleuScore(_Scored):
    """How many runs of one to four words the answer and the expected response share, by the smaller of two shares.

    Measures: sentence GLEU (Wu et al., 2016), from 0 to 1: all runs of one to four words in common, as a share of the answer's
    runs or of the expected ones, whichever are more. Case counts, and punctuation marks are words.
    Needs: an expected response.
    Example: answer "The cat sits on the mat.", expected "A cat is sitting on the mat." -> 11 runs shared, of 22 said and 26
    expected -> 0.42, failed.
    Limits: words are compared as they are written and in their order, so a right answer in other words scores low. Outside
    ASCII, words are split at every letter that is not ASCII, unless `unicode` is set.
    Source: Azure AI Evaluation SDK 1.18, `GleuScoreEvaluator` (`builtin.gleu_score`), with its numbers: NLTK's `sentence_gleu`
    over `word_tokenize`; `unicode` is an addition.
    """

    def score(self, evidence: Evidence) -> Verdict:
        """Sentence GLEU of the two texts."""
        ours, theirs = self._words(evidence.response), self._words(evidence.expected)
        shares = Shares(sum(shared_runs(ours, theirs, 4)), _runs_in(ours), _runs_in(theirs))
        value = min(shares.precision, shares.recall)
        reason = f"GLEU {value:.2f}: {shares.in_words('run of one to four words', 'runs of one to four words')}"
        return Verdict(value=value, reason=reason, details=shares.told())


@dataclass(frozen=True, kw_only=True)
class RougeScore(_Overlap):
    """How much of its wording the answer shares with the expected response, as summaries are compared.

    Measures: ROUGE F1, from 0 to 1: the harmonic mean of precision and recall over runs of one to five words (`rouge1` to
    `rouge5`), or over the longest sequence of words that stands in both texts in the same order, with or without others
    between (`rougeL`). Precision and recall are told beside it; `f1_score_threshold` alone decides.
    Needs: an expected response.
    Example: answer "The cat sits on the mat.", expected "A cat is sitting on the mat." -> "cat on the mat" is in both, 4 of 6
    words said and of 7 expected -> ROUGE-L 0.62, passed.
    Limits: only the letters a to z and digits make words: "café" is "caf", "don't" is two words, and texts in Japanese or
    Cyrillic score 0 even when they are equal, unless `unicode` is set. Texts shorter than the run score 0.
    Source: Azure AI Evaluation SDK 1.18, `RougeScoreEvaluator` (`builtin.rouge_score`), with its numbers; there `rouge_type`
    has no default. `stemming` is an option of the package it uses, `unicode` an addition.
    """

    rouge_type: Literal["rouge1", "rouge2", "rouge3", "rouge4", "rouge5", "rougeL"] = "rougeL"
    """What is counted: single words, runs of two to five words, or the longest common sequence."""
    f1_score_threshold: float = 0.5
    """Lowest F1 that passes, from 0 to 1."""
    precision_threshold: float = 0.5
    """Lowest precision that is told as passed beside the verdict, from 0 to 1."""
    recall_threshold: float = 0.5
    """Lowest recall that is told as passed beside the verdict, from 0 to 1."""
    stemming: bool = False
    """Whether words of four letters and more are compared by their Porter stems: "walked" as "walk"."""

    def __post_init__(self) -> None:
        for name in ("f1_score_threshold", "precision_threshold", "recall_threshold"):
            within(name, getattr(self, name), 0, 1)

    @property
    def threshold(self) -> float:
        """What decides, by the name under which every score tells it."""
        return self.f1_score_threshold

    def score(self, evidence: Evidence) -> Verdict:
        """ROUGE F1 of the two texts."""
        ours, theirs = self._words(evidence.response), self._words(evidence.expected)
        if self.rouge_type == "rougeL":
            shares, noun = Shares(common_subsequence(ours, theirs), len(ours), len(theirs)), "word"
        else:
            length = int(self.rouge_type[-1])
            both = shared(runs(ours, length), runs(theirs, length))
            shares = Shares(both, max(0, len(ours) - length + 1), max(0, len(theirs) - length + 1))
            noun = "word" if length == 1 else "run"
        order = " in the same order" if self.rouge_type == "rougeL" else ""
        name = f"ROUGE-{self.rouge_type[-1]} F1 {shares.f1:.2f}, {self.f1_score_threshold:g} is needed"
        told = shares.told() | {
            "f1_score": shares.f1,
            "precision_passed": shares.precision >= self.precision_threshold,
            "recall_passed": shares.recall >= self.recall_threshold,
        }
        passed = shares.f1 >= self.f1_score_threshold
        return Verdict(value=shares.f1, passed=passed, reason=f"{name}: {shares.in_words(noun, how=order)}", details=told)

    def _words(self, text: str) -> Sequence[str]:
        found = unicode_words(text) if self.unicode else latin(text)
        return stemmed(found) if self.stemming else found


@dataclass(frozen=True, kw_only=True)
class MeteorScore(_Scored):
    """How well the words of the answer can be matched with those of the expected response, by form, stem and meaning.

    Measures: METEOR (Lavie and Agarwal, 2007), from 0 to 1: words are matched when they are equal, then when they have one
    Porter stem, then when WordNet has them as synonyms; precision and recall of the matches, recall weighing more, are
    lowered the more the matched words are scattered. Case does not count, and punctuation marks are words.
    Needs: an expected response.
    Example: answer "She enjoys reading books.", expected "She loves to read books." -> 5 of 5 and of 6 words matched, one of
    them by its stem and one as a synonym, in 2 runs -> 0.82, passed.
    Limits: stems and synonyms are English. Two equal texts of one word score 0.5. Synonyms are looked up for stems, so
    "happy" (stem "happi") has none. Outside ASCII, words are split at every letter that is not ASCII, unless `unicode` is set.
    Source: Azure AI Evaluation SDK 1.18, `MeteorScoreEvaluator` (`builtin.meteor_score`), with its numbers: NLTK's
    `meteor_score` with WordNet 3.0, here from a table in the package; `unicode` is an addition.
    """

    alpha: float = 0.9
    """How much recall outweighs precision, from 0 (recall does not count) to 1 (precision does not)."""
    beta: float = 3.0
    """How steeply the penalty grows with the share of runs among the matches, 0 or more."""
    gamma: float = 0.5
    """The highest penalty, from 0 to 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        within("alpha", self.alpha, 0, 1)
        within("beta", self.beta, 0, math.inf)
        within("gamma", self.gamma, 0, 1)

    def score(self, evidence: Evidence) -> Verdict:
        """METEOR of the answer."""
        ours = [word.lower() for word in self._words(evidence.response)]
        theirs = [word.lower() for word in self._words(evidence.expected)]
        found = align(ours, theirs)
        shares = Shares(found.matches, len(ours), len(theirs))
        value = penalty = 0.0
        if found.matches:
            precision, recall = shares.precision, shares.recall
            penalty = self.gamma * (found.chunks / found.matches) ** self.beta
            value = (1 - penalty) * ((precision * recall) / (self.alpha * precision + (1 - self.alpha) * recall))
        kinds = {"exact": found.exact, "stems": found.stems, "synonyms": found.synonyms, "runs": found.chunks}
        reason = f"METEOR {value:.2f}: {shares.in_words()}"
        if found.matches:
            reason += f", {found.stems} by stem and {found.synonyms} by synonym, in {count(found.chunks, 'run')}"
        return Verdict(value=value, reason=reason, details=shares.told() | {"penalty": penalty, "matches": kinds})


def _runs_in(words: Sequence[str]) -> int:
    return sum(max(0, len(words) - length) for length in range(4))


def _smoothed(found: Sequence[int], possible: Sequence[int], said: int) -> list[float]:
    """The four precisions; those of 0 become small numbers, each half of the one before it, unless one word is all there is."""
    shares: list[float] = []
    halvings = 1
    for each, total in zip(found, possible, strict=True):
        if each == 0 and said > 1:
            shares.append(1 / (2**halvings * 5 / math.log(said)) / total)
            halvings += 1
        else:
            shares.append(each / total)
    return shares
