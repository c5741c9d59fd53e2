"""Score what a search returned by how relevant the documents are known to be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from vivavoce.core import codec
from vivavoce.core.evidence import Evidence
from vivavoce.core.reply import JSON, Object
from vivavoce.core.result import Verdict
from vivavoce.evaluators._faults import unusable
from vivavoce.evaluators._options import whole, within
from vivavoce.evaluators._quote import LIMIT, count, quote

__all__ = ["DocumentRetrieval"]

_HIGHEST_LABEL = 30
_XDCG_GAIN, _XDCG_DECAY = 25, 0.6
_LOWER = frozenset({"holes", "holes_ratio"})
"""Measures of which less is better."""


@dataclass(frozen=True, kw_only=True)
class DocumentRetrieval:
    """How good the documents are that a search returned, by labels of how relevant each document is.

    Measures: NDCG at `k`, from 0 to 1: the gain of the first `k` documents (2^label - 1 each, less the further down), as a
    share of what the best order of the labelled documents would have gained. Beside it: XDCG at `k` (the same idea with
    milder decay, 100 when `k` is 3 and every label is 4), fidelity (the relevant documents found, by weight, of all there
    are), the label of the first document and the best of the first three, how many documents were returned and are
    labelled, and holes, which are returned documents without a label.
    Needs: `retrieved_documents`, each `{"document_id", "relevance_score"}`, and `retrieval_ground_truth`, each
    `{"document_id", "query_relevance_label"}`.
    Example: labels 4, 2, 3, 1, 0 for documents 1 to 5; returned 2, 6, 3, 5, 7 -> NDCG@3 0.31, XDCG@3 39.29, fidelity 0.39,
    2 holes; failed.
    Limits: documents are ranked by `relevance_score`, not by their place in the list; of one that is returned twice the
    last score counts. An unlabelled document counts as label 0. Nothing returned is 0. Ids are compared as text.
    NDCG alone decides, and every other measure for which a threshold is given: by default none is, since the vendor's
    (XDCG 50, 50 documents of each kind, and a label of 50 where labels end at 4) can hardly be met, or never.
    Source: Microsoft Foundry, `builtin.document_retrieval`, with its numbers.
    """

    needs: ClassVar[tuple[str, ...]] = ("retrieved_documents", "retrieval_ground_truth")
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("case", "turn")
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    k: int = 3
    """How many documents from the top NDCG and XDCG look at."""
    ground_truth_label_min: int = 0
    """The label of a document that is of no use."""
    ground_truth_label_max: int = 4
    """The label of the best document."""
    threshold: float = 0.5
    """Lowest NDCG that passes, from 0 to 1."""
    ndcg_threshold: float | None = None
    """The vendor's name for `threshold`; it wins over that."""
    xdcg_threshold: float | None = None
    """Lowest XDCG that passes, if it is to count."""
    fidelity_threshold: float | None = None
    """Lowest fidelity that passes, from 0 to 1, if it is to count."""
    top1_relevance_threshold: float | None = None
    """Lowest label of the first document that passes, if it is to count."""
    top3_max_relevance_threshold: float | None = None
    """Lowest label of the best of the first three documents that passes, if it is to count."""
    total_retrieved_documents_threshold: float | None = None
    """Lowest number of documents returned that passes, if it is to count."""
    total_ground_truth_documents_threshold: float | None = None
    """Lowest number of labelled documents that passes, if it is to count."""
    holes_threshold: float | None = None
    """Highest number of returned documents without a label that passes, if it is to count."""
    holes_ratio_threshold: float | None = None
    """Highest share of returned documents without a label that passes, from 0 to 1, if it is to count."""

    def __post_init__(self) -> None:
        if self.ndcg_threshold is not None:
            object.__setattr__(self, "threshold", self.ndcg_threshold)
        within("threshold", self.threshold, 0, 1)
        whole("k", self.k)
        within("ground_truth_label_max", self.ground_truth_label_max, 1, _HIGHEST_LABEL)
        within("ground_truth_label_min", self.ground_truth_label_min, 0, self.ground_truth_label_max - 1)
        within("top1_relevance_threshold", self.top1_relevance_threshold or 0, 0, self.ground_truth_label_max)
        within("top3_max_relevance_threshold", self.top3_max_relevance_threshold or 0, 0, self.ground_truth_label_max)

    def score(self, evidence: Evidence) -> Verdict:
        """NDCG of the first documents."""
        labels = dict(self._labels(evidence.retrieval_ground_truth))
        if not labels:
            raise unusable("retrieval_ground_truth is empty, so nothing is known to be relevant; label at least one document")
        returned = evidence.retrieved_documents
        scores = dict(_scores(returned))
        ranked = sorted(scores, key=lambda each: -scores[each])
        found = [labels.get(each, 0) for each in ranked]
        holes = sum(each not in labels for each in ranked)
        measures: dict[str, float] = {
            f"ndcg@{self.k}": self._ndcg(found, list(labels.values())),
            f"xdcg@{self.k}": self._xdcg(found),
            "fidelity": self._fidelity(found, labels.values()),
            "top1_relevance": found[0] if found else 0,
            "top3_max_relevance": max(found[:3], default=0),
            "holes": holes,
            "holes_ratio": holes / len(returned) if returned else 0.0,
            "total_retrieved_documents": len(returned),
            "total_ground_truth_documents": len(labels),
        }
        value = measures[f"ndcg@{self.k}"]
        missed = list(self._missed(measures))
        reason = f"NDCG@{self.k} {value:.2f}, {self.threshold:g} is needed: {self._top(ranked, labels)}"
        reason = "; ".join([reason, *missed, *([f"{count(holes, 'document')} without a label"] if holes else [])])
        passed = bool(ranked) and value >= self.threshold and not missed
        return Verdict(value=value, passed=passed, reason=reason, details=measures)

    def _missed(self, measures: Mapping[str, float]) -> Iterator[str]:
        """Each other threshold that was given and is not kept."""
        for name, value in measures.items():
            base = name.partition("@")[0]
            bound: float | None = getattr(self, f"{base}_threshold")
            if base == "ndcg" or bound is None:
                continue
            if base in _LOWER and value > bound:
                yield f"{name} is {value:g}, at most {bound:g} is allowed"
            elif base not in _LOWER and value < bound:
                yield f"{name} is {value:g}, {bound:g} is needed"

    def _top(self, ranked: Sequence[str], labels: Mapping[str, int]) -> str:
        if not ranked:
            return "no document was returned"
        if not any(labels.values()):
            return "no document is labelled as relevant, so none could be gained"
        first = [f"{quote(each, 30)} ({labels.get(each, 'no label')})" for each in ranked[: min(self.k, 5)]]
        return f"the first documents, with their labels, are {', '.join(first)}; the best label is {max(labels.values())}"

    def _labels(self, given: Sequence[Object]) -> Iterator[tuple[str, int]]:
        low, high = self.ground_truth_label_min, self.ground_truth_label_max
        for place, each in enumerate(given):
            name, label = _document(each, "retrieval_ground_truth", place, "query_relevance_label")
            if type(label) is not int or not low <= label <= high:
                where = f"retrieval_ground_truth[{place}].query_relevance_label"
                raise unusable(f"{where} is {_shown(label)}; it is a whole number from {low} to {high}")
            yield name, label

    def _ndcg(self, found: Sequence[int], labels: Sequence[int]) -> float:
        best = _dcg(sorted(labels, reverse=True)[: self.k])
        # More documents than the best ones cannot be gained, but for the last bit of a sum.
        return min(1.0, _dcg(found[: self.k]) / best) if best else 0.0

    def _xdcg(self, found: Sequence[int]) -> float:
        weights = [_XDCG_DECAY**rank for rank in range(self.k)]
        gained = sum(_XDCG_GAIN * label * weight for label, weight in zip(found, weights, strict=False))
        return gained / sum(weights)

    def _fidelity(self, found: Sequence[int], labels: Iterable[int]) -> float:
        there = sum(_weight(label) for label in labels if label > self.ground_truth_label_min)
        seen = sum(_weight(label) for label in found if label > self.ground_truth_label_min)
        return seen / there if there else 0.0


def _dcg(labels: Sequence[int]) -> float:
    return sum(((1 << label) - 1) / math.log2(rank + 1) for rank, label in enumerate(labels, 1))


def _weight(label: int) -> int:
    return (2 << label) - 1


def _scores(given: Sequence[Object]) -> Iterator[tuple[str, float]]:
    for place, each in enumerate(given):
        name, score = _document(each, "retrieved_documents", place, "relevance_score")
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise unusable(f"retrieved_documents[{place}].relevance_score is {_shown(score)}; it is a number")
        yield name, score


def _shown(value: JSON) -> str:
    """A value as its file has it, its end cut."""
    return quote(value) if isinstance(value, str) else codec.encode(value).decode()[:LIMIT]


def _document(given: JSON, column: str, place: int, part: str) -> tuple[str, JSON]:
    """A document's id, and what is said of it."""
    if not isinstance(given, Mapping) or "document_id" not in given or part not in given:
        raise unusable(f'{column}[{place}] is no {{"document_id": ..., "{part}": ...}}')
    name = given["document_id"]
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise unusable(f"{column}[{place}].document_id is {_shown(name)}; it is a text or a whole number")
    return str(name), given[part]
